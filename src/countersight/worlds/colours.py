"""The colours and looks of worlds. The front of a thing has one colour, which its name mentions."""

from random import Random
from typing import Final

from countersight.worlds.things import Look

PALETTES: Final[dict[str, dict[str, str]]] = {
    "bright": {
        "red": "#e0252d",
        "orange": "#f58518",
        "yellow": "#f4cf1d",
        "green": "#2f9e44",
        "turquoise": "#20c4c4",
        "blue": "#2563d9",
        "purple": "#8a3fd1",
        "pink": "#f77fbe",
        "brown": "#7d4a26",
        "black": "#262626",
    },
    "soft": {
        "red": "#cf4647",
        "orange": "#ef9448",
        "yellow": "#ecd25a",
        "green": "#5a9f57",
        "turquoise": "#56bdb7",
        "blue": "#4c78c8",
        "purple": "#8e62b8",
        "pink": "#ee9fc2",
        "brown": "#86603f",
        "black": "#38383c",
    },
    "deep": {
        "red": "#b5121b",
        "orange": "#e06c00",
        "yellow": "#e3b505",
        "green": "#1b7f3b",
        "turquoise": "#12a5a0",
        "blue": "#1a47a8",
        "purple": "#6a2aa3",
        "pink": "#e85fa5",
        "brown": "#63371a",
        "black": "#151518",
    },
}
"""Colour codes by name, in several palettes."""
COLOURS: Final = list(PALETTES["bright"])
WALLS: Final = ("#eef2f5", "#f5efe6", "#e8f0ea", "#f3ebf0", "#e9ecf6", "#f6f4ee")
WOODS: Final = ("#b98552", "#a9744a", "#8f6a4d", "#c59b6d", "#9a8778")


def random_look(rng: Random) -> Look:
    """Return a random look."""
    return Look(
        palette=rng.choice(list(PALETTES)),
        wall=rng.choice(WALLS),
        wood=rng.choice(WOODS),
        texture=rng.choice(("plain", "grain", "crate", "bands")),
        depth=rng.choice((-8, 0, 8)),
        side=rng.choice((448, 512, 576)),
    )
