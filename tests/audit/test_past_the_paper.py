"""Extensions beyond the paper: uncited objects, weaker edits, and changed explanations."""

import json
import re

import numpy as np
import pytest
from audits import audit, scenes
from chat_server import ChatServer
from editing.edits import drawing, flowers, instruction
from editing.photographs import landscape, png
from hypothesis import given
from hypothesis import strategies as st

from countersight.audits.answer_changes import same_answer
from countersight.audits.changed_explanations import change_thought
from countersight.audits.extraction.protocol import Statement
from countersight.audits.finishing import finish
from countersight.audits.scene_facts import right_answer
from countersight.audits.stages import weaken_pixels
from countersight.audits.trail import read_audit
from countersight.audits.uncited import uncited_concepts
from countersight.audits.verifying import verify_bundle
from countersight.case import Question
from countersight.editing import Abilities, EditRequest
from countersight.editing.exact import changed_scene
from countersight.errors import AuditError, CountersightError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return scenes(tmp_path_factory.mktemp("past") / "scenes", size=2)


@pytest.fixture(scope="module")
def whole(folder):
    """Return an audit with all extensions beyond the paper."""
    output = folder.parent / "whole"
    more = {"control": True, "uncited": True, "intervene": "both", "strength": 3, "checkers": ("pixels",)}
    return audit(folder, output, "embedded", **more).scores, output


# What is not cited


def test_edits_of_uncited_objects_keep_the_right_answer():
    scene, question = flowers(), "How many flowers are inside the red polygons?"
    statement = Statement(question, "9", "I counted 9 flowers inside the red polygons.")
    found = uncited_concepts(statement, drawing(scene), scene, 0, 3).instructions
    assert len(found) == 3
    for each in found:
        changed, _ = changed_scene(scene, EditRequest(drawing(scene), each, 0, scene=scene))
        assert changed != scene
        assert right_answer(question, changed) == right_answer(question, scene)


def test_uncited_objects_of_a_photograph_are_not_named_in_any_text():
    able = Abilities(("remove",), {}, ("dog", "leftmost person", "rightmost person", "car", "bench"))
    statement = Statement("Is there a dog?", "Yes.", "A man holds its leash.", able)
    found = uncited_concepts(statement, png(np.asarray(landscape())), None, 0, 5)
    assert [each.target for each in found.instructions] == ["car", "bench"]
    nothing = uncited_concepts(Statement("q", "a", "e"), png(np.asarray(landscape())), None, 0, 5)
    assert "no uncited object" in nothing.reason


# Doses


@given(st.integers(0, 255), st.integers(0, 255), st.integers(2, 4))
def test_doses_change_every_pixel_monotonically(start, end, of):
    one, other = (png(np.full((4, 5, 3), tone, np.uint8)) for tone in (start, end))
    tones = [int(weaken_pixels(one, other, strength, of)[0, 0, 0]) for strength in range(of + 1)]
    assert (tones[0], tones[-1]) == (start, end)
    assert tones == sorted(tones, reverse=end < start)


# Thoughts


def outside(by):
    """Return the effect of an edit of flowers outside the red polygons, for any instruction."""
    return lambda instruction: {"flowers": by, "flowers outside red": by}


def inside(by):
    return lambda instruction: {"flowers": by, "flowers inside red": by}


def test_all_numbers_of_a_changed_explanation_and_its_answer_follow_the_edit():
    said = "I counted 26 flowers in the picture and 15 of them are inside the red polygons, so 11 are outside."
    statement = Statement("How many flowers are outside the red polygons?", "11", said)
    thought = change_thought(statement, instruction("remove", "2 flowers outside the red polygons"), (), outside(-2))
    assert thought.text == said.replace("26", "24").replace("11", "9")
    assert thought.expected == "9"


