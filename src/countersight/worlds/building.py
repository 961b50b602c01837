"""Build random worlds of supports: towers, bridges, balances, leaning planks, shelves and things on strings.

A structure is built on the line 0; positions above it are negative. The solver then checks whether the structure is
stable; if not, it is built again.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import combinations
from math import cos, radians, sin, tan
from random import Random

from msgspec.structs import replace

from countersight.errors import Unclear
from countersight.worlds.places import on_the_floor
from countersight.worlds.statics import fallen
from countersight.worlds.things import (
    COLOURS,
    CUP_BASE,
    HEAVIEST,
    SIDE,
    TABLE,
    Difficulty,
    Kind,
    Point,
    String,
    Supports,
    WorldThing,
    random_look,
)
from countersight.worlds.touching import contacts

PLANK = 12
"""The thickness of planks and shelves."""
MIN_GAP = 14
"""The minimum distance between things that do not touch."""
_CUP, _BALL = (38, 36), 24


class Structure:
    """A structure being built; each thing has a unique id."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.things: list[WorldThing] = []
        self.strings: list[String] = []

    def put(self, kind: Kind, left: float, bottom: float, width: float, height: float, weight: int = 1) -> WorldThing:
        """Add a thing with its lower edge at `bottom`."""
        thing = WorldThing(f"t{len(self.things)}", kind, "", left, bottom - height, width, height, weight)
        self.things.append(thing)
        return thing

    def block(self, middle: float, bottom: float, width: float = 0, height: float = 0, weight: int = 0) -> WorldThing:
        """Add a block centred at `middle`; sizes and weights that are not given are random."""
        width = width or 2 * self.rng.randint(17, 28)
        height = height or self.rng.randint(24, 40)
        return self.put("block", round(middle - width / 2), bottom, width, height, weight or self._weight())

    def cup(self, middle: float, bottom: float) -> WorldThing:
        """Add a cup with a ball in it."""
        width, height = _CUP
        cup = self.put("cup", round(middle - width / 2), bottom, width, height)
        self.put("ball", cup.left + (width - _BALL) / 2, bottom - CUP_BASE, _BALL, _BALL)
        return cup

    def load(self, middle: float, bottom: float) -> WorldThing:
        """Add a block, or a cup with a ball in it."""
        return self.cup(middle, bottom) if self.rng.random() < 0.3 else self.block(middle, bottom)

    def hang(self, above: WorldThing, x: float, length: float, *, ball: bool = False) -> WorldThing:
        """Hang a block, or a ball, on a string from another thing."""
        top = above.bottom + length
        if ball:
            thing = self.put("ball", x - _BALL / 2, top + _BALL, _BALL, _BALL)
        else:
            height, width = self.rng.randint(22, 32), 2 * self.rng.randint(15, 22)
            thing = self.put("block", x - width / 2, top + height, width, height, self._weight())
        self.tie(above, thing, x)
        return thing

    def tie(self, above: WorldThing, below: WorldThing, x: float) -> None:
        """Add a string between two things."""
        self.strings.append(String(f"s{len(self.strings)}", above.id, below.id, x))

    def _weight(self) -> int:
        return self.rng.randint(1, HEAVIEST)


def tower(build: Structure) -> None:
    """Build blocks on each other, perhaps with a cup on top."""
    rng = build.rng
    below = build.block(0, 0)
    for _ in range(rng.randint(1, 3)):
        reach = below.width / 2 - 9
        below = build.block(below.middle[0] + rng.uniform(-reach, reach), below.top)
    if rng.random() < 0.35 and below.top > -100:
        build.cup(below.middle[0], below.top)


