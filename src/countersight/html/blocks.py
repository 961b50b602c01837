"""Blocks that pages are made of: sections, tables, lists of terms."""

from collections.abc import Iterable

from markupsafe import Markup

from countersight.html.markup import text
from countersight.html.svg import element
from countersight.html.tables import Cell, Grid
from countersight.html.wording import name


def section(key: str, heading: str, about: str, *children: Markup) -> Markup:
    """A part of the page under a heading, with a sentence on what it shows."""
    return element(
        "section",
        element("h2", text(heading), id=f"{key}-title"),
        element("p", text(about), class_="about"),
        *children,
        id=key,
        aria_labelledby=f"{key}-title",
    )


def as_table(grid: Grid, about: str = "") -> Markup:
    """A table that scrolls where it is too wide."""
    caption = element("caption", text(grid.title), *([element("span", text(name(about)))] if about else []), dir="auto")
    head = element("tr", *(element("th", text(words), scope="col") for words in grid.head))
    body = [
        element(
            "tr",
            _head(line.cells[0]),
            *(_cell(cell) for cell in line.cells[1:]),
            class_="total" if line.total else "reported" if line.reported else None,
        )
        for line in grid.lines
    ]
    whole = element("table", caption, element("thead", head), element("tbody", *body))
    return element("div", whole, class_="scroll", role="region", tabindex="0", aria_label=f"Table: {grid.title}")


def _head(cell: Cell) -> Markup:
    details = (element("small", text(detail)) for detail in cell.details)
    return element("th", text(cell.text), *details, scope="row", dir="auto")


def _cell(cell: Cell) -> Markup:
    return element("td", text(cell.text), *(element("small", text(detail)) for detail in cell.details))


def definition_list(entries: Iterable[tuple[str, str]]) -> Markup:
    """Terms and what is to be said of them."""
    return element(
        "dl",
        *(
            element("div", element("dt", text(term), dir="auto"), element("dd", text(words), dir="auto"))
            for term, words in entries
        ),
        class_="how panel",
    )
