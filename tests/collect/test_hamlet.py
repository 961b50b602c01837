"""The model in the loop: it learns, it is asked in time, and what it said is kept."""

import asyncio
from pathlib import Path
from random import Random

import numpy as np
import pytest
from collecting import ANSWERS, Visitor, make_campaign, opened, setting
from sqlalchemy import select

from countersight.collect import tables
from countersight.collect.flows import Instance
from countersight.collect.flows.cfmm import leak
from countersight.collect.hamlet import TextRanker, train

THINGS = ("dog", "cat", "bus", "boat", "tree", "lamp", "chair", "horse")


def instance(change: str, *responses: str) -> Instance:
    return Instance(f"Is it safe? {change}", change, responses)


def instances(number: int) -> list[Instance]:
    """The right response takes up a word of the change; wrong ones name something else."""
    chance, made = Random(3), []
    for _ in range(number):
        right, *wrong = chance.sample(THINGS, 4)
        made.append(instance(f"Add a {right}.", *(f"No, there is a {each} now." for each in (right, *wrong))))
    return made


def test_it_learns_what_right_responses_look_like():
    many = instances(180)
    ranker = train(many[:120])
    right = [np.argmax(ranker.scores(each)) == 0 for each in many[120:]]
    assert np.mean(right) > 0.6
    scores = ranker.scores(instance("Add a horse.", "No, there is a horse now.", "No, there is a lamp now."))
    assert sum(scores) == pytest.approx(1)
    assert scores[0] > 0.5


@pytest.mark.parametrize(
    ("change", "right", "wrong"),
    [
        ("Add a horse.", "No, there is a horse now.", ("No, there is a lamp now.", "No, there is a dog now.")),
        ("Add rain.", "No, the men are wet.", ("No, the men are dry.", "No, the cows are wet.", "Yes, they swim.")),
    ],
)
def test_before_it_has_learned_it_prefers_what_takes_up_the_change_and_is_like_the_others(change, right, wrong):
    ranker = TextRanker({}, 0)
    assert ranker.scores(instance("anything", "one", "two")) == (0.5, 0.5)
    assert np.argmax(ranker.scores(instance(change, right, *wrong))) == 0


def test_the_first_item_is_checked_before_any_is_finished(distractor):
    _, campaign, cleo, task = distractor
    page = cleo.post(f"{task}/check", **ANSWERS["cosim/distractor"]).text
    assert "Check 1 of 2" in page
    assert [each.model for each in checks(campaign)] == ["ranker/0"]


class Fixed:
    """A model that gives the scores it is told to, after a while."""

    name = "fixed"

    def __init__(self, scores: tuple[float, ...], seconds: float = 0.0) -> None:
        self.scores, self.seconds = scores, seconds

    async def likely(self, instance: Instance) -> tuple[float, ...]:
        await asyncio.sleep(self.seconds)
        if self.seconds < 0:
            raise ConnectionError
        return self.scores


@pytest.fixture
def distractor(tmp_path: Path):
    """Somebody at the distractor phase of an item of the test split."""
    make_campaign(tmp_path / "campaign", "cosim", 1)
    setting(tmp_path / "campaign", "deadline = 2.0", "deadline = 1.0")
    setting(tmp_path / "campaign", "attempts = 5", "attempts = 2")
    with opened(tmp_path / "campaign") as (app, campaign):
        campaign.store.write_now(lambda c: c.execute(tables.item.update().values(split="test")))
        Visitor(app, campaign, "ada").contribute("question")
        Visitor(app, campaign, "ben").contribute("change")
        cleo = Visitor(app, campaign, "cleo")
        yield app, campaign, cleo, cleo.begin("distractor")


def checks(campaign):
    return campaign.store.read(lambda c: c.execute(select(tables.check)).all())


def last_made(campaign):
    made = select(tables.contribution).order_by(tables.contribution.c.id.desc())
    return campaign.store.read(lambda c: c.execute(made).first())


def test_a_check_says_which_distractors_fool_and_is_kept_and_paid_once_review_finds_it_good(distractor):
    app, campaign, cleo, task = distractor
    app.state.loop = Fixed((0.3, 0.4, 0.1, 0.2))
    page = cleo.post(f"{task}/check", **ANSWERS["cosim/distractor"]).text
    assert "Distractor 1: 40 % — <strong>fools the model</strong>" in page
    assert "Distractor 2: 10 % — does not fool the model" in page
    (kept,) = checks(campaign)
    assert (kept.fooled, kept.attempt, kept.model) == (1, 1, "fixed")
    cleo.post(task, **ANSWERS["cosim/distractor"])
    made, paid = last_made(campaign), tables.payment.c
    assert made.fooled == 1
    rita = Visitor(app, campaign, "rita", "reviewer")
    rita.post(rita.post("/review/sample").headers["location"], outcome="unfair", note="a good item")
    earned = select(paid.kind, paid.amount).where(paid.contribution_id == made.id)
    assert ("fooling", 5) in campaign.store.read(lambda c: [tuple(row) for row in c.execute(earned)])


def test_items_outside_validation_and_test_are_not_checked(distractor):
    app, campaign, cleo, task = distractor
    app.state.loop = Fixed((0.3, 0.4, 0.1, 0.2))
    campaign.store.write_now(lambda c: c.execute(tables.item.update().values(split="train")))
    assert cleo.post(f"{task}/check", **ANSWERS["cosim/distractor"]).status_code == 404
    assert checks(campaign) == []


def test_what_was_changed_after_the_check_is_kept_as_unchecked(distractor):
    app, campaign, cleo, task = distractor
    app.state.loop = Fixed((0.3, 0.4, 0.1, 0.2))
    cleo.post(f"{task}/check", **ANSWERS["cosim/distractor"])
    cleo.post(task, **(ANSWERS["cosim/distractor"] | {"distractor_3": "Yes, because somebody wiped the board clean."}))
    assert last_made(campaign).fooled is None


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Fixed((), 60.0), "The model takes too long. You can continue without it."),
        (Fixed((), -1.0), "The model did not answer."),
    ],
)
def test_a_model_that_does_not_answer_holds_nobody_up(distractor, model, words):
    app, _, cleo, task = distractor
    app.state.loop = model
    assert words in cleo.post(f"{task}/check", **ANSWERS["cosim/distractor"]).text
    assert cleo.post(task, **ANSWERS["cosim/distractor"]).status_code == 303


def test_checks_of_one_item_are_limited_and_the_item_can_still_be_sent(distractor):
    app, campaign, cleo, task = distractor
    app.state.loop = Fixed((0.7, 0.1, 0.1, 0.1))
    pages = [cleo.post(f"{task}/check", **ANSWERS["cosim/distractor"]).text for _ in range(3)]
    assert "used all checks for this item" in pages[2]
    assert len(checks(campaign)) == 2
    assert cleo.post(task, **ANSWERS["cosim/distractor"]).status_code == 303


@pytest.mark.parametrize(
    ("question", "right", "wrong", "leaks"),
    [
        ("If I painted this bus blue, what color would it be?", "blue", "red", True),
        ("If the round table were cut square, which shape would it have?", "square", "round", False),
        ("If two cups fell, how many cups would be left?", "one", "three", False),
        ("If 3 more birds came, how many birds would there be?", "3", "5", False),
        ("What color is it?", "blue", "red", False),
        ("If the cat slept, would it be awake?", "no", "yes", False),
    ],
)
def test_a_leak_is_an_answer_in_the_if_clause(question, right, wrong, leaks):
    assert bool(leak(question, right, wrong)) == leaks
