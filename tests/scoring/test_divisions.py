"""Cases divided otherwise than by group."""

from countersight.case import Case, Change, Option, Question, Reply
from countersight.scoring import outcomes, score_group
from countersight.scoring.divisions import Axis, divide

KINDS = Axis("kind", ("add", "remove"), lambda case: case.change.kinds if case.change else ())


def case(name: str, *kinds: str) -> Case:
    options = Option("option 0"), Option("option 1")
    return Case(
        id=name, suite="toy", change=Change("so", kinds), counterfactual=Question("What?", "A", "choice", options)
    )


def said(row: int, letter: str) -> Reply:
    return Reply(case=f"c{row}", row=row, world="counterfactual", text=letter)


def divided(cases: list[Case], replies: list[Reply]) -> dict[str, tuple[int, int]]:
    """The right answers and the cases of each line."""
    found = outcomes(enumerate(cases), replies)
    rows = [
        (axis, score_group(found, line, mask))
        for axis, lines in divide(cases, [KINDS]).items()
        for line, mask in lines.items()
    ]
    return {f"{axis}: {row.group}": (row.counterfactual.right or 0, row.n) for axis, row in rows}


def test_a_case_counts_on_every_line_it_belongs_to_and_once_on_each() -> None:
    cases = [case("c0", "add", "remove"), case("c1", "remove", "remove"), case("c2")]
    lines = divided(cases, [said(0, "A"), said(1, "B"), said(2, "A")])
    assert lines == {"kind: add": (1, 1), "kind: remove": (1, 2)}


def test_lines_keep_the_order_of_the_axis_and_what_it_does_not_know_is_other() -> None:
    lines = divided([case("c0", "paint", "burn"), case("c1", "remove"), case("c2", "add")], [])
    assert list(lines.items()) == [("kind: add", (0, 1)), ("kind: remove", (0, 1)), ("kind: other", (0, 1))]


def test_without_axes_there_are_no_divisions() -> None:
    assert divide([case("c0", "add")], []) == {}
