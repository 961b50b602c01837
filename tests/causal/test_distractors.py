"""Options: an answer and three others, each wrong in its own way, none of them a right answer by another name."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from specimens import graph

from countersight.causal.distractors import ROLES, in_image, options, related
from countersight.causal.lexicon import may_be_the_same
from countersight.causal.tasks.asked import TASKS, queries
from countersight.causal.tasks.query import Shape

BESIDE = ("window", "lamp", "cat", "backpack", "bicycle", "umbrella")


def offered(one, name, seed=0):
    """The options of the first query of a task about a graph."""
    return options(queries(TASKS[name], one)[0], Shape.of(one), Random(seed))


def by_role(found):
    return {option.role: option.text for option in found}


def test_each_option_is_there_for_its_own_reason():
    told = by_role(offered(graph("chain", others=BESIDE), "causal_attribution"))
    assert tuple(told) == ROLES
    assert told["answer"] == "table"
    assert told["graph"] == "plate"
    assert told["image"] in BESIDE
    assert told["text"] in related("pizza")


def test_of_two_causes_one_is_only_part_of_the_answer():
    told = by_role(offered(graph("collision", others=("window", "tree")), "collider_bias"))
    assert told["answer"] == "woman and ribbon"
    assert told["graph"] in ("woman", "ribbon")
    assert told["text"].count(" and ") == 1, "an answer that is the only pair would give itself away"


def test_without_anything_else_in_the_picture_there_are_no_options():
    assert offered(graph("chain"), "causal_attribution") is None


def test_what_the_picture_is_said_to_show_is_no_text_distractor():
    everything = " and ".join(sorted(related("pizza") | related("table") | related("plate")))
    assert offered(graph("chain", others=BESIDE, descriptions=(everything,)), "causal_attribution") is None


@pytest.mark.parametrize(
    "other",
    [
        "dining table",  # the answer by another name
        "desk",  # a narrower word
        "furniture",  # a wider one
        "plates",  # a thing of the graph
        "tray",  # may stand between table and plate
        "floor",  # bears everything
        "sky",  # no thing
        "kitchen",  # a place
        "hand",  # part of somebody
        "zorble",  # nobody knows what it is
        "tile",  # what the floor is made of
        "camera",  # behind the picture, not in it
    ],
)
def test_no_image_distractor_could_be_taken_for_a_right_answer(other):
    one = graph("chain", others=(other,))
    assert in_image(queries(TASKS["causal_attribution"], one)[0], Shape.of(one)) == []


def test_somebody_else_may_be_the_same_person():
    one = graph("direct", ("man", "racket"), ("holding",), others=("tennis player", "window"))
    assert in_image(queries(TASKS["causality_identification"], one)[0], Shape.of(one)) == ["window"]


def test_somebody_may_be_holding_what_lies_on_a_table():
    one = graph("direct", ("table", "cup"), others=("woman", "window"))
    assert in_image(queries(TASKS["causality_identification"], one)[0], Shape.of(one)) == ["window"]


def test_where_nothing_is_named_what_the_effect_may_hold_is_left_out():
    """Which of bench, woman and purse keeps another in its place? The woman would be a right answer too."""
    one = graph("direct", ("bench", "woman"), others=("purse", "tree"))
    assert in_image(queries(TASKS["causality_identification"], one)[0], Shape.of(one)) == ["tree"]


@pytest.mark.parametrize(
    ("names", "kind", "other"),
    [
        (("table", "drink"), "support", "cup"),  # contains it
        (("bus", "rack"), "attachment", "bicycle"),  # stands on it
        (("bed", "mouse"), "support", "mattress"),  # bears it too
        (("desk", "computer"), "support", "cord"),  # is part of it
        (("plate", "meal"), "support", "meat"),  # is what it is made of
        (("bed", "person"), "support", "lap"),  # is part of somebody
    ],
)
def test_what_may_keep_the_effect_or_be_kept_by_it_is_left_out(names, kind, other):
    one = graph("direct", names, (kind,), others=(other, "trees"))
    assert in_image(queries(TASKS["causality_identification"], one)[0], Shape.of(one)) == ["trees"]


def test_who_hits_a_ball_has_something_to_hit_it_with():
    one = graph("direct", ("player", "tennis ball"), ("force",), others=("racket", "tree"))
    assert in_image(queries(TASKS["causality_identification"], one)[0], Shape.of(one)) == ["tree"]


NAMES = st.sampled_from(
    """
    table desk floor plate pizza cup cat dog man woman bench sofa couch chair shelf book lamp window wall clock tree
    grass horse cow car bus street sidewalk bicycle umbrella bag backpack shirt hat racket ball kite beach surfboard
    wave boat truck sign pole fence bowl soup vase flowers bed pillow laptop keyboard bottle glass wine cake candle
    animal vehicle furniture people zorble food fruit apple orange building roof snow ski tray napkin fork picture
    """.split()  # noqa: SIM905 - a list of a hundred quoted words reads worse
)


@given(st.lists(NAMES, min_size=3, max_size=3, unique=True), st.sets(NAMES, max_size=8), st.integers(0, 9))
def test_options_are_four_different_things(names, others, seed):
    for kind, task in (
        ("chain", "causal_attribution"),
        ("chain", "abstract_reasoning"),
        ("collision", "collider_bias"),
    ):
        one = graph(kind, names, others=sorted(others - set(names)))
        found = offered(one, task, seed)
        if found is None:
            continue
        told = by_role(found)
        assert tuple(told) == ROLES
        shown = {*names, *others}
        assert set(told["answer"].split(" and ")) <= set(names)
        assert set(told["graph"].split(" and ")) <= set(names)
        assert set(told["image"].split(" and ")) <= others - set(names)
        assert not set(told["text"].split(" and ")) & shown
        wrong = [name for role in ("image", "text") for name in told[role].split(" and ")]
        for name in wrong:
            assert not any(may_be_the_same(name, right) for right in (*told["answer"].split(" and "), told["graph"]))
        assert not any(may_be_the_same(*pair) for pair in combinations(wrong, 2))


def test_words_bring_things_to_mind_in_any_number():
    for word in ("book", "table", "beach", "horse", "train", "man", "wall", "kite", "cake", "phone"):
        assert len(related(word)) >= 4
    assert "bookends" in related("books")
    assert related("books") == related("book")
    assert related("tennis rackets") == related("tennis racket")
    assert related("zorble") == frozenset()
