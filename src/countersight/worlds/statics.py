"""Static equilibrium with friction as small linear programmes: which things stay and which fall.

A thing and all that it carries stay if there are forces at their contacts, each within its cone of friction, that hold
every weight. A thing without such forces falls; then the rest is solved again, so that things that rested on it also
fall, unless something else still holds them.

Every verdict has a margin: it must be the same with all weights moved to either side by some pixels, and with a fifth
more or less friction. Otherwise the world is Unclear and has no verdict.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import inf
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from countersight.errors import Unclear
from countersight.worlds.things import Supports
from countersight.worlds.touching import UP, Contact, contacts, swinging

MARGIN = 6.0
"""The safety margin in pixels: the smallest difference that a viewer can see."""
_SLIPPERY, _ROUGH = 0.8, 1.25
"""Factors of friction; a viewer cannot distinguish the results from the world's own friction."""


def fallen(
    world: Supports,
    *gone: str,
    held: Iterable[str] = (),
    margin: float = MARGIN,
) -> frozenset[str]:
    """Return the ids of the things that fall without the things and strings in `gone`; things in `held` never fall.

    Raises Unclear if the verdict is within the margin.
    """
    kept = tuple(string for string in world.strings if string.id not in gone)
    if len(kept) < len(world.strings):
        world = replace(world, strings=kept)
    return _cached_solver(world, margin).fallen(gone, held)


@lru_cache(maxsize=16)
def _cached_solver(world: Supports, margin: float) -> "_StaticsSolver":
    return _StaticsSolver(world, margin)


class _StaticsSolver:
    """The contacts of a world, and the verdicts about its parts that are known so far.

    Sets of things and of contacts are integers with one bit per element, because a world may need thousands of
    verdicts.
    """

    def __init__(self, world: Supports, margin: float) -> None:
        self._margin = margin
        self._names = [thing.id for thing in world.things]
        self._bit = {name: 1 << nth for nth, name in enumerate(self._names)}
        self._free = self._bits(thing.id for thing in world.free)
        found = contacts(world)
        self._system = ForceSystem(world, found)
        self._touching: dict[int, int] = {}
        """The contacts in which each thing takes part."""
        self._held_by: dict[int, int] = {}
        """The contacts that push or hold each thing, or any thing of a part."""
        self._above: dict[int, int] = {}
        """The things that each thing pushes or holds."""
        for nth, contact in enumerate(found):
            acting, upper, lower = 1 << nth, self._bit[contact.upper], self._bit.get(contact.lower, 0)
            self._held_by[upper] = self._held_by.get(upper, 0) | acting
            self._above[lower] = self._above.get(lower, 0) | upper
            for end in (upper, lower):
                self._touching[end] = self._touching.get(end, 0) | acting
        self._all = (1 << len(found)) - 1
        self._falling_cache: dict[tuple[int, int], int] = {}
        self._verdict_cache: dict[tuple[int, int], bool | None] = {}

    def _bits(self, names: Iterable[str]) -> int:
        """Return a number in which the bits of these things are set."""
        return sum(self._bit.get(name, 0) for name in set(names))

    def fallen(self, gone: Iterable[str], held: Iterable[str]) -> frozenset[str]:
        """Return the things that fall, one after the other, if some things are gone and others are held."""
        lost = down = self._bits(gone)
        standing = self._free & ~self._bits(held) & ~lost
        while falling := self._first(standing, down):
            down |= falling
            standing &= ~falling
        return frozenset(self._names[each.bit_length() - 1] for each in _single_bits(down & ~lost))

    def _first(self, standing: int, fallen: int) -> int:
        if (standing, fallen) not in self._falling_cache:
            self._falling_cache[standing, fallen] = self._falling(standing, fallen)
        return self._falling_cache[standing, fallen]

    def _falling(self, standing: int, fallen: int) -> int:
        """Return the standing things that fall first; nothing rests on things that have already fallen."""
        there = self._all & ~self._of(self._touching, fallen)
        carries = {lower: self._above.get(lower, 0) & standing for lower in _single_bits(standing)}
        joined = dict(carries)
        for lower, uppers in carries.items():
            for upper in _single_bits(uppers):
                joined[upper] |= lower
        down, left = 0, standing
        while left:
            part = _reachable_bits(left & -left, joined)
            left &= ~part
            if not self._stands(part, there):
                down |= self._broken(part, carries, there)
        return down

    def _of(self, contacts: dict[int, int], things: int) -> int:
        """Return the contacts of these things."""
        found = 0
        for each in _single_bits(things):
            found |= contacts.get(each, 0)
        return found

    def _broken(self, part: int, carries: dict[int, int], there: int) -> int:
        """Return what falls first in a part that does not stand as a whole: each thing that does not stand with its
        load, unless something in the load does not stand either. Raises Unclear if the verdict about anything in the
        part is uncertain."""
        loads = {each: _reachable_bits(each, carries) for each in _single_bits(part)}
        verdicts = {each: self._stands(load, there) for each, load in loads.items()}
        failing = sum(each for each, stays in verdicts.items() if stays is False)
        if not failing or None in verdicts.values():
            raise Unclear("a few pixels decide whether it stays")
        return sum(each for each in _single_bits(failing) if not failing & loads[each] & ~each)

    def _stands(self, part: int, there: int) -> bool | None:
        """Return whether a part stays in place while everything else is held; None if a viewer could not tell."""
        if part not in self._held_by:
            self._held_by[part] = self._of(self._held_by, part)
        acting = there & self._held_by[part]
        if (part, acting) not in self._verdict_cache:
            names = sorted(self._names[each.bit_length() - 1] for each in _single_bits(part))
            self._verdict_cache[part, acting] = self._solved(
                names, [each.bit_length() - 1 for each in _single_bits(acting)]
            )
        return self._verdict_cache[part, acting]

    def _solved(self, part: list[str], acting: list[int]) -> bool | None:
        margin = self._margin
        shifts = self._system.shifts(part, acting)
        if shifts and shifts.low <= -margin and shifts.high >= margin:
            return True
        if shifts and shifts.exact:
            outside = shifts.low > margin or shifts.high < -margin or shifts.low > shifts.high
            return False if outside else None
        if not margin:
            return self._system.stands(part, acting)
        if all(self._system.stands(part, acting, _SLIPPERY, shift=way * margin) for way in (-1, 1)):
            return True
        return None if self._system.stands(part, acting, _ROUGH, reach=margin) else False


