"""Words that the sections of a page share."""

from collections.abc import Iterable

from countersight.html import Markup, element, name, text


def remark(words: str) -> Markup:
    """A sentence on its own."""
    return element("p", text(words), class_="remark", dir="auto")


def listed(names: Iterable[str]) -> str:
    """Names from data with commas between."""
    return ", ".join(map(name, names))
