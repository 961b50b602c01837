"""Verdicts by `exact`, rules and models, and how votes are pooled."""

import asyncio
import re

import pytest
from audits import asked_model, verdict
from chat_server import ChatServer, question_of
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from countersight.audits.calibration.calibrating import HOSTILE, explain
from countersight.audits.ccs import HALVES, panel_opinion, pool_scores, pooled_opinion
from countersight.audits.judge_agreement import agreement
from countersight.audits.judges.exact import ExactJudge
from countersight.audits.judges.model import ModelJudge
from countersight.audits.judges.protocol import Evidence
from countersight.audits.judges.rules import RuleJudge
from countersight.audits.prompts import find_prompts
from countersight.audits.records import Verdict
from countersight.case import Question
from countersight.editing.protocol import Instruction
from countersight.scenes import facts_by_name
from countersight.scenes.edits import Recolour, Remove, apply
from countersight.suites.cvqa.templates import TEMPLATES

PUZZLE = TEMPLATES[1].solved(1, 4).puzzle  # flowers inside polygons of a colour
COLOUR = re.search(r"the (\w+) polygons", PUZZLE.question)[1]
CHANGED = apply(PUZZLE.scene, PUZZLE.edits)
OLD, NEW = facts_by_name(PUZZLE.scene), facts_by_name(CHANGED)
FACT = f"flowers inside {COLOUR}"
REMOVED = Instruction("flowers", "object", "remove", "Some flowers are gone.")


def evidence(answer, explanation, instruction=REMOVED, scene=PUZZLE.scene, changed=CHANGED):
    question = Question(PUZZLE.question, str(OLD[FACT]), "number")
    return Evidence(question, str(OLD[FACT]), explain(FACT, OLD, 0), instruction, answer, explanation, scene, changed)


def judged(judge, given, vote=1):
    return asyncio.run(judge.judge(given, vote, "key"))


def by_truth(answer, explanation, **more):
    return judged(ExactJudge(), evidence(answer, explanation, **more))


UPDATED, STALE = explain(FACT, NEW, 1), explain(FACT, OLD, 1)


@pytest.mark.parametrize(
    ("answer", "explanation", "scores"),
    [
        (str(NEW[FACT]), UPDATED, (1, 1)),
        (f"There would be {NEW[FACT]}.", UPDATED, (1, 1)),
        (str(OLD[FACT]), UPDATED, (0, 1)),
        (str(NEW[FACT]), STALE, (1, 0)),
        (str(NEW[FACT] + 40), STALE, (0, 0)),
        ("I do not know.", "I do not know.", (0, 0)),
        ("", "", (0, 0)),
        (str(NEW[FACT]), "It is a nice picture.", (1, 0)),
        (str(NEW[FACT]), "I counted 3 circles.", (1, 0)),
        (str(NEW[FACT]), "There are fewer flowers now.", (1, None)),
    ],
)
def test_exact_decides_if_the_scene_is_known(answer, explanation, scores):
    found = by_truth(answer, explanation)
    assert (found.pcs, found.ncc) == scores
    assert (found.expected, found.moved) == (str(NEW[FACT]), True)
    assert found.path == ("exact + abstained" if scores[1] is None else "exact")
    assert found.pcs_reason
    assert found.ncc_reason


def test_an_explanation_without_the_recoloured_object_reflects_the_change():
    other = "pink" if COLOUR != "pink" else "black"
    ids = tuple(polygon.id for polygon in PUZZLE.scene.polygons if polygon.colour == COLOUR)
    changed = apply(PUZZLE.scene, [Recolour(ids, other)])
    total = f"I counted {OLD['flowers']} flowers in the picture."
    assert by_truth("0", total, changed=changed).ncc == 1
    assert by_truth("0", total.replace(str(OLD["flowers"]), "99"), changed=changed).ncc == 0
    assert by_truth("0", explain(FACT, facts_by_name(changed), 0), changed=changed).ncc == 1


def test_an_edit_that_keeps_the_right_answer_is_marked():
    outside = [flower.id for flower in PUZZLE.scene.flowers]
    changed = next(
        scene
        for scene in (apply(PUZZLE.scene, [Remove((one,))]) for one in outside)
        if facts_by_name(scene)[FACT] == OLD[FACT]
    )
    assert by_truth(str(OLD[FACT]), UPDATED, changed=changed).moved is False


def test_exact_abstains_without_a_scene_or_a_known_question():
    assert by_truth("1", UPDATED, changed=None).path == "abstained"
    given = evidence("1", "It is so.")
    found = judged(ExactJudge(), replace(given, question=Question("Who?", "", "open")))
    assert (found.pcs, found.moved, found.expected) == (None, None, "")


def words(answer, explanation, old=("red", "The car is red."), **parts):
    instruction = Instruction("the red car", "attribute", parts.pop("action", "recolour"), "A blue car.", **parts)
    question = Question("What colour is the car?", "red", "open")
    return judged(RuleJudge(), Evidence(question, *old, instruction, answer, explanation))


