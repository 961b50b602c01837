"""The words the composer knows, out of words.toml, and the plain forms under which it looks them up."""

import tomllib
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

import msgspec

from countersight.text import NUMBER_WORDS

_LISTED: Final[dict[str, Any]] = tomllib.loads((files(__package__) / "words.toml").read_text(encoding="utf-8"))


def _phrases(listed: str) -> frozenset[str]:
    return frozenset(phrase.replace("-", " ") for phrase in listed.split())


def _list(name: str) -> frozenset[str]:
    return _phrases(_LISTED[name])


def _by_form(name: str) -> dict[str, str]:
    return {form: plain for plain, forms in _LISTED[name].items() for form in forms.split()}


class State(msgspec.Struct, frozen=True):
    """A state that things get into and out of: open windows, lights that are on."""

    asked: frozenset[str]
    """The words by which a question asks for it."""
    begins: frozenset[str]
    ends: frozenset[str]
    alike: frozenset[str]
    """The words that say the same of things: lit, of a lamp that is on."""


COMES: Final = _list("comes")
BROUGHT: Final = _list("brought")
BROUGHT_IF_MORE: Final = _list("brought_if_more")
COME_IF_MORE: Final = _list("come_if_more")
FIXED: Final = _list("fixed")
TAKEN_FROM_A_PLACE: Final = _list("taken_from_a_place")
OTHER: Final = _list("other")
SPOTS: Final = _list("spots")
WIDE: Final = _list("wide")
RAISED: Final = _list("raised")
LEDGES: Final = _list("ledges")
DELIVERING: Final = _list("delivering")
VESSELS: Final = _list("vessels")
STORAGE: Final = _list("storage")
ENCLOSURES: Final = _list("enclosures")
EXITS: Final = _list("exits")
SLOPES: Final = _list("slopes")
SEATS: Final = _list("seats")
SHOPS: Final = _list("shops")
OUTDOORS: Final = _list("outdoors")
INSIDE: Final = _list("inside")
WATERS: Final = _list("waters")
LANDS: Final = _list("lands")
LANDINGS: Final = _list("landings")
ABOUT_THEM: Final = _list("about_them")
SURROUNDINGS: Final = _list("surroundings")
QUALITIES: Final = _list("qualities") | _list("colours")
PLACED: Final = _list("placed")
GOES: Final = _list("goes")
TAKEN: Final = _list("taken")
MOTION: Final = _list("motion")
CARRIED: Final = _list("carried")
AWAY: Final = _list("away")
SCENERY: Final = _list("scenery")
INWARDS: Final = _list("inwards")
PRESENT: Final = _list("present")
POSTURES: Final = _list("postures")
ABSENT: Final = _list("absent")
STAYS: Final = _list("stays")
VAGUE: Final = _list("vague")
MORE: Final = _list("more")
ALL: Final = _list("all")
FILLER: Final = _list("filler")
PLACES: Final = _list("places")
BEYOND: Final = _list("beyond")
GROUNDS: Final = _list("grounds")
TIMES: Final = _list("times") | _list("occasions")
OCCASIONS: Final = _list("occasions")
COMPANIES: Final = _list("companies")
CONTAINERS: Final = _list("containers")
EMPTYING: Final = _list("emptying")
IDIOMS: Final = _list("idioms")
IMITATIONS: Final = _list("imitations")
PAIRS_OF_ONE: Final = _list("pairs_of_one")
TELLING_APART: Final = _list("telling_apart")
BE: Final = _list("be")
AFTER_A_COUNTED_THING: Final = _list("after_a_counted_thing")
SEEING: Final = _list("seeing")
SIDES: Final = _list("sides")
RESTING: Final = _list("resting")
NOT_THE_WHOLE: Final = _list("not_the_whole")
MAY_FOLLOW: Final = _list("may_follow")
LEFT_SO: Final = _list("left_so")
ANYWHERE: Final = _list("anywhere")
ENDS_A_NAME: Final = _list("ends_a_name")
STAYING_THERE: Final = _list("staying_there")
RISING: Final = _list("rising")
PASTIMES: Final = _list("pastimes")
TREATED: Final = _list("treated")
GARMENTS: Final = _list("garments")
POSSESSIONS: Final = _list("possessions")
ROOMS: Final = _list("rooms")
BUILDINGS: Final = _list("buildings")
FURNITURE: Final = _list("furniture")
PIECES: Final = _list("pieces")
CLASSES: Final = _list("classes")
SCALING: Final = _list("scaling")
COLOURS: Final = _list("colours")
PARTICLES: Final = _list("particles")
PREPOSITIONS: Final = _list("prepositions")
RELATIVES: Final = _list("relatives")
PRONOUNS: Final = _list("pronouns")
POSSESSIVES: Final = _list("possessives")
AUXILIARIES: Final = _list("auxiliaries")
ADVERBS: Final = _list("adverbs")
DIRECTIONS: Final = _list("directions")
KIN: Final = _list("kin")
HUNTERS: Final = _list("hunters")
STATES: Final = tuple(
    State(*(_phrases(each.get(part, "")) for part in ("asked", "begins", "ends", "alike")))
    for each in _LISTED["states"]
)
_NOUNS_TOO: Final = _list("nouns_too")
_NO_VERB_WHEN_PLAIN: Final = _list("no_verb_when_plain") | _NOUNS_TOO | {f"{noun}s" for noun in _NOUNS_TOO}
_NEVER_VERBS: Final = frozenset(
    {"half", "times", "there", "here", "visible", "present", "available", "hundred", "naked"}
)
_SAID_OF_THINGS = (
    *(COMES | BROUGHT | PLACED | GOES | TAKEN | MOTION | CARRIED | PRESENT | STAYS | SCALING | OTHER),
    *(STAYING_THERE | RISING | TREATED | BROUGHT_IF_MORE | COME_IF_MORE | FIXED | TAKEN_FROM_A_PLACE),
    *(phrase for state in STATES for phrase in state.begins | state.ends),
    *(phrase.replace("-", " ") for phrase in _LISTED["survives"]),
)
PHRASES: Final = frozenset(phrase for phrase in _SAID_OF_THINGS if " " in phrase)
"""Verbs with their particle: "turn off"."""
VERBS: Final = frozenset(phrase.split()[0] for phrase in _SAID_OF_THINGS) | {"replace", "be", "have"}
_IRREGULAR: Final = _by_form("irregular")
_PLURALS: Final = _by_form("plurals")
_ONE_BY_ONE: Final[dict[str, str]] = {one: forms.split()[0] for one, forms in _LISTED["plurals"].items()}
_SAME: Final = _by_form("same")
SAID_AS: Final = {phrase: plain for plain, phrases in _LISTED["said_as"].items() for phrase in _phrases(phrases)}
"""Set phrases, and what they say in plain words."""

