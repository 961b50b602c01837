"""Static equilibrium with friction as small linear programmes: which things stay and which fall.

A thing and all that it carries stay if there are forces at their contacts, each within its cone of friction, that hold
every weight. A thing without such forces falls; then the rest is solved again, so that things that rested on it fall
too, unless something else still holds them.

Every verdict has a margin: it must be the same with all weights moved to either side by some pixels, and with a fifth
more or less friction. Otherwise the world is Unclear and has no verdict.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from msgspec.structs import replace

from countersight.errors import Unclear
from countersight.worlds.forces import ForceSystem, Variant
from countersight.worlds.things import Supports
from countersight.worlds.touching import contacts

MARGIN = 6.0
"""The safety margin in pixels: the smallest difference that a viewer can see."""
_SLIPPERY, _ROUGH = 0.8, 1.25
"""Relative friction that a viewer cannot distinguish from the world's own."""


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
    """The contacts of a world, and the verdicts about parts of it that are known so far.

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
        """The contacts that each thing takes part in."""
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
        """Return a number in which the bits of some things are set."""
        return sum(self._bit.get(name, 0) for name in set(names))

    def fallen(self, gone: Iterable[str], held: Iterable[str]) -> frozenset[str]:
        """Return what falls, one thing after the other, if some things are gone and others are held."""
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
        """Return which of the standing things fall first; nothing rests on things that fell before."""
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
        """Return the contacts of some things."""
        found = 0
        for each in _single_bits(things):
            found |= contacts.get(each, 0)
        return found

    def _broken(self, part: int, carries: dict[int, int], there: int) -> int:
        """Return what falls first of a part that does not stand as a whole: each thing that does not stand with its
        load, unless something in the load does not stand either. Raises Unclear if anything in the part could go either
        way."""
        loads = {each: _reachable_bits(each, carries) for each in _single_bits(part)}
        verdicts = {each: self._stands(load, there) for each, load in loads.items()}
        failing = sum(each for each, stays in verdicts.items() if stays is False)
        if not failing or None in verdicts.values():
            raise Unclear("a few pixels decide whether it stays")
        return sum(each for each in _single_bits(failing) if not failing & loads[each] & ~each)

    def _stands(self, part: int, there: int) -> bool | None:
        """Return whether a part stays while everything else is held; None if a viewer could not tell."""
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
    """Return everything that can be reached from a bit."""
    found = waiting = start
    while waiting:
        lowest = waiting & -waiting
        waiting ^= lowest
        new = steps[lowest] & ~found
        found |= new
        waiting |= new
    return found
