"""Discs on a table with walls, simulated event by event; changes to tables, and random tables.

There is no time step, so discs that are not hit keep exactly the same values. Every disc is slowed down in proportion
to its speed. Time is therefore counted not in seconds but in τ, the share of its distance that a disc has covered: all
discs move at constant speed from τ = 0 to τ = 1, when they come to rest. The next collision of two discs is the root of
a quadratic equation, and changes only these two.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import atan2, cos, hypot, pi, sin, sqrt
from random import Random
from typing import Annotated, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from countersight.errors import Unclear
from countersight.worlds.things import COLOURS, Difficulty, Look, random_look

WALL = 22
"""The width of the wall around the table."""
FIELD = 448
BOUNCE = 0.8
"""The share of the relative speed that is left after a collision of two discs, or of a disc and a wall."""
ARROW = 1 / 3
"""The length of an arrow, as a share of the distance that its disc would slide."""
_ARROW_CHECKPOINTS = tuple(nth / 12 for nth in range(13))
"""The points of an arrow at which it is checked for obstacles, as shares of its length."""
_MAX_EVENTS = 200
"""The maximum number of events in a world; generated worlds have only a few."""
Side = Literal["left", "right", "top", "bottom"]
Coordinate = Annotated[float, msgspec.Meta(ge=-4096, le=8192)]


class Disc(msgspec.Struct, frozen=True):
    """A disc; its velocity is the distance that it would slide without obstacles."""

    id: str
    colour: str
    x: Coordinate
    y: Coordinate
    radius: Annotated[float, msgspec.Meta(gt=0, le=1000)]
    vx: Coordinate = 0.0
    vy: Coordinate = 0.0
    weight: Annotated[float, msgspec.Meta(gt=0, le=10)] = 1

    @property
    def name(self) -> str:
        """The name used in questions."""
        return f"{self.colour} disc"

    @property
    def kind(self) -> str:
        """The kind used in names of things; always "disc"."""
        return "disc"

    @property
    def is_pushed(self) -> bool:
        """Whether it has a velocity."""
        return bool(self.vx or self.vy)


class Discs(msgspec.Struct, frozen=True, tag_field="world", tag="discs"):
    """A table with discs, some of which have just been pushed."""

    discs: Annotated[tuple[Disc, ...], msgspec.Meta(max_length=50)]
    look: Look = Look()

    def disc(self, id: str) -> Disc:
        """Return the disc with this id."""
        return next(disc for disc in self.discs if disc.id == id)


class Track(NamedTuple):
    """A straight part of a disc's path: where and when it begins, and its velocity."""

    since: float
    x: float
    y: float
    vx: float
    vy: float

    def at(self, when: float) -> tuple[float, float]:
        """Return the position of the disc at a time."""
        return self.x + self.vx * (when - self.since), self.y + self.vy * (when - self.since)


class Event(NamedTuple):
    """A collision of a disc with another disc or a wall."""

    when: float
    disc: str
    other: str
    """The id of a disc, or the name of a wall."""
    is_wall: bool


class Motion(msgspec.Struct, frozen=True):
    """The paths and collisions of all discs on a table."""

    events: tuple[Event, ...]
    tracks: dict[str, tuple[Track, ...]]

    def at(self, disc: str, when: float) -> tuple[float, float]:
        """Return the position of a disc at a time from 0 to 1."""
        track = [each for each in self.tracks[disc] if each.since <= when][-1]
        return track.at(when)

    def hit_by(self, disc: str) -> list[str]:
        """Return the discs that collide with a disc, in order."""
        return [
            event.other if event.disc == disc else event.disc
            for event in self.events
            if not event.is_wall and disc in (event.disc, event.other)
        ]

    def reaches_wall(self, disc: str) -> bool:
        """Return whether a disc collides with a wall."""
        return any(event.is_wall and event.disc == disc for event in self.events)

    def length(self, disc: str) -> float:
        """Return the length of the path of a disc."""
        ends = [*(track.since for track in self.tracks[disc][1:]), 1.0]
        tracks = zip(self.tracks[disc], ends, strict=True)
        return sum(hypot(track.vx, track.vy) * (end - track.since) for track, end in tracks)

    def moved(self) -> set[str]:
        """Return the discs that moved at all."""
        return {name for name, tracks in self.tracks.items() if any(track.vx or track.vy for track in tracks)}


@lru_cache(256)
def motion(world: Discs) -> Motion:
    """Return what happens on the table; it does not depend on the order of the discs."""
    discs = {disc.id: disc for disc in sorted(world.discs, key=lambda disc: disc.id)}
    tracks = {name: [Track(0.0, disc.x, disc.y, disc.vx, disc.vy)] for name, disc in discs.items()}
    upcoming = _next_events([name for name, disc in discs.items() if disc.is_pushed], discs, tracks)
    events: list[Event] = []
    while event := min(upcoming, default=None):
        if len(events) == _MAX_EVENTS:
            raise Unclear("discs are too close to each other to be simulated")
        events.append(event)
        met = (event.disc,) if event.is_wall else (event.disc, event.other)
        (_bounce if event.is_wall else _collide)(event, discs, tracks)
        # The next events of these discs are no longer valid, since they now move differently; all others are.
        upcoming = [each for each in upcoming if each.disc not in met and (each.is_wall or each.other not in met)]
        upcoming += _next_events(met, discs, tracks)
    return Motion(tuple(events), {name: tuple(each) for name, each in tracks.items()})


