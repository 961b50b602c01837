"""The statistics as tables and bars for the terminal."""

from collections.abc import Iterator

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from countersight.case import TWO_WORLDS
from countersight.describe.counted import Counted, GroupStatistics
from countersight.describe.funnel import funnel_table
from countersight.describe.panels import (
    CONTROLLED,
    Bar,
    answer_bars,
    balances,
    frequent_answers,
    length_bars,
)
from countersight.suites import PairStatistics
from countersight.suites.cello import DESCRIBED, CelloStatistics
from countersight.suites.cosim import (
    LENGTHS,
    REPORTED_GUIDES,
    REPORTED_WORDS,
    REPORTED_WORDS_IN_ALL,
    CosimStatistics,
    reported_length,
    reported_share,
)
from countersight.text import several

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_WIDTH = 24
_TOP = 3
_STYLES = ("cyan", "yellow")


def printed(statistics: Counted) -> Iterator[RenderableType]:
    """The tables, one after the other."""
    yield _groups(statistics)
    if statistics.controls:
        yield Text(f"and {several(statistics.controls, 'control')}: {CONTROLLED}")
    if statistics.cases:
        if bars := answer_bars(statistics.total):
            yield _bars("Right answers", "answer", bars)
        yield _bars("Words in a question, its options included", "words", length_bars(statistics.total, most=20))
    if balances(statistics):
        yield _balance(statistics)
    if statistics.cosim:
        yield from _of_cosim(statistics.cosim)
    if statistics.cello:
        yield _of_cello(statistics.cello)
    for paper in statistics.papers:
        yield _of_pairs(paper)
    if statistics.funnel:
        yield funnel_table(statistics.funnel)