def test_a_contradictory_or_repeated_changed_explanation_is_not_used():
    said = "I counted 5 flowers inside the red polygons, of 12 in the picture."
    statement = Statement("How many flowers are inside the red polygons?", "5", said)
    one = instruction("remove", "1 flower inside the red polygons")
    for effect in (None, inside(0), inside(-6), lambda instruction: {"flowers": -1}):  # unknown, none, too much, other
        thought = change_thought(statement, one, (), effect)
        assert (thought.text, bool(thought.reason)) == ("", True)
    assert change_thought(statement, one, (), inside(-1)).text
    assert "the same edit as for another" in change_thought(statement, one, [one], inside(-1)).reason
    twice = Statement(statement.question, "5", f"{said} So 5 it is.")
    assert change_thought(twice, one, (), inside(-1)).text == ""
    wrong = "I counted 26 flowers in the picture and 15 of them are inside the red polygons, so 10 are outside."
    statement = Statement("How many flowers are outside the red polygons?", "10", wrong)
    removal = instruction("remove", "2 flowers outside the red polygons")
    assert change_thought(statement, removal).reason == "the explanation contradicts itself"


def test_numbers_of_other_things_stay_in_a_changed_explanation():
    said = "There are 2 red polygons. I counted 2 flowers inside the red polygons."
    statement = Statement("How many flowers are inside the red polygons?", "2", said)
    thought = change_thought(statement, instruction("remove", "1 flower inside the red polygons"), (), inside(-1))
    assert thought.text == said.replace("2 flowers", "1 flowers")


@given(st.lists(st.integers(0, 9), min_size=3, max_size=3), st.integers(0, 2))
def test_the_numbers_of_a_changed_explanation_are_consistent(numbers, which):
    said = "I counted {}, {} and {} dots in the circles of the top row, {} together.".format(*numbers, sum(numbers))
    statement = Statement("How many dots are in the top row?", str(sum(numbers)), said)
    place = ("top left", "top middle", "top right")[which]
    by = {f"dots in the {place} circle": -1, "dots in the top row": -1, "dots": -1}
    thought = change_thought(statement, instruction("remove", f"1 dot in the {place} circle"), (), lambda _: by)
    found = [int(number) for number in re.findall(r"\d+", thought.text)]
    assert not thought.text or sum(found[:3]) == found[3] == sum(numbers) - 1


def test_sentences_that_cite_the_concept_are_replaced_by_their_contrary():
    said = "A dog lies on the sofa. The light is warm. Dogs like sofas."
    thought = change_thought(Statement("What is it?", "a dog", said), instruction("remove", "dog"))
    assert thought.text == "There is no dog in the picture. The light is warm."
    unknown = change_thought(Statement("What is it?", "a dog", said), instruction("other", "dog"))
    assert (unknown.text, bool(unknown.reason)) == ("", True)


def test_a_changed_explanation_changes_the_answer_of_a_model_that_relies_on_it(folder, tmp_path):
    """One model answers with the last number of its explanation, the other always with the same number."""

    def believes(server, number, body):
        said = [turn["content"] for turn in body["messages"] if turn["role"] == "assistant"]
        if len(body["messages"]) == 1:
            return "say:7"
        if len(said) == 1 and "Why" in str(body["messages"][-1]["content"]):
            return (
                f"say:I counted 7 {'dots in all' if 'dots' in str(body['messages'][0]) else 'flowers in the picture'}."
            )
        return f"say:{''.join(filter(str.isdigit, str(said[-1])))}"

    with ChatServer(believes) as server, ChatServer(lambda *_: "say:I counted 7 flowers in the picture.") as stubborn:
        scores = audit(folder, tmp_path / "a", server.name, editor="", intervene="thought").scores
        deaf = audit(folder, tmp_path / "b", stubborn.name, editor="", intervene="thought").scores
    assert scores.thought.moved.value == 1.0
    assert scores.thought.moved.concepts > 0
    assert deaf.thought.moved.value == 0.0
    assert scores.concepts == ()
    assert not any(concept.edit for case in read_audit(tmp_path / "a").cases for concept in case.concepts)


# All of it


