"""Find objects in a photograph by their description: "the dog", "two people", "the man on the left"."""

import re
from collections.abc import Callable, Iterator, Sequence

import msgspec

from countersight.detection import AnnotatedThing, ToolFailed, classes_of
from countersight.editing.colours import colour_word
from countersight.english import is_plural, number_of
from countersight.errors import EditFailed

_SIDES = {
    "left": "leftmost",
    "right": "rightmost",
    "top": "topmost",
    "bottom": "bottommost",
    "upper": "topmost",
    "lower": "bottommost",
    "biggest": "largest",
    "big": "largest",
    "large": "largest",
    "small": "smallest",
    "foreground": "largest",
}
_MOST_BY_POSITION = 4
"""The maximum number of objects of a kind to name by position; with more, the leftmost one is hard to identify."""
_EXTREMES = ("leftmost", "rightmost", "topmost", "bottommost", "largest", "smallest")
_FILLERS = frozenset(
    ("the", "a", "an", "of", "all", "both", "every", "each", "in", "on", "at", "to", "side", "hand", "picture", "image")
)


class ThingDescription(msgspec.Struct, frozen=True):
    """A parsed description of one or more objects."""

    words: str
    noun: str
    number: int | None
    """The number of objects; None for all of them."""
    extreme: str
    colour: str


def read_thing(words: str) -> ThingDescription:
    """Parse a description of objects; raises EditFailed if it has no noun."""
    if len(words) > 200:
        raise EditFailed("the target has more than 200 characters")
    said = re.findall(
        r"[a-z]+|\d+", words.casefold().replace("left-most", "leftmost").replace("right-most", "rightmost")
    )
    numbers = [number for word in said if word not in ("a", "an") and (number := number_of(word)) is not None]
    sides = [_SIDES.get(word, word) for word in said if _SIDES.get(word, word) in _EXTREMES]
    colours = [colour for word in said[:-1] if (colour := colour_word(word))]  # the last is the noun: an orange
    rest = [
        word
        for place, word in enumerate(said)
        if word not in _FILLERS
        and number_of(word) is None
        and _SIDES.get(word, word) not in _EXTREMES
        and not (place < len(said) - 1 and colour_word(word))
    ]
    if not rest:
        raise EditFailed(f"“{words[:80]}” does not name an object")
    one = not is_plural(rest[-1]) and not {"all", "both", "every", "each"} & set(said)
    number = numbers[0] if numbers else 1 if one else None
    return ThingDescription(words, " ".join(rest), number, sides[0] if sides else "", colours[0] if colours else "")


def noun_in(words: str) -> str:
    """Return the noun of a description, or the words themselves if it has none."""
    try:
        return read_thing(words).noun
    except EditFailed:
        return words[:80]


def meant_by(noun: str, categories: Sequence[str]) -> frozenset[str]:
    """Return the categories that a noun matches; none if there is no match."""
    try:
        return classes_of(noun, categories)
    except ToolFailed:
        return frozenset()


def choose_things(
    named: ThingDescription,
    things: Sequence[AnnotatedThing],
    categories: Sequence[str],
    of_colour: Callable[[AnnotatedThing, str], bool],
    known: str,
) -> list[AnnotatedThing]:
    """Return the described objects; raises EditFailed if their number differs. Messages name `known` as the source."""
    meant, words = meant_by(named.noun, categories), named.words
    found = [thing for thing in things if thing.category in meant]
    if named.colour:
        found = [thing for thing in found if of_colour(thing, named.colour)]
    if not found:
        raise EditFailed(f"no {known} object in this picture matches “{words[:80]}”")
    if named.number is None:
        return found
    single = [thing for thing in found if not thing.crowd]
    if named.extreme:
        single = sorted(single, key=lambda thing: _place(thing, named.extreme))[: named.number]
    if len(single) != named.number:
        raise EditFailed(
            f"“{words[:80]}” names {named.number} objects, but {len(single)} are {known}, so the target is ambiguous"
        )
    return single


def _place(thing: AnnotatedThing, extreme: str) -> float:
    left, top, right, bottom = thing.box
    return {
        "leftmost": left + right,
        "rightmost": -(left + right),
        "topmost": top + bottom,
        "bottommost": -(top + bottom),
        "largest": -(right - left) * (bottom - top),
        "smallest": (right - left) * (bottom - top),
    }[extreme]


def named_apart(things: Sequence[AnnotatedThing]) -> Iterator[str]:
    """Return an unambiguous description of each object; objects that have none are skipped."""
    by_name: dict[str, list[AnnotatedThing]] = {}
    for thing in things:
        if not thing.crowd:
            by_name.setdefault(thing.category, []).append(thing)
    for name, several in by_name.items():
        if len(several) == 1:
            yield name
        elif len(several) <= _MOST_BY_POSITION:
            yield from (f"{extreme} {name}" for extreme in ("leftmost", "rightmost"))
