"""How an instruction becomes edits of a scene."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from math import cos, radians, sin, sqrt
from random import Random
from typing import get_args

from msgspec.structs import replace

from countersight.editing.exact.adding import add_things, in_a_circle, in_the_open
from countersight.editing.exact.places import within
from countersight.editing.exact.targets import Item, Target, choose, matching, read_target
from countersight.editing.protocol import Action, Instruction
from countersight.editing.things import COLOURS, colour_in, direction_in, factors_in
from countersight.errors import EditFailed
from countersight.scenes import (
    Add,
    Dot,
    Edit,
    Flower,
    Move,
    PetalShape,
    Polygon,
    Recolour,
    Remove,
    Reshape,
    Resize,
    Scene,
    apply,
    as_points,
    faults,
    inside,
    middle,
    reach,
    rounded,
)

FAR = 0.4
"""How far something goes that is to be moved, as a part of the picture's width; less where less is possible."""
_LARGER = (1.8, 1.6, 1.5, 1.4, 1.3, 1.2, 1.15)
_SMALLER = (0.6, 0.7, 0.75, 0.8, 0.85)
"""Sizes that are tried for "larger" and "smaller", the best to see first."""
CORNERS = {
    "triangle": 3,
    "square": 4,
    "quadrilateral": 4,
    "rectangle": 4,
    "diamond": 4,
    "pentagon": 5,
    "hexagon": 6,
    "heptagon": 7,
    "octagon": 8,
}


def plan(instruction: Instruction, scene: Scene, rng: Random) -> tuple[Edit, ...]:
    """The edits that do what is asked; what cannot be done is an EditFailed with the reason."""
    make = _PLANS.get(instruction.action)
    if make is None:
        raise EditFailed(f"a scene has no edit for “{instruction.action}”; there are {', '.join(_PLANS)}")
    return tuple(make(instruction, scene, rng))


def _remove(instruction: Instruction, scene: Scene, rng: Random) -> Iterator[Edit]:
    yield Remove(tuple(item.id for item in _chosen(instruction, scene, rng)))


def _recolour(instruction: Instruction, scene: Scene, rng: Random) -> Iterator[Edit]:
    items = _chosen(instruction, scene, rng)
    colour = colour_in(instruction.value)
    if colour is None:
        raise EditFailed(f"“{instruction.value[:80]}” is no colour of {', '.join(COLOURS)} or #rrggbb")
    others = tuple(item.id for item in items if item.colour != colour)
    if not others:
        raise EditFailed(f"“{instruction.target[:120]}” is {instruction.value[:80]} already")
    yield Recolour(others, colour)


def _move(instruction: Instruction, scene: Scene, rng: Random) -> Iterator[Edit]:
    items = _chosen(instruction, scene, rng)
    way, length = direction_in(instruction.value)
    if way is None or re.search(r"\b(?:circle|polygon|row)", instruction.value.casefold()):
        return _move_to(instruction, scene, items, rng)
    dx, dy = way
    steps = [float(length)] if length else [scene.width * FAR * part / 20 for part in range(20, 0, -1)]
    ids = tuple(item.id for item in items)
    return _first_sound(
        scene,
        ([Move(ids, rounded(dx * step), rounded(dy * step))] for step in steps),
        f"“{instruction.target[:80]}” cannot go {instruction.value[:80]} without touching or leaving something",
    )


def _move_to(instruction: Instruction, scene: Scene, items: Sequence[Item], rng: Random) -> Iterator[Edit]:
    """Moves to a place that is named, or anywhere else."""
    noun = read_target(instruction.target).noun
    value = re.sub(r"^(?:to |into )(?=(?:in|out)side )", "", instruction.value.strip().casefold())
    value = re.sub(r"^(?:to|into)\b", "in", value)
    elsewhere = value in ("", "elsewhere", "somewhere else")
    if noun == "polygon":
        raise EditFailed(f"polygons can be moved left, right, up or down, not “{instruction.value[:80]}”")
    goal = Target(noun) if elsewhere else read_target(f"{noun}s {value}")
    full = EditFailed(f"there is no room for “{instruction.target[:80]}” {instruction.value[:80] or 'elsewhere'}")
    # Looked up before anything moves: the emptiest circle is the one that is now.
    goals = {circle.id for circle in matching(goal.circles or Target("circle"), scene)}
    for item in items:
        assert not isinstance(item, Polygon)
        edits: list[Edit]
        if isinstance(item, Dot):
            edits = _dot_to(goals, scene, item, rng)
        else:
            size = reach(item)
            if not elsewhere and goal.places and within(goal.places, scene, as_points([(item.x, item.y)]))[0]:
                continue
            placed = in_the_open(rng, scene, (size,), size, goal.places, but=(item.id,))
            edits = [Move((item.id,), rounded(x - item.x), rounded(y - item.y)) for x, y, _ in placed or ()]
        if not edits:
            raise full
        scene = apply(scene, edits)
        yield from edits


