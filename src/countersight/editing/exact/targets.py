"""Parse targets such as "3 flowers inside the red polygons"; `finding` finds them in a scene.

A target is a noun (flowers, polygons, circles, dots) with optional words before it (number, colour, position or size)
and after it (location). If any word is not understood, the edit fails; the parser does not guess.
"""

import re
from collections.abc import Iterable, Sequence
from typing import get_args

import msgspec

from countersight.editing.colours import colour_word
from countersight.english import UNITS
from countersight.errors import EditFailed
from countersight.scenes import (
    NOUN_SYNONYMS,
    PLACE_SYNONYMS,
    Circle,
    Dot,
    Flower,
    Noun,
    PetalShape,
    Polygon,
)

Item = Flower | Polygon | Circle | Dot


class Area(msgspec.Struct, frozen=True):
    """An area described relative to the polygons of a scene."""

    inside: bool
    """Whether the area is inside or outside of the polygons."""
    colour: str | None = None
    """The colour of the polygons; None for all colours."""
    least: int = 1
    """The minimum number of such polygons that contain a point; 2 for the overlap of two."""
    only: bool = False
    """Whether points in any other polygon are excluded."""


_NOUNS: dict[str, Noun] = {noun: noun for noun in get_args(Noun)} | NOUN_SYNONYMS
_NOUNS |= {f"{word}s": noun for word, noun in _NOUNS.items()}
NUMBERS = ("no", *UNITS[1:13])
_FILLERS = frozenset(
    ("the", "all", "of", "are", "is", "that", "which", "every", "each", "lying", "area", "areas", "region")
)
_ABOUT = re.compile(
    r"^(?:the )?(?:colou?r|outline|shape|size|position|place|number|presence) of |'s? (?:colou?r|outline|shape|size)$"
)
_INTO = frozenset(("in", "inside", "within", "into", "from"))
_OUT_OF = frozenset(("outside",))
_POLYGONS = frozenset(("polygon", "polygons"))
EXTREMES = ("leftmost", "rightmost", "topmost", "bottommost", "largest", "smallest", "fullest", "emptiest")
_SIDES = frozenset(("row", "rows", "column", "columns", "half", "side", "part", "circle", "circles", "picture"))
_OTHERWISE = PLACE_SYNONYMS | {
    "highest": "topmost",
    "lowest": "bottommost",
    "biggest": "largest",
    "tiniest": "smallest",
    "overlapping": "overlap",
    "intersection": "overlap",
}


class Target(msgspec.Struct, frozen=True):
    """A description of the items to change."""

    noun: Noun
    number: int | None = None
    """The number of items; None for all."""
    colour: str = ""
    shape: str = ""
    sides: tuple[str, ...] = ()
    """The requested sides of the picture: any of top, bottom, left, right, middle."""
    extreme: str = ""
    dots: int | None = None
    """The requested number of dots in a circle."""
    places: tuple[Area, ...] = ()
    """The requested positions of flowers relative to polygons."""
    circles: "Target | None" = None
    """The circles that contain the dots."""


def read_target(words: str) -> Target:
    """Parse a target; raises EditFailed if it cannot be understood."""
    tokens = _tokens(words)
    at = next((place for place, token in enumerate(tokens) if token in _NOUNS), None)
    if at is None:
        raise EditFailed(f"“{words[:120]}” does not name flowers, polygons, circles or dots")
    before, behind = tokens[:at], tokens[at + 1 :]
    target = _with_adjectives(Target(_NOUNS[tokens[at]]), before, words)
    if target.number == 0 or (target.extreme and target.number is None and tokens[at].endswith("s")):
        raise EditFailed(f"“{words[:120]}” does not say how many")
    for phrase in _phrases(behind):
        target = _with_phrase(target, phrase, words)
    return target


def number_in(words: str) -> int | None:
    """Return the first number in the words, or None."""
    for token in re.findall(r"[a-z]+|\d+", words.casefold()):
        if (number := _number(token)) is not None:
            return number
    return None


def _number(token: str) -> int | None:
    if token.isdecimal() and len(token) <= 4:
        return int(token)
    return NUMBERS.index(token) if token in NUMBERS[1:] else None


