"""The facts of a scene: every number that a question may ask for or a sentence may claim."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.scenes.colours import COLOURS, PLACES
from countersight.scenes.geometry import as_points, inside
from countersight.scenes.scene import Circle, Scene

_NONE = (0,) * len(COLOURS)


class Facts(msgspec.Struct, frozen=True):
    """The counts of a scene, in the order of COLOURS and PLACES; None for a missing circle."""

    kind: str
    """The kind of picture: flowers, dots, or other for pictures that were not drawn by Countersight."""
    flowers: int = 0
    outside: int = 0
    """The number of flowers outside all polygons."""
    both: int = 0
    """The number of flowers inside more than one polygon."""
    inside: tuple[int, ...] = _NONE
    alone: tuple[int, ...] = _NONE
    """The numbers of flowers inside a polygon of each colour and in no other polygon."""
    colours: tuple[str, ...] = ()
    """Colours of the polygons."""
    circles: tuple[int | None, ...] = (None,) * len(PLACES)
    """The number of dots in each circle."""

    @property
    def dots(self) -> int:
        """The number of dots in all circles."""
        return sum(number or 0 for number in self.circles)

    @property
    def top(self) -> int:
        """The number of dots in the top row."""
        return sum(number or 0 for number in self.circles[:3])

    @property
    def bottom(self) -> int:
        """The number of dots in the bottom row."""
        return sum(number or 0 for number in self.circles[3:])


def facts_of(scene: Scene) -> Facts:
    """Return the facts of a scene."""
    within = [_within(scene, polygon.points) for polygon in scene.polygons]
    times = np.sum(within, axis=0, dtype=np.int64) if within else np.zeros(len(scene.flowers), np.int64)
    of_colour = {colour: np.zeros(len(scene.flowers), np.bool_) for colour in COLOURS}
    for here, polygon in zip(within, scene.polygons, strict=True):
        if polygon.colour in of_colour:
            of_colour[polygon.colour] |= here
    circles: list[int | None] = [None] * len(PLACES)
    for circle in scene.circles:
        nth = place_of(circle, scene)
        circles[nth] = (circles[nth] or 0) + len(circle.dots)
    return Facts(
        "dots" if scene.circles else "flowers",
        flowers=len(scene.flowers),
        outside=int((times == 0).sum()),
        both=int((times > 1).sum()),
        inside=tuple(int(any_of.sum()) for any_of in of_colour.values()),
        alone=tuple(int((any_of & (times == 1)).sum()) for any_of in of_colour.values()),
        colours=tuple(polygon.colour for polygon in scene.polygons),
        circles=tuple(circles),
    )


def facts_by_name(scene: Scene) -> dict[str, int]:
    """Return every number of a scene that a sentence may claim, by name."""
    true = facts_of(scene)
    found = {
        "flowers": true.flowers,
        "polygons": len(scene.polygons),
        "flowers inside no polygon": true.outside,
        "flowers where polygons overlap": true.both,
        "circles": len(scene.circles),
        "dots": true.dots,
        "dots in the top row": true.top,
        "dots in the bottom row": true.bottom,
        "most dots in a circle": max((len(circle.dots) for circle in scene.circles), default=0),
    }
    for number, colour in zip(true.inside, COLOURS, strict=True):
        found[f"flowers inside {colour}"] = number
        found[f"flowers outside {colour}"] = true.flowers - number
        found[f"{colour} polygons"] = true.colours.count(colour)
    for dots, place in zip(true.circles, PLACES, strict=True):
        found[f"dots in the {place} circle"] = dots or 0
    return found


def place_of(circle: Circle, scene: Scene) -> int:
    """Return the index in PLACES of a circle; a circle on the middle line is in the lower row."""
    column = min(2, int(3 * circle.x / scene.width))
    return column + (3 if circle.y >= scene.height / 2 else 0)


def _within(scene: Scene, points: tuple[tuple[float, float], ...]) -> NDArray[np.bool_]:
    """Return a mask of the flowers in a polygon. No flower crosses an edge, so testing its centre is enough."""
    return inside(as_points([(flower.x, flower.y) for flower in scene.flowers]), points)