def _single_bits(bits: int) -> Iterator[int]:
    """Yield each bit of a number, the lowest first."""
    while bits:
        lowest = bits & -bits
        yield lowest
        bits ^= lowest


def _reachable_bits(start: int, steps: dict[int, int]) -> int:
    """Return all bits that can be reached from a bit."""
    found = waiting = start
    while waiting:
        lowest = waiting & -waiting
        waiting ^= lowest
        new = steps[lowest] & ~found
        found |= new
        waiting |= new
    return found


Floats = NDArray[np.float64]

_UNIT = 100.0
"""The unit of lengths in pixels, chosen so that forces and torques have similar magnitudes."""


class Shifts(NamedTuple):
    """The range of weight shifts at which a part stands; empty if low is above high."""

    low: float
    high: float
    exact: bool
    """Whether the part certainly falls outside the range; otherwise this is not known."""


class ForceSystem:
    """The contacts and weights of a world."""

    def __init__(self, world: Supports, found: Sequence[Contact]) -> None:
        self._found = found
        self._things = {thing.id: thing for thing in world.things}
        self._friction = world.friction
        self._swinging = swinging(found)

    def shifts(self, part: list[str], acting: list[int]) -> Shifts | None:
        """Return how far all weights of the part may be shifted so that it still stands, without a linear programme.

        Return None if one is needed, because something leans, or hangs from a single string together with things that
        do not.
        """
        if self._swinging.issuperset(part):
            # Each thing balances itself, wherever its weight is, and stays if it has its string.
            reach = inf if {self._found[nth].upper for nth in acting}.issuperset(part) else -inf
            return Shifts(-reach, reach, exact=True)
        if any(self._found[nth].normal != UP or self._found[nth].upper in self._swinging for nth in acting):
            return None
        return self._resting_shifts(part, [self._found[nth] for nth in acting])

    def _resting_shifts(self, part: list[str], found: list[Contact]) -> Shifts:
        """Return the range of shifts for a part in which things only rest on each other."""
        below: dict[str, list[Contact]] = {name: [] for name in part}
        above: dict[str, list[Contact]] = {name: [] for name in part}
        for contact in found:
            below[contact.upper].append(contact)
            above.get(contact.lower, []).append(contact)
        # It is unknown how much of the load of these rests on each of the things below them.
        shared = {name for name in part if len({contact.lower for contact in below[name]}) > 1}

        loads: dict[str, tuple[float, float]] = {}

        def load(name: str) -> tuple[float, float]:
            if name not in loads:
                thing = self._things[name]
                weight, turning = thing.weight, thing.weight * thing.middle[0]
                for upper in sorted({contact.upper for contact in above[name]} - shared):
                    weight, turning = weight + load(upper)[0], turning + load(upper)[1]
                loads[name] = weight, turning
            return loads[name]

        low, high, exact = -inf, inf, True
        for name in part:
            weight, turning = load(name)
            middle = turning / weight if weight else self._things[name].middle[0]
            points = [contact.at[0] for contact in below[name]]
            least, most = min(points, default=inf), max(points, default=-inf)
            uncertain = [contact.at[0] for contact in above[name] if contact.upper in shared]
            is_safe = all(least <= at <= most for at in uncertain)  # no share of the loads could tip this
            low, high = max(low, least - middle if is_safe else inf), min(high, most - middle)
            exact = exact and not uncertain
        return Shifts(low, high, exact)

    def stands(
        self, part: list[str], acting: list[int], rough: float = 1.0, *, shift: float = 0.0, reach: float = 0.0
    ) -> bool:
        """Return whether these contacts can exert forces that hold the part, with friction relative to that of the
        world, and with all weights shifted to the right by `shift` plus any amount from -`reach` to `reach`."""
        matrix = np.zeros((3 * len(part) + 1, 2 * len(acting) + 3))
        side = np.zeros(len(matrix))
        self._pull(matrix, side, part, shift)
        # In the last three columns: how far the weights are shifted to the left or right, within reach.
        side[-1], matrix[-1, -3:] = reach, 1.0
        self._push(matrix, part, acting, rough * self._friction)
        return feasible(matrix, side)

    def _pull(self, matrix: Floats, side: Floats, part: list[str], shift: float) -> None:
        """Set the weights."""
        for row, name in enumerate(part):
            weight = self._things[name].weight
            # Things that swing from a string balance themselves, wherever their weight is.
            turning = 0.0 if name in self._swinging else weight / _UNIT
            side[3 * row + 1 : 3 * row + 3] = -weight, -turning * shift
            matrix[3 * row + 2, -3:-1] = turning, -turning

    def _push(self, matrix: Floats, part: list[str], acting: list[int], friction: float) -> None:
        """Set the two edges of the friction cone of every contact; a string has no friction and only pulls."""
        rows = {name: 3 * nth for nth, name in enumerate(part)}
        for column, nth in enumerate(acting):
            contact = self._found[nth]
            (across, down), slope = contact.normal, friction * contact.has_friction
            for edge, side in enumerate((slope, -slope)):
                force = across - side * down, down + side * across
                for name, at, sign in ((contact.upper, contact.at, 1), (contact.lower, contact.below, -1)):
                    if name in rows:
                        row, (x, y) = rows[name], self._things[name].middle
                        turning = ((at[0] - x) * force[1] - (at[1] - y) * force[0]) / _UNIT
                        matrix[row : row + 3, 2 * column + edge] = sign * force[0], sign * force[1], sign * turning


