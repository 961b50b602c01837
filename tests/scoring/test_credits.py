"""Questions that several people answered: an answer is worth something from nothing to all (VQA)."""

from collections.abc import Iterable

import numpy as np
import pytest

from countersight.case import Case, Question, Reply
from countersight.scoring import OUTCOMES, Outcomes, compare, outcomes, score
from countersight.scoring.observations import ranking

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
    rate = score(run(["racket", "net", "a bat", "Racket."])).overall.factual
    assert rate.value == pytest.approx((1 + 0.6 + 0 + 1) / 4)
    assert (rate.right, rate.n) == (None, 4)  # an answer may be partly right
    assert rate.low < 0.65 < rate.high


def test_what_is_unread_is_worth_nothing_and_what_was_not_said_or_asked_does_not_count() -> None:
    questions = [asked(), asked(kind="number", gold="3"), asked(), asked()]
    rate = score(run(["racket", "I cannot tell.", "   ", None], questions)).overall.factual
    assert (rate.value, rate.n) == (0.5, 2)


def test_groups_are_ranked_by_what_their_answers_are_worth() -> None:
    # In "some" more answers are worth something, but less in all.
    found = run(["net"] * 10 + ["racket"] * 7 + ["a bat"] * 3, groups=["some"] * 10 + ["whole"] * 10)
    ranked = ranking(found, "factual")
    assert ranked is not None
    assert [group for group, _ in ranked.rates] == ["whole", "some"]
    rows = {row.group: row.factual for row in score(found).rows}
    assert all(rate == rows[group] for group, rate in ranked.rates)
    assert ranked.spread.value == pytest.approx(0.1)


def test_questions_that_one_and_that_several_answered_stand_side_by_side() -> None:
    questions = [Question("How many?", "3", "number"), asked(), Question("Is it?", "no", "boolean")]
    found = run(["three", "net", "yes"], questions)
    assert np.allclose(found.credit("factual"), [1.0, 0.6, 0.0])
    assert [OUTCOMES[code] for code in found.codes[:, 0]] == ["right", "right", "wrong"]


def test_an_answer_worth_half_or_more_is_called_right() -> None:
    few = ("net", *("racket",) * 9)  # "net" is worth 0.3 here
    found = run(["net", "net"], [asked(), asked(few)])
    assert [OUTCOMES[code] for code in found.codes[:, 0]] == ["right", "wrong"]


def test_two_runs_are_compared_by_what_their_answers_are_worth() -> None:
    (_, total) = compare(run(["racket"] * 30), run(["net"] * 30))
    assert total.factual
    assert (total.factual.value, total.factual.n) == (pytest.approx(0.4), 30)
    assert 0.2 < total.factual.low < 0.4 < total.factual.high < 0.6
    assert total.factual.p < 0.001
