"""Words and parts of pages as markup, for the audit's pages until they are templates."""

from collections.abc import Iterable

from markupsafe import Markup, escape


def joined(parts: Iterable[Markup]) -> Markup:
    """Parts of a page as one."""
    return Markup("").join(parts)


def text(words: str) -> Markup:
    """Words from data."""
    return escape(words)