def _next_events(names: Sequence[str], discs: dict[str, Disc], tracks: dict[str, list[Track]]) -> list[Event]:
    """Return the next event of each of these discs, considering the walls and each other disc separately."""
    found = [event for name in names if (event := _next_wall_contact(discs[name], tracks[name][-1]))]
    for name in names:
        found += _next_disc_contacts(name, discs, tracks)
    return found


def _next_disc_contacts(name: str, discs: dict[str, Disc], tracks: dict[str, list[Track]]) -> Iterator[Event]:
    """Yield when a disc on a new track next touches each other disc.

    The time depends only on the two tracks and is bit for bit the same for both discs, so no third disc can change it.
    """
    since, x, y, vx, vy = tracks[name][-1]
    for other, disc in discs.items():
        before, x2, y2, vx2, vy2 = tracks[other][-1]
        dx, dy = x2 + vx2 * (since - before) - x, y2 + vy2 * (since - before) - y
        across, down = vx2 - vx, vy2 - vy
        nearing = dx * across + dy * down
        if nearing >= 0:
            continue
        gap = dx * dx + dy * dy - (discs[name].radius + disc.radius) ** 2
        root = nearing * nearing - (across * across + down * down) * gap
        if root <= 0:
            continue
        when = since + max(0.0, gap / (sqrt(root) - nearing))
        if when < 1:
            yield Event(when, min(name, other), max(name, other), False)


def _next_wall_contact(disc: Disc, track: Track) -> Event | None:
    """Return when a disc next touches a wall."""
    low, high = WALL + disc.radius, FIELD - WALL - disc.radius
    found: list[tuple[float, Side]] = []
    for place, speed, sides in ((track.x, track.vx, ("left", "right")), (track.y, track.vy, ("top", "bottom"))):
        if speed:
            side: Side = sides[0] if speed < 0 else sides[1]  # type: ignore[assignment]
            found.append((track.since + max(0.0, ((low if speed < 0 else high) - place) / speed), side))
    when, side = min(found, default=(1.0, "left"))
    return Event(when, disc.id, side, True) if when < 1 else None


def _collide(event: Event, discs: dict[str, Disc], tracks: dict[str, list[Track]]) -> None:
    one, other = discs[event.disc], discs[event.other]
    (x, y), (x2, y2) = tracks[one.id][-1].at(event.when), tracks[other.id][-1].at(event.when)
    apart = hypot(x2 - x, y2 - y)
    across, down = (x2 - x) / apart, (y2 - y) / apart
    first, second = tracks[one.id][-1], tracks[other.id][-1]
    nearing = (second.vx - first.vx) * across + (second.vy - first.vy) * down
    push = -(1 + BOUNCE) * nearing / (1 / one.weight + 1 / other.weight)
    for disc, track, place, sign in ((one, first, (x, y), -1), (other, second, (x2, y2), 1)):
        change = sign * push / disc.weight
        tracks[disc.id].append(Track(event.when, *place, track.vx + change * across, track.vy + change * down))


def _bounce(event: Event, discs: dict[str, Disc], tracks: dict[str, list[Track]]) -> None:
    track = tracks[event.disc][-1]
    x, y = track.at(event.when)
    across = event.other in ("left", "right")
    vx, vy = (-BOUNCE * track.vx, track.vy) if across else (track.vx, -BOUNCE * track.vy)
    tracks[event.disc].append(Track(event.when, x, y, vx, vy))


def arrow(disc: Disc) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return both ends of a moving disc's arrow: from its edge, a third as long as the distance that it would slide."""
    length = hypot(disc.vx, disc.vy)
    across, down = disc.vx / length, disc.vy / length
    x, y = disc.x + across * (disc.radius + 2), disc.y + down * (disc.radius + 2)
    return (x, y), (x + disc.vx * ARROW, y + disc.vy * ARROW)


def has_clear_arrows(world: Discs) -> bool:
    """Return whether no arrow reaches another disc, another arrow or a wall."""
    obstacles = [(nth, disc.x, disc.y, disc.radius) for nth, disc in enumerate(world.discs)]
    for nth, disc in enumerate(world.discs):
        if disc.is_pushed:
            (x, y), (tip_x, tip_y) = arrow(disc)
            if min(tip_x, tip_y) <= WALL + 6 or max(tip_x, tip_y) >= FIELD - WALL - 6:
                return False
            obstacles += [(nth, x + (tip_x - x) * part, y + (tip_y - y) * part, 4.0) for part in _ARROW_CHECKPOINTS]
    whose, x, y, size = np.array(obstacles).T[:, :, None]
    inside = (np.minimum(x, y) > WALL + 6) & (np.maximum(x, y) < FIELD - WALL - 6)
    apart = np.hypot(x - x.T, y - y.T) > size + size.T + 4
    return bool(inside.all() and (apart | (whose == whose.T)).all())