def _tokens(words: str) -> list[str]:
    if len(words) > 500:
        raise EditFailed("the target has more than 500 characters")
    plain = _ABOUT.sub("", " ".join(words.casefold().replace("’", "'").split()).strip(' .,;:!?"“”'))
    plain = plain.replace("out of", "outside").replace("not in ", "outside ").replace("not inside", "outside")
    plain = plain.replace("top-", "top ").replace("bottom-", "bottom ").replace("-most", "most")
    tokens = [_OTHERWISE.get(token, token) for token in re.findall(r"[a-z]+|\d+|[^\sa-z\d,;.'\"“”]+", plain)]
    return [token for token in tokens if token not in _FILLERS]


def _with_adjectives(target: Target, tokens: Iterable[str], words: str) -> Target:
    replace = msgspec.structs.replace
    for sign in tokens:
        if (number := _number(sign)) is not None:
            target = replace(target, number=number)
        elif sign in ("a", "an", "any", "single"):
            target = replace(target, number=1)
        elif sign == "both":
            target = replace(target, number=2)
        elif colour := colour_word(sign):
            target = replace(target, colour=colour)
        elif sign in get_args(PetalShape) and target.noun == "flower":
            target = replace(target, shape=sign)
        elif sign in EXTREMES and (target.noun == "circle" or sign not in ("fullest", "emptiest")):
            target = replace(target, extreme=sign)
        elif sign in ("top", "bottom", "left", "right", "middle"):
            target = replace(target, sides=(*target.sides, sign))
        elif sign not in ("row", "column"):  # "the top row circles"
            raise EditFailed(f"“{sign[:40]}” in “{words[:120]}” does not describe anything in the scene")
    return target


def _phrases(tokens: Sequence[str]) -> list[list[str]]:
    """Split the words after the noun into locations: "inside the red and outside the blue polygons" has two."""
    starts = _INTO | _OUT_OF | {"where", "with", "on", "at", "containing", "holding"}
    phrases: list[list[str]] = []
    for token in tokens:
        if token in ("and", "but"):
            continue
        if token in starts or not phrases:
            phrases.append([])
        phrases[-1].append(token)
    return phrases


def _with_phrase(target: Target, phrase: list[str], words: str) -> Target:
    replace = msgspec.structs.replace
    start, rest = phrase[0], phrase[1:]
    unread = EditFailed(f"“{' '.join(phrase)[:80]}” in “{words[:120]}” is not a place in the scene")
    if target.noun == "flower" and "overlap" in rest and {*rest} <= {"overlap", *_POLYGONS}:
        return replace(target, places=(*target.places, Area(inside=True, least=2)))
    if target.noun == "flower" and (_POLYGONS.intersection(rest) or (rest and colour_word(rest[-1]))):
        place = _about_polygons(start, [sign for sign in rest if sign != "only"], unread)
        return replace(target, places=(*target.places, replace(place, only="only" in rest)))
    if target.noun == "circle" and start in ("with", "containing", "holding") and rest and rest[-1] in _NOUNS:
        if rest[0] in ("most", "fewest", "least"):
            return replace(target, extreme="fullest" if rest[0] == "most" else "emptiest")
        number = 0 if rest[0] == "no" else _number(rest[0])
        if number is not None and _NOUNS[rest[-1]] == "dot":
            return replace(target, dots=number)
    if target.noun == "dot" and start in _INTO and rest:
        at = next((place for place, token in enumerate(rest) if token in _NOUNS), None)
        if at is not None and _NOUNS[rest[at]] == "circle":
            return replace(target, circles=read_target(" ".join(rest)))
        if {*rest} <= _SIDES | {"top", "bottom", "left", "right", "middle"}:
            return replace(target, circles=_with_sides(Target("circle"), rest, unread))
    if start in _INTO | {"on", "at"} and rest:
        return _with_sides(target, rest, unread)
    raise unread


def _with_sides(target: Target, tokens: Sequence[str], unread: EditFailed) -> Target:
    sides = tuple(token for token in tokens if token not in _SIDES)
    if not sides or not {*sides} <= {"top", "bottom", "left", "right", "middle"}:
        raise unread
    return msgspec.structs.replace(target, sides=target.sides + sides)


def _about_polygons(start: str, rest: list[str], unread: EditFailed) -> Area:
    tokens = [token for token in rest if token not in _POLYGONS]
    if start not in _INTO | _OUT_OF:
        raise unread
    is_inside = start in _INTO
    if not tokens or tokens == ["any"] or tokens in ([["one"], ["a"]] if is_inside else [["both"], ["two"]]):
        return Area(is_inside)
    if tokens in (["both"], ["two"]):
        return Area(inside=True, least=2)
    colours = {colour_word(token) for token in tokens}
    if len(colours) != 1 or None in colours:
        raise unread
    return Area(is_inside, colours.pop())
