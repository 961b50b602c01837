"""Changes to a scene as data, the function that applies them, and the file with the scenes of a dataset.

To add a kind of edit, add a struct with its own tag and a case in `apply`. Edits are applied without checks;
`geometry.faults` checks whether things touch afterwards.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable
from functools import partial
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec.structs import replace

from countersight.scenes.geometry import middle, round_coordinate
from countersight.scenes.scene import Circle, Dot, Flower, PetalShape, Point, Polygon, Scene

Item = TypeVar("Item", Polygon, Flower, Circle, Dot)


class Remove(msgspec.Struct, frozen=True, tag_field="kind", tag="remove"):
    """Removes items from the scene; a circle is removed with its dots."""

    ids: tuple[str, ...]


class Recolour(msgspec.Struct, frozen=True, tag_field="kind", tag="recolour"):
    """Changes the colour of items."""

    ids: tuple[str, ...]
    colour: str


class Move(msgspec.Struct, frozen=True, tag_field="kind", tag="move"):
    """Moves items to the right and down by a number of pixels; a circle is moved with its dots."""

    ids: tuple[str, ...]
    dx: float
    dy: float


class Resize(msgspec.Struct, frozen=True, tag_field="kind", tag="resize"):
    """Scales items about their middle; a circle is scaled with its dots."""

    ids: tuple[str, ...]
    factor: Annotated[float, msgspec.Meta(gt=0)]


class Reshape(msgspec.Struct, frozen=True, tag_field="kind", tag="reshape"):
    """Changes the shape of flowers' petals, or the corners of polygons."""

    ids: tuple[str, ...]
    shape: PetalShape | Annotated[tuple[Point, ...], msgspec.Meta(min_length=3)]


class Add(msgspec.Struct, frozen=True, tag_field="kind", tag="add", omit_defaults=True):
    """Adds new items on top of the others; dots are put into the named circle."""

    polygons: tuple[Polygon, ...] = ()
    flowers: tuple[Flower, ...] = ()
    circles: tuple[Circle, ...] = ()
    dots: tuple[Dot, ...] = ()
    circle: str = ""

    @property
    def ids(self) -> tuple[str, ...]:
        """The items that must already exist: the circle, if dots are added to one."""
        return (self.circle,) if self.dots else ()


Edit = Remove | Recolour | Move | Resize | Reshape | Add


def apply(scene: Scene, edits: Iterable[Edit]) -> Scene:
    """Return the scene after the edits, one after the other; raises ValueError for an impossible edit."""
    for edit in edits:
        ids = frozenset(edit.ids)
        absent = ids.difference(_ids(scene))
        if absent:
            raise ValueError(f"{', '.join(sorted(absent))}: not in the scene")
        match edit:
            case Remove():
                scene = _changed(scene, ids, lambda item: None)
            case Recolour():
                circles = {circle.id for circle in scene.circles}
                for named in (ids & circles, ids - circles):  # a circle's dots keep their colours unless they are named
                    scene = _changed(scene, named, partial(replace, colour=edit.colour))
            case Move():
                scene = _changed(scene, ids, partial(_moved, edit.dx, edit.dy))
            case Resize():
                scene = _changed(scene, ids, partial(_resized, edit.factor))
            case Reshape():
                scene = _changed(scene, ids, partial(_reshaped, edit.shape))
            case Add():
                scene = _with_more(scene, edit)
    return scene


def _ids(scene: Scene) -> list[str]:
    ids = [item.id for items in (scene.polygons, scene.flowers, scene.circles) for item in items]
    return ids + [dot.id for circle in scene.circles for dot in circle.dots]


def _changed(scene: Scene, ids: Container[str], change: Callable[[Any], Any]) -> Scene:
    """Return the scene with the items (and dots of circles) changed, or removed if the change returns None."""

    def each(items: tuple[Item, ...]) -> tuple[Item, ...]:
        found = (change(item) if item.id in ids else item for item in items)
        return tuple(item for item in found if item is not None)

    return replace(
        scene,
        polygons=each(scene.polygons),
        flowers=each(scene.flowers),
        circles=tuple(
            circle if circle.id in ids else replace(circle, dots=each(circle.dots)) for circle in each(scene.circles)
        ),
    )


def _moved(dx: float, dy: float, item: Item) -> Item:
    if isinstance(item, Polygon):
        return replace(item, points=tuple((round_coordinate(x + dx), round_coordinate(y + dy)) for x, y in item.points))
    x, y = round_coordinate(item.x + dx), round_coordinate(item.y + dy)
    if isinstance(item, Circle):
        return replace(item, x=x, y=y, dots=tuple(_moved(dx, dy, dot) for dot in item.dots))
    return replace(item, x=x, y=y)


def _resized(factor: float, item: Item, about: Point | None = None) -> Item:
    """Return the item scaled about its middle, or about another point."""

    def scaled(x: float, y: float, about: Point) -> Point:
        return round_coordinate(about[0] + (x - about[0]) * factor), round_coordinate(
            about[1] + (y - about[1]) * factor
        )

    if isinstance(item, Polygon):
        centre = middle(item.points)
        return replace(item, points=tuple(scaled(x, y, centre) for x, y in item.points))
    if isinstance(item, Flower):
        return replace(item, size=round_coordinate(item.size * factor))
    radius = round_coordinate(item.radius * factor)
    if isinstance(item, Circle):
        dots = tuple(_resized(factor, dot, (item.x, item.y)) for dot in item.dots)
        return replace(item, radius=radius, dots=dots)
    x, y = scaled(item.x, item.y, about) if about else (item.x, item.y)
    return replace(item, radius=radius, x=x, y=y)


def _reshaped(shape: PetalShape | tuple[Point, ...], item: Item) -> Item:
    if isinstance(item, Flower) and isinstance(shape, str):
        return replace(item, shape=shape)
    if isinstance(item, Polygon) and not isinstance(shape, str):
        return replace(item, points=shape)
    raise ValueError(f"{item.id}: this shape does not apply; flowers have a petal shape, polygons have corners")


def _with_more(scene: Scene, more: Add) -> Scene:
    scene = replace(
        scene,
        polygons=scene.polygons + more.polygons,
        flowers=scene.flowers + more.flowers,
        circles=tuple(
            replace(circle, dots=circle.dots + more.dots) if circle.id == more.circle else circle
            for circle in scene.circles
        )
        + more.circles,
    )
    twice = [name for name, times in Counter(_ids(scene)).items() if times > 1]
    if twice:
        raise ValueError(f"{', '.join(twice)}: already in the scene")
    return scene


SCENES_FILE = "scenes.jsonl"


class SceneRecord(msgspec.Struct, frozen=True):
    """The scene of a case, and the edits that lead to its counterfactual picture."""

    id: str
    scene: Scene
    change: tuple[Edit, ...]


def encode_record(record: SceneRecord) -> bytes:
    """Return one line of a scenes file."""
    return msgspec.json.encode(record) + b"\n"
