"""What was checked about an edit: what was asked, by whom, what it saw, and its verdict."""

from collections.abc import Iterator

from countersight.audits.bundle.cases import EditSheet
from countersight.audits.probes import Check
from countersight.html import Markup, clean, element, name, text

_DONE = {True: ("right", "✓ yes"), False: ("wrong", "✗ no"), None: ("missing", "– cannot tell")}
_HEAD = ("what was checked", "by whom", "verdict", "what was seen")


def checked(edit: EditSheet | None) -> Iterator[Markup]:
    """A table of the checks of one edit; nothing where nobody checked it."""
    if edit is None or not edit.checks:
        return
    head = element("tr", *(element("th", text(words), scope="col") for words in _HEAD))
    yield element(
        "div",
        element(
            "table",
            element("caption", text("Did the edit do what was asked?")),
            element("thead", head),
            element("tbody", *map(_row, edit.checks)),
        ),
        class_="verdicts checks",
        role="group",
        tabindex="0",
        aria_label="Table: did the edit do what was asked?",
    )


def _row(check: Check) -> Markup:
    state, words = _DONE[check.done]
    return element(
        "tr",
        element("th", text(clean(check.asked)), scope="row", dir="auto"),
        element("td", text(name(check.checker)), dir="auto"),
        element("td", element("span", text(words), class_=f"verdict {state}")),
        element("td", text(clean(check.seen)), dir="auto"),
    )
