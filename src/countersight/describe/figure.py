"""The statistics as one self-contained SVG figure, readable on a light and on a dark ground."""

from countersight.case import ASKING_WORDS, TWO_WORLDS
from countersight.describe.counted import Counted
from countersight.describe.funnel import funnel_panel
from countersight.describe.panels import Balance, Bar, answer_bars, balances, length_bars
from countersight.pages import MARGIN, WIDTH, escaped, sheet, words_at
from countersight.suites.cello import DESCRIBED, CelloStatistics
from countersight.suites.cosim import CosimStatistics
from countersight.text import several

_PLOT = 190
_LINE = 24
_NAME = 190

_STYLE = """
  .factual { fill: var(--one) } .counterfactual { fill: var(--two) } .rule { stroke: var(--rule) }
  .part { stroke: var(--ground); stroke-width: 2 } .on { font-weight: 600; font-size: 11.5px }
"""


def figure(statistics: Counted) -> str:
    """The figure: which answers are right, how long questions are, how even the right options are."""
    y = 44
    count = several(statistics.cases, "case")
    groups = len(statistics.groups)
    total = statistics.total
    if total.pairs:
        changed = f"the right answer changes in {100 * total.changed / total.pairs:.1f}% of {total.pairs:,} pairs"
    else:
        changed = "no case asks in both worlds"
    controls = f"; {several(statistics.controls, 'control')} beside them" if statistics.controls else ""
    parts = [
        words_at(MARGIN, y, f"{count} in {groups} group{'' if groups == 1 else 's'}", "title"),
        words_at(MARGIN, y + 22, changed + controls, "soft"),
        _legend(y + 46),
    ]
    y += 92
    means = ", ".join(f"{w.mean_words:.2f} {w.world}" for w in total.worlds if w.questions)
    for title, note, bars in (
        ("Right answers", "share of the questions of each world", answer_bars(total)),
        ("Words in a question, its options included", f"on average {means}" if means else "", length_bars(total)),
    ):
        if not bars and statistics.cases:
            continue
        parts.append(_plot(y, title, note, bars))
        y += _PLOT + 92
    even = balances(statistics)
    if even:
        parts.append(_balance(y, even))
        y += _LINE * len(even) + 60
    if statistics.cosim:
        parts.append(_kinds(y, statistics.cosim))
        y += _LINE * len(statistics.cosim.kinds) + 78
    if statistics.cello:
        panel, tall = _causal(y, statistics.cello)
        parts.append(panel)
        y += tall
    if statistics.funnel:
        panel, tall = funnel_panel(y, statistics.funnel)
        parts.append(panel)
        y += tall
    return sheet(f"Statistics of a dataset of {count}", y + 4, _STYLE, parts)


def _legend(y: int) -> str:
    parts = []
    for x, world in zip((MARGIN, MARGIN + 230), TWO_WORLDS, strict=True):
        parts.append(f'<rect class="{world}" x="{x}" y="{y - 11}" width="13" height="13" rx="3"/>')
        parts.append(words_at(x + 20, y, f"{world}: {ASKING_WORDS[world]}"))
    return "".join(parts)


