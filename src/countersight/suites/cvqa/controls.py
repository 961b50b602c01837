"""Controls of C-VQA-Synthetic: a change that does not affect the answer, for each of the six templates."""

from collections.abc import Callable
from random import Random
from typing import Final

from countersight.scenes import NAMED, Edit, Recolour, Remove, Scene, top_row
from countersight.suites.cvqa.templates import flowers_in, number_of

Irrelevant = tuple[Edit, str]
"""An edit that does not affect the answer, and its words after "if"."""


def _flowers_inside(rng: Random, scene: Scene, colour: str) -> Irrelevant:
    inside = [flower.id for flower in flowers_in(scene, colour)]
    gone = rng.sample(inside, rng.randint(1, len(inside)))
    return Remove(tuple(gone)), f"we removed {number_of(len(gone), 'flower')} in {colour} polygons"


def _flowers_outside(rng: Random, scene: Scene, colour: str) -> Irrelevant:
    outside = _ids_outside(scene, colour)
    gone = rng.sample(outside, rng.randint(1, len(outside)))
    return Remove(tuple(gone)), f"we removed {number_of(len(gone), 'flower')} outside the {colour} polygons"


def _all_outside(_rng: Random, scene: Scene, colour: str) -> Irrelevant:
    return Remove(tuple(_ids_outside(scene, colour))), f"all flowers outside the {colour} polygons were removed"


def _dots_recoloured(rng: Random, scene: Scene, _colour: str) -> Irrelevant:
    colour = rng.choice(list(NAMED))
    dots = tuple(dot.id for circle in scene.circles for dot in circle.dots)
    return Recolour(dots, colour), f"all the dots were {colour}"


def _bottom_emptied(_rng: Random, scene: Scene, _colour: str) -> Irrelevant:
    top = {circle.id for circle in top_row(scene)}
    dots = tuple(dot.id for circle in scene.circles if circle.id not in top for dot in circle.dots)
    return Remove(dots), "all dots in the bottom three circles were removed"


def _emptiest_removed(rng: Random, scene: Scene, _colour: str) -> Irrelevant:
    fewest = min(len(circle.dots) for circle in scene.circles)
    gone = rng.choice([circle for circle in scene.circles if len(circle.dots) == fewest])
    return Remove((gone.id,)), "one of the circles with the fewest dots were removed"


def _ids_outside(scene: Scene, colour: str) -> list[str]:
    inside = {flower.id for flower in flowers_in(scene, colour)}
    return [flower.id for flower in scene.flowers if flower.id not in inside]


CONTROLS: Final[dict[int, Callable[[Random, Scene, str], Irrelevant]]] = {
    1: _flowers_inside,
    2: _flowers_outside,
    3: _all_outside,
    4: _dots_recoloured,
    5: _bottom_emptied,
    6: _emptiest_removed,
}
"""Functions that make the control of each template, from a random generator, the scene and the named colour."""
