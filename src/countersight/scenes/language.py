"""The vocabulary of our scenes: names of things, places and colours."""

from typing import Final, Literal

from countersight.scenes.colours import NAMED

COLOURS: Final = tuple(NAMED)
"""The names of polygons' colours."""
PLACES: Final = ("top left", "top middle", "top right", "bottom left", "bottom middle", "bottom right")
"""The places of the six circles of a scene, row by row."""
PLACES_OTHERWISE: Final = {
    "upper": "top",
    "lower": "bottom",
    "center": "middle",
    "centre": "middle",
    "central": "middle",
}
"""Synonyms of places."""
Noun = Literal["flower", "polygon", "circle", "dot"]
"""The kinds of items in a scene."""
NOUNS_OTHERWISE: Final[dict[str, Noun]] = {"blossom": "flower", "ring": "circle"}
"""Synonyms of these nouns."""
