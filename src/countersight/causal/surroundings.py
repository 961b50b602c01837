"""The surroundings of things in a scene: descriptions that mention them, and other things next to them."""

from collections import Counter
from collections.abc import Iterator

from countersight.causal.graph import Box, Thing
from countersight.causal.lexicon import plain
from countersight.causal.scene import SceneGraph

MOST_DESCRIPTIONS = 8
"""Limit on descriptions that mention the things: Visual Genome has fifty per picture."""
MOST_OTHERS = 50

Things = tuple[Thing, ...]


class Surroundings:
    """A scene, prepared for lookups of many of its things."""

    def __init__(self, scene: SceneGraph) -> None:
        self._scene = scene
        self._texts = [f" {description.text.lower()}" for description in scene.descriptions]
        self._speaking: dict[str, tuple[int, ...]] = {}
        self._by_name = {thing.name: thing for thing in scene.things[::-1]}
        """The first thing of each name."""
        times = Counter(plain(thing.name) for thing in scene.things)
        self._shared = frozenset(name for name, number in times.items() if number > 1)

    def others(self, things: Things) -> Things:
        """Return one thing of every other name in the scene."""
        names = {thing.name for thing in things}
        others = [thing for name, thing in reversed(self._by_name.items()) if name not in names]
        return tuple(others[:MOST_OTHERS])

    def namesakes(self, things: Things) -> tuple[str, ...]:
        """The names of the things that others of the scene have as well, be it in the other number: of a pillow and
        pillows no question tells which it means."""
        return tuple(thing.name for thing in things if plain(thing.name) in self._shared)

    def descriptions(self, things: Things) -> tuple[str, ...]:
        """Return the descriptions of the things, those that mention most of them first."""
        written = self._scene.descriptions
        if len(written) == 1:  # the graph of a region, and what was written about it
            return (written[0].text,)
        named: Counter[int] = Counter()
        for thing in things:
            if thing.id not in self._speaking:
                self._speaking[thing.id] = tuple(self._speaking_of(thing))
            named.update(self._speaking[thing.id])
        best = sorted(named, key=lambda place: (-named[place], place))
        return tuple(dict.fromkeys(written[place].text for place in best[:MOST_DESCRIPTIONS]))

    def _speaking_of(self, thing: Thing) -> Iterator[int]:
        """Descriptions that name the thing, of regions that it lies in where both are known."""
        for place, text in enumerate(self._texts):
            box = self._scene.descriptions[place].box
            if f" {thing.name}" in text and (box is None or thing.box is None or _is_inside(thing.box, box)):
                yield place


def _is_inside(inner: Box, outer: Box) -> bool:
    """Whether the middle of a box lies in another."""
    left, top, width, height = outer
    x, y = inner[0] + inner[2] / 2, inner[1] + inner[3] / 2
    return left <= x <= left + width and top <= y <= top + height
