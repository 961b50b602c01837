"""The data of a world of supports: things on a table, on shelves and on hooks, and their colours and style.

Lengths are pixels of a picture of SIDE × SIDE, from the left and from the top. A thing that rests on another has its
lower edge where the other has its upper edge; the solver infers from this which thing carries which other thing.
"""

from math import cos, radians, sin
from random import Random
from typing import Annotated, Final, Literal

import msgspec

Kind = Literal["block", "plank", "cup", "ball", "shelf", "hook"]
Point = tuple[float, float]
Difficulty = Literal["easy", "medium", "hard"]
LEVELS: tuple[Difficulty, ...] = ("easy", "medium", "hard")
SIDE = 448
TABLE = 344
"""The upper edge of the table; things stand on it or hang above it."""
FLOOR = 438
"""The line on the floor, in front of the table, on which fallen things lie."""
FRICTION = 0.5
CUP_WALL = 5
CUP_BASE = 12
"""The thickness of a cup's sides and bottom."""
HEAVIEST = 4
"""The largest number of dots on a thing."""
_FIXED = frozenset({"shelf", "hook"})
Length = Annotated[float, msgspec.Meta(ge=-4096, le=8192)]
Size = Annotated[float, msgspec.Meta(gt=0, le=4096)]


class WorldThing(msgspec.Struct, frozen=True):
    """One thing, upright or rotated about its centre."""

    id: str
    kind: Kind
    colour: str
    left: Length
    top: Length
    width: Size
    height: Size
    weight: Annotated[float, msgspec.Meta(ge=0, le=10)] = 1
    """Its weight, drawn as dots."""
    turned: float = 0.0
    """The rotation of a leaning plank, in degrees clockwise."""
    lies: bool = False
    """Whether it lies on the floor in front, where it neither supports anything nor is supported."""

    @property
    def name(self) -> str:
        """The name used in questions: "red block"."""
        return f"{self.colour} {self.kind}"

    @property
    def is_fixed(self) -> bool:
        """Whether it is part of the wall."""
        return self.kind in _FIXED

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height

    @property
    def middle(self) -> Point:
        """The centre of mass."""
        return self.left + self.width / 2, self.top + self.height / 2

    def corners(self) -> tuple[Point, Point, Point, Point]:
        """Return the top left, top right, bottom right and bottom left corners, rotated."""
        x, y = self.middle
        c, s = cos(radians(self.turned)), sin(radians(self.turned))
        w, h = self.width / 2, self.height / 2
        first, second, third, fourth = (
            (x + a * c - b * s, y + a * s + b * c) for a, b in ((-w, -h), (w, -h), (w, h), (-w, h))
        )
        return first, second, third, fourth


class String(msgspec.Struct, frozen=True):
    """A string that hangs straight down from one thing and holds another."""

    id: str
    above: str
    below: str
    x: Length


class Look(msgspec.Struct, frozen=True):
    """The style in which a world is drawn; it has no influence on what happens."""

    palette: str = "bright"
    wall: str = "#eef2f5"
    wood: str = "#b98552"
    texture: Literal["plain", "grain", "crate", "bands"] = "plain"
    depth: Literal[-8, 0, 8] = 0
    """The viewpoint: how far, and to which side, the depth of things is drawn."""
    side: Literal[448, 512, 576] = 448
    """The width and height of the picture."""


class Supports(msgspec.Struct, frozen=True, tag_field="world", tag="supports"):
    """A world of things that hold each other up."""

    things: Annotated[tuple[WorldThing, ...], msgspec.Meta(max_length=200)]
    strings: Annotated[tuple[String, ...], msgspec.Meta(max_length=200)] = ()
    look: Look = Look()
    friction: Annotated[float, msgspec.Meta(gt=0, le=4)] = FRICTION

    def thing(self, id: str) -> WorldThing:
        """Return the thing with this id."""
        return next(thing for thing in self.things if thing.id == id)

    @property
    def free(self) -> tuple[WorldThing, ...]:
        """The things that could fall: neither part of the wall nor on the floor."""
        return tuple(thing for thing in self.things if not thing.is_fixed and not thing.lies)


COLOURS: Final = ["red", "orange", "yellow", "green", "turquoise", "blue", "purple", "pink", "brown", "black"]
_CODES: Final = {
    "bright": "#e0252d #f58518 #f4cf1d #2f9e44 #20c4c4 #2563d9 #8a3fd1 #f77fbe #7d4a26 #262626",
    "soft": "#cf4647 #ef9448 #ecd25a #5a9f57 #56bdb7 #4c78c8 #8e62b8 #ee9fc2 #86603f #38383c",
    "deep": "#b5121b #e06c00 #e3b505 #1b7f3b #12a5a0 #1a47a8 #6a2aa3 #e85fa5 #63371a #151518",
}
PALETTES: Final = {name: dict(zip(COLOURS, codes.split(), strict=True)) for name, codes in _CODES.items()}
"""Colour codes by name, in several palettes."""
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
