"""Build random worlds of supports: structures side by side that are certain to hold."""

from collections.abc import Sequence
from itertools import combinations
from random import Random
from typing import Literal

from msgspec.structs import replace

from countersight.errors import Unclear
from countersight.worlds.colours import COLOURS, random_look
from countersight.worlds.floor import on_the_floor
from countersight.worlds.statics import fallen
from countersight.worlds.structures import APART, LOWER, UPPER, FinishedStructure, built, shifted
from countersight.worlds.things import SIDE, TABLE, Kind, String, Supports, WorldThing
from countersight.worlds.touching import contacts

Difficulty = Literal["easy", "medium", "hard"]
DIFFICULTIES: dict[Difficulty, tuple[int, int]] = {"easy": (3, 6), "medium": (7, 9), "hard": (10, 14)}
"""The number of things in a world of each difficulty, apart from those on the floor."""
LEVELS: tuple[Difficulty, ...] = ("easy", "medium", "hard")
EDGE = 16
"""Least distance of things from the border of the picture."""
BEAM = 16
"""The lower edge of the beam that hooks are fixed to."""
_SHELF = 148
"""Where shelves are; what hangs ends above _LOW, and what stands on the table below it."""
_LOW = 172
_MOST_BELOW = 3
_GAP = 6
"""Pixels between things of one structure that do not touch."""


def build_supports(rng: Random, difficulty: Difficulty, having: Sequence[str] = ()) -> Supports:
    """Return a random world that holds with a visible margin; `having` names structures that it must contain."""
    while True:
        world = _drawn(rng, difficulty, having)
        placed = on_the_floor(world, _lying(rng, rng.randint(0, 3))) if world else None
        coloured = _coloured(placed, rng) if placed else None
        if coloured:
            return coloured


def holds(world: Supports) -> bool:
    """Whether it is certain that nothing in the world falls."""
    try:
        return not fallen(world)
    except Unclear:
        return False


def _drawn(rng: Random, difficulty: Difficulty, having: Sequence[str]) -> Supports | None:
    """Structures side by side, or None where they are too many or too wide."""
    least, most = DIFFICULTIES[difficulty]
    below = [_holding(name, rng) for name in having if name in LOWER]
    above = [_holding(name, rng) for name in having if name not in LOWER]
    while (number := sum(each.free for each in (*below, *above))) < least:
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
        more, ties = shifted(structure.things, structure.strings, left, base)
        mark = len(things)
        things += [replace(thing, id=f"{thing.id}.{mark}") for thing in more]
        strings += [
            replace(tie, id=f"{tie.id}.{mark}", above=f"{tie.above}.{mark}", below=f"{tie.below}.{mark}")
            for tie in ties
        ]
    return Supports(tuple(things), tuple(strings))


def _holding(name: str, rng: Random) -> FinishedStructure:
    """A structure that holds by itself."""
    while True:
        structure = built(name, rng)
        base = TABLE if name in LOWER else _SHELF if name == "shelf" else BEAM
        high = TABLE - _LOW - 6 if name in LOWER else _LOW - BEAM - 10
        world = Supports(*shifted(structure.things, structure.strings, 100, base))
        if structure.height < high and _is_apart(world) and holds(world):
            return structure


def _is_apart(world: Supports) -> bool:
    """Whether a viewer sees a gap between any two upright things that do not touch."""
    touching = {frozenset({contact.upper, contact.lower}) for contact in contacts(world)}
    upright = [thing for thing in world.things if not thing.turned]
    return all(
        frozenset({one.id, other.id}) in touching
        or max(one.left, other.left) - min(one.right, other.right) >= _GAP
        or max(one.top, other.top) - min(one.bottom, other.bottom) >= _GAP
        for one, other in combinations(upright, 2)
    )


def _spread(structures: list[FinishedStructure], rng: Random) -> list[int] | None:
    """Where each structure begins, from left to right, with chance in the distances between them."""
    spare = SIDE - 2 * EDGE - sum(each.width + 2 * APART for each in structures)
    if spare < 0:
        return None
    cuts = sorted(rng.uniform(0, spare) for _ in structures)
    lefts, at, before = [], float(EDGE), 0.0
    for structure, cut in zip(structures, cuts, strict=True):
        at += cut - before + APART
        lefts.append(round(at))
        at, before = at + structure.width + APART, cut
    return lefts


def _lying(rng: Random, number: int) -> list[WorldThing]:
    """What lies on the floor already."""
    found = []
    for nth in range(number):
        kind: Kind = "ball" if rng.random() < 0.3 else "block"
        width, height = (24, 24) if kind == "ball" else (2 * rng.randint(15, 20), rng.randint(22, 30))
        weight = 1 if kind == "ball" else rng.randint(1, 4)
        left = rng.randint(EDGE, SIDE - EDGE - width)
        found.append(WorldThing(f"f{nth}", kind, "", left, 0, width, height, weight, lies=True))
    return found


def _coloured(world: Supports, rng: Random) -> Supports | None:
    """Every thing in a colour that no other of its kind has, and none that touches it; None where they run out."""
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
