"""What is true of a scene, as the numbers a question can ask for."""

import msgspec
import numpy as np

from countersight.models.embedded import CIRCLES, COLOURS, KINDS, VALUES
from countersight.scenes import Circle, Scene, as_points, inside


class Facts(msgspec.Struct, frozen=True):
    """The counts of a scene, in the order of COLOURS and CIRCLES; a circle that is not there is None."""

    kind: str
    flowers: int = 0
    outside: int = 0
    """Outside all polygons."""
    both: int = 0
    inside: tuple[int, ...] = (0,) * len(COLOURS)
    alone: tuple[int, ...] = (0,) * len(COLOURS)
    """Inside a polygon of the colour and in no other polygon."""
    colours: tuple[str, ...] = ()
    """Colours of the polygons."""
    circles: tuple[int | None, ...] = (None,) * len(CIRCLES)

    @property
    def dots(self) -> int:
        """Dots in all circles."""
        return sum(number or 0 for number in self.circles)

    @property
    def top(self) -> int:
        """Dots in the top row."""
        return sum(number or 0 for number in self.circles[:3])

    @property
    def bottom(self) -> int:
        """Dots in the bottom row."""
        return sum(number or 0 for number in self.circles[3:])

    def values(self) -> tuple[float, ...]:
        """The facts in the order of VALUES: what a perfect encoder would say."""
        numbers = (
            self.flowers,
            self.outside,
            self.both,
            *self.inside,
            *self.alone,
            self.dots,
            self.top,
            self.bottom,
            *(number or 0 for number in self.circles),
            *(number is not None for number in self.circles),
            *(colour in self.colours for colour in COLOURS),
            *(self.kind == kind for kind in KINDS),
        )
        assert len(numbers) == len(VALUES)
        return tuple(float(number) for number in numbers)


def facts(scene: Scene) -> Facts:
    """The facts of a scene of ours."""
    if scene.circles:
        numbers: list[int | None] = [None] * len(CIRCLES)
        for circle in scene.circles:
            numbers[place(circle, scene)] = len(circle.dots)
        return Facts("dots", circles=tuple(numbers))
    middles = as_points([(flower.x, flower.y) for flower in scene.flowers])
    within = [inside(middles, polygon.points) for polygon in scene.polygons]
    times = np.zeros(len(middles), np.int64)
    for here in within:
        times += here
    inside_of, alone = [0] * len(COLOURS), [0] * len(COLOURS)
    for number, colour in enumerate(COLOURS):
        any_of = np.zeros(len(middles), np.bool_)
        for here, polygon in zip(within, scene.polygons, strict=True):
            any_of |= here & (polygon.colour == colour)
        inside_of[number] = int(any_of.sum())
        alone[number] = int((any_of & (times == 1)).sum())
    return Facts(
        "flowers",
        flowers=len(scene.flowers),
        outside=int((times == 0).sum()),
        both=int((times > 1).sum()),
        inside=tuple(inside_of),
        alone=tuple(alone),
        colours=tuple(polygon.colour for polygon in scene.polygons),
    )


def place(circle: Circle, scene: Scene) -> int:
    """Which of the six places a circle is in."""
    column = min(2, int(3 * circle.x / scene.width))
    return column + (3 if circle.y > scene.height / 2 else 0)