def _dot_to(goals: Collection[str], scene: Scene, dot: Dot, rng: Random) -> list[Edit]:
    """Puts a dot into one of the circles that are named; it is taken out of its own, since a circle owns its dots."""
    circles = [circle for circle in scene.circles if circle.id in goals]
    rng.shuffle(circles)
    for circle in circles:
        placed = in_a_circle(rng, circle, (dot.radius,), dot.radius, but=(dot.id,))
        if placed:
            return [Remove((dot.id,)), Add(dots=(replace(dot, x=placed[0][0], y=placed[0][1]),), circle=circle.id)]
    return []


def _resize(instruction: Instruction, scene: Scene, rng: Random) -> Iterator[Edit]:
    ids = tuple(item.id for item in _chosen(instruction, scene, rng))
    return _first_sound(
        scene,
        ([Resize(ids, factor)] for factor in factors_in(instruction.value, _LARGER, _SMALLER)),
        f"“{instruction.target[:80]}” cannot become {instruction.value[:80]} without touching or leaving something",
    )


def _reshape(instruction: Instruction, scene: Scene, rng: Random) -> Iterator[Edit]:
    items = _chosen(instruction, scene, rng)
    words = re.findall(r"[a-z]+", instruction.value.casefold())
    shape: PetalShape | None = next((shape for shape in get_args(PetalShape) if shape in words), None)
    corners = next((number for name, number in CORNERS.items() if name in words or f"{name}s" in words), None)
    flowers = tuple(item.id for item in items if isinstance(item, Flower) and item.shape != shape)
    if all(isinstance(item, Flower) for item in items) and shape:
        if not flowers:
            raise EditFailed(f"“{instruction.target[:120]}” is {instruction.value[:80]} already")
        yield Reshape(flowers, shape)
    elif all(isinstance(item, Polygon) for item in items) and corners:
        for item in items:
            assert isinstance(item, Polygon)
            edit = _redrawn(scene, item, corners, rng)
            scene = apply(scene, [edit])
            yield edit
    else:
        raise EditFailed(
            f"“{instruction.target[:80]}” cannot become “{instruction.value[:80]}”: flowers can have petals that are "
            f"{', '.join(get_args(PetalShape))}; polygons can become {', '.join(CORNERS)}; nothing else can"
        )


def _redrawn(scene: Scene, polygon: Polygon, corners: int, rng: Random) -> Reshape:
    """The polygon as a regular one that touches no flower, with as many flowers as can be on the side they were."""
    x, y = middle(polygon.points)
    around = as_points(polygon.points) - (x, y)
    far = float(sqrt((around**2).sum(axis=1).mean()))
    flowers = as_points([(flower.x, flower.y) for flower in scene.flowers])
    before = inside(flowers, polygon.points)
    old, best = faults(scene), None
    for part in (1.0, 0.95, 1.05, 0.9, 1.1, 0.85, 1.15, 0.8, 1.2):
        for _ in range(12):
            turn, dx, dy = rng.uniform(0, 360), rng.uniform(-12, 12), rng.uniform(-12, 12)
            angles = [radians(turn + 360 * corner / corners) for corner in range(corners)]
            points = tuple(
                (rounded(x + dx + far * part * cos(angle)), rounded(y + dy + far * part * sin(angle)))
                for angle in angles
            )
            edit = Reshape((polygon.id,), points)
            if faults(apply(scene, [edit])) - old:
                continue
            strays = int((inside(flowers, points) != before).sum())
            if best is None or strays < best[0]:
                best = strays, edit
    if best is None:
        raise EditFailed(f"{polygon.id} cannot have {corners} corners without touching something")
    return best[1]


_PLANS: dict[Action, Callable[[Instruction, Scene, Random], Iterable[Edit]]] = {
    "remove": _remove,
    "recolour": _recolour,
    "add": add_things,
    "move": _move,
    "resize": _resize,
    "reshape": _reshape,
}


def _chosen(instruction: Instruction, scene: Scene, rng: Random) -> list[Item]:
    return choose(read_target(instruction.target), scene, rng, instruction.target)


def _first_sound(scene: Scene, tries: Iterable[list[Edit]], otherwise: str) -> Iterator[Edit]:
    """The first of several ways that breaks nothing the scene promises."""
    old = faults(scene)
    for edits in tries:
        if not faults(apply(scene, edits)) - old:
            yield from edits
            return
    raise EditFailed(otherwise)
