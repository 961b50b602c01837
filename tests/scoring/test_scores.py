"""Outcomes and scores of a run."""

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from countersight.case import VARIANTS, Case, Option, Question, QuestionVariant, Reply
from countersight.figures import Interval
from countersight.scoring import OUTCOMES, Outcomes, compare, outcomes, ranking, score

OPTIONS = tuple(map(Option, ("1", "2", "3", "4")))


def case(name: str, group: str = "g", *, shown: bool = False) -> Case:
    """A case whose right answers are B as it is, C after the change."""
    return Case(
        id=name,
        image="a.png",
        counterfactual_image="b.png" if shown else None,
        group=group,
        factual=Question("How many?", "B", "choice", OPTIONS),
        counterfactual=Question("How many if?", "C", "choice", OPTIONS),
        shown=Question("How many?", "C", "choice", OPTIONS) if shown else None,
    )


def told(row: int, factual: str | None, counterfactual: str | None, shown: str | None = None) -> list[Reply]:
    """Replies to a case: a letter, "?" for an unreadable one, "!" for a failed one, None for none at all."""
    asked = (
        ("factual", "told", factual),
        ("counterfactual", "told", counterfactual),
        ("counterfactual", "shown", shown),
    )
    return [
        Reply(
            case=f"c{row}",
            row=row,
            world=world,
            telling=telling,
            state="failed" if text == "!" else "answered",
            text="" if text == "!" else text,
        )
        for world, telling, text in asked
        if text is not None
    ]


def run(*replies: list[Reply], groups: str = "", shown: bool = False) -> Outcomes:
    """The outcomes of as many cases as there are lists of replies."""
    cases = [(row, case(f"c{row}", groups[row] if groups else "g", shown=shown)) for row in range(len(replies))]
    return outcomes(cases, [reply for each in replies for reply in each])


def verdicts(found: Outcomes, asking: QuestionVariant = "factual") -> list[str | None]:
    """The outcome of each case in one kind of asking."""
    return [OUTCOMES[code] for code in found.codes[:, VARIANTS.index(asking)]]


def extracted(found: Outcomes, asking: QuestionVariant = "factual") -> list[str | None]:
    """The answer extracted from the reply to each case."""
    return [found.answer_texts[place] for place in found.answers[:, VARIANTS.index(asking)]]


def test_each_question_ends_as_right_wrong_unread_failed_or_missing() -> None:
    found = run(told(0, "B", "A"), told(1, "?", "!"), told(2, None, "C"))
    assert verdicts(found) == ["right", "unread", "missing"]
    assert verdicts(found, "counterfactual") == ["wrong", "failed", "right"]
    assert verdicts(found, "shown") == [None] * 3
    assert (extracted(found), extracted(found, "counterfactual")) == (["B", None, None], ["A", None, "C"])


def test_unread_counts_as_asked_and_failed_does_not() -> None:
    row = score(run(told(0, "B", "C"), told(1, "?", "!"), told(2, "A", None))).overall
    assert (row.factual.right, row.factual.n) == (1, 3)
    assert (row.counterfactual.right, row.counterfactual.n) == (1, 1)
    assert (row.n, row.unread, row.failed, row.missing) == (3, 1, 1, 1)


def test_a_group_of_which_nothing_was_read_has_no_figure_and_nothing_is_compared_by_it() -> None:
    silent = run(told(0, "B", "C"), told(1, "B", "A"), told(2, "A", "?"), told(3, "B", "?"), groups="aabb")
    heard = run(told(0, "B", "C"), told(1, "B", "A"), told(2, "A", "C"), told(3, "B", "C"), groups="aabb")
    row = score(silent).groups["b"]
    assert (row.factual.right, row.factual.n) == (1, 2)
    assert (row.counterfactual.value, row.counterfactual.n, row.counterfactual.bounds) == (None, 2, Interval(0.0, 1.0))
    assert repr(row.counterfactual) == "Figure(0 of 2 read)"
    assert row.drop is None
    assert (row.unread, row.scored, row.unread_rate) == (2, 4, 0.5)
    assert score(run(told(0, None, "C"))).overall.factual.n == 0
    total = score(silent).overall
    assert (total.counterfactual.right, total.counterfactual.n) == (1, 4)
    _, group, everything = compare(silent, heard)
    assert group.factual
    assert (group.counterfactual, group.both_right) == (None, None)
    assert everything.counterfactual
    assert ranking(silent, "counterfactual") is None  # there is no worst among one
    assert ranking(heard, "counterfactual")