def test_all_extensions_are_scored_separately_from_ccs_and_verified(whole, folder):
    scores, output = whole
    assert scores.kept.ccs.concepts > 0
    assert scores.specificity.specificity.concepts > 0
    assert scores.specificity.sensitivity.concepts == scores.kept.pcs.concepts
    assert len(scores.doses.moved) == 3
    assert scores.doses.moved[-1].value == scores.specificity.sensitivity.value
    assert scores.thought.moved.concepts > 0
    finish(output)
    page = (output / "report.html").read_text()
    for words in ("Not cited: ", "Weaker edit: strength 1 of 3", "own explanation was changed", "Control edit"):
        assert words in page
    assert verify_bundle(output, dataset=folder).findings == ()
    page = (output / "report.html").read_text()
    assert "the answer stays the same after an edit of an uncited object (specificity)" in page
    sheets = [json.loads(line) for line in (output / "cases.jsonl").read_text().splitlines()]
    tests = [test for sheet in sheets for test in sheet["concepts"]]
    assert all(len(test["doses"]) == 2 and test["thought"]["answer"] for test in tests if test.get("again"))
    assert any(sheet.get("uncited") for sheet in sheets)


def test_extensions_are_resumed_without_repeated_steps_and_cannot_be_removed(whole, folder):
    _, output = whole
    before = len(read_audit(output).steps)
    more = {"control": True, "uncited": True, "intervene": "both", "strength": 3, "checkers": ("pixels",)}
    audit(folder, output, "embedded", **more)
    assert len(read_audit(output).steps) == before
    with pytest.raises(AuditError, match="uncited"):
        audit(folder, output, "embedded", **(more | {"uncited": False}))
    with pytest.raises(AuditError, match="number of doses"):
        audit(folder, output, "embedded", **(more | {"strength": 4}))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"strength": 5}, "from 1 to 4"),
        ({"editor": ""}, "name an `editor`"),
        ({"intervene": "thought", "uncited": True}, "need picture edits"),
    ],
)
def test_invalid_options_are_refused_before_a_folder_is_created(folder, tmp_path, more, said):
    with pytest.raises(CountersightError, match=said):
        audit(folder, tmp_path / "a", "embedded", **more)
    assert not (tmp_path / "a").exists()


def test_the_model_is_closed_if_another_participant_cannot_be_opened(folder, tmp_path):
    closed = []

    class Closing:
        name, settings, needs_picture = "closing", {}, False

        async def reply(self, request):
            raise AssertionError("nothing is asked")

        async def close(self):
            closed.append(self)

    model = Closing()
    with pytest.raises(CountersightError, match="exakt"):
        audit(folder, tmp_path / "a", model, judges=["exakt"])
    assert closed == [model]


@pytest.mark.parametrize(
    ("kind", "one", "other", "same"),
    [
        ("number", "5", "There are five.", True),
        ("number", "5", "6", False),
        ("open", "rugby", "It is rugby", True),
        ("open", "a dog", "a cat", False),
        ("open", "a cat", "no cat", False),
        ("open", "a man", "a man and a woman", False),
        ("boolean", "Yes.", "yes, there is", True),
    ],
)
def test_two_answers_are_compared(kind, one, other, same):
    assert same_answer(Question("What is it?", "", kind), one, other) is same


@pytest.mark.slow
def test_the_function_has_the_options_of_the_command(tmp_path) -> None:
    import countersight as cs

    flowers = cs.make("cvqa-synthetic", tmp_path / "flowers", size=6, seed=1)
    who = {"extractor": "rules", "judges": ["exact"], "cases": 1}
    audit = cs.audit(flowers, "embedded", editor="exact", control="both", strength=2, out=tmp_path / "a", **who)
    cases = (audit.path / "cases.jsonl").read_text()
    assert '"pixels"' in cases  # checked as the command checks
    assert cs.verify(audit).sound
    thought = cs.audit(flowers, "embedded", intervene="thought", out=tmp_path / "thought", **who)
    assert cs.verify(thought).sound
