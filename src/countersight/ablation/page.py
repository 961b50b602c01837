"""A page with the summary, and for each case small bars: every response, told whole and without each part."""

from collections.abc import Sequence
from pathlib import Path

from countersight.ablation.effects import CaseParts, KindOfPart
from countersight.ablation.terminal import ABOUT, as_grid
from countersight.files import write_text
from countersight.pages import Markup, as_table, document, element, joined, section, text

SHOWN = 100
"""Cases on the page: those whose parts do most."""
_BAR = 120


def write_page(path: Path, model: str, kinds: Sequence[KindOfPart], cases: Sequence[CaseParts]) -> Path:
    """Write the page."""
    strongest = sorted(cases, key=lambda case: -max(abs(case.effect(str(n + 1))) for n in range(len(case.parts))))
    shown = strongest[:SHOWN]
    about = (
        f"The {len(shown)} of {len(cases)} cases whose parts do most. Bars: how likely the model finds each response; "
        "the right one is marked."
    )
    body = joined(
        [
            section("summary", "Which parts carry the answer", ABOUT, as_table(as_grid(kinds))),
            section("cases", "Case by case", about, *(_case(case) for case in shown)),
        ]
    )
    page = document(
        __package__, "page.html", title=f"Parts of changes: {model}", style="page.css", model=text(model), body=body
    )
    return write_text(path, page)


def _case(case: CaseParts) -> Markup:
    rows = [
        element(
            "tr",
            element("th", text(_told(case, left_out)), scope="row", dir="auto"),
            *(element("td", _bar(share, number == case.right)) for number, share in enumerate(likely)),
        )
        for left_out, likely in case.likely.items()
    ]
    heads = [
        element("th", text(("✓ " if number == case.right else "") + response), scope="col", dir="auto")
        for number, response in enumerate(case.responses)
    ]
    head = element("tr", element("th", text(case.question), scope="col", dir="auto"), *heads)
    table = element("table", element("caption", text(case.id)), element("thead", head), element("tbody", *rows))
    return element("div", table, class_="scroll", role="region", tabindex="0", aria_label=f"Case {case.id}")


def _told(case: CaseParts, left_out: str) -> str:
    if not left_out:
        return "Told whole: " + " ".join(case.parts)
    return "Without: " + " ".join(case.parts[int(number) - 1] for number in left_out.split("+"))


def _bar(share: float, right: bool) -> Markup:
    drawn = element("rect", width=_BAR * share, height=10, class_="right" if right else "other")
    words = element("small", text(f"{100 * share:.0f}%"))
    return element("svg", drawn, viewBox=f"0 0 {_BAR} 10", width=_BAR, height=10, aria_hidden="true") + words
