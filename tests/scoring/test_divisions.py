"""Cases divided otherwise than by group, and options by their role."""

from collections.abc import Iterable

import pytest

from countersight.case import Case, Change, Option, Question, Reply
from countersight.scoring import outcomes, score_group
from countersight.scoring.divisions import Axis, DividedCases, divide, role_shares

KINDS = Axis("kind", ("add", "remove"), lambda case: case.change.kinds if case.change else ())
AXES = {"toy": (KINDS,)}
OPTIONS = ("right", "image", "graph", "text")


def case(name: str, *kinds: str, suite: str = "toy", roles: Iterable[str] = ("", "")) -> Case:
    options = tuple(Option(f"option {place}", role) for place, role in enumerate(roles))
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
    for division in divider.divisions:
        for line, mask in division.masks(len(found)):
            row = score_group(found, line, mask)
            lines[f"{division.name}: {line}"] = (row.counterfactual.right, row.n)
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
    cases = [case(f"c{row}", "add", suite=suite, roles=OPTIONS) for row, suite in enumerate(suites)]
    divider, lines = divided(cases, [])
    assert (divider.suite, lines, divider.has_roles) == ("", {}, False)


def test_a_suite_that_divides_nothing_has_no_divisions() -> None:
    divider, lines = divided([case("c0", "add", suite="cfmm")], [])
    assert (divider.suite, lines) == ("cfmm", {})


def shares(cases: list[Case], replies: list[Reply]) -> list[tuple[str, int, int]]:
    assert divide(cases, lambda suite: ()).has_roles
    found = role_shares(cases, outcomes(enumerate(cases), replies))
    return [(share.role, share.chosen.right, share.chosen.n) for share in found]


def test_options_are_counted_by_the_role_of_the_one_that_was_chosen() -> None:
    orders = (
        ("right", "image", "graph", "text"),
        ("text", "graph", "image", "right"),
        ("graph", "right", "text", "image"),
    )
    cases = [case(f"c{row}", roles=roles) for row, roles in enumerate(orders)]
    assert shares(cases, [said(0, "A"), said(1, "B"), said(2, "A")]) == [
        ("right", 1, 3),
        ("image", 0, 3),
        ("graph", 2, 3),
        ("text", 0, 3),
    ]


def test_only_answered_questions_that_offer_a_role_count_for_it() -> None:
    cases = [
        case("c0", roles=("right", "text")),
        case("c1", roles=("right", "image", "image")),  # two of one role: it counts once
        case("c2", roles=("right", "text")),  # never asked
        case("c3"),  # of these options nothing is known
        Case(id="c4", suite="toy", counterfactual=Question("Is it?", "yes", "boolean")),
    ]
    replies = [said(0, "I cannot say."), said(1, "C"), said(3, "A"), said(4, "yes")]
    assert shares(cases, replies) == [("right", 0, 2), ("text", 0, 1), ("image", 1, 1)]


def test_a_file_with_a_thousand_roles_is_no_trouble() -> None:
    cases = [case(f"c{row}", roles=(f"role {row}", f"again {row}")) for row in range(500)]
    found = shares(cases, [said(row, "B") for row in range(500)])
    assert len(found) < 40
    assert sum(chosen for _, chosen, _ in found) == 500


def test_a_divided_case_costs_few_bytes() -> None:
    cases = (case(f"c{row}", "add", "remove", roles=OPTIONS) for row in range(2_000))
    (division,) = divide(cases, lambda suite: AXES.get(suite, ())).divisions
    assert (division.cases.nbytes + division.places.nbytes) / 2_000 < 13