def _groups(statistics: Counted) -> Table:
    table = Table(title=several(statistics.cases, "case"), box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("group")
    for heading in ("cases", "words\nfactual", "words\ncounterf.", "answer\nchanges"):
        table.add_column(heading, justify="right")
    table.add_column("most frequent answers\nfactual")
    table.add_column("\ncounterfactual")
    for group in (*statistics.groups, statistics.total):
        style = "bold" if group is statistics.total else ""
        table.add_row(
            _text(group.group or "(none)"),
            f"{group.cases:,}",
            *(f"{world.mean_words:.2f}" if world.questions else "–" for world in group.worlds),
            f"{group.changed / group.pairs:.1%}" if group.pairs else "–",
            *_top(group),
            style=style,
        )
    return table


def _top(group: GroupStatistics) -> list[Text]:
    cells = []
    for world in group.worlds:
        most = [f"{answer[:20]} {n / world.questions:.0%}" for answer, n in frequent_answers(world)[:_TOP]]
        cells.append(_text(", ".join(most) or "–"))
    return cells


def _bars(title: str, heading: str, bars: list[Bar]) -> Table:
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column(heading, justify="right")
    for words in TWO_WORLDS:
        table.add_column(words, min_width=_WIDTH)
        table.add_column("%", justify="right")
    longest = max((max(bar.shares) for bar in bars), default=0) or 1
    for bar in bars:
        cells: list[Text] = []
        for share, style in zip(bar.shares, _STYLES, strict=True):
            cells += [Text(_drawn(share / longest), style=style), Text(f"{100 * share:.1f}")]
        table.add_row(_text(bar.label[:24]), *cells)
    return table


def _text(words: str) -> Text:
    """Words of the dataset: neither markup nor signs that would steer the terminal."""
    return Text("".join(c if c.isprintable() else " " for c in words))


def _drawn(share: float) -> str:
    whole, rest = divmod(round(share * _WIDTH * 8), 8)
    return "█" * whole + (_EIGHTHS[rest] if rest else "")


def _balance(statistics: Counted) -> Table:
    table = Table(title="Balance of right answers", box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("group")
    table.add_column("world")
    table.add_column("share of each")
    for balance in balances(statistics):
        shares = "  ".join(f"{label} {100 * share:.1f}%" for label, share in balance.parts)
        table.add_row(_text(balance.group or "(none)"), balance.world, shares)
    return table


def _of_cosim(cosim: CosimStatistics) -> Iterator[Table]:
    """What the paper tells of its instances, with its own figures beside, marked as reported."""
    yield _parts(cosim)
    yield _kinds(cosim)
    yield _shares(
        "Types in one change",
        "types",
        "reported: of the validation split (CoSIm, Table 2)",
        [(number, n, reported_share(number)) for number, n in cosim.numbers],
    )
    yield _shares(
        "Answer of the new response beside the initial one",
        "where both begin with yes or no",
        "reported: guides that people chose, whole set (CoSIm, A.1)",
        [(guide, n, REPORTED_GUIDES[guide]) for guide, n in cosim.guides],
    )


def _of_cello(cello: CelloStatistics) -> Table:
    """Cases by rung, task and kind of causal graph."""
    table = _reporting("Causal tasks and graphs", f"{DESCRIBED}; theirs: words of the published example")
    table.add_column("rung", no_wrap=True)
    table.add_column("task", no_wrap=True)
    kinds = [kind for kind, _ in cello.graphs]
    broken = (kind.replace("con", "con-\n").replace("col", "col-\n") for kind in kinds)
    for heading in ("cases", "words/\ntheirs", *broken):
        table.add_column(heading, justify="right")
    rung = ""
    for task in cello.tasks:
        counts = dict(task.graphs)
        by_kind = (f"{counts[kind]:,}" if counts.get(kind) else "" for kind in kinds)
        words = f"{task.mean_words:.1f}" if task.cases else "–"
        if task.example_words:
            words += f"/{task.example_words:2}"
        shown, rung = "" if task.rung == rung else task.rung, task.rung
        table.add_row(shown, _text((task.short or task.task)[:20]), f"{task.cases:,}", words, *by_kind)
    by_kind = (f"{n:,}" for _, n in cello.graphs)
    table.add_row("all", "", f"{cello.cases:,}", f"{_mean(cello.words)}   ", *by_kind, style="bold")
    return table


def _mean(words: tuple[tuple[int, int], ...]) -> str:
    return f"{sum(length * n for length, n in words) / sum(n for _, n in words):.1f}"


def _of_pairs(paper: PairStatistics) -> Table:
    """What the paper tells of its pairs, told of these."""
    table = _reporting("Beside the paper", f"reported: of the whole published set ({paper.source})")
    table.add_column("")
    table.add_column("here", justify="right")
    table.add_column("reported", justify="right", style="dim")
    for figure in paper.figures:
        table.add_row(figure.what, figure.here, figure.reported)
    return table


def _parts(cosim: CosimStatistics) -> Table:
    table = _reporting(
        "Words in each part", "reported: of the whole set of 3.5K instances (CoSIm, Table 1 and Section 5.1)"
    )
    table.add_column("part")
    for heading in ("max", "min", "mean", "sd", "different words"):
        table.add_column(heading, justify="right")
    for part in cosim.parts:
        lengths = f"{part.longest}", f"{part.shortest}", f"{part.mean:.2f}", f"{part.deviation:.2f}"
        table.add_row(part.part, *lengths, f"{part.words:,}")
        reported = (reported_length(part.part, column) for column in LENGTHS)
        table.add_row("  reported", *reported, f"{REPORTED_WORDS[part.part]:,}", style="dim")
    table.add_row("all", *[""] * len(LENGTHS), f"{cosim.words:,}")
    table.add_row("  reported", *[""] * len(LENGTHS), f"{REPORTED_WORDS_IN_ALL:,}", style="dim")
    return table


def _kinds(cosim: CosimStatistics) -> Table:
    if not cosim.assigned:
        whose = "proposed by rules"
    elif cosim.assigned == cosim.cases:
        whose = "assigned by people"
    else:
        whose = f"{cosim.assigned:,} assigned by people, the others proposed by rules"
    none = f"; {cosim.untyped:,} of no type that is known" if cosim.untyped else ""
    table = _reporting("Types of change", f"{whose}; a change may be of several{none}")
    table.add_column("type")
    table.add_column("changes", justify="right")
    table.add_column("%", justify="right")
    table.add_column("", min_width=_WIDTH)
    most = max((n for _, n in cosim.kinds), default=0) or 1
    for kind, n in cosim.kinds:
        table.add_row(kind, f"{n:,}", f"{100 * n / cosim.cases:.1f}", Text(_drawn(n / most), style=_STYLES[1]))
    return table


def _shares(title: str, heading: str, caption: str, rows: list[tuple[str, int, str]]) -> Table:
    table = _reporting(title, caption)
    table.add_column(heading)
    for column in ("cases", "%", "reported %"):
        table.add_column(column, justify="right")
    total = sum(n for _, n, _ in rows) or 1
    for label, n, reported in rows:
        table.add_row(label, f"{n:,}", f"{100 * n / total:.2f}", Text(reported, style="dim"))
    return table


def _reporting(title: str, caption: str) -> Table:
    """A table with a line under it that says what its reported figures are of."""
    return Table(
        title=title,
        caption=f"{caption}\n",
        box=box.SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
        min_width=len(caption),
    )
