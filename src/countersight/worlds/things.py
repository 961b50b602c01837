"""What a world of supports is made of: things on a table, on shelves and on hooks, as data.

Lengths are pixels of a picture of SIDE × SIDE, from the left and from the top. A thing that rests on another has its
lower edge where the other has its upper edge; that is all the solver needs to know about who carries whom.
"""

from math import cos, radians, sin
from typing import Annotated, Literal

import msgspec

Kind = Literal["block", "plank", "cup", "ball", "shelf", "hook"]
Point = tuple[float, float]
SIDE = 448
TABLE = 344
"""The upper edge of the table that everything stands on, or hangs and is fixed above."""
FLOOR = 438
"""The line on which things lie that fell to the floor, in front of the table."""
FRICTION = 0.5
CUP_WALL = 5
CUP_BASE = 12
"""How thick a cup is at its sides and below: what is in it stands so much above its lower edge."""
HEAVIEST = 4
"""Most dots on a thing."""
_FIXED = frozenset({"shelf", "hook"})
Length = Annotated[float, msgspec.Meta(ge=-4096, le=8192)]
Size = Annotated[float, msgspec.Meta(gt=0, le=4096)]


class WorldThing(msgspec.Struct, frozen=True):
    """One thing, upright or, where it is turned, about its middle."""

    id: str
    kind: Kind
    colour: str
    left: Length
    top: Length
    width: Size
    height: Size
    weight: Annotated[float, msgspec.Meta(ge=0, le=10)] = 1
    """How many dots are drawn on it: how heavy it is."""
    turned: float = 0.0
    """Degrees, clockwise: how far a plank leans."""
    lies: bool = False
    """Whether it lies on the floor in front, where it supports nothing and nothing supports it."""

    @property
    def name(self) -> str:
        """What questions call it: "red block"."""
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
        """Top left, top right, bottom right and bottom left, turned as it is."""
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


SIDES = (448, 512, 576)
"""Widths and heights of pictures."""


class Look(msgspec.Struct, frozen=True):
    """How a world is drawn: nothing in it depends on this."""

    palette: str = "bright"
    wall: str = "#eef2f5"
    wood: str = "#b98552"
    texture: Literal["plain", "grain", "crate", "bands"] = "plain"
    depth: Literal[-8, 0, 8] = 0
    """How far things reach back, and to which side one sees them: the viewpoint."""
    side: Literal[448, 512, 576] = 448
    """Width and height of the picture."""


class Supports(msgspec.Struct, frozen=True, tag_field="world", tag="supports"):
    """A world of things that hold each other up."""

    things: Annotated[tuple[WorldThing, ...], msgspec.Meta(max_length=200)]
    strings: Annotated[tuple[String, ...], msgspec.Meta(max_length=200)] = ()
    look: Look = Look()
    friction: Annotated[float, msgspec.Meta(gt=0, le=4)] = FRICTION

    def thing(self, id: str) -> WorldThing:
        """The thing of that id."""
        return next(thing for thing in self.things if thing.id == id)

    @property
    def free(self) -> tuple[WorldThing, ...]:
        """What could fall: all that is neither part of the wall nor on the floor."""
        return tuple(thing for thing in self.things if not thing.is_fixed and not thing.lies)
