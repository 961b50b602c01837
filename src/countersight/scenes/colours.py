"""The vocabulary of scenes: names of things, places and colours, and the palettes of pictures."""

from functools import lru_cache
from typing import Final, Literal

Rgb = tuple[int, int, int]
BLACK: Final[Rgb] = (0, 0, 0)
WHITE: Final[Rgb] = (255, 255, 255)

NAMED: dict[str, str] = {
    "red": "#e01b24",
    "green": "#1c9c3c",
    "blue": "#1f62e6",
    "yellow": "#f5ca00",
    "purple": "#8a2be2",
    "orange": "#f57a00",
    "pink": "#fb6fb9",
    "black": "#1c1c1c",
}
"""The eight colours of polygons in the published set, with their names in its questions."""

_ALIKE = (
    {"red", "orange"},
    {"red", "pink"},
    {"pink", "purple"},
    {"orange", "yellow"},
    {"blue", "purple"},
)


def distinct_colours(colour: str) -> tuple[str, ...]:
    """Return the named colours that cannot be confused with this one."""
    return tuple(other for other in NAMED if other != colour and {other, colour} not in _ALIKE)


PETALS = (
    "#d81b60",
    "#ff6f61",
    "#f57c00",
    "#fbc02d",
    "#ffffff",
    "#b388eb",
    "#7b3fb5",
    "#3f51b5",
    "#3aa0f0",
    "#1f9e92",
    "#74a92f",
    "#d61fc0",
    "#ffb088",
    "#8c1c3a",
)
HEARTS = ("#ffd54f", "#fff3c4", "#6d4c2f", "#ff9f1c", "#3b2f2f")
DOTS = ("#d32f2f", "#1e88e5", "#2e9b46", "#8e24aa", "#ef6c00", "#00838f", "#c2185b", "#37474f", "#5d4037", "#3949ab")
RINGS = ("#37474f", "#5d4037", "#283593", "#1b5e4a", "#6a1b4d", "#222222")
BACKGROUNDS = (
    "#f7f7f5",
    "#fbf6ea",
    "#eaf2f8",
    "#eef5e6",
    "#f9ecef",
    "#f1edf9",
    "#e6f3f1",
    "#f3eee6",
    "#ffffff",
    "#e9ecf0",
)
"""Light and pale colours, against which every outline, petal and dot stands out."""


@lru_cache(1024)
def rgb(colour: str) -> Rgb:
    """Return red, green and blue of a named colour or of "#rrggbb"."""
    code = NAMED.get(colour, colour)
    if len(code) != 7 or code[0] != "#":
        raise ValueError(f"{colour!r} is not a colour: use one of {', '.join(NAMED)}, or #rrggbb")
    try:
        value = int(code[1:], 16)
    except ValueError:
        raise ValueError(f"{colour!r} is not a colour: #rrggbb has six hexadecimal digits") from None
    return value >> 16, value >> 8 & 255, value & 255


def mix(first: Rgb, second: Rgb, part: int, whole: int) -> Rgb:
    """Return the colour at `part` / `whole` of the way from the first colour to the second, in integers."""
    red, green, blue = ((a * (whole - part) + b * part) // whole for a, b in zip(first, second, strict=True))
    return red, green, blue


COLOURS: Final = tuple(NAMED)
"""The names of polygons' colours."""
PLACES: Final = ("top left", "top middle", "top right", "bottom left", "bottom middle", "bottom right")
"""The places of the six circles of a scene, row by row."""
PLACE_SYNONYMS: Final = {
    "upper": "top",
    "lower": "bottom",
    "center": "middle",
    "centre": "middle",
    "central": "middle",
}
"""Synonyms of places."""
Noun = Literal["flower", "polygon", "circle", "dot"]
"""The kinds of items in a scene."""
NOUN_SYNONYMS: Final[dict[str, Noun]] = {"blossom": "flower", "ring": "circle"}
"""Synonyms of these nouns."""
