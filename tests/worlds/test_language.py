"""Worlds in words: what the makers of questions say and ask is understood by those who only know the words."""

from collections import Counter

import pytest
from worlds.examples import discs, supports

from countersight.case import LETTERS
from countersight.errors import Unclear
from countersight.suites.worlds.discs import DISCS
from countersight.suites.worlds.making import drafts_with_cases
from countersight.suites.worlds.supports import SUPPORTS
from countersight.worlds import String, Supports, WorldThing, answered, explained, supposed


def gold(question):
    return question.options[LETTERS.index(question.answer)].text if question.options else question.answer


def asked(question, world):
    return answered(question.text, world, [option.text for option in question.options])


def contents(world):
    return Counter(map(str, world.things if hasattr(world, "things") else world.discs))


@pytest.mark.parametrize("suite", [SUPPORTS, DISCS], ids=lambda suite: suite.name)
def test_questions_and_changes_are_understood_as_they_were_meant(suite):
    for draft, case in drafts_with_cases(suite, size=20, seed=78):
        if case.factual:
            assert asked(case.factual, draft.world) == gold(case.factual)
        if draft.after and draft.told:
            after = supposed(draft.world, draft.told.words.text)
            assert contents(after) == contents(draft.after)
            if case.shown and case.group != "role":
                assert asked(case.shown, after) == gold(case.shown)


def test_what_only_a_string_joins_does_not_touch():
    hook = WorldThing("h", "hook", "grey", 200, 16, 16, 10, weight=0)
    upper, lower = WorldThing("a", "block", "red", 190, 45, 36, 28), WorldThing("b", "block", "blue", 190, 90, 36, 28)
    world = Supports((hook, upper, lower), (String("s0", "h", "a", 208), String("s1", "a", "b", 208)))
    assert answered("Does the red block touch the blue block?", world) == "no"
    assert answered("Does the red block touch the blue block, directly or by a string?", world) == "yes"
    said = explained("Does the red block touch the blue block, directly or by a string?", world)
    assert "The red block does not touch the blue block." in said
    assert "The blue block hangs from the red block." in said


@pytest.mark.parametrize(
    "words",
    [
        "",
        "the red block",
        "the mauve block were taken away",
        "the grey shelf were taken away",
        "red " * 4000,
        "(" * 999,
    ],
)
def test_words_that_mean_no_change_say_so(words):
    for world in (supports(1), discs(1)):
        with pytest.raises(Unclear):
            supposed(world, words)
        assert answered(words, world) is None


def test_what_is_not_there_can_be_neither_changed_nor_asked_about():
    world = supports(1)
    absent = next(
        name
        for colour in ("red", "blue", "green", "pink", "brown")
        for name in [f"{colour} cup"]
        if name not in {thing.name for thing in world.things}
    )
    with pytest.raises(Unclear, match="there is no"):
        supposed(world, f"the {absent} were taken away")
    assert answered(f"Does the {absent} lie on the floor?", world) is None