_TOLERANCE = 1e-9
_FEASIBILITY_TOLERANCE = 1e-7
"""The largest remainder of the artificial variables in a solution; right sides are on the order of 1."""
_GREEDY_STEPS = 60
"""The number of pivots that use the steepest column; later ones use the first that improves, which prevents cycles."""
_MAX_STEPS = 2_000


def feasible(matrix: Floats, side: Floats) -> bool:
    """Return whether some x ≥ 0 solves `matrix @ x = side` (first phase of the simplex method)."""
    rows, columns = matrix.shape
    signs = np.where(side < 0, -1.0, 1.0)
    table = np.empty((rows + 1, columns + 1))  # below the constraints, the costs of the artificial variables
    table[:-1, :-1] = matrix * signs[:, None]
    table[:-1, -1] = side * signs
    table[-1] = -table[:-1].sum(axis=0)
    costs, right_sides = table[-1, :-1], table[:-1, -1]
    basis = list(range(columns, columns + rows))
    for step in range(_MAX_STEPS):
        entering = int(costs.argmin() if step < _GREEDY_STEPS else (costs < -_TOLERANCE).argmax())
        if costs[entering] >= -_TOLERANCE:
            break
        column = table[:-1, entering].tolist()
        steps = [
            (side / by, row)
            for row, (side, by) in enumerate(zip(right_sides.tolist(), column, strict=True))
            if by > _TOLERANCE
        ]
        if not steps:
            break
        nearest = min(steps)[0]
        # Ties go to the first variable, which prevents cycles.
        leaving = min((row for far, row in steps if far <= nearest + _TOLERANCE), key=basis.__getitem__)
        pivot = table[leaving] / column[leaving]
        table -= table[:, entering, None] * pivot
        table[leaving] = pivot
        basis[leaving] = entering
    return bool(-table[-1, -1] < _FEASIBILITY_TOLERANCE)
