"""Where things come to and go from, beside where the question looks for them."""

from itertools import pairwise
from typing import Final

from countersight.composing.asked import HAVING, WORD, Asked, read_asked
from countersight.composing.vocabulary import (
    ADVERBS,
    BEYOND,
    BUILDINGS,
    COMPANIES,
    DIRECTIONS,
    ENCLOSURES,
    EXITS,
    FILLER,
    GROUNDS,
    OCCASIONS,
    PARTICLES,
    PARTS_OF,
    PLACES,
    PREPOSITIONS,
    ROOMS,
    SIDES,
    SPOTS,
    STORAGE,
    TIMES,
    WATERS,
    all_things,
    is_verb,
    plural,
    thing_of,
    verb_of,
)

_GOALS: Final = frozenset({"to", "into", "onto", "inside", "on"})
PLACING: Final = _GOALS | {"in", "at", "under", "behind", "beside", "near", "above", "over"}
SOURCES: Final = frozenset({"from", "off", "out", "of"})
_TOWARDS: Final = frozenset({"to", "into", "onto", "for", "toward", "towards"})
_PASSED: Final = FILLER | PLACES | TIMES | PREPOSITIONS | ADVERBS | PARTICLES
_GROUNDS: Final = all_things(GROUNDS)
_BEYOND: Final = all_things(BEYOND)
_FLOORS: Final = frozenset(map(thing_of, ("floor", "carpet", "ground", "rug")))
_DIRECTIONS: Final = all_things(DIRECTIONS)
_EXITS: Final = all_things(EXITS)
_WATERS: Final = all_things(WATERS)
_SPOTS: Final = all_things(SPOTS)
_ROOMS: Final = all_things(ROOMS)
_BUILDINGS: Final = all_things(BUILDINGS)
_PENS: Final = all_things(ENCLOSURES | {"enclosure", "barn", "stable"})
_TO_SOMEBODY: Final = tuple(("to", somebody) for somebody in ("her", "him", "them", "me", "us", "you"))
_STORAGE: Final = _SPOTS | all_things(STORAGE)

_ANOTHER: Final = frozenset(
    {"another", "other", "later", "new", "extra", "additional", "further", "more", "first", "last"}
)
_NEARBY: Final = frozenset({"nearby", "neighboring", "neighbouring", "opposite"})
_ARTICLES: Final = frozenset({"the", "this", "a", "an"})
_COMPANIES: Final = all_things(COMPANIES)

Words = tuple[str, ...]


def content(words: Words) -> frozenset[str]:
    """The words of places and things, without those that name none and those for the picture."""
    return frozenset(thing_of(verb_of(word)) for word in words if word not in _PASSED)


def behind(words: Words, prepositions: frozenset[str]) -> frozenset[str]:
    """The words for the places behind some prepositions."""
    found: set[str] = set()
    within = False
    for word in words:
        if word in PREPOSITIONS:
            within = word in prepositions
        elif within:
            found |= frozenset((word,)) if word in OCCASIONS else content((word,))
    return frozenset(found)


def is_a_place(words: Words) -> bool:
    """Whether what is said of things that are says where: "on the table", "there", or nothing."""
    return not words or words[0] in PREPOSITIONS or words[0] in ("there", "here")


def is_where_asked(words: Words, asked: Asked) -> bool:
    """Whether a place is the one asked about: any, where the question names none."""
    return asked.is_plain or content(words) <= asked.words


def is_narrow(asked: Asked) -> bool:
    """Whether they are looked for on or in something so small that what goes somewhere else is there no more."""
    return bool(asked.place & _SPOTS)


def is_tidied(goal: frozenset[str], asked: Asked) -> bool:
    """Whether what lay on the floor is then in a box, or on a shelf."""
    return bool(asked.place & _FLOORS) and bool(goal & _STORAGE)


def parts_of(asked: Asked) -> frozenset[str]:
    """Parts of the place asked about: who goes there has not left it."""
    return frozenset().union(*(parts for places, parts in PARTS_OF if places & asked.place)) - asked.place


def is_all_of_the_place(words: Words, asked: Asked) -> bool:
    """Whether words behind a name say no more than the question: "there", "on the table", or nothing."""
    if not words or words == ("there",):
        return True
    is_named = words[0] in PREPOSITIONS and asked.place <= content(words) <= asked.words | asked.scene
    return is_named and not is_on_another_side(words, asked)


def comes_there(words: Words, asked: Asked) -> bool:
    """Whether what comes gets where the question looks, and does not come from there."""
    if names_another_place(words) or _is_beyond(words, asked):
        return False
    if asked.is_plain:
        return True
    from_there = behind(words, SOURCES) & asked.place
    return behind(words, PLACING) - _DIRECTIONS <= asked.words and not from_there  # "added at the end"


def may_come_in_elsewhere(words: Words, asked: Asked) -> bool:
    """Whether what comes in need not get where the question looks: "flew in", to the flies on the window."""
    is_inside = asked.is_plain or bool({"in", "inside"} & asked.words) or bool(asked.place & (_GROUNDS | _WATERS))
    return not is_inside and not content(words)


def is_put_there(words: Words, asked: Asked) -> bool:
    """Whether what is put somewhere is put where the question looks."""
    place = behind(words, PLACING | asked.sides)
    return place <= asked.words and bool(place or {"there", "here"} & set(words))


