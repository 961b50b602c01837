"""Conversations for training: true, in words the tokenizer knows, and with no "if" where there must be none."""

import hashlib
import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from countersight.errors import CountersightError
from countersight.models.embedded import UNKNOWN, Tokenizer
from countersight.scenes import Facts, facts_of
from countersight.suites.cvqa.templates import TEMPLATES
from tools.embedded import wordings
from tools.embedded.batches import always_said, vocabulary
from tools.embedded.casual import casual
from tools.embedded.conversations import conversation
from tools.embedded.examination import read_held_out
from tools.embedded.grammar import Grammar, drawn, makes
from tools.embedded.near_misses import near_miss
from tools.embedded.options import options
from tools.embedded.pictures import random_scene
from tools.embedded.questions import (
    IRRELEVANT,
    USUAL,
    USUAL_CHANGES,
    count,
    count_after,
    factual,
    slots_for,
)

pytestmark = pytest.mark.slow

TOKENIZER = Tokenizer(vocabulary(wordings.said(), wordings.heard()))
SUPPOSING = re.compile(r"\b(if|would|were|suppose|imagine)\b", re.IGNORECASE)
HELD_OUT = Path(__file__).parent.parent / "data/embedded/held_out.toml"
FLOWERS = Facts(
    "flowers",
    flowers=30,
    outside=8,
    both=5,
    inside=(0, 0, 12, 0, 15, 0, 0, 0),
    alone=(0, 0, 7, 0, 10, 0, 0, 0),
    colours=("blue", "purple"),
)
DOTS = Facts("dots", circles=(3, 4, 5, 8, 2, 1))


@given(st.integers(0, 10**9))
@settings(max_examples=15, deadline=None)
def test_the_factual_checkpoint_never_hears_an_if(seed: int) -> None:
    rng = Random(seed)
    true = facts_of(random_scene(rng)) if seed % 5 else Facts("other")
    for _ in range(60):
        assert not any(SUPPOSING.search(turn) for turn in conversation(rng, true, "factual").turns)


@given(st.integers(0, 10**9))
@settings(max_examples=15, deadline=None)
def test_what_the_model_is_to_say_survives_the_tokenizer_and_can_be_said(seed: int) -> None:
    rng = Random(seed)
    true = facts_of(random_scene(rng))
    said = len({*always_said(), *wordings.said()})
    for text in conversation(rng, true, "both").turns[1::2]:
        tokens = TOKENIZER.encode(text)
        assert TOKENIZER.decode(tokens) == text
        assert max(tokens) < said


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.group)
def test_facts_give_the_answers_of_the_suite(template) -> None:
    """The questions of the suite and ours are counted by different code; they must agree in both worlds."""
    topic = {1: "outside", 2: "inside", 3: "inside", 4: "dots", 5: "top", 6: "most"}[template.number]
    for index in range(3):
        solved = template.solved(7, index)
        for scene, answer in ((solved.puzzle.scene, solved.answer), (solved.changed, solved.new_answer)):
            true = facts_of(scene)
            colour = next((c for c in true.colours if c in solved.puzzle.question), None)
            for attempt in range(200):
                asked = factual(Random(attempt), true, true.kind, topic=topic)
                assert asked is not None
                if colour is None or colour == asked.slots["c"]:
                    assert asked.answer == answer
                    break
            else:
                raise AssertionError("the colour was never asked for")


@pytest.mark.parametrize("true", [FLOWERS, DOTS], ids=["flowers", "dots"])
def test_an_irrelevant_change_leaves_the_answer(true: Facts) -> None:
    for seed, (topic, change) in enumerate(IRRELEVANT[true.kind]):
        slots = slots_for(Random(seed), true)
        assert count_after(Random(seed), topic, change, true, slots) == count(topic, true, slots)


def test_the_changes_of_controls_are_learned_in_the_words_of_the_suite() -> None:
    told = {
        change: wordings.supposed(topic, change, usual_only=True)
        for kind in IRRELEVANT.values()
        for topic, change in kind
    }
    for change, clause in (
        (
            "take outside",
            "How many flowers would be inside the {c} polygons if we removed {n} flowers outside the {c} polygons?",
        ),
        ("recolour dots", "How many dots would a circle contain at most if all the dots were {k}?"),
        (
            "take emptiest",
            "How many dots would a circle contain at most if one of the circles with the fewest dots were removed?",
        ),
    ):
        assert makes(told[change], clause)