def test_the_drop_and_both_right_are_over_cases_scored_in_both_worlds() -> None:
    row = score(
        run(told(0, "B", "C"), told(1, "B", "A"), told(2, "A", "C"), told(3, "B", "?"), told(4, "B", "!"))
    ).overall
    assert row.drop is not None
    assert row.drop.n == 4
    assert row.drop.value == pytest.approx(1 / 4)
    assert row.drop.p == 1.0
    assert (row.both_right.right, row.both_right.n) == (1, 4)


def test_rows_come_in_order_of_first_appearance_then_all() -> None:
    rows = score(run(told(0, "B", "C"), told(1, "A", "C"), told(2, "B", "A"), groups="zaz")).rows
    assert [(row.group, row.n, row.factual.right) for row in rows] == [("z", 2, 2), ("a", 1, 0), ("all", 3, 2)]


def test_the_imagination_gap_is_shown_less_told() -> None:
    row = score(run(told(0, "B", "A", "C"), told(1, "B", "C", "C"), told(2, "B", "A", "!"), shown=True)).overall
    assert row.shown is not None
    assert (row.shown.right, row.shown.n) == (2, 2)
    assert row.imagination_gap is not None
    assert (row.imagination_gap.value, row.imagination_gap.n) == (0.5, 2)


def test_a_reply_to_nothing_in_the_dataset_is_left_out() -> None:
    stray = [
        Reply(case="c9", row=9, world="factual", text="B"),
        Reply(case="other", row=0, world="factual", text="B"),
        Reply(case="c0", row=0, world="counterfactual", telling="shown", text="B"),
        Reply(case="c0", row=-1, world="factual", text="B"),
    ]
    assert score(run(stray)).overall.missing == 2


def test_rows_left_out_of_the_dataset_leave_a_hole() -> None:
    found = outcomes([(0, case("c0")), (5, case("c5"))], told(5, "B", "C"))
    assert (found.rows.tolist(), found.case(1), verdicts(found)) == ([0, 5], "c5", ["missing", "right"])


def test_letters_answered_are_counted_beside_the_gold_ones() -> None:
    letters = score(run(told(0, "B", "A"), told(1, "A", "A"), told(2, "?", "!"))).letters
    found = [(x.variant, x.letter, x.answered, x.gold, x.n) for x in letters]
    assert found == [
        ("factual", "A", 1, 0, 3),
        ("factual", "B", 1, 3, 3),
        ("counterfactual", "A", 2, 0, 2),
        ("counterfactual", "B", 0, 0, 2),
        ("counterfactual", "C", 0, 2, 2),
    ]


def test_numbers_and_open_text_are_compared_in_one_spelling() -> None:
    cases = [
        (0, Case(id="c0", factual=Question("How many?", "3.0", "number"))),
        (1, Case(id="c1", factual=Question("What?", "Red umbrella", "open"))),
        (2, Case(id="c2", factual=Question("Is it?", "no", "boolean"))),
    ]
    replies = [
        *told(0, "There are three.", None),
        *told(1, "a red umbrella.", None),
        *told(2, "No, it would not be.", None),
    ]
    assert verdicts(outcomes(cases, replies)) == ["right", "right", "right"]


