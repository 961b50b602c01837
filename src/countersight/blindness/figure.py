"""The chart of `blind` as a self-contained SVG file."""

from pathlib import Path

from countersight.blindness.probing import Blind, GroupBlind
from countersight.blindness.wording import shared, summary, told
from countersight.html import MARGIN, WIDTH, Markup, element, sheet, shortened, words_at

_LINE = 26
_NAME = 250
_CUES = 10
_STYLE = """
  .factual { fill: var(--one) } .counterfactual { fill: var(--two) } .rule { stroke: var(--rule) }
  .bar { stroke: var(--ink); stroke-width: 1.5 } .chance { stroke: var(--soft); stroke-width: 2; stroke-dasharray: 3 3 }
"""


def figure(found: Blind) -> Markup:
    """Return a bar with its interval for every group and world, a mark at chance, and the strongest cues."""
    parts = [
        words_at(MARGIN, 44, "Answered without the pictures", "title"),
        words_at(MARGIN, 66, summary(found), "soft"),
        words_at(MARGIN, 84, "bars: blind, with 95% intervals; dashed: chance", "soft"),
    ]
    top = 104
    left, inside = MARGIN + _NAME, WIDTH - 2 * MARGIN - _NAME - 130
    for tick in range(0, 101, 25):
        x = left + inside * tick / 100
        bottom = top + _LINE * len(found.groups)
        parts.append(element("line", class_="rule", x1=x, x2=x, y1=top, y2=bottom))
        parts.append(words_at(x, bottom + 16, f"{tick}%", "soft", "middle"))
    parts += [_bar(group, top + _LINE * place, left, inside) for place, group in enumerate(found.groups)]
    y = top + _LINE * len(found.groups) + 54
    parts.append(words_at(MARGIN, y, "Which cues give the answer away", "head"))
    cues = [told(cue) for cue in found.cues[:_CUES]] or ["no single cue is significantly better than chance"]
    parts += [words_at(MARGIN, y + 22 + 19 * place, words, "soft") for place, words in enumerate(cues)]
    return sheet("Answered without the pictures", y + 40 + 19 * len(cues), _STYLE, parts)


def write_svg(found: Blind, path: Path) -> None:
    """Write the results as one self-contained figure."""
    path.write_text(figure(found), encoding="utf-8")


def _bar(group: GroupBlind, y: float, left: float, inside: float) -> Markup:
    named = f"{group.group or '(none)'}, {group.world}"
    middle = y + _LINE / 2
    low, high = (left + inside * end for end in (group.blind.low, group.blind.high))
    width = inside * group.blind.right
    parts = [
        words_at(left - 10, y + 17, shortened(named, 36), anchor="end"),
        element("rect", class_=group.world, x=left, y=y + 4, width=width, height=_LINE - 8, rx=1.5),
        element("line", class_="bar", x1=low, x2=high, y1=middle, y2=middle),
        words_at(left + inside + 8, y + 17, shared(group.blind), "soft"),
    ]
    if group.chance is not None:
        x = left + inside * group.chance
        parts.append(element("line", class_="chance", x1=x, x2=x, y1=y + 1, y2=y + _LINE - 1))
    return Markup("").join(parts)
