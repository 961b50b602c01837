"""Who stays and who falls: static equilibrium with friction, as small linear programmes.

A thing and all that it carries stay if there are forces at their contacts, each within its cone of friction, that hold
every weight. What has none falls; then what is left is looked at again, so that what rested on it falls too, unless
something else still holds it.

Every verdict is asked for with a margin: it must be the same with all weights moved to either side by so many pixels
and with a fifth more or less friction. Where it is not, the world is Unclear, and nothing is said of it.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from countersight.errors import Unclear
from countersight.worlds.forces import Shifts, System, Variant
from countersight.worlds.things import Supports
from countersight.worlds.touching import contacts

MARGIN = 6.0
"""Pixels: what a viewer can see."""
_SLIPPERY, _ROUGH = 0.8, 1.25
"""Friction that a viewer cannot tell from the world's own."""


def fallen(
    world: Supports,
    *,
    held: Iterable[str] = (),
    margin: float = MARGIN,
    jitters: Sequence[Supports] = (),
    among: frozenset[str] | None = None,
) -> frozenset[str]:
    """What falls in a world, by id; nothing that is `held` does, whatever becomes of the rest.

    Where only things `among` some, and what these carry or rest on, can fall, nothing else is looked at.
    Raises Unclear where the verdict is within the margin, or is another one in any of the `jitters`: the same world
    with everything a little elsewhere.
    """
    return _Statics((world, *jitters), margin, among).fallen(frozenset(), frozenset(held))


def fallen_but_for(world: Supports, gone: Iterable[str], held: Iterable[str], margin: float) -> frozenset[str]:
    """What falls when some things are gone: the same as in the world without them, whose parts are solved only once."""
    return _statics(world, margin).fallen(frozenset(gone), frozenset(held))


@lru_cache(maxsize=16)
def _statics(world: Supports, margin: float) -> "_Statics":
    return _Statics((world,), margin, None)


class _Statics:
    """The contacts of a world and of its jitters, and what was found out about parts of it."""

    def __init__(self, worlds: Sequence[Supports], margin: float, among: frozenset[str] | None) -> None:
        self._margin, self._among = margin, among
        self._free = frozenset(thing.id for thing in worlds[0].free)
        self._found = contacts(worlds[0])
        self._system = System(worlds, self._found)
        self._fell: dict[tuple[frozenset[str], frozenset[str]], frozenset[str]] = {}
        self._known: dict[tuple[frozenset[str], frozenset[int]], bool | None] = {}

    def fallen(self, gone: frozenset[str], held: frozenset[str]) -> frozenset[str]:
        """What falls, one after the other, where some things are gone and others are held."""
        standing, down = self._free - held - gone, gone
        while falling := self._first(standing, down):
            down |= falling
            standing -= falling
        return down - gone

    def _first(self, standing: frozenset[str], fallen: frozenset[str]) -> frozenset[str]:
        if (standing, fallen) not in self._fell:
            self._fell[standing, fallen] = self.falling(standing, fallen)
        return self._fell[standing, fallen]

    def falling(self, standing: frozenset[str], fallen: frozenset[str]) -> frozenset[str]:
        """What falls first of what stands; nothing rests on what fell before."""
        there = [nth for nth, contact in enumerate(self._found) if not {contact.upper, contact.lower} & fallen]
        carries: dict[str, set[str]] = {name: set() for name in standing}
        for contact in (self._found[nth] for nth in there):
            if contact.upper in standing and contact.lower in standing:
                carries[contact.lower].add(contact.upper)
        down: set[str] = set()
        for part in _parts(carries):
            if self._is_asked(part, fallen) and not self._stands(part, there):
                down |= self._broken(part, carries, there)
        return frozenset(down)

    def _is_asked(self, part: frozenset[str], fallen: frozenset[str]) -> bool:
        """Whether anything of a part could fall: something of it was named, or touched what fell."""
        if self._among is None or part & self._among:
            return True
        pairs = ({contact.upper, contact.lower} for contact in self._found)
        return any(pair & part and pair & fallen for pair in pairs)

    def _broken(self, part: frozenset[str], carries: dict[str, set[str]], there: list[int]) -> set[str]:
        """What falls first of a part that does not stand as a whole: what cannot carry a load that would stay if it
        did. Where something of the part could go either way, it may fall before or not, and nothing is clear."""
        loads = {name: _closure(name, carries) for name in part}
        verdicts = {name: self._stands(load, there) for name, load in loads.items()}
        failing = {name for name, stays in verdicts.items() if stays is False}
        if not failing or None in verdicts.values():
            raise Unclear("whether it stays is a matter of a few pixels")
        return {name for name in failing if not failing & loads[name] - {name}}

    def _stands(self, part: frozenset[str], there: list[int]) -> bool | None:
        """Whether a part stays while all else is held; None where a viewer could not tell."""
        acting = frozenset(nth for nth in there if self._found[nth].upper in part)
        if (part, acting) not in self._known:
            self._known[part, acting] = self._solved(sorted(part), sorted(acting))
        return self._known[part, acting]

    def _solved(self, part: list[str], acting: list[int]) -> bool | None:
        shifts = self._system.shifts(part, acting)
        known = _by_shifts(shifts, self._margin) if shifts else None
        return known if known or (shifts and shifts.exact) else self._by_programme(part, acting)

    def _by_programme(self, part: list[str], acting: list[int]) -> bool | None:
        margin, worlds = self._margin, range(self._system.worlds)
        plain = [Variant(world) for world in worlds]
        if not margin:
            same = self._system.stands(part, acting, plain)
            return same[0] if len(set(same)) == 1 else None
        safe = [Variant(0, _SLIPPERY, shift=way * margin) for way in (-1, 1)]
        loose = Variant(0, _ROUGH, reach=margin)
        to_the_left, to_the_right, somewhere, *same = self._system.stands(part, acting, [*safe, loose, *plain])
        if to_the_left and to_the_right and all(same):
            return True
        return None if somewhere or any(same) else False


def _by_shifts(shifts: Shifts, margin: float) -> bool | None:
    low, high = shifts.low[0], shifts.high[0]
    same = [lowest <= 0 <= highest for lowest, highest in zip(shifts.low, shifts.high, strict=True)]
    if all(same) and low <= -margin and high >= margin:
        return True
    beyond = low > margin or high < -margin or low > high
    return False if beyond and not any(same) else None


def _parts(carries: dict[str, set[str]]) -> list[frozenset[str]]:
    """The things that stand, in parts that do not touch each other."""
    joined: dict[str, set[str]] = {name: set(above) for name, above in carries.items()}
    for name, above in carries.items():
        for other in above:
            joined[other].add(name)
    parts: list[frozenset[str]] = []
    for name in sorted(joined):
        if not any(name in part for part in parts):
            parts.append(_closure(name, joined))
    return parts


def _closure(start: str, steps: dict[str, set[str]]) -> frozenset[str]:
    found, waiting = {start}, [start]
    while waiting:
        new = steps[waiting.pop()] - found
        found |= new
        waiting += new
    return frozenset(found)
