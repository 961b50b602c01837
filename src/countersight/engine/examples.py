"""Examples to show before a question: for every sort of question a few cases, chosen by seed alone."""

import hashlib
from collections.abc import Iterator

from countersight.case import AnswerKind, Case, Question, Telling, World
from countersight.dataset import Dataset
from countersight.engine.plan import TELLINGS

KEPT = 16
"""Cases kept for each sort of question, no two with the same picture: enough that a case never lacks another one."""
MOST_GROUPS = 1024
"""Groups with examples of their own; past them, as in a dataset that calls every case a group, all groups share."""

_Sort = tuple[World, Telling, AnswerKind, bool, str | None]
"""World, telling, kind of answer, whether there is a picture, and the group, or None for all groups together."""


class Examples:
    """A pool of examples: a few cases of a dataset, the same for the same seed however often it is read."""

    def __init__(self, pool: Dataset, seed: int) -> None:
        self.pool = pool
        self._seed = seed
        self._groups: set[str] = set()
        drawn: dict[_Sort, dict[str, tuple[int, Case]]] = {}
        for _, case in pool.cases():
            for world, telling in TELLINGS:
                question = case.question(world, telling)
                if question is not None:
                    rank = self._drawn(f"{case.id}/{world}/{telling}")
                    for sort in self._sorts(case, world, telling, question, of_pool=True):
                        _keep(drawn.setdefault(sort, {}), _picture_key(case), rank, case)
        self._examples = {
            sort: [case for _, case in sorted(kept.values(), key=lambda entry: entry[0])]
            for sort, kept in drawn.items()
        }

    def candidates(self, case: Case, world: World, telling: Telling) -> Iterator[Case]:
        """Cases that may be the example of a question, best first: never itself, nor one about the same picture."""
        question = case.question(world, telling)
        if question is None:
            return
        pictures = _pictures(case)
        for sort in self._sorts(case, world, telling, question):
            others = [
                other
                for other in self._examples.get(sort, ())
                if other.id != case.id and pictures.isdisjoint(_pictures(other))
            ]
            first = self._drawn(f"{case.id}/{world}/{telling}/example") % max(1, len(others))
            yield from others[first:] + others[:first]

    def _sorts(
        self, case: Case, world: World, telling: Telling, question: Question, *, of_pool: bool = False
    ) -> Iterator[_Sort]:
        sort = (world, telling, question.kind, case.picture(world, telling) is not None)
        if of_pool and len(self._groups) < MOST_GROUPS:
            self._groups.add(case.group)
        if case.group in self._groups:
            yield *sort, case.group
        yield *sort, None

    def _drawn(self, key: str) -> int:
        digest = hashlib.blake2b(f"{self._seed}/{key}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest)


def _keep(kept: dict[str, tuple[int, Case]], picture: str, rank: int, case: Case) -> None:
    """Keep the cases that were drawn first, one a picture."""
    if picture in kept:
        if rank < kept[picture][0]:
            kept[picture] = (rank, case)
    elif len(kept) < KEPT:
        kept[picture] = (rank, case)
    else:
        last = max(kept, key=lambda name: kept[name][0])
        if rank < kept[last][0]:
            del kept[last]
            kept[picture] = (rank, case)


def _picture_key(case: Case) -> str:
    """What a case's picture is known by; a case without one is alone with it."""
    return case.image_digest or case.image or f"case {case.id}"


def _pictures(case: Case) -> set[str]:
    """All that the pictures of a case are known by: two cases that share any of it may share a picture."""
    known = (case.image, case.image_digest, case.counterfactual_image, case.counterfactual_digest)
    return {picture for picture in known if picture}