def test_two_runs_are_compared_on_the_cases_both_scored() -> None:
    first = run(told(0, "B", "C"), told(1, "B", "C"), told(2, "B", "!"))
    second = run(told(0, "B", "A"), told(1, "A", "A"), told(2, "B", "C"))
    (_, total) = compare(first, second)
    assert total.n == 3
    assert total.factual is not None
    assert (total.factual.n, total.factual.value) == (3, pytest.approx(1 / 3))
    assert total.counterfactual is not None
    assert (total.counterfactual.n, total.counterfactual.value) == (2, 1.0)
    assert total.both_right is not None
    assert (total.both_right.n, total.both_right.value) == (2, 1.0)
    assert total.shown is None


def test_runs_over_different_cases_are_compared_on_those_they_share() -> None:
    first = outcomes([(0, case("c0")), (1, case("c1"))], [*told(0, "B", "C"), *told(1, "B", "C")])
    second = outcomes([(1, case("c1")), (2, case("c2"))], [*told(1, "A", "C"), *told(2, "B", "C")])
    total = compare(first, second)[-1]
    assert (total.n, total.factual and total.factual.value) == (1, 1.0)


letters = st.sampled_from(["A", "B", "C", "?", "!", None])
answers = st.lists(st.tuples(letters, letters, letters, st.sampled_from("xyz")), min_size=1, max_size=30)


@given(answers, st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_scores_add_up_and_do_not_depend_on_the_order_of_replies(
    asked: list[tuple[str | None, str | None, str | None, str]], random: "st.random.Random"
) -> None:
    lists = [told(row, *each[:3]) for row, each in enumerate(asked)]
    groups = "".join(each[3] for each in asked)
    scores = score(run(*lists, groups=groups, shown=True))
    shuffled: list[list[Reply]] = [list(reversed(each)) for each in lists]
    random.shuffle(order := [reply for each in shuffled for reply in each])
    cases: Iterable[tuple[int, Case]] = [(row, case(f"c{row}", groups[row], shown=True)) for row in range(len(asked))]
    assert score(outcomes(cases, order)) == scores
    *by_group, total = scores.rows
    assert sum(row.n for row in by_group) == total.n == len(asked)
    for row in scores.rows:
        assert row.shown is not None
        asked_in_all = row.factual.n + row.counterfactual.n + row.shown.n
        assert asked_in_all + row.failed + row.missing == 3 * row.n
        if row.drop:
            assert row.drop.low <= row.drop.value <= row.drop.high
            assert (row.drop.p >= 0.05) == (row.drop.low <= 0 <= row.drop.high)
            assert row.both_right.n == row.drop.n
    for field in ("unread", "failed", "missing"):
        assert sum(getattr(row, field) for row in by_group) == getattr(total, field)


def test_accuracy_is_bounded_by_what_the_unread_replies_may_have_said() -> None:
    found = run(told(0, "B", "C"), told(1, "?", "C"), told(2, "A", "?"), told(3, "?", "?"))
    overall = score(found).overall
    assert overall.factual.value == 0.25
    assert overall.factual.if_right == 0.75
    assert (overall.counterfactual.value, overall.counterfactual.if_right) == (0.5, 1.0)
    assert (overall.both_right.value, overall.both_right.if_right) == (0.25, 0.75)  # not the third
    assert overall.unread_rate == 0.5
    assert "unread: 25.0…75.0" in str(score(found))
    # factual 1 of 4 and perhaps 3, counterfactual 2 of 4 and perhaps all
    assert overall.drop
    assert (overall.drop.value, overall.drop.bounds) == (-0.25, Interval(-0.75, 0.25))
    assert not overall.drop.is_clear


def test_a_restated_answer_takes_the_place_of_a_reply_that_could_not_be_read() -> None:
    restated = Reply("c0", 0, "factual", text="B", restates="?")
    found = run([*told(0, "?", "C"), restated], told(1, "A", "C"))
    overall = score(found).overall
    assert (overall.factual.right, overall.unread, overall.restated) == (1, 0, 1)
    failed = Reply("c0", 0, "factual", state="failed", reason="gone", restates="?")
    assert score(run([*told(0, "?", "C"), failed], told(1, "A", "C"))).overall.unread == 1
