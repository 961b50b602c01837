"""Options: an answer and three others, each wrong in its own way, named as answers are, none right by another name."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from causal.specimens import graph
from hypothesis import given
from hypothesis import strategies as st

from countersight.causal.lexicon import may_be_the_same
from countersight.suites.cello.options import Answers, may_be_taken_for, options
from countersight.suites.cello.queries import Shape
from countersight.suites.cello.rules import bystanders
from countersight.suites.cello.tasks import TASKS, queries

ELSEWHERE = ("shelf", "bench", "tray", "counter", "bed", "stove", "window", "lamp", "wagon")


def asked_of(one, name):
    return queries(TASKS[name], one)[0], Shape.of(one)


def answers(name, kind, firsts=ELSEWHERE, second="plate", third="apples"):
    """The answers of a task that asks the like of many scenes."""
    names = [(first, second, third)[: 2 if kind == "direct" else 3] for first in firsts]
    graphs = [graph(kind, some, scene=str(number)) for number, some in enumerate(names)]
    return Answers(TASKS[name], [(shape, query) for query, shape in (asked_of(one, name) for one in graphs)])


def offered(one, name, known, seed=0):
    query, shape = asked_of(one, name)
    found = options(TASKS[name], query, shape, known, Random(seed))
    return found and found[0]


def test_an_answer_a_thing_of_the_graph_one_of_the_picture_and_one_of_neither():
    known = answers("causal_attribution", "chain", (*ELSEWHERE, "plate", "plate", "plate"))
    found = offered(graph("chain", others=("window", "cat")), "causal_attribution", known)
    assert {option.role: option.text for option in found if option.role != "text"} == {
        "answer": "table",
        "graph": "plate",
        "image": "window",  # a cat is never the answer
    }
    assert [option.text in ELSEWHERE for option in found if option.role == "text"] == [True]


def test_what_never_keeps_such_a_thing_is_never_offered():
    known = answers("causality_identification", "direct")
    for seed in range(20):
        found = offered(graph("direct", others=("tree", "cat")), "causality_identification", known, seed)
        assert {option.text for option in found} <= {"table", *ELSEWHERE}


def test_what_is_asked_about_is_kept_by_too_few_or_by_one_thing_always():
    few = answers("causality_identification", "direct", ("bench", "shelf", "wagon", "bed"))
    foregone = answers("causality_identification", "direct", (*["stove"] * 20, *ELSEWHERE))
    for known in (few, foregone):
        assert offered(graph("direct"), "causality_identification", known) is None


def test_what_may_keep_the_answer_or_be_kept_by_it_is_never_offered():
    """Of a cup on a bench, the porch may be behind the bench, and a napkin or a tray between the two."""
    graphs = [graph("direct", (first, "cup"), scene=first) for first in (*ELSEWHERE, "porch", "napkin")]
    graphs += [graph("direct", names, scene=str(names)) for names in (("porch", "bench"), ("bench", "napkin"))]
    asked = [(shape, query) for query, shape in (asked_of(one, "causality_identification") for one in graphs)]
    known = Answers(TASKS["causality_identification"], asked)
    query, shape = asked_of(graph("direct", ("bench", "cup")), "causality_identification")
    assert {"counter", "stove"} <= set(known.plausible_names(shape, query))
    assert not {"porch", "napkin", "tray"} & set(known.plausible_names(shape, query))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("pole", "lamp post", True),
        ("plate", "platter", True),
        ("man", "player", True),
        ("boy", "man", True),
        ("man", "woman", False),
        ("food", "peppers", True),
        ("cake", "pizza", False),
        ("bench", "table", False),
    ],
)
def test_what_may_be_taken_for_something_else_in_a_picture(one, other, same):
    assert may_be_taken_for(one, other) is may_be_taken_for(other, one) is same


def test_names_are_wrong_as_often_as_they_are_right():
    """Four names that are right 1, 2, 4 and 8 times elsewhere."""
    times = {"window": 1, "bench": 2, "wagon": 4, "stove": 8}
    firsts = [name for name, number in times.items() for _ in range(number)]
    firsts += ["shelf", "tray", "lamp", "sink", "wall"]
    known = answers("causality_identification", "direct", firsts)
    wrong = Counter()
    for seed in range(600):
        query, shape = asked_of(graph("direct"), "causality_identification")
        found, _ = options(TASKS["causality_identification"], query, shape, known, Random(seed))
        wrong.update(option.text for option in found[1:])
    assert wrong["stove"] > wrong["wagon"] > wrong["bench"] > wrong["window"] > 0


def test_explanations_are_sentences_of_one_form_in_which_every_name_stands_twice():
    known = answers("collider_bias", "collision", ELSEWHERE[:6], second="wagon", third="balloons")
    found = offered(graph("collision"), "collider_bias", known)
    assert found[0].text == "Both the woman and the ribbon keep them there."
    assert [option.role for option in found[:3]] == ["answer", "graph", "graph"]
    names = Counter(part.split(" the ")[-1] for option in found for part in option.text[:-17].split(" and "))
    assert set(names.values()) == {2}
    assert len({option.text for option in found}) == 4


def test_without_other_answers_there_are_no_options():
    known = answers("causal_attribution", "chain", ("table",))
    assert offered(graph("chain"), "causal_attribution", known) is None


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
def test_what_may_have_to_do_with_the_graph_is_no_bystander(other):
    assert bystanders(graph("chain", others=(other,))) == []


@pytest.mark.parametrize(
    ("names", "kind", "other"),
    [
        (("table", "drink"), "support", "cup"),  # contains it
        (("bus", "rack"), "attachment", "bicycle"),  # stands on it
        (("bed", "mouse"), "support", "mattress"),  # bears it too
        (("plate", "meal"), "support", "meat"),  # is what it is made of
        (("man", "racket"), "holding", "tennis player"),  # may be the same person
        (("table", "cup"), "support", "woman"),  # may be holding it
    ],
)
def test_what_may_keep_the_effect_or_be_kept_by_it_is_left_out(names, kind, other):
    found = bystanders(graph("direct", names, (kind,), others=(other, "street sign")))
    assert other not in [thing.name for thing in found]


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
    for name in ("causal_attribution", "abstract_reasoning"):
        one = graph("chain", names, others=sorted(others - set(names)))
        found = offered(one, name, answers(name, "chain", third="apples"), seed)
        if found is None:
            continue
        assert found[0].role == "answer"
        assert found[0].text in names
        assert not any(may_be_the_same(one.text, two.text) for one, two in combinations(found, 2))
        for option in found:
            assert (option.text in {*names, *others}) == (option.role != "text")
