"""Static equilibrium with friction as small linear programmes: which things stay and which fall.

A thing and all that it carries stay if there are forces at their contacts, each within its cone of friction, that hold
every weight. A thing without such forces falls; then the rest is solved again, so that things that rested on it also
fall, unless something else still holds them.

Every verdict has a margin: it must be the same with all weights moved to either side by some pixels, and with a fifth
more or less friction. Otherwise the world is Unclear and has no verdict.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
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
"""Friction relative to the world's own, which a viewer cannot distinguish from it."""


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

    Sets of things and of contacts are integers with one bit each, because thousands of verdicts may be needed for a
    world.
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
        """The contacts that push or hold each thing."""
        self._above: dict[int, list[tuple[int, int]]] = {}
        """The contacts by which each thing pushes or holds others, each with that other thing."""
        for nth, contact in enumerate(found):
            acting, upper, lower = 1 << nth, self._bit[contact.upper], self._bit.get(contact.lower, 0)
            self._held_by[upper] = self._held_by.get(upper, 0) | acting
            self._above.setdefault(lower, []).append((acting, upper))
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
        carries = dict.fromkeys(_single_bits(standing), 0)
        joined = dict(carries)
        for lower in carries:
            for acting, upper in self._above.get(lower, ()):
                if acting & there and upper & standing:
                    carries[lower] |= upper
                    joined[lower] |= upper
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
        acting = there & self._of(self._held_by, part)
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
            return self._system.stands(part, acting, [Variant()])[0]
        safe = [Variant(_SLIPPERY, shift=way * margin) for way in (-1, 1)]
        loose = Variant(_ROUGH, reach=margin)
        to_the_left, to_the_right, somewhere = self._system.stands(part, acting, [*safe, loose])
        if to_the_left and to_the_right:
            return True
        return None if somewhere else False


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
Bools = NDArray[np.bool_]

_UNIT = 100.0
"""The unit of lengths in pixels, chosen so that forces and torques have similar magnitudes."""


class Variant(NamedTuple):
    """The world with all weights shifted to the right by `shift` plus any amount from -`reach` to `reach`."""

    rough: float = 1.0
    """Friction relative to that of the world."""
    shift: float = 0.0
    reach: float = 0.0


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

        @cache
        def load(name: str) -> tuple[float, float]:
            thing = self._things[name]
            weight, turning = thing.weight, thing.weight * thing.middle[0]
            for upper in sorted({contact.upper for contact in above[name]} - shared):
                weight, turning = weight + load(upper)[0], turning + load(upper)[1]
            return weight, turning

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

    def stands(self, part: list[str], acting: list[int], variants: Sequence[Variant]) -> list[bool]:
        """Return whether these contacts can exert forces that hold the part, for each variant."""
        matrices = np.zeros((len(variants), 3 * len(part) + 1, 2 * len(acting) + 3))
        sides = np.zeros(matrices.shape[:2])
        for variant, matrix, side in zip(variants, matrices, sides, strict=True):
            self._pull(matrix, side, part, variant)
            self._push(matrix, part, acting, variant.rough * self._friction)
        verdicts: list[bool] = feasible(matrices, sides).tolist()
        return verdicts

    def _pull(self, matrix: Floats, side: Floats, part: list[str], variant: Variant) -> None:
        """Set the weights and, in the last three columns, how far they may be shifted to the left or right, within
        reach."""
        for row, name in enumerate(part):
            weight = self._things[name].weight
            # Things that swing from a string balance themselves, wherever their weight is.
            turning = 0.0 if name in self._swinging else weight / _UNIT
            side[3 * row + 1 : 3 * row + 3] = -weight, -turning * variant.shift
            matrix[3 * row + 2, -3:-1] = turning, -turning
        side[-1] = variant.reach
        matrix[-1, -3:] = 1.0

    def _push(self, matrix: Floats, part: list[str], acting: list[int], friction: float) -> None:
        """Set the two edges of the friction cone of every contact; a string has no friction and only pulls."""
        for column, nth in enumerate(acting):
            contact = self._found[nth]
            (across, down), slope = contact.normal, friction * contact.has_friction
            for edge, side in enumerate((slope, -slope)):
                force = across - side * down, down + side * across
                for name, at, sign in ((contact.upper, contact.at, 1), (contact.lower, contact.below, -1)):
                    if name in part:
                        row, (x, y) = 3 * part.index(name), self._things[name].middle
                        turning = ((at[0] - x) * force[1] - (at[1] - y) * force[0]) / _UNIT
                        matrix[row : row + 3, 2 * column + edge] = sign * force[0], sign * force[1], sign * turning


_TOLERANCE = 1e-9
_FEASIBILITY_TOLERANCE = 1e-7
"""The largest remainder of the artificial variables in a solution; right sides are on the order of 1."""
_GREEDY_STEPS = 60
"""Number of pivots that use the steepest column; later ones use the first that improves, which prevents cycles."""
_MAX_STEPS = 2_000


def feasible(matrices: Floats, sides: Floats) -> Bools:
    """Return, for each programme, whether some x ≥ 0 solves `matrix @ x = side` (first phase of the simplex method)."""
    table = _tableau(matrices, sides)
    every = np.arange(len(table))
    basis = np.tile(np.arange(table.shape[1] - 1) + matrices.shape[2], (len(table), 1))
    for step in range(_MAX_STEPS):
        costs = table[:, -1, : matrices.shape[2]]
        entering = costs.argmin(axis=1) if step < _GREEDY_STEPS else (costs < -_TOLERANCE).argmax(axis=1)
        moving = costs[every, entering] < -_TOLERANCE
        if not moving.any():
            break
        rows = every[moving]
        _pivot(table, basis, rows, entering[moving])
    left: Bools = -table[:, -1, -1] < _FEASIBILITY_TOLERANCE
    return left


def _tableau(matrices: Floats, sides: Floats) -> Floats:
    """Return the constraints with non-negative right sides and, below them, the costs of the artificial variables."""
    programmes, rows, columns = matrices.shape
    table = np.zeros((programmes, rows + 1, columns + 1))
    signs = np.where(sides < 0, -1.0, 1.0)
    table[:, :-1, :-1] = matrices * signs[:, :, None]
    table[:, :-1, -1] = sides * signs
    table[:, -1] = -table[:, :-1].sum(axis=1)
    return table


def _pivot(table: Floats, basis: NDArray[np.int64], rows: NDArray[np.int64], entering: NDArray[np.int64]) -> None:
    """Make one step in each unfinished programme; ties go to the first variable, which prevents cycles."""
    column = table[rows, :-1, entering]
    steps = np.full(column.shape, np.inf)
    np.divide(table[rows, :-1, -1], column, out=steps, where=column > _TOLERANCE)
    nearest = steps.min(axis=1, keepdims=True)
    ties = np.where(steps <= nearest + _TOLERANCE, basis[rows], np.iinfo(np.int64).max)
    leaving = ties.argmin(axis=1)
    table[rows, leaving] /= table[rows, leaving, entering][:, None]
    factors = table[rows, :, entering]
    factors[np.arange(len(rows)), leaving] = 0.0
    table[rows] -= factors[:, :, None] * table[rows, leaving][:, None, :]
    basis[rows, leaving] = entering
