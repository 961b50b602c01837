"""Questions from templates: grammar, variety, and that each says what it should and nothing more."""

import re
import tomllib
from importlib.resources import files

import pytest
from causal.specimens import every_kind, graph

from countersight.causal.lexicon import is_plural, may_be_the_same, synonyms
from countersight.suites.cello.queries import ChoiceQuery, Shape
from countersight.suites.cello.rules import NO_OPTIONS, ONE_OF_A_KIND, OPTIONS
from countersight.suites.cello.tasks import TASKS, queries
from countersight.suites.cello.wording import VERB_BY_KIND, edges_in_words, leaked_names, pronoun, question, the, verb

# Graphs whose names try the grammar: plurals, people, mass nouns, compounds, and every kind of cause.
TRYING = [
    *every_kind(),
    graph("chain", ("beach", "women", "umbrella"), ("support", "holding")),
    graph("chain", ("tables", "glasses", "water"), ("support", "containment")),
    graph("chain", ("fire hydrant", "dogs", "leash"), ("attachment", "attachment")),
    graph("confounding", ("ground", "bikes", "child"), ("support", "support", "support")),
    graph("collision", ("boys", "hand", "ice cream cones"), ("holding", "holding")),
    graph("direct", ("umbrellas", "people"), ("covering",)),
    graph("direct", ("men", "tennis ball"), ("force",)),
    graph("direct", ("train", "smoke"), ("source",)),
    graph("direct", ("girl", "shoes"), ("wearing",)),
    graph("direct", ("grass", "sheep"), ("support",)),
]


def every_question():
    """Every wording the templates give of every query of these graphs."""
    for one in TRYING:
        shape = Shape.of(one)
        for task in TASKS.values():
            for query in queries(task, one):
                for stays in (True,) if isinstance(query, ChoiceQuery) else (True, False):
                    for text in {question(task, query, shape, number, stays=stays) for number in range(8)}:
                        yield task, query, shape, stays, text


QUESTIONS = list(every_question())


def test_every_question_is_a_sentence():
    for _, _, _, _, text in QUESTIONS:
        assert re.fullmatch(r"[A-Z][a-z ,.'-]*(?:[A-Z][a-z ,'-]*)?\?", text), text
        assert "  " not in text
        assert " ," not in text
        assert not re.search(r"\b(\w+) \1\b", text.replace("had had", "")), text


def test_verbs_and_pronouns_agree_with_their_names():
    wrong = (
        r"\bthey is\b|\bit are\b|\bthey depends\b|\b(?:it|he|she) depend\b"
        r"|\bthe (?:women|tables|dogs|boys) (?:is|depends|does)\b"
    )
    for _, _, _, _, text in QUESTIONS:
        assert not re.search(wrong, text), text
        assert not re.search(r"\bdo the (?:table|plate|pizza|wall|shelf|leash|umbrella)\b", text), text


def test_a_question_names_what_it_should_and_nothing_else_of_the_graph():
    for _, query, shape, _, text in QUESTIONS:
        named = query.about if isinstance(query, ChoiceQuery) else (query.cause, query.effect, *query.held)
        for thing, name in shape.names.items():
            assert (the(name) in text.casefold()) == (thing in named), (text, name)


def test_a_task_is_worded_the_same_whatever_the_answer():
    """With the names taken out, questions whose effect is lost and questions whose effect is not are the same texts."""
    by_task = {}
    for task, query, shape, stays, text in QUESTIONS:
        if not isinstance(query, ChoiceQuery) and not any(name.endswith("s") for name in shape.names.values()):
            for name in shape.names.values():
                text = re.sub(rf"\b(?:the )?{name}\b", "X", text, flags=re.I)
            text = re.sub(r"\b(?:it|he|she|they|its|his|her|their|him|them|is|are)\b", "it", text)
            by_task.setdefault((task.short, stays), {}).setdefault(query.effect_goes, set()).add(text)
    assert len(by_task) == 12
    for found in by_task.values():
        assert found[True] == found[False]


