"""How things are added to a scene, where there is room for them."""

from collections.abc import Iterable, Iterator
from itertools import count
from math import cos, radians, sin
from random import Random
from typing import Any

from msgspec.structs import replace

from countersight.editing.exact.room import in_a_circle, in_the_open
from countersight.editing.exact.targets import Target, matching, number_in, read_target
from countersight.editing.hues import called, colour_in
from countersight.editing.protocol import Instruction
from countersight.errors import EditFailed
from countersight.scenes import (
    DOT_RADII,
    DOTS,
    HEARTS,
    LARGEST,
    NAMED,
    PETALS,
    RADII,
    RING,
    RINGS,
    SMALLEST,
    Add,
    Circle,
    Dot,
    Edit,
    Flower,
    Polygon,
    Scene,
    apply,
    faults,
    rounded,
)

MOST_ADDED = 60
"""Most things that are added at once; there is room for fewer."""


def add_things(instruction: Instruction, scene: Scene, rng: Random) -> Iterator[Edit]:
    """The things that are asked for, as many as asked; too little room for them all is a failed edit."""
    words = f"{instruction.value} {instruction.target}" if not _has_noun(instruction.target) else instruction.target
    target = read_target(words)
    number = number_in(instruction.value) or target.number or 1
    if number > MOST_ADDED:
        raise EditFailed(f"at most {MOST_ADDED} things are added at once, not {number}")
    colour = colour_in(target.colour) or colour_in(instruction.value)
    full = EditFailed(f"there is no room for {number} more: “{words[:120]}”")
    if target.noun == "dot":
        yield from _more_dots(target, number, colour, scene, rng, full)
    elif target.noun == "polygon":
        yield from _more_polygons(number, colour, scene, rng, full)
    elif target.noun == "circle":
        radii = [circle.radius for circle in scene.circles] or [sum(RADII) / 2]
        reaches = [rng.choice(radii) + RING / 2 for _ in range(number)]
        placed = in_the_open(rng, scene, reaches, min(radii) * 0.8, target.places)
        if placed is None:
            raise full
        ring = colour or (scene.circles[0].colour if scene.circles else rng.choice(RINGS))
        names = _names("circle", (circle.id for circle in scene.circles))
        yield Add(circles=tuple(Circle(next(names), ring, rounded(radius - RING / 2), x, y) for x, y, radius in placed))
    else:
        sizes = [rounded(rng.uniform(SMALLEST, (SMALLEST + LARGEST) / 2)) for _ in range(number)]
        placed = in_the_open(rng, scene, sizes, SMALLEST, target.places)
        if placed is None:
            raise full
        names = _names("flower", (flower.id for flower in scene.flowers))
        yield Add(flowers=tuple(_new_flower(next(names), disc, target, colour, scene, rng) for disc in placed))


def _new_flower(
    name: str, disc: tuple[float, float, float], target: Target, colour: str | None, scene: Scene, rng: Random
) -> Flower:
    """A flower of a kind that grows in the scene."""
    x, y, size = disc
    turn = rounded(rng.uniform(0, 360))
    if scene.flowers:
        kind = rng.choice(scene.flowers)
    else:
        kind = Flower(name, "round", 6, 1, rng.choice(PETALS), rng.choice(HEARTS[1:]), size, turn, x, y)
    shape: Any = target.shape or kind.shape
    return replace(
        kind, id=name, x=x, y=y, size=size, rotation=turn, shape=shape, colour=colour if colour else kind.colour
    )


def _more_dots(
    target: Target, number: int, colour: str | None, scene: Scene, rng: Random, full: EditFailed
) -> Iterator[Edit]:
    circles = [item for item in matching(target.circles or Target("circle"), scene) if isinstance(item, Circle)]
    palette = [dot.colour for circle in scene.circles for dot in circle.dots] or [rng.choice(DOTS)]
    names = _names("dot", (dot.id for circle in scene.circles for dot in circle.dots))
    for _ in range(number):
        rng.shuffle(circles)
        for at, circle in enumerate(circles):
            placed = in_a_circle(rng, circle, (sum(DOT_RADII) / 2,), DOT_RADII[0] * 0.7)
            if placed:
                x, y, radius = placed[0]
                dot = Dot(next(names), colour or rng.choice(palette), radius, x, y)
                circles[at] = replace(circle, dots=(*circle.dots, dot))
                yield Add(dots=(dot,), circle=circle.id)
                break
        else:
            raise full


def _more_polygons(number: int, colour: str | None, scene: Scene, rng: Random, full: EditFailed) -> Iterator[Edit]:
    """New polygons where they touch no flower and no circle; what they enclose they enclose."""
    names = _names("polygon", (polygon.id for polygon in scene.polygons))
    for _ in range(number):
        taken = {called(polygon.colour) for polygon in scene.polygons}
        own = colour or rng.choice([name for name in NAMED if name not in taken] or list(NAMED))
        name, old = next(names), faults(scene)
        for attempt in range(240):
            far = min(scene.width, scene.height) * (0.3 - 0.25 * attempt / 240)
            x, y = rng.uniform(far + 4, scene.width - far - 4), rng.uniform(far + 4, scene.height - far - 4)
            turn, corners = rng.uniform(0, 360), rng.randint(4, 7)
            angles = [radians(turn + 360 * corner / corners) for corner in range(corners)]
            points = tuple((rounded(x + far * cos(angle)), rounded(y + far * sin(angle))) for angle in angles)
            edit = Add(polygons=(Polygon(name, own, points),))
            changed = apply(scene, [edit])
            if not faults(changed) - old:
                scene = changed
                yield edit
                break
        else:
            raise full


def _has_noun(words: str) -> bool:
    try:
        read_target(words)
    except EditFailed:
        return False
    return True


def _names(noun: str, taken: Iterable[str]) -> Iterator[str]:
    used = set(taken)
    return (name for name in (f"{noun}-{number}" for number in count(1)) if name not in used)
