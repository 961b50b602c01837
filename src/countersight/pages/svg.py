"""What the figures of statistics share: one self-contained sheet, readable on a light and on a dark ground."""

from collections.abc import Iterable
from html import escape

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


def sheet(title: str, height: int, style: str, parts: Iterable[str]) -> str:
    """A figure of that height, with a style of its own beside the one that all share."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{escaped(title)}">\n<style>{_STYLE}{style}</style>\n'
        f'<rect class="ground" width="{WIDTH}" height="{height}"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def words_at(x: float, y: float, words: str, class_: str = "", anchor: str = "start") -> str:
    """Words at a place, which they begin at, end at, or have in their middle."""
    style = f' class="{class_}"' if class_ else ""
    turned = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{style}{turned}>{escaped(words)}</text>'


def escaped(words: str) -> str:
    """The words as text of a figure. XML has no place for control characters, escaped or not."""
    return escape("".join(c if c.isprintable() else " " for c in words))
