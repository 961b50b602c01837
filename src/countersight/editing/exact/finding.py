"""Find the items of a scene that a target describes."""

from collections.abc import Callable, Iterable, Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray

from countersight.editing.colours import called
from countersight.editing.exact.targets import Area, Item, Target
from countersight.errors import EditFailed
from countersight.scenes import (
    Circle,
    Flower,
    Point,
    Points,
    Polygon,
    Scene,
    as_points,
    inside,
    middle,
)


def choose(target: Target, scene: Scene, rng: Random, words: str) -> list[Item]:
    """Return the described items: as many as requested, chosen at random if there are more."""
    found = matching(target, scene)
    if not found:
        raise EditFailed(f"nothing in the scene matches “{words[:120]}”")
    if target.number is None:
        return found
    if target.number > len(found):
        raise EditFailed(f"“{words[:120]}” asks for {target.number}, but there are only {len(found)}")
    chosen = {item.id for item in rng.sample(found, target.number)}
    return [item for item in found if item.id in chosen]


def matching(target: Target, scene: Scene) -> list[Item]:
    """Return the items of a scene that match a target; for "the leftmost" or the like, only the most extreme ones."""
    items: list[Item] = list(_kind(target, scene))
    if target.colour:
        items = [item for item in items if target.colour in (item.colour, called(item.colour))]
    if target.shape:
        items = [item for item in items if isinstance(item, Flower) and item.shape == target.shape]
    if target.dots is not None:
        items = [item for item in items if _dots(item) == target.dots]
    for side in target.sides:
        items = [item for item in items if _on_side(item, side, scene)]
    if target.places:
        there = within(target.places, scene, as_points([_middle(item) for item in items]))
        items = [item for item, here in zip(items, there.tolist(), strict=True) if here]
    if target.extreme:
        return sorted(items, key=_EXTREMES[target.extreme])[: target.number or 1]
    return items


def _kind(target: Target, scene: Scene) -> Sequence[Item]:
    if target.noun == "flower":
        return scene.flowers
    if target.noun == "polygon":
        return scene.polygons
    if target.noun == "circle":
        return scene.circles
    circles = scene.circles if target.circles is None else matching(target.circles, scene)
    return [dot for circle in circles if isinstance(circle, Circle) for dot in circle.dots]


def _on_side(item: Item, side: str, scene: Scene) -> bool:
    x, y = _middle(item)
    if side in ("top", "bottom"):
        return (y < scene.height / 2) == (side == "top")
    # Circles are in three columns; other objects are in one half or the other.
    third = 3 if isinstance(item, Circle) or side == "middle" else 2
    column = min(int(third * x / scene.width), third - 1)
    return column == {"left": 0, "middle": 1, "right": third - 1}[side]


def _middle(item: Item) -> Point:
    return middle(item.points) if isinstance(item, Polygon) else (item.x, item.y)


def _size(item: Item) -> float:
    if isinstance(item, Polygon):
        corners = as_points(item.points)
        after = np.roll(corners, -1, axis=0)
        return abs(float((corners[:, 0] * after[:, 1] - corners[:, 1] * after[:, 0]).sum()))
    return item.size if isinstance(item, Flower) else item.radius


def _dots(item: Item) -> int:
    return len(item.dots) if isinstance(item, Circle) else 0


def within(places: Iterable[Area], scene: Scene, points: Points) -> NDArray[np.bool_]:
    """Return a mask of the points in all of the areas; raises EditFailed if no polygon has a requested colour."""
    there = np.ones(len(points), bool)
    for place in places:
        named = [each for each in scene.polygons if place.colour in (None, each.colour, called(each.colour))]
        if not named:
            raise EditFailed(f"there is no {place.colour or ''} polygon in the scene".replace("  ", " "))
        found = _depth(named, points) >= place.least
        there &= found if place.inside else ~found
        if place.only:
            there &= _depth(scene.polygons, points) <= 1
    return there


def _depth(polygons: Iterable[Polygon], points: Points) -> NDArray[np.int64]:
    """Return the number of polygons that contain each point."""
    depth = np.zeros(len(points), np.int64)
    for polygon in polygons:
        depth += inside(points, polygon.points)
    return depth


_EXTREMES: dict[str, Callable[[Item], float]] = {
    "leftmost": lambda item: _middle(item)[0],
    "rightmost": lambda item: -_middle(item)[0],
    "topmost": lambda item: _middle(item)[1],
    "bottommost": lambda item: -_middle(item)[1],
    "largest": lambda item: -_size(item),
    "smallest": lambda item: _size(item),
    "fullest": lambda item: -_dots(item),
    "emptiest": lambda item: _dots(item),
}
"""The value by which items are sorted for each word in `EXTREMES`."""