def gaps(world: Discs) -> Iterator[float]:
    """Return the distances between any two discs, and from each disc to the walls."""
    for one, other in combinations(world.discs, 2):
        yield hypot(one.x - other.x, one.y - other.y) - one.radius - other.radius
    for disc in world.discs:
        yield min(disc.x, disc.y, FIELD - disc.x, FIELD - disc.y) - WALL - disc.radius


MIN_INITIAL_GAP = 12.0
"""The minimum initial distance between discs, and from the walls."""
DISC_COUNTS: dict[Difficulty, tuple[int, int]] = {"easy": (6, 6), "medium": (7, 7), "hard": (8, 8)}
_PUSHED_DISCS: dict[Difficulty, int] = {"easy": 1, "medium": 1, "hard": 2}
"""The number of discs that are pushed; if two move, a viewer cannot judge when they meet."""
_MIN_GAP_AFTER_CHANGE = 6.0
"""The minimum distance between discs, and from the walls, after a change."""
_RADIUS_VARIATION = 3.0
"""The answer must stay the same if all radii are this many pixels larger or smaller."""


class RemoveDisc(msgspec.Struct, frozen=True, tag_field="kind", tag="take"):
    """Removes a disc."""

    id: str


class PutDisc(msgspec.Struct, frozen=True, tag_field="kind", tag="put"):
    """Adds a disc to the table, or replaces one."""

    disc: Disc


DiscChange = RemoveDisc | PutDisc


def apply_disc_change(world: Discs, change: DiscChange) -> Discs:
    """Return the table with the change made, before anything moves."""
    gone = change.id if isinstance(change, RemoveDisc) else change.disc.id
    kept = tuple(disc for disc in world.discs if disc.id != gone)
    return replace(world, discs=kept if isinstance(change, RemoveDisc) else (*kept, change.disc))


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


def resized_discs(world: Discs) -> list[Discs]:
    """Return the table with all discs visibly smaller, and with all discs visibly larger."""
    return [
        replace(world, discs=tuple(replace(disc, radius=disc.radius + more) for disc in world.discs))
        for more in (-_RADIUS_VARIATION, _RADIUS_VARIATION)
    ]


def build_discs(rng: Random, difficulty: Difficulty) -> Discs:
    """Return a random table: a few discs are pushed, most of them towards another disc."""
    number = rng.randint(*DISC_COUNTS[difficulty])
    while True:
        colours = rng.sample(COLOURS, number)
        discs = tuple(_placed(rng, nth, colour) for nth, colour in enumerate(colours))
        world = Discs(discs, random_look(rng))
        if any(gap < MIN_INITIAL_GAP for gap in gaps(world)):
            continue
        world = replace(world, discs=tuple(_pushed(rng, discs, _PUSHED_DISCS[difficulty])))
        if has_clear_arrows(world):
            return world


def _placed(rng: Random, nth: int, colour: str) -> Disc:
    radius = rng.randint(17, 24)
    low, high = round(WALL + radius + MIN_INITIAL_GAP), round(FIELD - WALL - radius - MIN_INITIAL_GAP)
    return Disc(f"d{nth}", colour, rng.randint(low, high), rng.randint(low, high), radius, weight=rng.randint(1, 4))


def _pushed(rng: Random, discs: tuple[Disc, ...], number: int) -> list[Disc]:
    """Return the discs after this many of them are pushed, each towards another disc or past it."""
    moving = set(rng.sample(range(len(discs)), number))
    return [aimed(rng, disc, discs) if nth in moving else disc for nth, disc in enumerate(discs)]


def aimed(rng: Random, disc: Disc, discs: tuple[Disc, ...]) -> Disc:
    """Return the disc with a push roughly towards another disc, about as far as that disc or farther."""
    goal = rng.choice([other for other in discs if other.id != disc.id])
    angle = atan2(goal.y - disc.y, goal.x - disc.x) + rng.gauss(0, 0.12)
    length = min(380.0, hypot(goal.x - disc.x, goal.y - disc.y) * rng.uniform(0.8, 2.2))
    return pushed(disc, angle, max(100.0, length))


def pushed(disc: Disc, angle: float, length: float) -> Disc:
    """Return the disc with a push in a direction, in whole pixels."""
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
    """Return the disc with a push at a multiple of its speed."""
    return replace(disc, vx=disc.vx * factor, vy=disc.vy * factor)


def has_room(world: Discs) -> bool:
    """Return whether all discs and arrows of a changed table are far enough apart."""
    return all(gap >= _MIN_GAP_AFTER_CHANGE for gap in gaps(world)) and has_clear_arrows(world)


def turned(disc: Disc, quarters: int) -> Disc:
    """Return the disc with its push turned clockwise by `quarters` quarter turns."""
    return pushed(disc, atan2(disc.vy, disc.vx) + quarters * pi / 2, hypot(disc.vx, disc.vy))