_NUMBERS: Final = (
    NUMBER_WORDS
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


PAST_AS_PLAIN: Final = frozenset({"cut", "put", "set", "shut", "let", "cast"})
"""Verbs whose participle is no form of its own: after "was" it is one."""


def is_verb(word: str) -> bool:
    """Whether a word is a form of a verb the composer knows, or looks like the past of one that it does not."""
    looks_so = word.endswith("ed") and len(word) > 4 and not word.endswith("eed") and word not in _NEVER_VERBS
    return is_known_verb(word) or looks_so


def is_known_verb(word: str) -> bool:
    """Whether a word is a form of a verb the composer knows, and not rather a noun or an adjective."""
    return word not in _NO_VERB_WHEN_PLAIN and word not in _NEVER_VERBS and verb_of(word) in VERBS


@lru_cache(maxsize=4096)
def verb_of(word: str) -> str:
    """The plain form of a verb the composer knows: disappeared, disappears and disappearing are disappear."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for ending, instead in (("ied", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"), ("es", ""), ("s", "")):
        if word.endswith(ending):
            plain = word.removesuffix(ending) + instead
            if plain in VERBS and plain != "be":  # a bed is no form of being
                return plain
            if len(plain) > 2 and plain[-1] == plain[-2] and plain[:-1] in VERBS:  # hopped, stepping
                return plain[:-1]
    return word


def is_plural(word: str) -> bool:
    """Whether a noun looks like a plural."""
    return word in _PLURALS or (len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")))


def singular(noun: str) -> str:
    """The singular of a noun: benches, bench."""
    if noun in _PLURALS:
        return _PLURALS[noun]
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith(("sses", "xes", "ches", "shes", "zzes", "oes")):
        return noun.removesuffix("es")
    return noun.removesuffix("s") if is_plural(noun) else noun


def plural(noun: str) -> str:
    """The plural of a noun: bench, benches; one that is a plural already is left as it is."""
    if is_plural(noun):
        return noun
    if noun in _ONE_BY_ONE:
        return _ONE_BY_ONE[noun]
    if noun.endswith("y") and noun[-2:-1] not in ("", *"aeiou"):
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh", "z", "ato")) else "s")


@lru_cache(maxsize=4096)
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


def things_of(words: str) -> frozenset[str]:
    """The things of a list of words."""
    return all_things(words.split())


def all_things(names: Iterable[str]) -> frozenset[str]:
    """The things of several words."""
    return frozenset(map(thing_of, names))


PERSON: Final = thing_of("person")
KINDS: Final = {thing_of(name): things_of(members) for name, members in _LISTED["kinds"].items()}
"""What counts as one of a wider kind: a man who leaves is a person who leaves."""


def _with_their_kinds(things: str) -> frozenset[str]:
    return things_of(things).union(*(KINDS.get(thing, ()) for thing in things_of(things)))


def is_alive(thing: str) -> bool:
    """Whether a thing is a person or an animal, who can do something of their own."""
    return any(thing == kind or thing in KINDS[kind] for kind in (PERSON, "animal", "bird"))


APART: Final = things_of(_LISTED["apart"])
"""Things of which none is one of another."""

MAY_BE: Final = {thing_of(name): things_of(others) for name, others in _LISTED["may_be"].items()}
"""What may be called by another of these names after all: a sofa, a couch."""

COMPOUNDS: Final = {thing_of(name): things_of(before) for name, before in _LISTED["compounds"].items()}
"""What stands before a name and makes it that of another thing: hot, before dog."""

GETS_TO: Final = tuple((things_of(places), _phrases(verbs)) for places, verbs in _LISTED["gets_to"].items())
"""Places, and the verbs after which things are there: the bin, when they are thrown away."""

PARTS_OF: Final = tuple((things_of(places), things_of(parts)) for places, parts in _LISTED["parts"].items())
"""Places, and parts of them: a tree, and its branches."""

KEEPS: Final = {verb: _with_their_kinds(things) for verb, things in _LISTED["keeps"].items()}
"""Things that stay although they are taken, by the verb: a seat that is taken."""

SURVIVES: Final = {verb: _with_their_kinds(things) for verb, things in _LISTED["survives"].items()}
"""Things that are no longer what they were, by the verb for what happened to them."""
