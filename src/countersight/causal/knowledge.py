"""Common knowledge: counts of pictures in which one kind of thing supports, holds or carries another.

These counts answer many causal questions without the picture. The picture of a question is never counted.
"""

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from countersight.causal.graph import CausalGraph
from countersight.causal.lexicon import head, singular, words_in

_LISTED = 8
"""The maximum number of pictures stored per pair, so that a picture can be excluded from its own counts."""
_PAIRS = 1_000_000
"""The maximum number of pairs of names that are counted, to limit memory."""


class Knowledge:
    """Counts of pictures in which a thing of one name keeps a thing of another name in place."""

    def __init__(self) -> None:
        self._number: Counter[tuple[str, str]] = Counter()
        self._pictures: dict[tuple[str, str], set[str]] = {}
        self._keeps: dict[str, set[str]] = {}
        self.names: set[str] = set()
        """The head nouns of all counted things."""

    @classmethod
    def of(cls, graphs: Iterable[CausalGraph]) -> "Knowledge":
        """Return the counts of some causal graphs."""
        found = cls()
        for graph in graphs:
            found.add_graph(graph)
        return found

    def add_graph(self, graph: CausalGraph) -> None:
        """Count the edges of a graph."""
        names = {thing.id: thing.name for thing in graph.things}
        for edge in graph.edges:
            self.add(names[edge.cause], names[edge.effect], graph.image or graph.scene)

    def add(self, keeper: str, kept: str, picture: str) -> None:
        """Count a pair, at most once per picture."""
        pair = noun(keeper), noun(kept)
        seen = self._pictures.setdefault(pair, set()) if len(self._pictures) < _PAIRS else self._pictures.get(pair)
        if seen is None or picture in seen:
            return
        if len(seen) < _LISTED:
            seen.add(picture)
        self._number[pair] += 1
        self._keeps.setdefault(pair[0], set()).add(pair[1])
        self.names |= {*pair}

    def keeps(self, keeper: str, kept: str, picture: str) -> int:
        """Return the number of pictures other than `picture` in which `keeper` keeps `kept` in place."""
        return self._count((noun(keeper), noun(kept)), picture)

    def through(self, keeper: str, kept: str, picture: str) -> int:
        """Return how often one thing supports another through a third: products of counts, summed over the third."""
        first, last = noun(keeper), noun(kept)
        return sum(
            self._count((first, between), picture) * self._count((between, last), picture)
            for between in self._keeps.get(first, ())
            if (between, last) in self._number
        )

    def _count(self, pair: tuple[str, str], picture: str) -> int:
        return self._number[pair] - (picture in self._pictures.get(pair, ())) if pair in self._number else 0

    def names_in(self, text: str) -> list[str]:
        """Return the known names in a text, each once, in order of appearance.

        If nouns are adjacent, only the last is returned, because a table lamp is a lamp.
        """
        words = [*map(singular, words_in(text)), ""]
        return list(
            dict.fromkeys(one for one, after in pairwise(words) if one in self.names and after not in self.names)
        )


def noun(name: str) -> str:
    """Return the head noun of a name in the singular: "racket" for "tennis rackets"."""
    return singular(head(name))


def compare_counts(one: int, other: int) -> int:
    """Compare two counts: 1 if the first is larger, -1 if the second is, 0 if they are equal."""
    return (one > other) - (one < other)
