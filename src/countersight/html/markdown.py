"""Tables as Markdown."""

import re
from collections.abc import Iterable

from countersight.html.tables import Grid, TableCell


def markdown_tables(
    title: str,
    words: str,
    tables: Iterable[Grid],
    definitions: Iterable[tuple[str, str]],
    sections: Iterable[tuple[str, str, Iterable[Grid]]] = (),
) -> str:
    """Return Markdown with tables, then sections (heading, introduction and tables), then definitions."""
    parts = [f"# {markdown_text(title)}", markdown_text(words)]
    for grid in tables:
        parts += [f"## {markdown_text(grid.title)}", *markdown_grid(grid)]
    for heading, about, grids in sections:
        parts += [f"## {markdown_text(heading)}", markdown_text(about)]
        for grid in grids:
            parts += [f"### {markdown_text(grid.title)}", *markdown_grid(grid)]
    listed = (f"- **{markdown_text(term)}**: {markdown_text(text)}" for term, text in definitions)
    return "\n\n".join([*parts, "## How these figures were computed", "\n".join(listed)]) + "\n"


def markdown_grid(grid: Grid) -> list[str]:
    """Return the table as Markdown, followed by its note if it has one."""
    return [_md_table(grid), *([markdown_text(grid.note)] if grid.note else [])]


def _md_table(grid: Grid) -> str:
    rows = [[markdown_text(head) for head in grid.head], ["---", *("---:" for _ in grid.head[1:])]]
    for line in grid.lines:
        cells = [markdown_text(_flat(cell)) for cell in line.cells]
        rows.append([f"**{cells[0]}**", *cells[1:]] if line.total else cells)
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def markdown_text(text: str) -> str:
    """Escape text for Markdown."""
    escaped = re.sub(r"([\\`*_\[\]|~!$#])", r"\\\1", text)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _flat(cell: TableCell) -> str:
    return f"{cell.text} ({'; '.join(cell.details)})" if cell.details else cell.text
