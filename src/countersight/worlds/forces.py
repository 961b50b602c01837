"""The equations of static equilibrium for a part of a world, for many slightly different worlds at once."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from countersight.errors import Unclear
from countersight.worlds.linear import Floats, feasible
from countersight.worlds.things import Supports
from countersight.worlds.touching import UP, Contact, contacts_near, swinging

_UNIT = 100.0
"""Lengths are counted in so many pixels, so that forces and torques are of one size."""


class Variant(NamedTuple):
    """One of the worlds, with all its weights shifted to the right, or to wherever within reach they hold."""

    world: int
    rough: float = 1.0
    """How much more friction there is than in the world itself."""
    shift: float = 0.0
    reach: float = 0.0


class Shifts(NamedTuple):
    """Between which shifts of its weights a part stands, in each world; nowhere, where the low end is the higher."""

    low: Floats
    high: Floats
    exact: bool
    """Whether it falls outside; else that is not known."""


class System:
    """Contacts and weights of worlds with the same things in slightly different places, in columns."""

    def __init__(self, worlds: Sequence[Supports], found: Sequence[Contact]) -> None:
        self.worlds = len(worlds)
        self._found = found
        every = [found, *(_same_contacts(world, found) for world in worlds[1:])]
        self._at = np.array([[contact.at for contact in each] for each in every], float).reshape(len(worlds), -1, 2)
        self._below = np.array([[contact.below for contact in each] for each in every], float).reshape(
            len(worlds), -1, 2
        )
        self._normal = np.array([[contact.normal for contact in each] for each in every], float).reshape(
            len(worlds), -1, 2
        )
        self._slope = np.array([float(contact.has_friction) for contact in found])
        self._friction = np.array([world.friction for world in worlds])
        self._place = {thing.id: nth for nth, thing in enumerate(worlds[0].things)}
        self._middle = np.array([[world.thing(name).middle for name in self._place] for world in worlds], float)
        self._weight = np.array([[world.thing(name).weight for name in self._place] for world in worlds], float)
        self._swinging = swinging(found)

    def shifts(self, part: list[str], acting: list[int]) -> Shifts | None:
        """How far all weights of the part may be shifted while it stands, without a linear programme.

        None where that takes one: where something leans, or hangs from a single string.
        """
        if any(self._found[nth].normal != UP or self._found[nth].upper in self._swinging for nth in acting):
            return None
        resting = _Resting(self._found, part, acting)
        loads: dict[str, tuple[Floats, Floats]] = {}
        low, high = np.full(self.worlds, -np.inf), np.full(self.worlds, np.inf)
        for name in resting.from_the_top():
            weight = self._weight[:, self._place[name]]
            turning = weight * self._middle[:, self._place[name], 0]
            for upper in resting.on_this_alone(name):
                weight, turning = weight + loads[upper][0], turning + loads[upper][1]
            loads[name] = weight, turning
            points, shared = self._at[:, resting.below[name], 0], self._at[:, resting.shared(name), 0]
            least, most = points.min(axis=1, initial=np.inf), points.max(axis=1, initial=-np.inf)
            # Nobody knows how much of what rests elsewhere too rests here: it is safe where none of it could tip this.
            safe = (least[:, None] <= shared) & (shared <= most[:, None])
            low = np.maximum(low, np.where(safe.all(axis=1), least - turning / weight, np.inf))
            high = np.minimum(high, most - turning / weight)
        return Shifts(low, high, not any(resting.shared(name) for name in part))

    def stands(self, part: list[str], acting: list[int], variants: Sequence[Variant]) -> list[bool]:
        """Whether there are forces that hold the part, in each variant, by these contacts."""
        matrices = np.zeros((len(variants), 3 * len(part) + 1, 2 * len(acting) + 3))
        sides = np.zeros(matrices.shape[:2])
        self._pull(matrices, sides, part, variants)
        self._push(matrices, part, acting, variants)
        verdicts: list[bool] = feasible(matrices, sides).tolist()
        return verdicts

    def _pull(self, matrices: Floats, sides: Floats, part: list[str], variants: Sequence[Variant]) -> None:
        """The weights, and in the last three columns how far they are shifted: left or right, within reach."""
        which, _, shift, reach = _columns(variants)
        weight = self._weight[which][:, [self._place[name] for name in part]]
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
        rows = {name: 3 * nth for nth, name in enumerate(part)}
        normal = self._normal[which][:, acting]
        slope = self._slope[acting] * (rough * self._friction[which])[:, None]
        across = np.stack([-normal[:, :, 1], normal[:, :, 0]], axis=2) * slope[:, :, None]
        for edge, force in enumerate((normal + across, normal - across)):
            for column, nth in enumerate(acting):
                contact = self._found[nth]
                for name, points, sign in ((contact.upper, self._at, 1.0), (contact.lower, self._below, -1.0)):
                    if name in rows:
                        arm = (points[which, nth] - self._middle[which, self._place[name]]) / _UNIT
                        x, y = sign * force[:, column].T
                        row, place = rows[name], 2 * column + edge
                        matrices[:, row, place] = x
                        matrices[:, row + 1, place] = y
                        matrices[:, row + 2, place] = arm[:, 0] * y - arm[:, 1] * x


class _Resting:
    """Which contacts of a part are below and above each of its things, by number."""

    def __init__(self, found: Sequence[Contact], part: list[str], acting: list[int]) -> None:
        self._found = found
        self.below: dict[str, list[int]] = {name: [] for name in part}
        self.above: dict[str, list[int]] = {name: [] for name in part}
        for nth in acting:
            self.below[found[nth].upper].append(nth)
            if found[nth].lower in self.above:
                self.above[found[nth].lower].append(nth)

    def from_the_top(self) -> list[str]:
        """The things, each behind all that rests on it."""
        ordered: dict[str, None] = {}

        def visit(name: str) -> None:
            for nth in self.above[name]:
                if self._found[nth].upper not in ordered:
                    visit(self._found[nth].upper)
            ordered[name] = None

        for name in self.above:
            visit(name)
        return list(ordered)

    def on_this_alone(self, name: str) -> list[str]:
        """What rests on a thing and on nothing else."""
        return sorted({self._found[nth].upper for nth in self.above[name] if not self._is_shared(nth)})

    def shared(self, name: str) -> list[int]:
        """Contacts with what rests on a thing and on others as well."""
        return [nth for nth in self.above[name] if self._is_shared(nth)]

    def _is_shared(self, nth: int) -> bool:
        return len({self._found[other].lower for other in self.below[self._found[nth].upper]}) > 1


def _same_contacts(world: Supports, found: Sequence[Contact]) -> Sequence[Contact]:
    """The contacts of a world in which everything is a little elsewhere; it must be the same things that touch."""
    near: dict[str, set[str]] = {thing.id: set() for thing in world.things}
    for contact in found:
        near[contact.upper].add(contact.lower)
    here = contacts_near(world, near)
    if [(one.upper, one.lower) for one in here] != [(one.upper, one.lower) for one in found]:
        raise Unclear("a little elsewhere, other things would touch")
    return here


def _columns(variants: Sequence[Variant]) -> tuple[NDArray[np.int64], Floats, Floats, Floats]:
    which, rough, shift, reach = zip(*variants, strict=True)
    return np.array(which), np.array(rough), np.array(shift), np.array(reach)
