"""What the encoder hands to the decoder: numbers it counted in the picture, each with a fixed place."""

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
"""All but the last are sums over the picture; a polygon's colour is there or not; the last are probabilities."""

LARGEST: Final = 48
"""The largest number the decoder tells from its neighbours; no picture of ours holds more of anything."""
SIDE: Final = 224
"""Width and height to which every picture is brought."""
