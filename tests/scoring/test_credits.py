"""Questions that several people answered: an answer is worth something from nothing to all (VQA)."""

from collections.abc import Iterable
from pathlib import Path

import duckdb
import numpy as np
import pytest

from countersight.case import Case, Question, Reply
from countersight.scoring.observations import ranking
from countersight.scoring.outcome import Outcomes, outcomes
from countersight.scoring.parquet import write_parquet
from countersight.scoring.scores import compare, score

NET = ("net",) * 2 + ("racket",) * 8
"""What ten people said: beside it "net" is worth 0.6, "racket" all, anything else nothing."""


def asked(answers: tuple[str, ...] = NET, kind: str = "open", gold: str = "racket") -> Question:
    return Question("What does he hold?", gold, kind, answers=answers)  # type: ignore[arg-type]


def run(
    said: Iterable[str | None], questions: Iterable[Question] | None = None, groups: Iterable[str] | None = None
) -> Outcomes:
    said = list(said)
    made = list(questions or [asked()] * len(said))
    names = list(groups or ["g"] * len(said))
    cases = [(row, Case(id=f"c{row}", group=names[row], factual=question)) for row, question in enumerate(made)]
    replies = [Reply(case=f"c{row}", row=row, world="factual", text=text) for row, text in enumerate(said) if text]
    return outcomes(cases, replies)


def test_accuracy_is_the_mean_of_what_the_answers_are_worth() -> None:
    rate = score(run(["racket", "net", "a bat", "Racket."])).total.factual
    assert rate.value == pytest.approx((1 + 0.6 + 0 + 1) / 4)
    assert (rate.right, rate.n) == (3, 4)
    assert rate.low < 0.65 < rate.high


def test_what_is_unread_is_worth_nothing_and_what_was_not_asked_does_not_count() -> None:
    rate = score(run(["racket", "   ", None])).total.factual
    assert (rate.value, rate.n) == (0.5, 2)


def test_groups_are_ranked_by_what_their_answers_are_worth() -> None:
    # In "some" more answers are worth something, but less in all.
    found = run(["net"] * 10 + ["racket"] * 7 + ["a bat"] * 3, groups=["some"] * 10 + ["whole"] * 10)
    ranked = ranking(found, "factual")
    assert ranked is not None
    assert [each.group for each in ranked.standings] == ["whole", "some"]
    rows = {row.group: row.factual for row in score(found).rows}
    assert all(each.rate == rows[each.group] for each in ranked.standings)
    assert ranked.spread == pytest.approx(0.1)


def test_the_interval_is_that_of_the_bootstrap_and_follows_the_seed() -> None:
    found = run(["racket", "net", "a bat"] * 40)
    one, same, other = (score(found, seed=seed).total.factual for seed in (1, 1, 2))
    assert (one.low, one.high) == (same.low, same.high)
    assert (one.low, one.high) != (other.low, other.high)
    # The standard error of the mean of 120 answers worth 1, 0.6 and 0 is 0.0376.
    assert one.high - one.low == pytest.approx(2 * 1.96 * 0.0376, rel=0.05)


def test_no_room_is_taken_for_credits_where_every_answer_is_right_or_wrong() -> None:
    found = run(["racket", "net"], [asked(()), asked(())])
    assert found.credits is None
    assert found.credit("factual").tolist() == [1.0, 0.0]
    assert score(found).total.factual.credit is None


def test_questions_that_one_and_that_several_answered_stand_side_by_side() -> None:
    questions = [Question("How many?", "3", "number"), asked(), Question("Is it?", "no", "boolean")]
    found = run(["three", "net", "yes"], questions)
    assert np.allclose(found.credit("factual"), [1.0, 0.6, 0.0])
    assert [each.factual for each in found] == ["right", "right", "wrong"]


def test_an_answer_worth_half_or_more_is_called_right() -> None:
    few = ("net", *("racket",) * 9)  # "net" is worth 0.3 here
    assert [each.factual for each in run(["net", "net"], [asked(), asked(few)])] == ["right", "wrong"]


def test_two_runs_are_compared_by_what_their_answers_are_worth() -> None:
    (_, total) = compare(run(["racket"] * 30), run(["net"] * 30))
    assert total.factual
    assert (total.factual.value, total.factual.only_first) == (pytest.approx(0.4), 30)
    assert (total.factual.low, total.factual.high) == (pytest.approx(0.4), pytest.approx(0.4))
    assert total.factual.test == "sign flips"
    assert total.factual.p < 0.001


def test_what_each_answer_is_worth_is_written_for_duckdb(tmp_path: Path) -> None:
    write_parquet(run(["racket", "net", None, "?!"]), tmp_path / "scores.parquet")
    rows = duckdb.sql(
        f"select factual_outcome, factual_credit from '{tmp_path}/scores.parquet' order by row"
    ).fetchall()
    assert [(outcome, credit and round(credit, 4)) for outcome, credit in rows] == [
        ("right", 1.0),
        ("right", 0.6),
        ("missing", None),
        ("wrong", 0.0),
    ]
