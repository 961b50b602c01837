"""Changes of a scene as data, and the function that applies them.

A new kind of edit (move, resize, …) is one more struct with its own tag and one more case in `apply`.
"""

from collections.abc import Iterable
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from countersight.scenes.scene import Circle, Dot, Flower, Polygon, Scene

Item = TypeVar("Item", Polygon, Flower, Circle, Dot)


class Remove(msgspec.Struct, frozen=True, tag_field="kind", tag="remove"):
    """Takes items out of the scene; a circle goes with its dots."""

    ids: tuple[str, ...]


class Recolour(msgspec.Struct, frozen=True, tag_field="kind", tag="recolour"):
    """Gives items another colour."""

    ids: tuple[str, ...]
    colour: str


Edit = Remove | Recolour


def apply(scene: Scene, edits: Iterable[Edit]) -> Scene:
    """The scene after the edits, one after the other. An id that is not in the scene is a ValueError."""
    for edit in edits:
        ids = frozenset(edit.ids)
        absent = ids - _ids(scene)
        if absent:
            raise ValueError(f"{', '.join(sorted(absent))}: not in the scene, so it cannot be changed")
        match edit:
            case Remove():
                scene = _without(scene, ids)
            case Recolour():
                scene = _recoloured(scene, ids, edit.colour)
    return scene


def _ids(scene: Scene) -> frozenset[str]:
    ids = {item.id for items in (scene.polygons, scene.flowers, scene.circles) for item in items}
    return frozenset(ids.union(dot.id for circle in scene.circles for dot in circle.dots))


def _without(scene: Scene, ids: frozenset[str]) -> Scene:
    return replace(
        scene,
        polygons=tuple(polygon for polygon in scene.polygons if polygon.id not in ids),
        flowers=tuple(flower for flower in scene.flowers if flower.id not in ids),
        circles=tuple(
            replace(circle, dots=tuple(dot for dot in circle.dots if dot.id not in ids))
            for circle in scene.circles
            if circle.id not in ids
        ),
    )


def _recoloured(scene: Scene, ids: frozenset[str], colour: str) -> Scene:
    def recolour(item: Item) -> Item:
        return replace(item, colour=colour) if item.id in ids else item

    return replace(
        scene,
        polygons=tuple(map(recolour, scene.polygons)),
        flowers=tuple(map(recolour, scene.flowers)),
        circles=tuple(recolour(replace(circle, dots=tuple(map(recolour, circle.dots)))) for circle in scene.circles),
    )
