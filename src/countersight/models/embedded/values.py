"""The interface between encoder and decoder: counts of things in the picture, each at a fixed position."""

from typing import Final

from countersight.scenes import COLOURS, PLACES

KINDS: Final = ("flowers", "dots", "other")

VALUES: Final = (
    "flowers",
    "flowers outside all polygons",
    "flowers inside both polygons",
    *(f"flowers inside {colour}" for colour in COLOURS),
    *(f"flowers inside {colour} alone" for colour in COLOURS),
    "dots",
    "dots in the top row",
    "dots in the bottom row",
    *(f"dots in the {place} circle" for place in PLACES),
    *(f"{place} circle" for place in PLACES),
    *(f"{colour} polygons" for colour in COLOURS),
    *(f"a picture of {kind}" for kind in KINDS),
)
"""All but the last are sums over the picture; the colour of a polygon is 0 or 1; the last are probabilities."""

LARGEST: Final = 48
"""The largest number that the decoder distinguishes; no generated picture contains more of anything."""
SIDE: Final = 224
"""The width and height to which every picture is resized."""
