"""Building blocks of SVG figures: self-contained, readable on light and dark backgrounds."""

import re
from bisect import bisect
from collections.abc import Iterable
from functools import cache
from itertools import takewhile
from unicodedata import east_asian_width

from markupsafe import Markup as Markup

from countersight.html.documents import fragment, source

WIDTH = 960
MARGIN = 56

_COLOURS = {
    "ground": "surface",
    "ink": "ink",
    "soft": "muted",
    "rule": "line",
    "one": "factual",
    "two": "counterfactual",
    "three": "shown",
}
"""The page colour for each colour name that figures use."""

_STYLE = """
  svg {{ {light}; font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }}
  @media (prefers-color-scheme: dark) {{ svg {{ {dark} }} }}
  .ground {{ fill: var(--ground) }} text {{ fill: var(--ink) }} .soft {{ fill: var(--soft); font-size: 11.5px }}
  .title {{ font-size: 20px; font-weight: 650 }} .head {{ font-size: 15px; font-weight: 600 }}
"""


@cache
def _style() -> str:
    """Return the style that all figures share, in the colours of the pages."""
    sheet = source(__package__, "page.css")
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#\w+);", part)) for part in sheet.split("(prefers-color-scheme: dark)")
    )
    return _STYLE.format(
        **{
            name: "; ".join(f"--{here}: {colours[there]}" for here, there in _COLOURS.items())
            for name, colours in (("light", light), ("dark", dark))
        }
    )


def sheet(title: str, height: int, style: str, parts: Iterable[Markup]) -> Markup:
    """Return an SVG figure of this height; `style` is added to the style that all figures share."""
    return fragment(
        __package__,
        "sheet.svg",
        width=WIDTH,
        height=height,
        title=_drawable(title),
        style=Markup(_style() + style),
        parts=Markup("".join(parts)),
    )


def shortened(words: str, most: int, others: Iterable[str] = ()) -> str:
    """Shorten a name to the width of at most `most` average letters.

    The middle is cut out; the ends are kept, and the parts that differ from `others`.
    """
    if _letters(words) <= most:
        return words
    parts = re.findall(r"[^\W_]{1,4}|[\W_]", words)
    starts = [sum(map(len, parts[:place])) for place in range(len(parts))]
    differing = [bisect(starts, _shared_prefix(words, other)) - 1 for other in others if other != words]
    inwards = [place for pair in zip(range(len(parts)), reversed(range(len(parts))), strict=True) for place in pair]
    kept: set[int] = set()
    for place in [*differing, *inwards]:
        if _letters(_joined(parts, kept | {place})) <= most:
            kept.add(place)
    alone = {place for place in kept if not parts[place].isalnum() and not kept & {place - 1, place + 1}}
    return _joined(parts, kept - alone)


def _shared_prefix(one: str, other: str) -> int:
    """Return the number of leading letters that two names share."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _joined(parts: list[str], kept: set[int]) -> str:
    """Join the kept parts, with one ellipsis for each gap."""
    shown = ""
    for place, part in enumerate(parts):
        shown += part if place in kept else "" if shown.endswith("…") else "…"
    return shown


def _letters(words: str) -> float:
    return sum(map(_width_of, words))


def _width_of(letter: str) -> float:
    """Return the width of a character relative to an average one, in the widest common typeface."""
    if east_asian_width(letter) in "WF":
        return 1.8
    if letter in " .,:;'|!()ijltfr":
        return 0.7
    return 1.6 if letter in "MWmw@%" else 1.25 if letter.isupper() else 1.0


def _drawable(words: str) -> str:
    """Return the text without control characters, which XML cannot contain even escaped."""
    return "".join(c if c.isprintable() else " " for c in words)
