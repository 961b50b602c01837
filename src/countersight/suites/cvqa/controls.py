"""Changes that do not touch what is asked: one for every template, of the same scene, after which the answer stays.

A model that works with the change keeps its answer here and changes it there; one that only hears "removed" does not.
"""

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from countersight.scenes import NAMED, Edit, Recolour, Remove, Scene, top_row
from countersight.suites.cvqa.templates import flowers_in, number_of


class Irrelevant(NamedTuple):
    """A change to a scene, and what follows the "if"."""

    edits: tuple[Edit, ...]
    presupposition: str

    @property
    def kinds(self) -> tuple[str, ...]:
        """What is done, in the words of the cases' changes."""
        return ("recolour",) if isinstance(self.edits[0], Recolour) else ("remove",)


def _flowers_inside(rng: Random, scene: Scene, colour: str) -> Irrelevant:
    """What is asked is how many are outside."""
    inside = flowers_in(scene, colour)
    gone = rng.sample(inside, rng.randint(1, len(inside)))
    removed = Remove(tuple(flower.id for flower in gone))
    return Irrelevant((removed,), f"we removed {number_of(len(gone), 'flower')} in {colour} polygons")


def _flowers_outside(rng: Random, scene: Scene, colour: str) -> Irrelevant:
    outside = _ids_outside(scene, colour)
    gone = rng.sample(outside, rng.randint(1, len(outside)))
    return Irrelevant(
        (Remove(tuple(gone)),), f"we removed {number_of(len(gone), 'flower')} outside the {colour} polygons"
    )


def _all_outside(_rng: Random, scene: Scene, colour: str) -> Irrelevant:
    removed = Remove(tuple(_ids_outside(scene, colour)))
    return Irrelevant((removed,), f"all flowers outside the {colour} polygons were removed")


def _dots_recoloured(rng: Random, scene: Scene, _colour: str) -> Irrelevant:
    colour = rng.choice(list(NAMED))
    dots = tuple(dot.id for circle in scene.circles for dot in circle.dots)
    return Irrelevant((Recolour(dots, colour),), f"all the dots were {colour}")


def _bottom_emptied(_rng: Random, scene: Scene, _colour: str) -> Irrelevant:
    top = {circle.id for circle in top_row(scene)}
    dots = tuple(dot.id for circle in scene.circles if circle.id not in top for dot in circle.dots)
    return Irrelevant((Remove(dots),), "all dots in the bottom three circles were removed")


def _emptiest_removed(rng: Random, scene: Scene, _colour: str) -> Irrelevant:
    fewest = min(len(circle.dots) for circle in scene.circles)
    gone = rng.choice([circle for circle in scene.circles if len(circle.dots) == fewest])
    return Irrelevant((Remove((gone.id,)),), "one of the circles with the fewest dots were removed")


def _ids_outside(scene: Scene, colour: str) -> list[str]:
    inside = {flower.id for flower in flowers_in(scene, colour)}
    return [flower.id for flower in scene.flowers if flower.id not in inside]


CONTROLS: dict[int, Callable[[Random, Scene, str], Irrelevant]] = {
    1: _flowers_inside,
    2: _flowers_outside,
    3: _all_outside,
    4: _dots_recoloured,
    5: _bottom_emptied,
    6: _emptiest_removed,
}
"""By the number of the template; given chance, the scene, and the colour that its question names."""
