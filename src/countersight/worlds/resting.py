"""How far the weights of things that rest on each other may be shifted before something tips, without forces."""

from collections.abc import Mapping, Sequence
from math import inf

from countersight.worlds.things import WorldThing
from countersight.worlds.touching import Contact


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
        """Return the lowest and the highest shift at which the whole part stands, in one world."""
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
            # Nobody knows how much of what rests elsewhere too rests here: it is safe where none of it could tip this.
            is_safe = all(least <= found[nth].at[0] <= most for nth in self._shared[name])
            low, high = max(low, least - middle if is_safe else inf), min(high, most - middle)
        return low, high

    def _from_the_top(self) -> list[str]:
        """The things, each behind all that rests on it."""
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
        """What rests on a thing and on nothing else."""
        return sorted({self._found[nth].upper for nth in self._above[name]} - self._elsewhere(name))

    def _elsewhere(self, name: str) -> set[str]:
        return {self._found[nth].upper for nth in self._shared[name]}

    def _is_shared(self, nth: int) -> bool:
        return len({self._found[other].lower for other in self._below[self._found[nth].upper]}) > 1