def test_a_question_for_a_thing_does_not_give_it_away():
    for _, query, shape, _, text in QUESTIONS:
        if isinstance(query, ChoiceQuery):
            hidden = [shape.names[thing] for thing in query.answer]
            assert leaked_names(text, hidden, [shape.names[thing] for thing in query.about]) == []


def test_edges_in_words():
    assert edges_in_words(graph("confounding")) == ["wall holds shelf", "wall holds books", "shelf supports books"]
    assert edges_in_words(graph("direct", ("shelves", "jar"))) == ["shelves support jar"]
    assert edges_in_words(graph("direct", ("man", "ball"), ("force",))) == ["man acts on ball"]


@pytest.mark.parametrize(
    ("name", "plural", "told"),
    [
        ("shelf", False, "it is"),
        ("shelves", True, "they are"),
        ("bus", False, "it is"),
        ("glass", False, "it is"),
        ("glasses", True, "they are"),
        ("grass", False, "it is"),
        ("scissors", True, "they are"),
        ("women", True, "they are"),
        ("woman", False, "she is"),
        ("policeman", False, "he is"),
        ("child", False, "they are"),
        ("children", True, "they are"),
        ("tennis player", False, "they are"),
        ("tennis racket", False, "it is"),
        ("fire hydrants", True, "they are"),
        ("people", True, "they are"),
        ("sheep", False, "it is"),
        ("slice of pizza", False, "it is"),
        ("slices of pizza", True, "they are"),
        ("dog", False, "it is"),
        ("batter", False, "they are"),
        ("monitor", False, "it is"),
    ],
)
def test_number_and_pronoun_of_a_name(name, plural, told):
    assert is_plural(name) is plural
    assert pronoun(name).subject_is == told


@pytest.mark.parametrize(
    ("name", "plain_verb", "said"),
    [("shelf", "support", "supports"), ("shelves", "support", "support"), ("man", "act on", "acts on"),
     ("man", "do", "does"), ("men", "be", "are"), ("child", "be", "is"), ("box", "touch", "touches")],
)  # fmt: skip
def test_a_verb_agrees(name, plain_verb, said):
    assert verb(name, plain_verb) == said


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("sofa", "couch", True),
        ("desk", "table", True),
        ("tables", "desk", True),
        ("bicycle", "vehicle", True),
        ("horse", "animals", True),
        ("beach sand", "beach", True),
        ("tennis racquet", "racket", True),
        ("road", "street", True),
        ("utensils", "fork", True),
        ("silverware", "dinner knife", True),
        ("vegetables", "carrot", True),
        ("clothes", "blue shirt", True),
        ("utensils", "plate", False),
        ("shelf", "books", False),
        ("cup", "table", False),
        ("man", "woman", False),
    ],
)
def test_names_that_may_stand_for_the_same_thing(one, other, same):
    assert may_be_the_same(one, other) is same
    assert may_be_the_same(other, one) is same


def test_synonyms_are_known_by_any_form():
    assert "couch" in synonyms("sofas")
    assert synonyms("zorble") == frozenset()


def test_the_classes_that_wording_and_options_rely_on_are_the_catalogues():
    """The catalogue's classes are its own; a class that is gone would leave a rule without effect."""
    nouns = tomllib.loads((files("countersight.causal") / "nouns.toml").read_text(encoding="utf-8"))
    known = {*nouns["classes"], *nouns["groups"]}
    used = OPTIONS | NO_OPTIONS | ONE_OF_A_KIND
    used |= {
        "animal",
        "body",
        "cloth",
        "creature",
        "fastener",
        "grip",
        "handheld",
        "immaterial",
        "movable",
        "person",
    }
    assert used <= known
    relations = tomllib.loads((files("countersight.causal") / "catalogue.toml").read_text(encoding="utf-8"))
    assert set(VERB_BY_KIND) == set(relations["kinds"])
