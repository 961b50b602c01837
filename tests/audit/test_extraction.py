"""Concepts and edit instructions, by rules and by a language model."""

import asyncio
import json

import pytest
from audits import asked_model
from chat_server import ChatServer, question_of
from hypothesis import given, settings
from hypothesis import strategies as st

from countersight.audits.calibration.calibrating import explain
from countersight.audits.extraction.model import ModelExtractor
from countersight.audits.extraction.protocol import Statement
from countersight.audits.extraction.rules import RuleExtractor, find_things
from countersight.audits.prompts import find_prompts
from countersight.audits.scene_facts import asked_fact
from countersight.editing import Abilities
from countersight.editing.protocol import EditRequest, open_editor
from countersight.errors import EditFailed
from countersight.picture.checking import check_picture
from countersight.scenes import facts_by_name
from countersight.scenes.drawing import draw, encode
from countersight.suites.cvqa.templates import TEMPLATES


def by_rules(statement, most=4):
    return asyncio.run(RuleExtractor().extract(statement, most, ""))


@pytest.mark.slow
@given(st.sampled_from(TEMPLATES), st.integers(0, 10_000))
@settings(max_examples=30)
def test_every_edit_of_a_true_explanation_can_be_drawn_and_changes_the_right_answer(template, index):
    puzzle = template.solved(2, index).puzzle
    fact, before = asked_fact(puzzle.question), facts_by_name(puzzle.scene)
    found = by_rules(Statement(puzzle.question, str(before[fact]), explain(fact, before, 0)))
    assert len(found.instructions) >= 1
    picture = check_picture(encode(draw(puzzle.scene)))
    for instruction in found.instructions:
        try:
            edited = asyncio.run(open_editor("exact").edit(EditRequest(picture, instruction, scene=puzzle.scene)))
        except EditFailed:  # no room for one more dot
            assert instruction.action == "add"
            continue
        assert facts_by_name(edited.scene)[fact] != before[fact]


def test_an_explanation_without_numbers_has_no_concept_and_a_reason():
    found = by_rules(Statement("How many flowers are inside the red polygons?", "7", "I just know."))
    assert found.instructions == ()
    assert "counts nothing" in found.reason


CONCEPT = {
    "concept": "the oval ball",
    "kind": "attribute",
    "action": "replace",
    "target": "ball",
    "value": "football",
    "positive": "A round football lies on the tee.",
    "negative": "An oval ball.",
}


def by_model(server, explanation="The ball is oval.", most=2):
    async def run():
        model = asked_model(server)
        try:
            extractor = ModelExtractor(model, find_prompts("edct"))
            return await extractor.extract(Statement("What sport is this?", "rugby", explanation), most, "k")
        finally:
            await model.close()

    return asyncio.run(run())


def test_repeated_concepts_are_dropped_and_only_the_first_ones_are_tested():
    listed = [CONCEPT, CONCEPT, CONCEPT | {"concept": "grass"}, CONCEPT | {"concept": "sky"}]
    with ChatServer(f"say:{json.dumps({'concepts': listed})}") as server:
        found = by_model(server, "The ball is oval. The grass is short, and the sky is grey.")
    assert [each.concept for each in found.instructions] == ["the oval ball", "grass"]
    assert found.instructions[0].value == "football"
    asked = question_of(server.requests[0])
    assert "| The ball is oval." in asked
    assert "List at most 2" in asked


@pytest.mark.parametrize(
    "wrong",
    [{"concepts": [CONCEPT | {"action": "explode"}]}, {"concepts": [CONCEPT | {"positive": ""}]}, {"concepts": 3}, []],
)
def test_a_reply_in_a_wrong_format_is_asked_for_again_and_then_given_up(wrong):
    with ChatServer(f"say:{json.dumps(wrong)}") as server:
        found = by_model(server)
    assert found.instructions == ()
    assert found.reason.startswith("no reply had the required format: ")
    assert len(found.tries) == 3


def test_an_extractor_may_not_ask_for_the_control_edit_and_may_find_nothing():
    with ChatServer(f"say:{json.dumps({'concepts': [CONCEPT | {'action': 'nothing'}]})}") as server:
        found = by_model(server)
    assert (found.instructions, found.reason) == (
        (),
        "the extractor finds nothing that could be changed",
    )


ABLE = Abilities(("remove",), {}, ("leftmost person", "rightmost person", "dog", "dining table", "fire hydrant"))


def named(explanation, most=5, able=ABLE):
    return [each.target for each in find_things(Statement("q", "a", explanation, able), most).instructions]


@pytest.mark.parametrize(
    ("explanation", "targets"),
    [
        ("A dog lies at the left.", ["dog"]),
        ("Two dogs, and a man beside a fire hydrant.", ["dog", "leftmost person", "fire hydrant"]),
        ("The dining tables are set.", ["dining table"]),
        ("The sky is blue.", []),
    ],
)
def test_things_are_found_in_the_order_they_are_named(explanation, targets):
    assert named(explanation) == targets


def test_one_object_per_kind_and_at_most_k_are_tested():
    assert named("A woman, a dog and a man.", most=1) == ["leftmost person"]
