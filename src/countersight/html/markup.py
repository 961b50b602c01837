"""HTML and SVG elements as strings, with everything from data escaped on the way in."""

from collections.abc import Iterable
from html import escape


class Markup(str):
    """Text that is HTML already. A plain `str` is none, and the type checker says so wherever one is taken for it."""

    __slots__ = ()

    def __add__(self, other: "Markup") -> "Markup":  # type: ignore[override]
        return Markup(str(self) + other)

    def __html__(self) -> str:
        """What templates ask for before they escape."""
        return str(self)


_WITHOUT_END = frozenset(("input", "img"))


def joined(parts: Iterable[Markup]) -> Markup:
    """Parts of a page as one."""
    return Markup("".join(parts))


def element(tag: str, *children: Markup, **attributes: str | float | None) -> Markup:
    """An element. Attributes are escaped; `class_` and `for_` lose their underscore, others change it to a hyphen."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_number(value), quote=True)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if tag in _WITHOUT_END:
        return Markup(f"<{tag}{written}>")
    return Markup(f"<{tag}{written}>{''.join(children)}</{tag}>")


def text(words: str) -> Markup:
    """Words from data."""
    return Markup(escape(words, quote=True))


def _number(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
