"""Tables in the terminal."""

import io

from rich.console import Console

from countersight.html import Grid, Line, TableCell, print_grids


def test_counts_are_found_by_their_heads_wherever_they_stand() -> None:
    def shown(*head: str) -> str:
        console = Console(width=100, record=True, file=io.StringIO())
        cells = tuple(TableCell(f"<{word}>") for word in head)
        print_grids([Grid("A table", head, (Line(cells),))], console)
        return console.export_text()

    (line,) = [line for line in shown("group", "unread", "balance").splitlines() if "<" in line]
    assert line.split() == ["<group>", "<unread>", "<balance>"]
    line, second = [line for line in shown("group", "unread", "balance", "failed").splitlines() if "<" in line]
    assert line.split() == ["<group>", "<balance>", "<unread>", "unread"]
    assert second.split() == ["<failed>", "failed"]
