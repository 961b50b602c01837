"""The words the composer knows, out of words.toml, and the plain forms under which it looks them up."""

import tomllib
from importlib.resources import files
from typing import Any, Final

_LISTED: Final[dict[str, Any]] = tomllib.loads((files(__package__) / "words.toml").read_text(encoding="utf-8"))


def _list(name: str) -> frozenset[str]:
    return frozenset(phrase.replace("-", " ") for phrase in _LISTED[name].split())


def _by_form(name: str) -> dict[str, str]:
    return {form: plain for plain, forms in _LISTED[name].items() for form in forms.split()}


COMING: Final = _list("coming")
GOING: Final = _list("going")
STATE: Final = _list("state")
OTHER: Final = _list("other")
VAGUE: Final = _list("vague")
MORE: Final = _list("more")
ALL: Final = _list("all")
FILLER: Final = _list("filler")
PLACES: Final = _list("places")
SCALING: Final = _list("scaling")
COLOURS: Final = _list("colours")
PARTICLES: Final = frozenset({"in", "on", "up", "by", "away", "off", "out", "down", "back"})
VERBS: Final = frozenset(phrase.split()[0] for phrase in COMING | GOING | STATE | OTHER | SCALING)
_IRREGULAR: Final = _by_form("irregular")
_PLURALS: Final = _by_form("plurals")
_SAME: Final = _by_form("same")
OPPOSITES: Final = {
    state: frozenset(phrase.replace("-", " ") for phrase in verbs.split())
    for state, verbs in _LISTED["opposites"].items()
}
"""Verbs that undo a state, by the word for the state."""
# Plain, these are nouns and adjectives: "an open window", "a light", "a cut orange".
NO_VERB_WHEN_PLAIN: Final = _list("no_verb_when_plain")

_UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBERS: Final = (
    {word: value for value, word in enumerate(_UNITS)}
    | {word: 10 * value for value, word in enumerate(_TENS, 2)}
    | {"a": 1, "an": 1, "another": 1, "single": 1, "couple": 2, "pair": 2, "twice": 2, "thrice": 3}
    | {"dozen": 12, "hundred": 100}
)


def number_of(word: str) -> int | None:
    """The value of a number word or a row of digits."""
    if word.isascii() and word.isdigit() and len(word) <= 6:
        return int(word)
    return _NUMBERS.get(word)


def is_quantity(word: str) -> bool:
    """Whether a word says how many, or begins to: two, a, all, half, no."""
    return number_of(word) is not None or word in ALL or word in ("half", "both", "no", "none")


def is_verb(word: str) -> bool:
    """Whether a word is a form of a verb the composer knows, and not rather a noun or an adjective."""
    return word not in NO_VERB_WHEN_PLAIN and verb_of(word) in VERBS and word not in ("half", "times")


def verb_of(word: str) -> str:
    """The plain form of a verb the composer knows: disappeared, disappears and disappearing are disappear."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for ending, instead in (("ied", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"), ("es", ""), ("s", "")):
        if word.endswith(ending):
            plain = word.removesuffix(ending) + instead
            if plain in VERBS:
                return plain
            if len(plain) > 2 and plain[-1] == plain[-2] and plain[:-1] in VERBS:  # hopped, stepping
                return plain[:-1]
    return word


def is_plural(word: str) -> bool:
    """Whether a noun looks like a plural."""
    return word in _PLURALS or (len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")))


def thing_of(word: str) -> str:
    """One form for a noun, its plural and its close synonyms, good for comparing and nothing else: horses is "hors"."""
    if word in _PLURALS:
        word = _PLURALS[word]
    elif word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif is_plural(word):
        word = word.removesuffix("s")
    word = _SAME.get(word, word)
    return word.removesuffix("e") if len(word) > 3 else word


KINDS: Final = {
    thing_of(name): frozenset(thing_of(member) for member in members.split())
    for name, members in _LISTED["kinds"].items()
}
"""What counts as one of a wider kind: a man who leaves is a person who leaves."""
