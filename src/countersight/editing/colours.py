"""Parse colour words, and find the pixels of a colour."""

import re

import numpy as np
from numpy.typing import NDArray

from countersight.picture import Pixels
from countersight.scenes import NAMED, rgb

COLOURS = {**NAMED, "white": "#ffffff", "grey": "#808080", "brown": "#8b5a2b"}
"""The colours that can be requested: those of generated questions, and three more that are common in photographs."""
_OTHERWISE = {"gray": "grey", "violet": "purple", "magenta": "pink"}
_HUES = ((15, "red"), (40, "orange"), (70, "yellow"), (180, "green"), (255, "blue"), (295, "purple"), (345, "pink"))
"""Colour names, each with the hue in degrees at which the colour ends; hues above the last are red."""
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
    """Return the common name of a colour of a scene."""
    if colour in NAMED:
        return colour
    return _NAMES[int(_indices(np.array([[rgb(colour)]], np.uint8))[0, 0])]


def of_colour(pixels: Pixels, name: str) -> NDArray[np.bool_]:
    """Return a mask of the pixels that have the colour with this name."""
    there: NDArray[np.bool_] = _indices(pixels) == _NAMES.index(name)
    return there


def colour_share(pixels: Pixels, words: str) -> float | None:
    """Return the share of pixels that have the colour named in a text; None if no colour is named."""
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