def _plot(y: int, title: str, note: str, bars: list[Bar]) -> str:
    """Two bars for each category, one a world, over a percentage axis."""
    top, bottom = y + 34, y + 34 + _PLOT
    inside = WIDTH - 2 * MARGIN
    parts = [words_at(MARGIN, y, title, "head"), words_at(MARGIN, y + 18, note, "soft")]
    highest = max((share for bar in bars for share in bar.shares), default=0)
    step = next((step for step in (0.01, 0.02, 0.05, 0.1, 0.2) if highest <= 5 * step), 0.25)
    limit = step * max(1, -(-highest // step))
    for tick in range(round(limit / step) + 1):
        height = bottom - _PLOT * tick * step / limit
        parts.append(f'<line class="rule" x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{height:.1f}" y2="{height:.1f}"/>')
        parts.append(words_at(MARGIN - 8, height + 4, f"{100 * tick * step:.0f}%", "soft", "end"))
    room = inside / max(len(bars), 1)
    width = min(22.0, room * 0.4)
    every = max(1, round(max((len(bar.label[:12]) for bar in bars), default=1) * 7 / room + 0.5))
    for place, bar in enumerate(bars):
        middle = MARGIN + room * (place + 0.5)
        for world, share, x in zip(TWO_WORLDS, bar.shares, (middle - width, middle), strict=True):
            tall = _PLOT * share / limit
            parts.append(
                f'<rect class="{world}" x="{x:.1f}" y="{bottom - tall:.1f}" width="{width - 0.6:.1f}" '
                f'height="{tall:.1f}" rx="1.5">'
                f"<title>{escaped(f'{bar.label}, {world}: {100 * share:.1f}%')}</title></rect>"
            )
        if place % every == 0:
            label = bar.label if len(bar.label) <= 12 else f"{bar.label[:11]}…"
            parts.append(words_at(middle, bottom + 18, label, "soft", "middle"))
    return (
        f'<g><desc>{escaped(title)}</desc><line class="rule" x1="{MARGIN}" x2="{MARGIN}" y1="{top}" y2="{bottom}"/>'
        + "".join(parts)
        + "</g>"
    )


def _balance(y: int, rows: list[Balance]) -> str:
    """One bar a group and world, cut where one letter ends and the next begins."""
    parts = [words_at(MARGIN, y, "Balance of right answers", "head")]
    left = MARGIN + _NAME + 130
    inside = WIDTH - MARGIN - left
    shown = ""
    for place, row in enumerate(rows):
        line = y + 18 + _LINE * place
        if row.group != shown or place == 0:
            name = row.group or "(none)"
            parts.append(words_at(MARGIN, line + 14, name if len(name) <= 26 else f"{name[:25]}…"))
        shown = row.group
        parts.append(words_at(left - 12, line + 14, row.world, "soft", "end"))
        world = row.world
        x = float(left)
        for number, (label, share) in enumerate(row.parts):
            width = inside * share
            # Pale enough for dark words on a light ground and light words on a dark one.
            parts.append(
                f'<rect class="{world} part" fill-opacity="{0.3 if number % 2 else 0.45}" '
                f'x="{x:.1f}" y="{line}" width="{width:.1f}" height="{_LINE - 4}">'
                f"<title>{escaped(f'{label}: {100 * share:.1f}%')}</title></rect>"
            )
            if width > 58:
                parts.append(words_at(x + width / 2, line + 14, f"{label} {100 * share:.1f}%", "on", "middle"))
            x += width
    return "<g>" + "".join(parts) + "</g>"


def _kinds(y: int, cosim: CosimStatistics) -> str:
    """One bar a type of change, as long as its share of the changes."""
    parts = [
        words_at(MARGIN, y, "Types of change (CoSIm)", "head"),
        words_at(MARGIN, y + 18, "share of the changes; one may be of several types", "soft"),
    ]
    inside = WIDTH - 2 * MARGIN - _NAME - 60
    for place, (kind, n) in enumerate(cosim.kinds):
        line, share = y + 36 + _LINE * place, n / cosim.cases
        parts.append(words_at(MARGIN, line + 14, kind))
        parts.append(
            f'<rect class="counterfactual" x="{MARGIN + _NAME}" y="{line}" width="{inside * share:.1f}" '
            f'height="{_LINE - 6}" rx="1.5"/>'
        )
        parts.append(words_at(MARGIN + _NAME + inside * share + 8, line + 14, f"{100 * share:.1f}%", "soft"))
    return "<g>" + "".join(parts) + "</g>"


def _causal(y: int, cello: CelloStatistics) -> tuple[str, int]:
    """One bar a causal task, cut by kind of graph, under the heading of its rung; and how tall it all is."""
    kinds = [kind for kind, _ in cello.graphs]
    parts = [
        words_at(MARGIN, y, "Causal tasks and graphs (CELLO)", "head"),
        words_at(MARGIN, y + 18, DESCRIBED, "soft"),
    ]
    x = float(MARGIN)
    for number, (kind, n) in enumerate(cello.graphs):
        parts.append(_shaded(x, y + 32, 13, 13, number, kind))
        parts.append(words_at(x + 20, y + 43, f"{kind} {n:,}"))
        x += 170
    line, rung = y + 56, ""
    left = MARGIN + _NAME + 130
    inside = WIDTH - MARGIN - left - 260
    most = max((task.cases for task in cello.tasks), default=0) or 1
    for task in cello.tasks:
        if task.rung != rung:
            rung = task.rung
            line += _LINE
            parts.append(words_at(MARGIN, line + 8, rung, "head"))
            line += 18
        parts.append(words_at(MARGIN, line + 14, f"{task.short} {task.task.replace('_', ' ')}"[:44]))
        parts.append(words_at(left - 12, line + 14, task.options, "soft", "end"))
        counts, x = dict(task.graphs), float(left)
        for number, kind in enumerate(kinds):
            width = inside * counts.get(kind, 0) / most
            if width:
                parts.append(_shaded(x, line, width, _LINE - 6, number, f"{kind}: {counts[kind]:,}"))
            x += width
        told = f"{task.cases:,} · {task.mean_words:.1f} words" if task.cases else "none"
        if task.example_words:
            told += f" · published example {task.example_words}"
        parts.append(words_at(x + 8, line + 14, told, "soft"))
        line += _LINE
    return "<g>" + "".join(parts) + "</g>", line - y + 40


def _shaded(x: float, y: float, width: float, height: float, number: int, title: str) -> str:
    """A box in the shade of a number."""
    return (
        f'<rect class="counterfactual" fill-opacity="{1 - 0.22 * number:.2f}" x="{x:.1f}" y="{y:.1f}" '
        f'width="{width:.1f}" height="{height}" rx="1.5"><title>{escaped(title)}</title></rect>'
    )