@pytest.mark.parametrize(
    ("answer", "explanation", "parts", "scores"),
    [
        ("Red.", "The car is red!", {"value": "blue"}, (0, 0)),
        ("Blue", "The car is blue.", {"value": "blue"}, (1, 1)),
        ("green", "The car is green.", {"value": "blue"}, (None, None)),
        ("none", "There are only trees.", {"action": "remove"}, (None, None)),
        ("none", "There is a red bus now.", {"action": "remove"}, (None, None)),
        ("2", "There are 2 of them.", {"value": "2"}, (None, None)),
        ("", "", {"value": "blue"}, (0, 0)),
    ],
)
def test_rules_decide_only_if_the_text_is_sufficient(answer, explanation, parts, scores):
    found = words(answer, explanation, **parts)
    assert (found.pcs, found.ncc) == scores
    told = ["abstained" if score is None else "rules" for score in scores]
    assert found.path == (told[0] if told[0] == told[1] else " + ".join(told))


def by_model(server, given, vote=1, **settings):
    async def run():
        model = asked_model(server, **settings)
        try:
            return await ModelJudge(model, find_prompts("edct")).judge(given, vote, "key")
        finally:
            await model.close()

    return asyncio.run(run())


def test_the_reasons_and_replies_of_a_model_judge_are_stored():
    with ChatServer(verdict(1, 0)) as server:
        kept = by_model(server, evidence("3", STALE), vote=3, seed=7)
    assert (kept.pcs, kept.ncc, kept.vote, kept.path, kept.judge) == (1, 0, 3, "model", server.name)
    assert (kept.pcs_reason, len(kept.tries)) == ("so it is", 1)
    assert server.requests[0]["seed"] == 9


def test_unchanged_replies_are_decided_without_asking_the_judge():
    given = evidence(str(OLD[FACT]), explain(FACT, OLD, 0).upper())
    with ChatServer(verdict(1, 1)) as server:
        found = by_model(server, given)
    assert server.requests == []
    assert (found.pcs, found.ncc, found.path) == (0, 0, "rules")


@pytest.mark.parametrize("nonsense", ["say:banana", verdict(7, 1), verdict("one", "1"), verdict(None, 0)])
def test_a_judge_abstains_after_three_unusable_replies(nonsense):
    with ChatServer(nonsense) as server:
        found = by_model(server, evidence("3", STALE))
    assert (found.pcs, found.ncc, found.path, len(found.tries)) == (None, None, "abstained", 3)
    assert len(server.requests) == 3
    assert found.pcs_reason.startswith("no reply had the required format")


@pytest.mark.parametrize("where", ["answer", "explanation", "instruction"])
def test_hostile_words_reach_a_judge_only_as_marked_quotations(where):
    hostile = "\n".join(text.format(want=1) for text in HOSTILE)
    instruction = REMOVED
    if where == "instruction":
        instruction = Instruction("x", "object", "other", hostile, hostile)
    given = evidence(hostile if where == "answer" else "3", hostile if where == "explanation" else STALE, instruction)
    with ChatServer(verdict(0, 0)) as server:
        by_model(server, given)
    asked = question_of(server.requests[0])
    for line in filter(None, hostile.splitlines()):
        assert f"| {line}" in asked.splitlines()
        assert line not in asked.splitlines()


SCORE = st.sampled_from([0, 1, None])


@given(st.lists(SCORE), st.sampled_from(["majority", HALVES]))
def test_a_pooled_score_is_between_its_votes_and_ignores_abstentions(scores, pool):
    found = pool_scores(scores, pool)
    given_scores = [score for score in scores if score is not None]
    assert found == pool_scores(given_scores, pool)
    if found is None:
        assert not given_scores or sum(given_scores) * 2 == len(given_scores)
    else:
        assert min(given_scores) <= found <= max(given_scores)


def test_every_judge_has_the_same_weight_regardless_of_its_votes():
    votes = [Verdict("a", n, 1, 1) for n in (1, 2, 3)] + [Verdict("b", 1, 0, 1), Verdict("c", 1, 0, None)]
    assert panel_opinion(votes, "majority").pcs == 0
    assert panel_opinion(votes, "majority").ccs == 0
    assert pooled_opinion([Verdict("a", 1, 1, 0), Verdict("a", 2, 0, 0)], "majority").ccs == 0


@pytest.mark.parametrize(
    ("pcs", "ncc", "ccs"), [(0, None, 0), (None, 0, 0), (1, None, None), (None, 1, None), (1, 1, 1)]
)
def test_ccs_is_known_as_soon_as_one_factor_is_zero(pcs, ncc, ccs):
    assert panel_opinion([Verdict("a", 1, pcs, ncc)], "majority").ccs == ccs


# Agreement of judges with each other and with themselves; kappa and alpha are tested in tests/scoring.


def test_agreement_covers_only_verdicts_that_judges_gave_themselves():
    def verdicts(pcs, path="model"):
        return [Verdict("one", 1, pcs, 1, path=path), Verdict("two", 1, pcs, 0, path=path)]

    found = agreement([verdicts(1), verdicts(0), verdicts(0, path="rules"), verdicts(None, path="abstained")])
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.pcs_n) == ("one", "two", 2)
    assert pair.pcs == 1
    assert found.own == ()


def test_the_votes_of_a_judge_are_compared_with_each_other():
    votes = [[Verdict("one", vote, pcs, 1) for vote, pcs in enumerate(row, 1)] for row in ((1, 0, 1), (0, 0, 0))]
    (own,) = agreement(votes).own
    assert (own.judge, own.n, own.ncc_flips) == ("one", 2, 0)
    assert own.pcs_flips == pytest.approx(1 / 3)
