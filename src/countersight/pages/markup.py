"""HTML and SVG elements as strings, with everything from data escaped on the way in."""

from html import escape

Markup = str
"""Text that is HTML already; only this module and literals in the source make it."""


def element(tag: str, *children: Markup, **attributes: str | float | None) -> Markup:
    """An element. Attributes are escaped; `class_` and `for_` lose their underscore, others change it to a hyphen."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_number(value), quote=True)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{written}>{''.join(children)}</{tag}>"


def text(words: str) -> Markup:
    """Words from data."""
    return escape(words, quote=True)


def _number(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
