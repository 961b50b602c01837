"""The equations of static equilibrium for a part of a world, solved by shifts of weights or as a linear programme."""

from collections.abc import Sequence
from functools import cache
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from countersight.worlds.things import Supports
from countersight.worlds.touching import UP, Contact, swinging

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_UNIT = 100.0
"""The unit of lengths in pixels, chosen so that forces and torques have similar magnitudes."""


class Variant(NamedTuple):
    """The world with all its weights shifted to the right by `shift`, and by anything within `reach` in addition."""

    rough: float = 1.0
    """Friction relative to the world itself."""
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
        """Return how far all weights of the part may be shifted while it stands, without a linear programme.

        None if one is needed: if something leans, or hangs from a single string together with things that do not.
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
"""The largest remainder of the artificial variables in a solution; right sides are of the order of 1."""
_GREEDY_STEPS = 60
"""Pivots that take the steepest column; later ones take the first that improves, which prevents cycles."""
_MAX_STEPS = 2_000


def feasible(matrices: Floats, sides: Floats) -> Bools:
    """Return for each programme whether some x ≥ 0 solves `matrix @ x = side` (first phase of the simplex method)."""
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
    """Return the constraints with non-negative right sides, and below them the costs of the artificial variables."""
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
