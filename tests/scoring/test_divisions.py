"""Cases divided otherwise than by group."""

import pytest

from countersight.case import Case, Change, Option, Question, Reply
from countersight.scoring import outcomes, score_group
from countersight.scoring.divisions import Axis, DividedCases, divide

KINDS = Axis("kind", ("add", "remove"), lambda case: case.change.kinds if case.change else ())
AXES = {"toy": (KINDS,)}


def case(name: str, *kinds: str, suite: str = "toy") -> Case:
    options = Option("option 0"), Option("option 1")
    return Case(
        id=name, suite=suite, change=Change("so", kinds), counterfactual=Question("What?", "A", "choice", options)
    )


def said(row: int, letter: str) -> Reply:
    return Reply(case=f"c{row}", row=row, world="counterfactual", text=letter)


def divided(cases: list[Case], replies: list[Reply]) -> tuple[DividedCases, dict[str, tuple[int, int]]]:
    """The divisions of the cases, and for each line its right answers and its cases."""
    divider = divide(cases, lambda suite: AXES.get(suite, ()))
    found = outcomes(enumerate(cases), replies)
    lines = {}
    for axis, masks in divider.divisions.items():
        for line, mask in masks.items():
            row = score_group(found, line, mask)
            lines[f"{axis}: {line}"] = (row.counterfactual.right, row.n)
    return divider, lines


def test_a_case_counts_on_every_line_it_belongs_to_and_once_on_each() -> None:
    cases = [case("c0", "add", "remove"), case("c1", "remove", "remove"), case("c2")]
    divider, lines = divided(cases, [said(0, "A"), said(1, "B"), said(2, "A")])
    assert divider.suite == "toy"
    assert lines == {"kind: add": (1, 1), "kind: remove": (1, 2)}


def test_lines_keep_the_order_of_the_axis_and_what_it_does_not_know_is_other() -> None:
    _, lines = divided([case("c0", "paint", "burn"), case("c1", "remove"), case("c2", "add")], [])
    assert list(lines.items()) == [("kind: add", (0, 1)), ("kind: remove", (0, 1)), ("kind: other", (0, 1))]


@pytest.mark.parametrize("suites", [("toy", "other"), ("other", "toy"), ("", "toy")])
def test_cases_of_several_suites_are_not_divided(suites: tuple[str, str]) -> None:
    cases = [case(f"c{row}", "add", suite=suite) for row, suite in enumerate(suites)]
    divider, lines = divided(cases, [])
    assert (divider.suite, lines) == ("", {})


def test_a_suite_that_divides_nothing_has_no_divisions() -> None:
    divider, lines = divided([case("c0", "add", suite="cfmm")], [])
    assert (divider.suite, lines) == ("cfmm", {})
