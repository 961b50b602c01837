"""Which thing of a photograph words mean: "the dog", "two people", "the man on the left", "the red car"."""

import re
from collections.abc import Callable, Iterator, Sequence

import msgspec

from countersight.detection import Thing, ToolFailed, classes_of
from countersight.editing.hues import colour_word
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
_FEW = 4
"""Of more things of a kind, which is the leftmost is seen by nobody at a glance."""
_EXTREMES = ("leftmost", "rightmost", "topmost", "bottommost", "largest", "smallest")
_LITTLE = frozenset(
    ("the", "a", "an", "of", "all", "both", "every", "each", "in", "on", "at", "to", "side", "hand", "picture", "image")
)


class Named(msgspec.Struct, frozen=True):
    """What words say about a thing."""

    noun: str
    number: int | None
    """How many; None for all of them."""
    extreme: str
    colour: str


def read_thing(words: str) -> Named:
    """What words say about a thing, part by part; without a noun there is no thing."""
    if len(words) > 200:
        raise EditFailed("the target has more than 200 characters")
    said = re.findall(
        r"[a-z]+|\d+", words.casefold().replace("left-most", "leftmost").replace("right-most", "rightmost")
    )
    numbers = [number for word in said if word not in ("a", "an") and (number := number_of(word)) is not None]
    sides = [_SIDES.get(word, word) for word in said if _SIDES.get(word, word) in _EXTREMES]
    colours = [colour for word in said[:-1] if (colour := colour_word(word))]  # the last is the thing: an orange
    rest = [
        word
        for place, word in enumerate(said)
        if word not in _LITTLE
        and number_of(word) is None
        and _SIDES.get(word, word) not in _EXTREMES
        and not (place < len(said) - 1 and colour_word(word))
    ]
    if not rest:
        raise EditFailed(f"“{words[:80]}” names no thing")
    one = not is_plural(rest[-1]) and not {"all", "both", "every", "each"} & set(said)
    number = numbers[0] if numbers else 1 if one else None
    return Named(" ".join(rest), number, sides[0] if sides else "", colours[0] if colours else "")


def noun_in(words: str) -> str:
    """The thing that words name, without what tells it from others; the words themselves where they name none."""
    try:
        return read_thing(words).noun
    except EditFailed:
        return words[:80]


def meant_by(noun: str, categories: Sequence[str]) -> frozenset[str]:
    """The categories that a noun names; none if it names none."""
    try:
        return classes_of(noun, categories)
    except ToolFailed:
        return frozenset()


def choose_things(
    named: Named,
    things: Sequence[Thing],
    categories: frozenset[str],
    of_colour: Callable[[Thing, str], bool],
    words: str,
    known: str = "annotated",
) -> list[Thing]:
    """The things that are meant; more or fewer than said is a failed edit, never a guess. `known` says by what."""
    found = [thing for thing in things if thing.category in categories]
    if named.colour:
        found = [thing for thing in found if of_colour(thing, named.colour)]
    if not found:
        raise EditFailed(f"nothing {known} in this picture is “{words[:80]}”")
    if named.number is None:
        return found
    single = [thing for thing in found if not thing.crowd]
    if named.extreme:
        single = sorted(single, key=lambda thing: _place(thing, named.extreme))[: named.number]
    if len(single) != named.number:
        raise EditFailed(f"“{words[:80]}” speaks of {named.number}, and {len(single)} are {known}: which is meant?")
    return single


def _place(thing: Thing, extreme: str) -> float:
    left, top, right, bottom = thing.box
    return {
        "leftmost": left + right,
        "rightmost": -(left + right),
        "topmost": top + bottom,
        "bottommost": -(top + bottom),
        "largest": -(right - left) * (bottom - top),
        "smallest": (right - left) * (bottom - top),
    }[extreme]


def named_apart(things: Sequence[Thing]) -> Iterator[str]:
    """Words by which each thing can be asked for so that no other is meant; those that have none are left out."""
    by_name: dict[str, list[Thing]] = {}
    for thing in things:
        if not thing.crowd:
            by_name.setdefault(thing.category, []).append(thing)
    for name, several in by_name.items():
        if len(several) == 1:
            yield name
        elif len(several) <= _FEW:
            yield from (f"{extreme} {name}" for extreme in ("leftmost", "rightmost"))