@given(st.integers(0, 10**9))
@settings(max_examples=30, deadline=None)
def test_a_question_as_people_type_it_keeps_its_words(seed: int) -> None:
    text = "How many flowers are not inside the red polygons: what is their number?"
    typed = casual(Random(seed), text).casefold()
    for word in ("flowers", "inside", "red", "polygons", "number"):
        assert word in typed


def test_a_picture_of_something_else_is_not_known() -> None:
    for seed in range(50):
        assert conversation(Random(seed), Facts("other"), "both").turns[1] == UNKNOWN


@pytest.mark.parametrize("true", [FLOWERS, DOTS], ids=["flowers", "dots"])
def test_a_near_miss_is_no_question_that_the_model_knows(true: Facts) -> None:
    """A colour may be the only difference: then it is one that the picture does not have."""
    rng = Random(5)
    known = [wordings.factual(topic, "factual") for topic in USUAL[true.kind]]
    for _ in range(25):
        text = near_miss(rng, true, "factual")
        for colour in (*true.colours, "none"):
            asked = text.replace(f" {colour} ", " {c} ")
            assert not any(makes(node, asked) for node in known), text


def test_right_options_stand_at_every_rank_and_wrong_ones_as_in_the_published_set_too() -> None:
    rng = Random(3)
    drawn_options = [options(rng, 20) for _ in range(3000)]
    four = [each for each in drawn_options if len(each) == 4]
    ranks = [sorted(each).index(20) for each in four]
    assert all(ranks.count(rank) > len(four) / 8 for rank in range(4))
    assert all(20 in each and len(set(each)) == len(each) and min(each) >= 0 for each in drawn_options)
    published = {20 + gap for gap in (*range(-5, 0), *range(1, 7))}  # the gaps in the published set
    assert published <= {other for each in four for other in each}


def test_no_held_out_wording_can_be_made_by_the_grammar_of_training() -> None:
    """The file stays as it was before training, and shares no template with it."""
    assert hashlib.sha256(HELD_OUT.read_bytes()).hexdigest() == (
        "13bf1597d3792d288b086e63a0321c14fbe88addc2517b12764c48e9b42f564e"
    )
    held_out = read_held_out(HELD_OUT)
    met = []
    for topic, texts in held_out.factual.items():
        met += [text for text in texts if makes(wordings.factual(topic, "both"), text.replace("{p}", "{v} {h}"))]
    for key, texts in [*held_out.counterfactual.items(), *held_out.controls.items()]:
        topic, _, change = key.partition(", ")
        met += [text for text in texts if makes(wordings.supposed(topic, change), text)]
    for kind, topics in USUAL.items():
        met += [text for text in held_out.near_misses[kind] if makes(wordings.near_miss(kind), text)]
        for topic in topics:
            changes = tuple(change for about, change in USUAL_CHANGES[kind] if about == topic)
            near = wordings.near_miss_supposed(kind, topic, changes)
            met += [text for text in held_out.near_misses[f"{kind}_supposed"] if makes(near, text)]
    met += [text for text in held_out.openings["frames"] if makes(wordings.frames("before", "both"), text)]
    met += [text for text in held_out.openings["whys"] if makes(wordings.whys("long"), text)]
    assert met == []
    assert sum(map(len, [*held_out.factual.values(), *held_out.counterfactual.values()])) >= 110


@given(st.integers(0, 10**9), st.sampled_from(["inside", "top", "most", "circle"]))
@settings(max_examples=10, deadline=None)
def test_a_grammar_knows_what_it_draws(seed: int, topic: str) -> None:
    node = wordings.factual(topic, "both")
    assert makes(node, drawn(Random(seed), node))
    assert not makes(node, drawn(Random(seed), node) + " of gold")


@pytest.mark.parametrize("text", ["[a|b", "a|b", "a]", "<nobody>", "<loop>"])
def test_a_wording_that_cannot_be_understood_is_a_clear_error(text: str) -> None:
    with pytest.raises(CountersightError, match="wording"):
        Grammar({"loop": ["<loop>"]}).understood([text])
