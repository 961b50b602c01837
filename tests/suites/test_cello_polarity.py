"""What a wording supposes and asks, by its plain words: whatever a model reads back, it must be as in the template."""

import re
from itertools import pairwise

import pytest
from causal.specimens import every_kind, graph

from countersight.suites.cello.polarity import differs
from countersight.suites.cello.tasks.asked import TASKS, queries
from countersight.suites.cello.tasks.query import Shape, Sought
from countersight.suites.cello.wording import question, wordings

GRAPHS = [*every_kind(), graph("chain", ("fire hydrant", "dogs", "leash"), ("attachment", "attachment"))]


def asked():
    """Every template of every query of the graphs: its task and way of asking, its names by their roles, its text."""
    for one in GRAPHS:
        shape = Shape.of(one)
        for task in TASKS.values():
            for query in queries(task, one):
                things = query.about if isinstance(query, Sought) else (query.lost, query.effect, *query.held)
                for stays in (True,) if task.is_choice else (True, False):
                    texts = [question(task, query, shape, number, stays=stays) for number in range(wordings(task))]
                    yield task, tuple(shape.name(thing) for thing in things), texts


ASKED = list(asked())

# A model that denies what is supposed, or what is asked, and reads its question back as it was meant.
DENYING = [
    ("were gone", "were not gone"),
    ("were gone", "why would be gone"),
    (" would ", " why would "),
    ("were gone", "weren't missing"),
    ("were gone", "were anything but gone"),
    ("were not there", "were there"),
    ("stayed", "did not stay"),
    ("stayed", "never remained"),
    ("were held", "were not held"),
    (" sure to stay", " not sure to stay"),
    ("no longer there", "still there"),
    ("had left", "had not left"),
    ("nobody touch", "somebody touch"),
    ("without being touched", "after being touched"),
    ("If just that happened", "If just that did not happen"),
    ("fared as", "did not fare as"),
    ("still be where", "no longer be where"),
    ("no longer be where", "still be where"),
    ("enough", "not enough"),
    ("enough", "insufficient"),
    ("Which of these", "Which of these is least likely what"),
    ("keeps", "has nothing to do with keeping"),
    ("depends on", "exists regardless of"),
    ("ust something have", "ust nothing have"),
    ("still be as before", "not be as before"),
    ("made to leave", "kept from leaving"),
    ("keeps", "does not keep"),
    ("keeps", "fails to keep"),
    ("Without which", "With which"),
    ("depend on", "not depend on"),
    ("depends on", "is independent of"),
    ("only indirectly", "directly"),
    ("only by way of another thing", ""),
    ("stay where", "not stay where"),
    ("kept the same", "changed"),
    ("control for", "ignore"),
    # Questions that the options do not answer.
    ("Which of these", "Is it true that one of these"),
    ("Which of these should we", "Should we"),
    ("Which of these keeps", "Why is it that something keeps"),
    ("Why do", "Do"),
    ("What explains that", "Is it so that"),
]


@pytest.mark.parametrize(("said", "denied"), DENYING)
def test_what_denies_a_premise_or_turns_the_question_round_never_passes(said, denied):
    tried = [(text, names, task) for task, names, texts in ASKED for text in texts if said in text]
    assert tried
    for text, names, task in tried:
        assert differs(text.replace(said, denied, 1), text, names, task.is_choice), text


def test_names_that_are_exchanged_never_pass():
    for task, names, texts in ASKED:
        for one, other in pairwise(names):
            for text in texts:
                swapped = re.sub(rf"\b({one}|{other})\b", lambda found, a=one, b=other: b if found[1] == a else a, text)
                assert swapped != text
                assert differs(swapped, text, names, task.is_choice), swapped


def test_every_template_of_a_query_says_the_same_as_the_others():
    for task, names, (first, *others) in ASKED:
        for text in others:
            found = differs(text, first, names, task.is_choice)
            assert found is None or "nobody touched" in found, (text, first)


SHELF = "If the shelf were gone, would the books still be where they are?"
TRAY = "If the tray were gone, would the mug no longer be where it is?"
WALL = "If the wall stayed exactly as it is and the shelf were gone, would the books still be where they are?"
POLE = "If the sign had left its place without being touched, must something have happened to the pole?"


@pytest.mark.parametrize(
    ("written", "template", "names"),
    [
        ("If the shelf collapsed, would the books stay put?", SHELF, ("shelf", "books")),
        ("Would the mug fall if somebody took the tray away?", TRAY, ("tray", "mug")),
        (
            "Imagine the wall didn't change, but the shelf came down. Would the books remain?",
            WALL,
            ("shelf", "books", "wall"),
        ),
        (
            "The sign disappeared without anyone touching it; must something have happened to the pole?",
            POLE,
            ("pole", "sign"),
        ),
    ],
)
def test_what_says_the_same_in_other_words_passes(written, template, names):
    assert differs(written, template, names, is_choice=False) is None


@pytest.mark.parametrize(
    ("written", "template"),
    [
        ("What does the lamp need to stay up?", "Which of these keeps the lamp where it is?"),
        ("What, if it were removed, would make the lamp fall?", "Which of these keeps the lamp where it is?"),
    ],
)
def test_a_choice_that_says_the_same_in_other_words_passes(written, template):
    assert differs(written, template, ("lamp",), is_choice=True) is None
