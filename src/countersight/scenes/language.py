"""The little English of our scenes: what things, places and colours are called, once."""

from typing import Final, Literal

from countersight.scenes.colours import NAMED

COLOURS: Final = tuple(NAMED)
"""The names of polygons' colours."""
PLACES: Final = ("top left", "top middle", "top right", "bottom left", "bottom middle", "bottom right")
"""Where the six circles of a scene are, row by row."""
PLACES_OTHERWISE: Final = {
    "upper": "top",
    "lower": "bottom",
    "center": "middle",
    "centre": "middle",
    "central": "middle",
}
"""Other words for a place."""
Noun = Literal["flower", "polygon", "circle", "dot"]
"""What a scene is made of."""
NOUNS_OTHERWISE: Final[dict[str, Noun]] = {"blossom": "flower", "ring": "circle"}
"""Other words for these."""
