"""English words: numbers, fractions, singular and plural, verb forms, articles and lists."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from countersight.english import (
    UNITS,
    article,
    base_verb,
    fraction_at,
    is_plural,
    listed,
    number_at,
    number_of,
    plural,
    singular,
)

NOUNS = {
    "dog": "dogs", "bench": "benches", "box": "boxes", "city": "cities", "toy": "toys", "glass": "glasses",
    "knife": "knives", "person": "people", "fireman": "firemen", "child": "children", "bus": "buses",
    "potato": "potatoes", "photo": "photos", "cookie": "cookies", "horse": "horses", "sheep": "sheep",
}  # fmt: skip


@pytest.mark.parametrize(("one", "many"), NOUNS.items())
def test_singular_and_plural_are_inverse(one: str, many: str) -> None:
    assert plural(one) == many
    assert singular(many) == one
    assert singular(one) == one
    assert plural(many) == many
    assert is_plural(many)


@pytest.mark.parametrize("noun", ["glass", "bus", "iris", "human", "specimen"])
def test_a_singular_that_looks_like_a_plural_stays(noun: str) -> None:
    assert singular(noun) == noun


def test_known_nouns_decide_between_forms() -> None:
    assert singular("niches", {"niche"}) == "niche"
    assert singular("menus", {"menu"}) == "menu"


@pytest.mark.parametrize(
    ("words", "number", "length"),
    [
        ("two", 2, 1), ("12", 12, 1), ("a dozen", 12, 2), ("half a dozen", 6, 3), ("twenty five", 25, 2),
        ("two hundred and five cats", 205, 4), ("one thousand two hundred", 1200, 4), ("two and three", 2, 1),
        ("two hundred and three hundred", 200, 2),
    ],
)  # fmt: skip
def test_numbers_in_words(words: str, number: int, length: int) -> None:
    assert number_at(words.split()) == (number, length)


@pytest.mark.parametrize(
    ("words", "share"),
    [("half", (1, 2)), ("a third", (1, 3)), ("two thirds", (2, 3)), ("25%", (1, 4)), ("ten percent", (1, 10))],
)
def test_fractions_in_words(words: str, share: tuple[int, int]) -> None:
    assert fraction_at(words.split()) == (Fraction(*share), len(words.split()))


@settings(max_examples=40)
@given(st.lists(st.sampled_from(["half", "a", "dozen", "two", "third", "percent", "%", "5%", "1/3", "9/3", "cats"])))
def test_whatever_is_no_number_is_none(words: list[str]) -> None:
    for place in range(len(words) + 1):
        for found in (number_at(words, place), fraction_at(words, place)):
            assert found is None or (found[0] > 0 and place < found[1] <= len(words))


def test_every_number_word_is_a_number() -> None:
    assert [number_of(word) for word in UNITS] == list(range(20))
    assert number_of("cats") is None
    assert number_of("²") is None


@pytest.mark.parametrize("form", ["left", "leave", "leaves", "leaving"])
def test_verb_forms(form: str) -> None:
    assert base_verb(form, {"leave", "hop"}) == "leave"
    assert base_verb("hopped", {"leave", "hop"}) == "hop"
    assert base_verb("bed", {"be"}) is None


def test_articles_and_lists() -> None:
    assert [article(noun) for noun in ("apple", "bowl", "")] == ["an", "a", "a"]
    assert [listed(items) for items in ([3, 5, 2], [3, 5], [3])] == ["3, 5 and 2", "3 and 5", "3"]
