"""Outlines of flowers with radius 1, made once per kind and then only rotated, scaled and filled."""

from functools import cache
from math import hypot, pi, sin

from countersight.scenes.rasteriser import skia
from countersight.scenes.scene import PetalShape, Point

HEART = 0.27
"""Radius of a flower's middle; every petal begins inside it, so that a flower is one piece."""

_SHAPES: dict[PetalShape, tuple[tuple[Point, Point, Point], ...]] = {
    # Cubic curves from the middle to the tip along the right side, in widths across and lengths upwards.
    "round": (((0.9, 0.15), (1.25, 0.98), (0.0, 1.0)),),
    "pointed": (((0.7, 0.25), (1.0, 0.6), (0.0, 1.0)),),
    "notched": (((0.6, 0.2), (1.5, 0.7), (0.62, 0.97)), ((0.4, 1.0), (0.15, 0.95), (0.0, 0.8))),
    "wide": (((0.9, 0.1), (1.35, 0.6), (0.85, 0.84)), ((0.6, 0.97), (0.3, 1.0), (0.0, 1.0))),
    "spoon": (((0.25, 0.2), (0.3, 0.45), (0.6, 0.6)), ((1.0, 0.8), (0.6, 1.0), (0.0, 1.0))),
}


@cache
def silhouette(shape: PetalShape, number: int) -> skia.Path:
    """Return all petals as one outline: filled in a dark tone it frames the petals drawn on it."""
    return _ring(shape, number, across=1.0, upwards=1.0)


@cache
def petals(shape: PetalShape, number: int) -> skia.Path:
    """Return the petals, slightly smaller, so that the silhouette shows around and between them."""
    return _ring(shape, number, across=0.78, upwards=0.9)


def _ring(shape: PetalShape, number: int, across: float, upwards: float) -> skia.Path:
    petal = skia.Path()
    _petal(shape, number).transform(skia.Matrix.Scale(across, upwards), petal)
    ring = skia.Path()
    for nth in range(number):
        turned = skia.Path()
        petal.transform(skia.Matrix().setRotate(360 * nth / number), turned)
        # One outline instead of many overlapping ones is a fifth faster to fill.
        ring = skia.Op(ring, turned, skia.kUnion_PathOp) if nth else turned
    return ring


def _petal(shape: PetalShape, number: int) -> skia.Path:
    """One of so many petals, pointing up, whose farthest point is one unit from the middle."""
    # As wide as its share of the way around; where petals are few, still slim enough to look like petals.
    width = min(0.5, 1.15 * sin(pi / number))
    right = [(0.0, 0.0)] + [(x * width, -y) for curve in _SHAPES[shape] for x, y in curve]
    reach = max(
        hypot(*_along(right[first : first + 4], step / 50))
        for first in range(0, len(right) - 1, 3)
        for step in range(51)
    )
    right = [(x / reach, y / reach) for x, y in right]
    left = [(-x, y) for x, y in reversed(right)]
    path = skia.Path()
    path.moveTo(*right[0])
    for side in (right, left):
        for first in range(1, len(side), 3):
            (ax, ay), (bx, by), (cx, cy) = side[first : first + 3]
            path.cubicTo(ax, ay, bx, by, cx, cy)
    path.close()
    return path


def _along(curve: list[Point], part: float) -> Point:
    """The point of a cubic curve at a part of its way."""
    rest = 1 - part
    weights = rest**3, 3 * rest**2 * part, 3 * rest * part**2, part**3
    return sum(w * x for w, (x, _) in zip(weights, curve, strict=True)), sum(
        w * y for w, (_, y) in zip(weights, curve, strict=True)
    )
