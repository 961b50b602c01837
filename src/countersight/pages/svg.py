"""What the figures of statistics share: one self-contained sheet, readable on a light and on a dark ground."""

from collections.abc import Iterable

from countersight.pages.markup import Markup, element, text

WIDTH = 960
MARGIN = 56

_STYLE = """
  svg { --ground: #ffffff; --ink: #1b2430; --soft: #5b6675; --rule: #e3e7ec; --one: #0a6ab4; --two: #c2500d;
        --three: #7b3fa9; font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
  @media (prefers-color-scheme: dark) {
    svg { --ground: #12171d; --ink: #e8edf2; --soft: #a3aebb; --rule: #2b343f; --one: #5fb0f2; --two: #ff9a5c;
      --three: #c99cf2 }
  }
  .ground { fill: var(--ground) } text { fill: var(--ink) } .soft { fill: var(--soft); font-size: 11.5px }
  .title { font-size: 20px; font-weight: 650 } .head { font-size: 15px; font-weight: 600 }
"""


def sheet(title: str, height: int, style: str, parts: Iterable[Markup]) -> Markup:
    """A figure of that height, with a style of its own beside the one that all share."""
    return element(
        "svg",
        element("style", Markup(_STYLE + style)),
        element("rect", class_="ground", width=WIDTH, height=height),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {height}",
        width=WIDTH,
        height=height,
        role="img",
        aria_label=_drawable(title),
    )


def words_at(x: float, y: float, words: str, class_: str = "", anchor: str = "start") -> Markup:
    """Words at a place, which they begin at, end at, or have in their middle."""
    turned = None if anchor == "start" else anchor
    return element("text", text(_drawable(words)), x=x, y=y, class_=class_ or None, text_anchor=turned)


def hint(words: str, tag: str = "title") -> Markup:
    """What a part of a figure is, in words that are shown when it is pointed at."""
    return element(tag, text(_drawable(words)))


def shortened(words: str, most: int) -> str:
    """Words that have room for so many letters."""
    return words if len(words) <= most else f"{words[: max(0, most - 1)]}…"


def _drawable(words: str) -> str:
    """XML has no place for control characters, escaped or not."""
    return "".join(c if c.isprintable() else " " for c in words)
