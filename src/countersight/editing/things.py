"""Find the objects in a photograph that words describe: "the dog", "two people", "the man on the left"."""

import re
from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.detection import AnnotatedThing, ToolFailed, classes_of
from countersight.english import is_plural, number_of
from countersight.errors import EditFailed
from countersight.picture import Pixels
from countersight.scenes import NAMED, rgb

COLOURS = {**NAMED, "white": "#ffffff", "grey": "#808080", "brown": "#8b5a2b"}
"""The colours that can be requested: those of generated questions, and three more that are common in photographs."""
_OTHERWISE = {"gray": "grey", "violet": "purple", "magenta": "pink"}

_HUES = ((15, "red"), (40, "orange"), (70, "yellow"), (180, "green"), (255, "blue"), (295, "purple"), (345, "pink"))
"""Colour names with the hue in degrees at which each ends; hues above the last are red."""
_NAMES = (*dict.fromkeys(name for _, name in _HUES), "black", "white", "grey", "brown")


def colour_in(words: str) -> str | None:
    """Return the first colour in the words, as a known name or #rrggbb; None if there is none."""
    for word in re.findall(r"#[0-9a-f]{6}\b|[a-z]+", words.casefold()):
        word = _OTHERWISE.get(word, word)
        if word in NAMED or word.startswith("#"):
            return str(word)
        if word in COLOURS:
            return COLOURS[word]
    return None


def colour_word(word: str) -> str | None:
    """Return the known name for a colour word, or None if it is not a colour."""
    word = _OTHERWISE.get(word, word)
    return word if word in COLOURS else None


def called(colour: str) -> str:
    """Return the common name of a scene's colour."""
    if colour in NAMED:
        return colour
    return _NAMES[int(_indices(np.array([[rgb(colour)]], np.uint8))[0, 0])]


def of_colour(pixels: Pixels, name: str) -> NDArray[np.bool_]:
    """Return which pixels of a picture have the colour with this name."""
    there: NDArray[np.bool_] = _indices(pixels) == _NAMES.index(name)
    return there


def colour_share(pixels: Pixels, words: str) -> float | None:
    """Return the share of pixels with the colour in the words; None if they contain none."""
    colour = colour_in(words)
    if colour is None or not pixels.size:
        return None
    return float(of_colour(pixels.reshape(1, -1, 3), called(colour)).mean())


def _indices(pixels: Pixels) -> NDArray[np.int64]:
    tones = pixels.astype(np.float64) / 255
    most, least = tones.max(axis=-1), tones.min(axis=-1)
    chroma = most - least
    red, green, blue = tones[..., 0], tones[..., 1], tones[..., 2]
    safe = np.where(chroma == 0, 1.0, chroma)
    from_green, from_blue = (blue - red) / safe + 2, (red - green) / safe + 4
    hue = 60 * np.where(most == red, (green - blue) / safe % 6, np.where(most == green, from_green, from_blue))
    found = np.searchsorted([degree for degree, _ in _HUES], hue, side="right") % len(_HUES)
    named = np.array([_NAMES.index(name) for _, name in _HUES])[found]
    saturation = chroma / np.where(most == 0, 1.0, most)
    dark_warm = (hue >= 8) & (hue < 50) & (most < 0.68) & (saturation > 0.25)
    dark_warm &= (hue >= 16) | (saturation < 0.6)  # saturated dark red is red, not brown
    named = np.where(dark_warm, _NAMES.index("brown"), named)
    named = np.where((hue >= 330) & (most < 0.62), _NAMES.index("red"), named)  # dark pink is red
    pale = (saturation < 0.14) | (chroma < 0.1)
    named = np.where(pale, _NAMES.index("grey"), named)
    named = np.where(pale & (most > 0.85), _NAMES.index("white"), named)
    black: NDArray[np.int64] = np.where(most < 0.22, _NAMES.index("black"), named)
    return black


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
"""Maximum number of objects of a kind to name by position: with more, the leftmost one is hard to identify."""
_EXTREMES = ("leftmost", "rightmost", "topmost", "bottommost", "largest", "smallest")
_FILLERS = frozenset(
    ("the", "a", "an", "of", "all", "both", "every", "each", "in", "on", "at", "to", "side", "hand", "picture", "image")
)


class Named(msgspec.Struct, frozen=True):
    """A parsed description of one or more objects."""

    noun: str
    number: int | None
    """The number of objects; None for all of them."""
    extreme: str
    colour: str


def read_thing(words: str) -> Named:
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
        raise EditFailed(f"“{words[:80]}” names no object")
    one = not is_plural(rest[-1]) and not {"all", "both", "every", "each"} & set(said)
    number = numbers[0] if numbers else 1 if one else None
    return Named(" ".join(rest), number, sides[0] if sides else "", colours[0] if colours else "")


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
    named: Named,
    things: Sequence[AnnotatedThing],
    categories: frozenset[str],
    of_colour: Callable[[AnnotatedThing, str], bool],
    words: str,
    known: str = "annotated",
) -> list[AnnotatedThing]:
    """Return the described objects; raises EditFailed if their number differs. Messages use `known` for the source."""
    found = [thing for thing in things if thing.category in categories]
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
            f"“{words[:80]}” asks for {named.number}, but {len(single)} are {known}, so the target is ambiguous"
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


_DIRECTIONS = {
    **{"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1), "top": (0, -1), "bottom": (0, 1)},
    **{"upwards": (0, -1), "downwards": (0, 1)},
}
_FACTORS = {"double": 2.0, "twice": 2.0, "triple": 3.0, "half": 0.5, "halve": 0.5}
_GROWING = frozenset(("larger", "bigger", "large", "big", "huge"))
_SHRINKING = frozenset(("smaller", "small", "tiny", "little"))


def direction_in(value: str) -> tuple[tuple[int, int] | None, int | None]:
    """Return the direction (right and down are positive) and the distance in pixels; None for either if missing."""
    words = re.findall(r"[a-z]+|\d{1,5}", value.casefold())
    ways = [_DIRECTIONS[word] for word in words if word in _DIRECTIONS]
    lengths = [int(word) for word in words if word.isdecimal()]
    length = lengths[0] if lengths else None
    if not ways:
        return None, length
    dx, dy = (min(1, max(-1, sum(way))) for way in zip(*ways, strict=True))
    return (dx, dy), length


def factors_in(value: str, larger: Sequence[float], smaller: Sequence[float]) -> Sequence[float]:
    """Return the scale factors in the words; without a number, the given values for "larger" and "smaller"."""
    words = re.findall(r"[a-z]+|\d+(?:\.\d+)?|%", value.casefold())
    numbers = [float(word) for word in words if word[0].isdigit()]
    named = [factor for word, factor in _FACTORS.items() if word in words]
    if numbers:
        factor = numbers[0] / (100 if {"%", "percent"} & set(words) else 1)
        if 0.1 <= factor <= 10 and factor != 1:
            return (factor,)
    elif named:
        return (named[0],)
    elif _GROWING & set(words):
        return larger
    elif _SHRINKING & set(words):
        return smaller
    raise EditFailed(f"“{value[:80]}” is not a size: write larger, smaller, twice, half, or a factor from 0.1 to 10")