def goes_from_there(words: Words, asked: Asked) -> bool:
    """Whether what goes leaves the place where the question looks."""
    if behind(words, _TOWARDS) & asked.place or _is_beyond(words, asked):  # "left for the beach", to those on the beach
        return False
    if behind(words, _GOALS) & (parts_of(asked) | _DIRECTIONS):  # "went out onto the balcony" of the house
        return False
    if asked.place & HAVING and words[-2:] in _TO_SOMEBODY:  # "handed to her", who may be the one that holds them
        return False
    if {"rest", "others", "sleep"} & set(words):  # "pulled away from the rest", "dropped off to sleep"
        return False
    if words[:1] == ("of",) and words[1:2] not in (("the",), ("sight",), ("view",)):  # pens out of ink are pens
        return False
    if not asked.is_plain and names_another_place(words):
        return False
    around = _BUILDINGS if asked.place & _ROOMS else frozenset()  # who leaves the building has left its lobby
    return asked.is_plain or _left(words) - _EXITS - _DIRECTIONS - around <= asked.words


def is_on_another_side(words: Words, asked: Asked) -> bool:
    """Whether it happens beside what the question names, and not where it looks: "onto the car", to who is under it."""
    said = {word for word, after in _with_their_places(words) if after & asked.place}
    return bool(said) and bool(asked.sides or said & SIDES) and not said & asked.sides


def is_put_elsewhere(words: Words, asked: Asked) -> bool:
    """Whether what was where the question looks is put somewhere else: "in the drawer", to who asks for the table."""
    place = behind(words, PLACING)
    is_elsewhere = (
        bool(place) and (is_narrow(asked) or is_tidied(place, asked)) and not place & (asked.words | parts_of(asked))
    )
    return is_elsewhere and not DIRECTIONS & set(words) and not names_another_place(words)


def _with_their_places(words: Words) -> list[tuple[str, frozenset[str]]]:
    """The prepositions of some words that say where, each with what stands behind it."""
    starts = [place for place, word in enumerate(words) if word in (PLACING | SIDES) - SOURCES]
    parts = pairwise((*starts, len(words)))
    return [(words[start], content(words[start + 1 : end])) for start, end in parts]


def is_elsewhere(words: Words, asked: Asked) -> bool:
    """Whether things are said to be somewhere else than where the question looks: "on the shelf", to the table."""
    is_said = words[:1] and words[0] in PLACING | SIDES and not asked.is_plain
    where = content(tuple(word for word in words if word not in DIRECTIONS))  # "the one at the top" is there too
    return bool(is_said) and (is_on_another_side(words, asked) or not where <= asked.words)


def names_another_place(words: Words) -> bool:
    """Whether a place is of the same name and yet not the one asked about: "another bowl", "the shop next door"."""
    said = tuple(word for word in words if word != "the")  # "onto the other lane"
    is_other = any(word in PREPOSITIONS and after in ("another", "other") for word, after in pairwise(said))
    is_beside = any(word == "next" and after in ("to", "door") for word, after in pairwise(words))
    return is_other or is_beside or bool(_NEARBY & set(words))


def is_of_another_place(event: str, asked: Asked) -> bool:
    """Whether an event is told of a second place of the same name as the one asked about: "on the other bus"."""
    words = WORD.findall(event)
    if any(word == "own" and thing_of(after) in asked.place for word, after in pairwise(words)):
        return True
    names = (_name_at(words[begin:]) for begin, word in enumerate(words, 1) if word in _ANOTHER)
    place = asked.place - {thing_of(asked.where)} if asked.is_narrow else asked.place  # asleep is no place
    return any(name & place and not name & {asked.head, *asked.members} for name in names)


def may_stay_within(goal: str, question: str) -> bool:
    """Whether who moves to another of some name may still be where a question looks: another table, of a restaurant.

    Who was on the table is not, nor who moved to another room from a table; on the shelves are those of every shelf.
    """
    asked = read_asked(question)
    if asked is None or (asked.is_plain and thing_of(goal) in _GROUNDS):
        return False
    if thing_of(goal) in asked.place:
        return plural(goal) in WORD.findall(question.casefold())
    return not (thing_of(goal) in _GROUNDS and asked.place & (_SPOTS | _ROOMS | _PENS))


def _name_at(words: list[str]) -> frozenset[str]:
    """The words of the name at the beginning: up to a verb or a preposition."""
    ends = (place for place, word in enumerate(words) if word in PREPOSITIONS or (place and is_verb(word)))
    return frozenset(map(thing_of, words[: next(ends, len(words))]))


def _left(words: Words) -> frozenset[str]:
    """The place that is left: "from the field", "left the field"."""
    return behind(("from", *words) if words and words[0] in ("the", "this") else words, SOURCES)


def is_the_whole_scene(words: Words, prepositions: frozenset[str], asked: Asked) -> bool:
    """Whether who enters or leaves a place is then in the picture or out of it: not so for "left the table"."""
    if words[:1] == ("the",):
        words = (*prepositions & {"to", "from"}, *words)
    return not asked.is_plain or behind(words, prepositions) <= asked.words | _GROUNDS


def _is_beyond(words: Words, asked: Asked) -> bool:
    """Whether it happens on a list, or on television."""
    return bool(_BEYOND & content(words) - asked.words)


def is_of_the_scene(words: Words, asked: Asked) -> bool:
    """Whether words name nothing but what the question names, or a place as wide as the picture."""
    return content(words) <= asked.words | asked.scene | _GROUNDS


def is_joined(words: Words, asked: Asked) -> bool:
    """Whether what is joined is where the counted are: them, the queue, and not the army."""
    joined = behind(("to", *words), frozenset({"to"})) if words and words[0] in _ARTICLES else frozenset()
    return joined <= asked.words | _COMPANIES | _GROUNDS
