"""What is found in a drawn scene."""

import msgspec

Box = tuple[int, int, int, int]
"""Left, top, right and bottom; right and bottom are just past it."""


class NotAScene(Exception):  # noqa: N818 - it names what is wrong with the picture
    """The picture is not one of the drawn scenes these eyes know."""


class Flower(msgspec.Struct, frozen=True):
    """A flower, and the colours of the polygons it lies in."""

    box: Box
    inside: frozenset[str]


class Polygon(msgspec.Struct, frozen=True):
    """The polygons of one colour; where two of one colour cross they are seen as one."""

    box: Box
    colour: str


class Circle(msgspec.Struct, frozen=True):
    """A ring and the boxes of the dots in it."""

    box: Box
    dots: tuple[Box, ...]


class Seen(msgspec.Struct, frozen=True):
    """What was found in a picture."""

    polygons: tuple[Polygon, ...] = ()
    flowers: tuple[Flower, ...] = ()
    circles: tuple[Circle, ...] = ()
    loose: int = 0
    """Pieces that belong to nothing else."""
    unclear: float = 0.0
    """The share of the picture that is neither a thing nor any colour that the ground can have."""
