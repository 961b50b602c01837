"""The equations of static equilibrium for a part of a world, for many slightly different worlds at once."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from countersight.errors import Unclear
from countersight.worlds.things import Supports, WorldThing
from countersight.worlds.touching import UP, Contact, contacts_near, swinging

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_UNIT = 100.0
"""The unit of lengths in pixels, chosen so that forces and torques have similar magnitudes."""


class Variant(NamedTuple):
    """One of the worlds with all its weights shifted to the right by `shift`, and by anything within `reach` in
    addition."""

    world: int
    rough: float = 1.0
    """Friction relative to the world itself."""
    shift: float = 0.0
    reach: float = 0.0


class Shifts(NamedTuple):
    """The range of weight shifts at which a part stands, in each world; empty if low is above high."""

    low: list[float]
    high: list[float]
    exact: bool
    """Whether the part certainly falls outside the range; otherwise this is not known."""


class _Arrays(NamedTuple):
    """The arrays behind the equations, for all worlds at once: those of contacts, then those of things."""

    at: Floats
    below: Floats
    normal: Floats
    slope: Floats
    friction: Floats
    middle: Floats
    weight: Floats


class ForceSystem:
    """Contacts and weights of worlds with the same things in slightly different places."""

    def __init__(self, worlds: Sequence[Supports], found: Sequence[Contact]) -> None:
        self.worlds = len(worlds)
        self._found = found
        self._every = [found, *(_same_contacts(world, found) for world in worlds[1:])]
        self._things = [{thing.id: thing for thing in world.things} for world in worlds]
        self._friction = [world.friction for world in worlds]
        self._place = {name: nth for nth, name in enumerate(self._things[0])}
        self._swinging = swinging(found)

    def shifts(self, part: list[str], acting: list[int]) -> Shifts | None:
        """Return how far all weights of the part may be shifted while it stands, without a linear programme.

        None if one is needed: if something leans, or hangs from a single string together with things that do not.
        """
        if self._swinging.issuperset(part):
            return self._hanging(part, acting)
        if any(self._found[nth].normal != UP or self._found[nth].upper in self._swinging for nth in acting):
            return None
        resting = Resting(self._found, part, acting)
        ends = [resting.ends(things, found) for things, found in zip(self._things, self._every, strict=True)]
        return Shifts([low for low, _ in ends], [high for _, high in ends], resting.is_exact)

    def _hanging(self, part: list[str], acting: list[int]) -> Shifts:
        """Return the shifts of things that only hang: each balances itself, wherever its weight is, and stays if it has
        its string."""
        reach = inf if {self._found[nth].upper for nth in acting}.issuperset(part) else -inf
        return Shifts([-reach] * self.worlds, [reach] * self.worlds, exact=True)

    def stands(self, part: list[str], acting: list[int], variants: Sequence[Variant]) -> list[bool]:
        """Return whether these contacts can exert forces that hold the part, for each variant."""
        matrices = np.zeros((len(variants), 3 * len(part) + 1, 2 * len(acting) + 3))
        sides = np.zeros(matrices.shape[:2])
        self._pull(matrices, sides, part, variants)
        self._push(matrices, part, acting, variants)
        verdicts: list[bool] = feasible(matrices, sides).tolist()
        return verdicts

    @cached_property
    def _arrays(self) -> _Arrays:
        """The arrays of the linear programme, built only when needed: most worlds are solved by shifts alone."""
        points = np.array(
            [[(contact.at, contact.below, contact.normal) for contact in found] for found in self._every], float
        ).reshape(self.worlds, -1, 3, 2)
        things = [[here[name] for name in self._place] for here in self._things]
        return _Arrays(
            at=points[:, :, 0],
            below=points[:, :, 1],
            normal=points[:, :, 2],
            slope=np.array([float(contact.has_friction) for contact in self._found]),
            friction=np.array(self._friction),
            middle=np.array([[thing.middle for thing in here] for here in things], float),
            weight=np.array([[thing.weight for thing in here] for here in things], float),
        )

    def _pull(self, matrices: Floats, sides: Floats, part: list[str], variants: Sequence[Variant]) -> None:
        """Set the weights and, in the last three columns, how far they may be shifted to the left or right, within
        reach."""
        which, _, shift, reach = _columns(variants)
        weight = self._arrays.weight[which][:, [self._place[name] for name in part]]
        # Things that swing from a string balance themselves, wherever their weight is.
        turning = weight / _UNIT * [name not in self._swinging for name in part]
        sides[:, 1:-1:3] = -weight
        sides[:, 2:-1:3] = -turning * shift[:, None]
        sides[:, -1] = reach
        matrices[:, 2:-1:3, -3] = turning
        matrices[:, 2:-1:3, -2] = -turning
        matrices[:, -1, -3:] = 1.0

    def _push(self, matrices: Floats, part: list[str], acting: list[int], variants: Sequence[Variant]) -> None:
        """Set the two edges of the friction cone of every contact; a string has no friction and only pulls."""
        which, rough, _, _ = _columns(variants)
        arrays = self._arrays
        normal = arrays.normal[which][:, acting]
        slope = arrays.slope[acting] * (rough * arrays.friction[which])[:, None]
        across = np.stack([-normal[:, :, 1], normal[:, :, 0]], axis=2) * slope[:, :, None]
        uppers, lowers = ([getattr(self._found[nth], end) for nth in acting] for end in ("upper", "lower"))
        for names, points, sign in ((uppers, arrays.at, 1.0), (lowers, arrays.below, -1.0)):
            inside = [column for column, name in enumerate(names) if name in part]
            row = np.array([3 * part.index(names[column]) for column in inside], int)
            middle = arrays.middle[which][:, [self._place[names[column]] for column in inside]]
            arm = (points[which][:, [acting[column] for column in inside]] - middle) / _UNIT
            for edge, force in enumerate((normal + across, normal - across)):
                x, y = np.moveaxis(sign * force[:, inside], 2, 0)
                column = 2 * np.array(inside, int) + edge
                matrices[:, row, column] = x
                matrices[:, row + 1, column] = y
                matrices[:, row + 2, column] = arm[:, :, 0] * y - arm[:, :, 1] * x


def _same_contacts(world: Supports, found: Sequence[Contact]) -> Sequence[Contact]:
    """Return the contacts of a slightly different world; raises Unclear unless the same things touch."""
    near: dict[str, set[str]] = {thing.id: set() for thing in world.things}
    for contact in found:
        near[contact.upper].add(contact.lower)
    here = contacts_near(world, near)
    if [(one.upper, one.lower) for one in here] != [(one.upper, one.lower) for one in found]:
        raise Unclear("with a small shift, other objects would touch")
    return here


def _columns(variants: Sequence[Variant]) -> tuple[NDArray[np.int64], Floats, Floats, Floats]:
    which, rough, shift, reach = zip(*variants, strict=True)
    return np.array(which), np.array(rough), np.array(shift), np.array(reach)


class Resting:
    """The contacts below and above each thing of a part, by number; they are the same in all jitters."""

    def __init__(self, found: Sequence[Contact], part: list[str], acting: list[int]) -> None:
        self._found = found
        self._below: dict[str, list[int]] = {name: [] for name in part}
        self._above: dict[str, list[int]] = {name: [] for name in part}
        for nth in acting:
            self._below[found[nth].upper].append(nth)
            if found[nth].lower in self._above:
                self._above[found[nth].lower].append(nth)
        self._shared = {name: [nth for nth in above if self._is_shared(nth)] for name, above in self._above.items()}
        self._alone = {name: self._on_this_alone(name) for name in part}
        self._order = self._from_the_top()

    @property
    def is_exact(self) -> bool:
        """Whether nothing rests on several things of the part; otherwise the distribution of its weight is unknown."""
        return not any(self._shared.values())

    def ends(self, things: Mapping[str, WorldThing], found: Sequence[Contact]) -> tuple[float, float]:
        """Return the lowest and the highest shift at which everything in the part stands, in one world."""
        loads: dict[str, tuple[float, float]] = {}
        low, high = -inf, inf
        for name in self._order:
            weight = things[name].weight
            turning = weight * things[name].middle[0]
            for upper in self._alone[name]:
                weight, turning = weight + loads[upper][0], turning + loads[upper][1]
            loads[name] = weight, turning
            middle = turning / weight if weight else things[name].middle[0]
            points = [found[nth].at[0] for nth in self._below[name]]
            least, most = min(points, default=inf), max(points, default=-inf)
            # It is unknown how much of a shared load rests here: it is safe only if no share of it could tip this.
            is_safe = all(least <= found[nth].at[0] <= most for nth in self._shared[name])
            low, high = max(low, least - middle if is_safe else inf), min(high, most - middle)
        return low, high

    def _from_the_top(self) -> list[str]:
        """Return the things in an order in which each follows everything that rests on it."""
        ordered: dict[str, None] = {}

        def visit(name: str) -> None:
            for nth in self._above[name]:
                if self._found[nth].upper not in ordered:
                    visit(self._found[nth].upper)
            ordered[name] = None

        for name in self._above:
            visit(name)
        return list(ordered)

    def _on_this_alone(self, name: str) -> list[str]:
        """Return the things that rest on one thing and on nothing else."""
        return sorted({self._found[nth].upper for nth in self._above[name]} - self._elsewhere(name))

    def _elsewhere(self, name: str) -> set[str]:
        return {self._found[nth].upper for nth in self._shared[name]}

    def _is_shared(self, nth: int) -> bool:
        return len({self._found[other].lower for other in self._below[self._found[nth].upper]}) > 1


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
