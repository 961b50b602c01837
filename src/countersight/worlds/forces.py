"""The equations of static equilibrium for a part of a world, for many slightly different worlds at once."""

from collections.abc import Sequence
from functools import cached_property
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from countersight.errors import Unclear
from countersight.worlds.linear import Floats, feasible
from countersight.worlds.resting import Resting
from countersight.worlds.things import Supports
from countersight.worlds.touching import UP, Contact, contacts_near, swinging

_UNIT = 100.0
"""Lengths are counted in so many pixels, so that forces and torques are of one size."""


class Variant(NamedTuple):
    """One of the worlds, with all its weights shifted to the right, or by any shift within reach at which they hold."""

    world: int
    rough: float = 1.0
    """Friction relative to the world itself."""
    shift: float = 0.0
    reach: float = 0.0


class Shifts(NamedTuple):
    """The range of shifts of its weights at which a part stands, in each world; empty if low is above high."""

    low: list[float]
    high: list[float]
    exact: bool
    """Whether the part certainly falls outside the range; otherwise this is not known."""


class _Arrays(NamedTuple):
    """What the equations are made of, for all worlds at once: of every contact, then of every thing."""

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

        None where that takes one: where something leans, or hangs from a single string and is not all there is.
        """
        if self._swinging.issuperset(part):
            return self._hanging(part, acting)
        if any(self._found[nth].normal != UP or self._found[nth].upper in self._swinging for nth in acting):
            return None
        resting = Resting(self._found, part, acting)
        ends = [resting.ends(things, found) for things, found in zip(self._things, self._every, strict=True)]
        return Shifts([low for low, _ in ends], [high for _, high in ends], resting.is_exact)

    def _hanging(self, part: list[str], acting: list[int]) -> Shifts:
        """What hangs on strings alone balances itself, wherever its weight is: it stays where each has its string."""
        reach = inf if {self._found[nth].upper for nth in acting}.issuperset(part) else -inf
        return Shifts([-reach] * self.worlds, [reach] * self.worlds, exact=True)

    def stands(self, part: list[str], acting: list[int], variants: Sequence[Variant]) -> list[bool]:
        """Whether these contacts can exert forces that hold the part, for each variant."""
        matrices = np.zeros((len(variants), 3 * len(part) + 1, 2 * len(acting) + 3))
        sides = np.zeros(matrices.shape[:2])
        self._pull(matrices, sides, part, variants)
        self._push(matrices, part, acting, variants)
        verdicts: list[bool] = feasible(matrices, sides).tolist()
        return verdicts

    @cached_property
    def _arrays(self) -> _Arrays:
        """Made only where a linear programme is needed: most worlds are told by shifts alone."""
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
        """The weights, and in the last three columns how far they are shifted: left or right, within reach."""
        which, _, shift, reach = _columns(variants)
        weight = self._arrays.weight[which][:, [self._place[name] for name in part]]
        # What swings from a string balances itself, wherever its weight is.
        turning = weight / _UNIT * [name not in self._swinging for name in part]
        sides[:, 1:-1:3] = -weight
        sides[:, 2:-1:3] = -turning * shift[:, None]
        sides[:, -1] = reach
        matrices[:, 2:-1:3, -3] = turning
        matrices[:, 2:-1:3, -2] = -turning
        matrices[:, -1, -3:] = 1.0

    def _push(self, matrices: Floats, part: list[str], acting: list[int], variants: Sequence[Variant]) -> None:
        """The two edges of every contact's cone of friction; a string has none and only pulls."""
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
    """The contacts of a world in which everything is a little elsewhere; it must be the same things that touch."""
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
