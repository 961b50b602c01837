"""The data of a scene: shapes, colours and positions.

Lengths are pixels and angles are degrees. Both are rounded to two decimals when scenes are made, so that JSON does not
change a scene. Every item has an id that is unique in its scene; edits refer to items by id.
"""

from typing import Annotated, Literal

import msgspec

Point = tuple[float, float]
PetalShape = Literal["round", "pointed", "notched", "wide", "spoon"]
Side = Annotated[int, msgspec.Meta(ge=16, le=4096)]
"""A picture's width or height; limited because scenes may come from untrusted files and are drawn in memory."""


SIDE = 448
"""The width and height of generated pictures: the input size of many vision encoders, or a multiple of their patch
size."""
OUTLINE = 4.0
"""The width of a polygon's outline."""
RING = 3.0
"""The width of a circle's line."""


class Background(msgspec.Struct, frozen=True):
    """The background: one colour, a vertical gradient of two colours, or broad stripes of two colours."""

    pattern: Literal["plain", "gradient", "stripes"]
    colours: tuple[str, str]
    stripe: Annotated[int, msgspec.Meta(ge=1)] = 1
    """The height of a stripe."""


class Polygon(msgspec.Struct, frozen=True):
    """A region with an outline and a light tint of its colour."""

    id: str
    colour: str
    points: Annotated[tuple[Point, ...], msgspec.Meta(min_length=3)]


class Flower(msgspec.Struct, frozen=True):
    """A flower; no part of it is farther than `size` from its middle."""

    id: str
    shape: PetalShape
    petals: Annotated[int, msgspec.Meta(ge=3, le=16)]
    rings: Literal[1, 2]
    colour: str
    heart: str
    """The colour of its middle."""
    size: float
    rotation: float
    x: float
    y: float


class Dot(msgspec.Struct, frozen=True):
    """A small filled disc inside a circle."""

    id: str
    colour: str
    radius: float
    x: float
    y: float


class Circle(msgspec.Struct, frozen=True):
    """A ring and the dots in it."""

    id: str
    colour: str
    radius: float
    x: float
    y: float
    dots: tuple[Dot, ...] = ()


class Scene(msgspec.Struct, frozen=True):
    """All items of one picture. Flowers, and circles with their dots, never touch each other."""

    background: Background
    polygons: tuple[Polygon, ...] = ()
    flowers: tuple[Flower, ...] = ()
    circles: tuple[Circle, ...] = ()
    width: Side = SIDE
    height: Side = SIDE
