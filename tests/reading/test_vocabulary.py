"""The vocabulary is data: what its notation means, and that every entry of it can be read."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

import countersight.reading
from countersight.reading.language import vocabulary

ROOM = Path(countersight.reading.__file__).parent
RULES = [path for path in ROOM.rglob("*.py") if path.parent.name != "learned"]
WRITTEN = tomllib.loads((ROOM / "language" / "vocabulary.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("phrase", "matches", "misses"),
    [
        ("remov*", ("remove", "removing"), ("unremoved",)),
        ("in/on the picture", ("in the picture", "on the picture"), ("at the picture", "in a picture")),
        ("i think [that]", ("I think", "i think that"), ("i thinks",)),
        ("so, not before: that/many", ("so there are", "so"), ("so that", "so many")),
        ("left, not after: the", ("3 left", "left"), ("the left",)),
        ("bring* ... to", ("brings it to", "bringing the number to", "bring to"), ("brings",)),
        ("*n't", ("wouldn't", "isn't"), ("not",)),
    ],
)
def test_a_phrase_means_what_its_notation_says(phrase, matches, misses):
    pattern = re.compile(vocabulary._phrase(phrase), re.IGNORECASE)
    assert [text for text in matches if not pattern.search(text)] == []
    assert [text for text in misses if pattern.search(text)] == []


def test_every_list_of_phrases_can_be_searched_for():
    lists = [
        f"{section}.{name}"
        for section, entries in WRITTEN.items()
        for name, value in entries.items()
        if isinstance(value, list) and all(isinstance(phrase, str) for phrase in value)
    ]
    assert len(lists) > 50
    for name in lists:
        re.compile(vocabulary.any_of(name), re.IGNORECASE)


def test_a_slash_parts_single_words():
    """ "it is/it's so" would be "it is so" or "it it's so": such a phrase has to be written twice."""
    said_twice = re.compile(r"\b([a-z]+) [^ ]*/\1'")
    assert said_twice.search("it is/it's so")
    assert [line for line in map(str, _every_phrase()) if said_twice.search(line)] == []


def _every_phrase():
    lists = [value for entries in WRITTEN.values() for value in entries.values() if isinstance(value, list)]
    return [phrase for value in lists for phrase in value]


def test_no_entry_stands_twice_in_its_list():
    twice = {
        f"{section}.{name}: {phrase}"
        for section, entries in WRITTEN.items()
        for name, value in entries.items()
        if isinstance(value, list)
        for phrase in value
        if isinstance(phrase, str) and value.count(phrase) > 1
    }
    assert twice == set()


def test_the_code_holds_no_pattern_that_belongs_into_the_vocabulary():
    """A list of words in a pattern is for its author only: long ones are data."""
    lines = [line for path in RULES for line in path.read_text(encoding="utf-8").splitlines()]
    patterns = [line for line in lines if re.search(r"""\br[f]?["'].*\|""", line)]
    assert max(line.count("|") for line in patterns) <= 20
    assert max(len(path.read_text(encoding="utf-8").splitlines()) for path in RULES) < 300


def test_no_pattern_is_too_long_to_be_understood():
    """What a pattern is written of, its words from the vocabulary and its named parts aside."""
    calls = [
        node
        for path in RULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile"
    ]
    assert len(calls) > 100
    assert [ast.unparse(call) for call in calls if _written(call.args[0]) > 200] == []


def _written(pattern):
    return sum(len(part.value) for part in ast.walk(pattern) if isinstance(getattr(part, "value", None), str))