def bridge(build: Structure) -> None:
    """Build a plank on two or three columns, with things on it."""
    rng = build.rng
    length, height = 2 * rng.randint(64, 86), rng.randint(36, 56)
    ends = rng.randint(18, 34), length - rng.randint(18, 34)
    middles = [*ends, length / 2] if rng.random() < 0.35 else list(ends)
    for middle in middles:
        width = 2 * rng.randint(13, 17)
        if rng.random() < 0.3:
            lower = build.block(middle, 0, width + 6, height // 2)
            build.block(middle, lower.top, width, height - height // 2)
        else:
            build.block(middle, 0, width, height)
    build.put("plank", 0, -height, length, PLANK)
    _loads(build, 0, length, -height - PLANK, rng.randint(1, 2))


def _loads(build: Structure, left: float, right: float, bottom: float, number: int) -> None:
    """Put things side by side on a plank, with gaps between them and at its ends."""
    room = (right - left) / number
    for nth in range(number):
        spare = max(0.0, room / 2 - 28 - MIN_GAP / 2)
        middle = left + (nth + 0.5) * room + build.rng.uniform(-spare, spare)
        load = build.load(middle, bottom)
        if load.kind == "block" and build.rng.random() < 0.3:
            build.block(load.middle[0], load.top, 30, 24)


def balance(build: Structure) -> None:
    """Build a plank on one block, from which it would slip without a weight at its other end."""
    rng = build.rng
    height, width = rng.randint(36, 64), 2 * rng.randint(16, 22)
    length = 2 * rng.randint(52, 74)
    over = width / 2 + rng.randint(8, 18)
    way = rng.choice((-1, 1))
    build.block(0, 0, width, height)
    plank = build.put("plank", round(way * over - length / 2), -height, length, PLANK)
    near = plank.left + 22 if way > 0 else plank.right - 22
    far = plank.right - 22 if way > 0 else plank.left + 22
    build.block(near, plank.top, 40, weight=rng.randint(2, HEAVIEST))
    if rng.random() < 0.6:
        build.block(far, plank.top, 34, weight=1)


def lean(build: Structure) -> None:
    """Build a plank that leans on a block, both perhaps on one base."""
    rng = build.rng
    angle, bottom = rng.randint(50, 62), 0.0
    way = rng.choice((-1, 1))
    block = (2 * rng.randint(18, 24), rng.randint(52, 66))
    foot = -way * (block[1] / tan(radians(angle)) + block[0] / 2)
    if rng.random() < 0.6:
        middle = (foot + way * block[0] / 2) / 2
        bottom = build.block(middle, 0, abs(foot) + block[0] / 2 + 28, 24, 2).top
    build.block(0, bottom, *block, weight=rng.randint(3, HEAVIEST))
    length = block[1] / sin(radians(angle)) + rng.randint(14, 26)
    _leaning(build, foot, bottom, length, way * angle)


def _leaning(build: Structure, foot: float, bottom: float, length: float, angle: float) -> None:
    """Add a plank with its lower corner at `foot`, which rises to the right if the angle is positive."""
    way, turn = (1 if angle > 0 else -1), radians(abs(angle))
    x = foot + way * (cos(turn) * length / 2 - sin(turn) * PLANK / 2)
    y = bottom - sin(turn) * length / 2 - cos(turn) * PLANK / 2
    plank = build.put("plank", x - length / 2, y + PLANK / 2, length, PLANK)
    build.things[-1] = replace(plank, turned=float(-angle))


def shelf(build: Structure) -> None:
    """Build a shelf on the wall with things on it, or with a plank that reaches over its edge."""
    rng = build.rng
    width = rng.randint(100, 140)
    build.put("shelf", 0, 0, width, PLANK, 0)
    if rng.random() < 0.5:
        _loads(build, 0, width, -PLANK, rng.randint(1, 2))
        return
    way, length = rng.choice((-1, 1)), 2 * rng.randint(44, 56)
    edge = width if way > 0 else 0
    middle = edge + way * rng.randint(8, 20)
    plank = build.put("plank", round(middle - length / 2), -PLANK, length, PLANK)
    build.block(middle - way * (length / 2 - 22), plank.top, 38, weight=rng.randint(2, HEAVIEST))
    if rng.random() < 0.5:
        build.block(middle + way * (length / 2 - 20), plank.top, 30, 26, weight=1)


def hanging(build: Structure) -> None:
    """Build things on strings, one below the other."""
    thing = build.put("hook", -8, 10, 16, 10, 0)
    for _ in range(build.rng.randint(1, 3)):
        length = build.rng.randint(18, 30)
        thing = build.hang(thing, 0, length, ball=build.rng.random() < 0.4)
        if thing.kind == "ball":
            return


def chain(build: Structure) -> None:
    """Build three hanging blocks, one below the other; without the second, the third falls but the first does not."""
    thing = build.put("hook", -8, 10, 16, 10, 0)
    for _ in range(3):
        thing = build.hang(thing, 0, build.rng.randint(18, 30))


def swing(build: Structure) -> None:
    """Build a plank on two strings, with things on it."""
    rng = build.rng
    length, drop = 2 * rng.randint(44, 64), rng.randint(92, 104)
    ends = 10, length - 10
    hooks = [build.put("hook", x - 8, 10, 16, 10, 0) for x in ends]
    plank = build.put("plank", 0, drop + PLANK, length, PLANK)
    for hook, x in zip(hooks, ends, strict=True):
        build.tie(hook, plank, x)
    _loads(build, 20, length - 20, plank.top, 1)


def pile(build: Structure) -> None:
    """Build a stack of blocks; one or two carry a second block at their side, perhaps a counterweight."""
    rng = build.rng
    below = build.block(0, 0, 2 * rng.randint(20, 28), rng.randint(20, 24))
    levels = rng.randint(3, 4)
    forks = rng.sample(range(levels), rng.randint(1, 2))
    for level in range(levels):
        middle = below.middle[0]
        if level not in forks:
            reach = below.width / 2 - 9
            middle += rng.uniform(-reach, reach)
            below = build.block(middle, below.top, 2 * rng.randint(15, 24), rng.randint(20, 26))
            continue
        way, length = rng.choice((-1, 1)), 2 * rng.randint(40, 54)
        middle += way * rng.uniform(0, 26)
        if rng.random() < 0.5:
            below = build.put("plank", round(middle - length / 2), below.top, length, PLANK)
        else:
            below = build.block(middle, below.top, length, rng.randint(18, 22))
        (middle, _), bottom = below.middle, below.top
        build.block(middle + way * (length / 2 - 17), bottom, 2 * rng.randint(14, 17), rng.randint(20, 24))
        middle -= way * rng.uniform(6, length / 2 - 22)
        below = build.block(middle, bottom, 2 * rng.randint(15, 20), rng.randint(20, 24))


LOWER: dict[str, Callable[[Structure], None]] = {"tower": tower, "bridge": bridge, "balance": balance, "lean": lean}
"""Structures that stand on the table."""
UPPER: dict[str, Callable[[Structure], None]] = {"shelf": shelf, "hanging": hanging, "swing": swing}
"""Structures that are fixed above the table."""
ASKED_FOR: dict[str, Callable[[Structure], None]] = {"chain": chain, "pile": pile}
"""Structures that are built only on request; a chain hangs, and a pile stands on the table."""
_STANDING = frozenset({*LOWER, "pile"})


def _shifted(world: Supports, dx: float, dy: float) -> Supports:
    """Return the world moved by `dx` to the right and `dy` down."""
    return Supports(
        tuple(replace(thing, left=thing.left + dx, top=thing.top + dy) for thing in world.things),
        tuple(replace(string, x=string.x + dx) for string in world.strings),
    )


def _corners(world: Supports) -> list[Point]:
    return [corner for thing in world.things for corner in thing.corners()]


DIFFICULTIES: dict[Difficulty, tuple[int, int]] = {"easy": (3, 6), "medium": (7, 9), "hard": (10, 14)}
"""The number of things in a world of each difficulty, apart from those on the floor."""
EDGE = 16
"""The minimum distance of things from the border of the picture."""
BEAM = 16
"""The lower edge of the beam that hooks are fixed to."""
_SHELF = 148
"""The lower edge of shelves. Things on strings must end above `_LOW`, and things on the table below it."""
_LOW = 172
_MOST_BELOW = 3
_GAP = 6
"""The number of pixels between things of one structure that do not touch."""


def build_supports(rng: Random, difficulty: Difficulty, having: Sequence[str] = ()) -> Supports:
    """Return a random world that is stable with a visible margin; `having` names structures that it must contain."""
    while True:
        world = _drawn(rng, difficulty, having)
        placed = on_the_floor(world, _lying(rng, rng.randint(0, 3))) if world else None
        coloured = _coloured(placed, rng) if placed else None
        if coloured:
            return coloured


def _drawn(rng: Random, difficulty: Difficulty, having: Sequence[str]) -> Supports | None:
    """Return structures side by side; None if there are too many of them or they are too wide."""
    least, most = DIFFICULTIES[difficulty]
    below = [_holding(name, rng) for name in having if name in _STANDING]
    above = [_holding(name, rng) for name in having if name not in _STANDING]
    while (number := sum(len(each.free) for each in (*below, *above))) < least:
        stands = not below or (len(below) < _MOST_BELOW and rng.random() < 0.6)
        (below if stands else above).append(_holding(rng.choice(list(LOWER if stands else UPPER)), rng))
    if number > most:
        return None
    spread = _spread(below, rng), _spread(above, rng)
    if spread[0] is None or spread[1] is None:
        return None
    things: list[WorldThing] = []
    strings: list[String] = []
    for structure, left in [*zip(below, spread[0], strict=True), *zip(above, spread[1], strict=True)]:
        kinds = {thing.kind for thing in structure.things}
        base = _SHELF if "shelf" in kinds else BEAM if "hook" in kinds else TABLE
        moved = _shifted(structure, left, base)
        mark = len(things)
        things += [replace(thing, id=f"{thing.id}.{mark}") for thing in moved.things]
        strings += [
            replace(tie, id=f"{tie.id}.{mark}", above=f"{tie.above}.{mark}", below=f"{tie.below}.{mark}")
            for tie in moved.strings
        ]
    return Supports(tuple(things), tuple(strings))


def _holding(name: str, rng: Random) -> Supports:
    """Return a random structure of this name that is stable by itself, with its left edge at 0."""
    base = TABLE if name in _STANDING else _SHELF if name == "shelf" else BEAM
    most = TABLE - _LOW - 6 if name in _STANDING else _LOW - BEAM - 10
    while True:
        build = Structure(rng)
        (LOWER | UPPER | ASKED_FOR)[name](build)
        structure = Supports(tuple(build.things), tuple(build.strings))
        structure = _shifted(structure, -min(x for x, _ in _corners(structure)), 0)
        heights = [y for _, y in _corners(structure)]
        world = _shifted(structure, 100, base)
        with suppress(Unclear):
            if max(heights) - min(heights) < most and _is_apart(world) and not fallen(world):
                return structure


def _is_apart(world: Supports) -> bool:
    """Return whether a viewer sees a gap between any two upright things that do not touch."""
    touching = {frozenset({contact.upper, contact.lower}) for contact in contacts(world)}
    upright = [thing for thing in world.things if not thing.turned]
    return all(
        frozenset({one.id, other.id}) in touching
        or max(one.left, other.left) - min(one.right, other.right) >= _GAP
        or max(one.top, other.top) - min(one.bottom, other.bottom) >= _GAP
        for one, other in combinations(upright, 2)
    )


def _spread(structures: list[Supports], rng: Random) -> list[int] | None:
    """Return the left edge of each structure, with random distances between them; None if there is no room."""
    widths = [max(x for x, _ in _corners(each)) for each in structures]
    spare = SIDE - 2 * EDGE - sum(width + 2 * MIN_GAP for width in widths)
    if spare < 0:
        return None
    cuts = sorted(rng.uniform(0, spare) for _ in structures)
    lefts, at, before = [], float(EDGE), 0.0
    for width, cut in zip(widths, cuts, strict=True):
        at += cut - before + MIN_GAP
        lefts.append(round(at))
        at, before = at + width + MIN_GAP, cut
    return lefts


def _lying(rng: Random, number: int) -> list[WorldThing]:
    """Return things that already lie on the floor."""
    found = []
    for nth in range(number):
        kind: Kind = "ball" if rng.random() < 0.3 else "block"
        width, height = (24, 24) if kind == "ball" else (2 * rng.randint(15, 20), rng.randint(22, 30))
        weight = 1 if kind == "ball" else rng.randint(1, 4)
        left = rng.randint(EDGE, SIDE - EDGE - width)
        found.append(WorldThing(f"f{nth}", kind, "", left, 0, width, height, weight, lies=True))
    return found


def _coloured(world: Supports, rng: Random) -> Supports | None:
    """Return the world with random colours, which differ for things that touch and for things of the same kind; None if
    there are not enough colours."""
    touching: dict[str, set[str]] = {thing.id: set() for thing in world.things}
    for contact in contacts(world):
        if contact.lower:
            touching[contact.upper].add(contact.lower)
            touching[contact.lower].add(contact.upper)
    colours: dict[str, str] = {}
    names: set[tuple[str, str]] = set()
    order = rng.sample(COLOURS, len(COLOURS))
    things = []
    for nth, thing in enumerate(world.things):
        if thing.is_fixed:
            things.append(replace(thing, colour="grey"))
            continue
        turn = order[nth % len(order) :] + order[: nth % len(order)]
        near = {colours.get(other) for other in touching[thing.id]}
        colour = next((each for each in turn if each not in near and (each, thing.kind) not in names), None)
        if colour is None:
            return None
        colours[thing.id] = colour
        names.add((colour, thing.kind))
        things.append(replace(thing, colour=colour))
    return replace(world, things=tuple(things), look=random_look(rng))
