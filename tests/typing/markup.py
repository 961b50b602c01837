"""A plain string does not pass as HTML; where it did, mypy would call the second line's `ignore` unused."""

from countersight.html import element, text

element("p", text("<b>"))
element("p", "<b>")  # type: ignore[arg-type]
