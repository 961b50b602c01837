"""Facts of generated scenes, and claims of sentences about them."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from countersight.audits.calibration.calibrating import explain
from countersight.audits.claims import Claim, claims
from countersight.audits.scene_facts import asked_fact, right_answer
from countersight.case import LETTERS
from countersight.scenes import facts_by_name, facts_of
from countersight.scenes.edits import apply
from countersight.suites.cvqa.synthetic import make_case
from countersight.suites.cvqa.templates import TEMPLATES
from tools.embedded.questions import factual

TEMPLATE = st.sampled_from(TEMPLATES)


def meaning(question):
    return question.options[LETTERS.index(question.answer)].text


@given(TEMPLATE, st.integers(0, 10_000))
@settings(max_examples=40)
def test_the_right_answer_is_the_gold_answer_in_both_worlds(template, index):
    made = make_case(template, 3, index, 1)
    assert right_answer(made.case.factual.text, made.record.scene) == meaning(made.case.factual)
    assert right_answer(made.case.shown.text, apply(made.record.scene, made.record.change)) == meaning(made.case.shown)


@pytest.mark.parametrize(
    "question", ["What is the man doing?", "How many dogs are there?", "", "How many flowers would be"]
)
def test_other_questions_are_not_interpreted(question):
    assert asked_fact(question) is None


@given(TEMPLATE, st.integers(0, 10_000), st.integers(0, 1_000))
@settings(max_examples=60)
def test_all_claims_of_the_embedded_models_training_explanations_are_true(template, index, chance):
    scene = template.solved(9, index).puzzle.scene
    known = facts_of(scene)
    asked = factual(Random(chance), known, known.kind)
    if asked is None:
        return
    claimed = claims(asked.because())
    assert claimed
    true = facts_by_name(scene)
    assert all(true[claim.fact] == claim.number for claim in claimed)


@given(TEMPLATE, st.integers(0, 10_000), st.integers(0, 1))
@settings(max_examples=60)
def test_scripted_explanations_claim_the_given_numbers(template, index, wording):
    solved = template.solved(9, index)
    fact = asked_fact(solved.puzzle.question)
    told = {name: number + index % 3 for name, number in facts_by_name(solved.puzzle.scene).items()}
    claimed = {claim.fact: claim.number for claim in claims(explain(fact, told, wording))}
    assert claimed[fact] == told[fact]
    assert claimed.items() <= told.items()


@pytest.mark.parametrize(
    ("text", "claimed"),
    [
        ("There are three flowers inside the red polygon.", [("flowers inside red", 3)]),
        ("NO FLOWERS are outside of the blue polygons", [("flowers outside blue", 0)]),
        ("I see 4 dots in the top left circle and 2 dots in the top right circle.",
         [("dots in the top left circle", 4), ("dots in the top right circle", 2)]),
        ("2 flowers lie where the polygons overlap", [("flowers where polygons overlap", 2)]),
        ("I do not know.", []),
        ("The red car has 4 wheels.", []),
    ],
)  # fmt: skip
def test_claims_of_other_wordings(text, claimed):
    assert claims(text) == tuple(Claim(*each) for each in claimed)


@given(st.text(alphabet="0123456789, and dots in the circles flowers red polygons", max_size=400) | st.text())
def test_any_text_can_be_read_and_claims_only_known_facts(text):
    known = facts_by_name(TEMPLATES[0].solved(0, 0).puzzle.scene)
    assert all(claim.fact in known for claim in claims(text))
