"""A prompt is words around a question."""

from making import choice

from countersight.asking.prompts import PROMPTS
from countersight.case import Question


def test_a_choice_lists_its_options_by_letter():
    text = PROMPTS["0-shot"].render(choice("How many dots?"))
    assert text == "How many dots?\nA: 3\nB: 5\nC: 7\nD: 9\nAnswer with the letter of the right option."


def test_each_kind_of_answer_is_asked_for_in_its_own_words():
    for kind, answer, word in (("number", "3", "number"), ("boolean", "yes", "yes or no"), ("open", "red", "briefly")):
        assert word in PROMPTS["0-shot"].render(Question("What?", answer, kind))


def test_braces_in_a_question_stay_as_they_are():
    assert "a {options} b {question} {0}" in PROMPTS["0-shot"].render(choice("a {options} b {question} {0}"))
