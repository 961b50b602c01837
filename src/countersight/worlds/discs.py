"""Discs on a table with walls, event by event: no time step, so that what is not touched keeps its bits.

Every disc is slowed down by a force that grows with its speed. Counted not in seconds but in τ, the share of its way
that a disc has gone, all of them then move straight and evenly from τ = 0 to τ = 1, when they have come to rest. The
next collision of two is the root of a quadratic; a collision changes the two that meet, and nothing else.
"""

from collections.abc import Iterator
from itertools import combinations
from math import hypot, sqrt
from typing import Annotated, Literal, NamedTuple

import msgspec

from countersight.errors import Unclear
from countersight.worlds.things import Look

WALL = 22
"""How wide the wall around the table is."""
FIELD = 448
BOUNCE = 0.8
"""How much of their speed two discs, or a disc and a wall, fly apart with."""
ARROW = 1 / 3
"""How long an arrow is, as a part of the way that its disc would slide."""
_POINTS = 12
_MOST = 200
"""Events in a world; ours have a handful."""
Side = Literal["left", "right", "top", "bottom"]
Place = Annotated[float, msgspec.Meta(ge=-4096, le=8192)]


class Disc(msgspec.Struct, frozen=True):
    """A disc, and how far it would slide if nothing were in its way."""

    id: str
    colour: str
    x: Place
    y: Place
    radius: Annotated[float, msgspec.Meta(gt=0, le=1000)]
    vx: Place = 0.0
    vy: Place = 0.0
    weight: Annotated[float, msgspec.Meta(gt=0, le=10)] = 1

    @property
    def name(self) -> str:
        """What questions call it."""
        return f"{self.colour} disc"

    @property
    def kind(self) -> str:
        """What all of them are."""
        return "disc"


class Discs(msgspec.Struct, frozen=True, tag_field="world", tag="discs"):
    """A table with discs on it, some of which have just been pushed."""

    discs: Annotated[tuple[Disc, ...], msgspec.Meta(max_length=50)]
    look: Look = Look()

    def disc(self, id: str) -> Disc:
        """The disc of that id."""
        return next(disc for disc in self.discs if disc.id == id)


class Track(NamedTuple):
    """A straight part of a disc's way: where it begins, when, and how fast."""

    since: float
    x: float
    y: float
    vx: float
    vy: float

    def at(self, when: float) -> tuple[float, float]:
        """Where the disc is at that time."""
        return self.x + self.vx * (when - self.since), self.y + self.vy * (when - self.since)


class Event(NamedTuple):
    """A disc meets another, or a wall."""

    when: float
    disc: str
    other: str
    """The id of a disc, or the name of a wall."""
    is_wall: bool


class Motion(msgspec.Struct, frozen=True):
    """All that happens."""

    events: tuple[Event, ...]
    tracks: dict[str, tuple[Track, ...]]

    def at(self, disc: str, when: float) -> tuple[float, float]:
        """Where a disc is at a time from 0 to 1."""
        track = [each for each in self.tracks[disc] if each.since <= when][-1]
        return track.at(when)

    def hit_by(self, disc: str) -> list[str]:
        """The discs that a disc meets, in order."""
        return [
            event.other if event.disc == disc else event.disc
            for event in self.events
            if not event.is_wall and disc in (event.disc, event.other)
        ]

    def reaches_wall(self, disc: str) -> bool:
        """Whether a disc meets a wall."""
        return any(event.is_wall and event.disc == disc for event in self.events)

    def moved(self) -> set[str]:
        """The discs that moved at all."""
        return {name for name, tracks in self.tracks.items() if any(track.vx or track.vy for track in tracks)}


def motion(world: Discs) -> Motion:
    """What happens on the table; the same whatever the order of the discs."""
    discs = {disc.id: disc for disc in sorted(world.discs, key=lambda disc: disc.id)}
    tracks = {name: [Track(0.0, disc.x, disc.y, disc.vx, disc.vy)] for name, disc in discs.items()}
    coming = {frozenset(pair): _meeting(*pair, discs, tracks) for pair in combinations(discs, 2)}
    coming |= {frozenset((name,)): _bouncing(discs[name], tracks[name][-1]) for name in discs}
    events: list[Event] = []
    while event := min((each for each in coming.values() if each), default=None):
        if len(events) == _MOST:
            raise Unclear("discs that lie too near to each other never stop touching")
        events.append(event)
        met = (event.disc,) if event.is_wall else (event.disc, event.other)
        (_bounce if event.is_wall else _collide)(event, discs, tracks)
        for name in met:
            coming[frozenset((name,))] = _bouncing(discs[name], tracks[name][-1])
            for other in discs:
                if other != name:
                    pair = sorted((name, other))
                    coming[frozenset(pair)] = _meeting(pair[0], pair[1], discs, tracks)
    return Motion(tuple(events), {name: tuple(each) for name, each in tracks.items()})


def _meeting(one: str, other: str, discs: dict[str, Disc], tracks: dict[str, list[Track]]) -> Event | None:
    """When two discs touch next. It follows from their two tracks alone: no third disc can change a bit of it."""
    first, second = tracks[one][-1], tracks[other][-1]
    since = max(first.since, second.since)
    (x, y), (x2, y2) = first.at(since), second.at(since)
    dx, dy, vx, vy = x2 - x, y2 - y, second.vx - first.vx, second.vy - first.vy
    nearing = dx * vx + dy * vy
    if nearing >= 0:
        return None
    speed = vx * vx + vy * vy
    gap = dx * dx + dy * dy - (discs[one].radius + discs[other].radius) ** 2
    root = nearing * nearing - speed * gap
    if root <= 0:
        return None
    when = since + max(0.0, gap / (sqrt(root) - nearing))
    return Event(when, one, other, False) if when < 1 else None


def _bouncing(disc: Disc, track: Track) -> Event | None:
    """When a disc touches a wall next."""
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
    """Both ends of a moving disc's arrow: from its edge, a third as long as the way that it would slide."""
    length = hypot(disc.vx, disc.vy)
    across, down = disc.vx / length, disc.vy / length
    x, y = disc.x + across * (disc.radius + 2), disc.y + down * (disc.radius + 2)
    return (x, y), (x + disc.vx * ARROW, y + disc.vy * ARROW)


def has_clear_arrows(world: Discs) -> bool:
    """Whether no arrow reaches another disc, another arrow or a wall."""
    taken: list[tuple[str, float, float, float]] = [(disc.id, disc.x, disc.y, disc.radius) for disc in world.discs]
    for disc in world.discs:
        if disc.vx or disc.vy:
            (x, y), (tip_x, tip_y) = arrow(disc)
            steps = [nth / _POINTS for nth in range(_POINTS + 1)]
            taken += [(disc.id, x + (tip_x - x) * part, y + (tip_y - y) * part, 4.0) for part in steps]
    inside = all(min(x, y) > WALL + 6 and max(x, y) < FIELD - WALL - 6 for _, x, y, _ in taken)
    return inside and all(
        one == other or hypot(x - x2, y - y2) > size + size2 + 4
        for (one, x, y, size), (other, x2, y2, size2) in combinations(taken, 2)
    )


def gaps(world: Discs) -> Iterator[float]:
    """How far apart any two discs are, and each is from the walls."""
    for one, other in combinations(world.discs, 2):
        yield hypot(one.x - other.x, one.y - other.y) - one.radius - other.radius
    for disc in world.discs:
        yield min(disc.x, disc.y, FIELD - disc.x, FIELD - disc.y) - WALL - disc.radius
