"""Conversations for training: true, in words the tokenizer knows, and with no "if" where there must be none."""

import json
import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from countersight.models.embedded.tokenizer import Tokenizer, vocabulary
from countersight.models.embedded.weights import shipped
from countersight.scenes.edits import apply
from countersight.suites.cvqa.templates import TEMPLATES
from countersight.training import foreign, wordings
from countersight.training.facts import Facts, facts
from countersight.training.pictures import random_scene
from countersight.training.questions import factual
from countersight.training.talks import talk

TOKENIZER = Tokenizer(vocabulary(wordings.words()))
SUPPOSING = re.compile(r"\b(if|would|were removed|suppose)\b", re.IGNORECASE)


@given(st.integers(0, 10**9))
@settings(max_examples=60, deadline=None)
def test_the_factual_checkpoint_never_hears_an_if(seed: int) -> None:
    rng = Random(seed)
    true = facts(random_scene(rng)) if seed % 5 else Facts("other")
    for _ in range(20):
        assert not any(SUPPOSING.search(turn) for turn in talk(rng, true, "factual").turns)


@given(st.integers(0, 10**9))
@settings(max_examples=60, deadline=None)
def test_what_the_model_is_to_say_survives_the_tokenizer(seed: int) -> None:
    rng = Random(seed)
    true = facts(random_scene(rng))
    for said in talk(rng, true, "both").turns[1::2]:
        assert TOKENIZER.decode(TOKENIZER.encode(said)) == said


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.group)
def test_facts_give_the_answers_of_the_suite(template) -> None:
    """The questions of the suite and ours are counted by different code; they must agree in both worlds."""
    topic = {1: "outside", 2: "inside", 3: "inside", 4: "dots", 5: "top", 6: "most"}[template.number]
    for index in range(6):
        solved = template.solved(7, index)
        for scene, answer in ((solved.puzzle.scene, solved.answer), (solved.changed, solved.new_answer)):
            true = facts(scene)
            colour = next((c for c in true.colours if c in solved.puzzle.asked), None)
            for attempt in range(200):
                asked = factual(Random(attempt), true, true.kind, topic)
                assert asked is not None
                if colour is None or f" {colour} " in asked.text:
                    assert asked.answer == answer
                    break
            else:
                raise AssertionError("the colour was never asked for")


def test_a_picture_of_something_else_is_not_known() -> None:
    for seed in range(50):
        assert talk(Random(seed), Facts("other"), "both").turns[1] == foreign.UNKNOWN


def test_the_shipped_vocabulary_is_that_of_the_wordings() -> None:
    shipped_words = json.loads((shipped() / "vocabulary.json").read_bytes())
    assert tuple(shipped_words) == vocabulary(wordings.words())


def test_facts_of_a_changed_scene_follow_the_change() -> None:
    solved = TEMPLATES[4].solved(7, 0)
    assert facts(apply(solved.puzzle.scene, solved.puzzle.edits)).circles.count(None) == 2
