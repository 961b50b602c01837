"""Changes of a table with discs, slightly different tables, and random tables."""

from math import atan2, cos, hypot, pi, sin
from random import Random

import msgspec
from msgspec.structs import replace

from countersight.worlds.building import Difficulty
from countersight.worlds.colours import COLOURS, random_look
from countersight.worlds.discs import FIELD, WALL, Disc, Discs, gaps, has_clear_arrows

APART = 12.0
"""Least initial distance between discs, and from the walls."""
NUMBERS: dict[Difficulty, tuple[int, int]] = {"easy": (5, 5), "medium": (6, 6), "hard": (7, 8)}
_MOVERS: dict[Difficulty, int] = {"easy": 1, "medium": 1, "hard": 2}
"""Discs that are pushed: where two move, nobody can tell by eye when they meet."""
_CLOSE = 6.0
"""The same, after a change."""
_VISIBLE = 3.0
"""Radii are tried so much larger and smaller: what two discs miss or hit each other by is then 6 pixels."""


class Take(msgspec.Struct, frozen=True, tag_field="kind", tag="take"):
    """Removes a disc."""

    id: str


class Put(msgspec.Struct, frozen=True, tag_field="kind", tag="put"):
    """Adds a disc to the table, or replaces one."""

    disc: Disc


DiscChange = Take | Put


def changed_discs(world: Discs, change: DiscChange) -> Discs:
    """Return the table with the change made, before anything moves."""
    gone = change.id if isinstance(change, Take) else change.disc.id
    kept = tuple(disc for disc in world.discs if disc.id != gone)
    return replace(world, discs=kept if isinstance(change, Take) else (*kept, change.disc))


def jittered_discs(world: Discs, rng: Random) -> Discs:
    """Return the table with small changes of position, speed and mass."""

    def moved(disc: Disc) -> Disc:
        faster = 1 + rng.uniform(-0.02, 0.02)
        return replace(
            disc,
            x=disc.x + rng.uniform(-1, 1),
            y=disc.y + rng.uniform(-1, 1),
            vx=disc.vx * faster,
            vy=disc.vy * faster,
            weight=disc.weight * (1 + rng.uniform(-0.02, 0.02)),
        )

    return replace(world, discs=tuple(map(moved, world.discs)))


def beside_discs(world: Discs) -> list[Discs]:
    """Return the table with all discs visibly smaller, and with all discs visibly larger."""
    return [
        replace(world, discs=tuple(replace(disc, radius=disc.radius + more) for disc in world.discs))
        for more in (-_VISIBLE, _VISIBLE)
    ]


def build_discs(rng: Random, difficulty: Difficulty) -> Discs:
    """Return a random table: a few discs are pushed, most of them towards another."""
    number = rng.randint(*NUMBERS[difficulty])
    while True:
        colours = rng.sample(COLOURS, number)
        discs = tuple(_placed(rng, nth, colour) for nth, colour in enumerate(colours))
        world = Discs(discs, random_look(rng))
        if any(gap < APART for gap in gaps(world)):
            continue
        world = replace(world, discs=tuple(_pushed(rng, discs, _MOVERS[difficulty])))
        if has_clear_arrows(world):
            return world


def _placed(rng: Random, nth: int, colour: str) -> Disc:
    radius = rng.randint(17, 24)
    low, high = round(WALL + radius + APART), round(FIELD - WALL - radius - APART)
    return Disc(f"d{nth}", colour, rng.randint(low, high), rng.randint(low, high), radius, weight=rng.randint(1, 4))


def _pushed(rng: Random, discs: tuple[Disc, ...], number: int) -> list[Disc]:
    """Return the discs, this many of which move, towards another disc or past it."""
    moving = set(rng.sample(range(len(discs)), number))
    return [aimed(rng, disc, discs) if nth in moving else disc for nth, disc in enumerate(discs)]


def aimed(rng: Random, disc: Disc, discs: tuple[Disc, ...]) -> Disc:
    """Return the disc pushed roughly towards another disc, about as far as that disc or farther."""
    goal = rng.choice([other for other in discs if other.id != disc.id])
    angle = atan2(goal.y - disc.y, goal.x - disc.x) + rng.gauss(0, 0.12)
    length = min(380.0, hypot(goal.x - disc.x, goal.y - disc.y) * rng.uniform(0.8, 2.2))
    return pushed(disc, angle, max(100.0, length))


def pushed(disc: Disc, angle: float, length: float) -> Disc:
    """Return the disc pushed in a direction, in whole pixels."""
    return replace(disc, vx=float(round(cos(angle) * length)), vy=float(round(sin(angle) * length)))


def new_disc(colour: str, beside: Disc, side: str) -> Disc:
    """Return a disc as large as another, to its left or right, with room for one more between them."""
    x = beside.x + (4 if side == "right" else -4) * beside.radius
    return Disc("new", colour, x, beside.y, beside.radius, weight=2)


def shifted_disc(disc: Disc, way: str) -> Disc:
    """Return the disc moved by its own width left, right, up or down."""
    across, down = {"left": (-2, 0), "right": (2, 0), "up": (0, -2), "down": (0, 2)}[way]
    return replace(disc, x=disc.x + across * disc.radius, y=disc.y + down * disc.radius)


def faster(disc: Disc, factor: float) -> Disc:
    """Return the disc pushed at a multiple of its speed."""
    return replace(disc, vx=disc.vx * factor, vy=disc.vy * factor)


def has_room(world: Discs) -> bool:
    """Whether all discs and arrows of a changed table are apart."""
    return all(gap >= _CLOSE for gap in gaps(world)) and has_clear_arrows(world)


def turned(disc: Disc, quarters: int) -> Disc:
    """Return the disc with its push turned clockwise by `quarters` quarter turns."""
    return pushed(disc, atan2(disc.vy, disc.vx) + quarters * pi / 2, hypot(disc.vx, disc.vy))
