"""Few-shot examples: cases of a pool, chosen at random by a seed, that never show the picture of the question."""

import hashlib
from collections.abc import Iterator
from operator import itemgetter

from countersight.case import AnswerKind, Case, Question, Telling, World
from countersight.dataset import Dataset
from countersight.engine.plan import CASE_QUESTIONS

MAX_EXAMPLES_PER_TYPE = 16
"""The number of cases kept per question type. Their pictures differ, because an example must not show the same picture
as the question.
"""
_QuestionType = tuple[World, Telling, AnswerKind, bool, str | None]
"""A question type: the world, how the change is conveyed, the kind of answer, whether there is a picture, and the group
(None for all).
"""


class FewShotExamples:
    """A pool of few-shot examples: a few cases of a dataset, selected by a random seed."""

    def __init__(self, pool: Dataset, seed: int) -> None:
        self.pool = pool
        self._seed = seed
        drawn: dict[_QuestionType, dict[str, tuple[int, Case]]] = {}
        for _, case in pool.cases():
            for world, telling in CASE_QUESTIONS:
                question = case.question(world, telling)
                if question is not None:
                    entry = (self._rank_of(f"{case.id}/{world}/{telling}"), case)
                    picture = case.image_digest or case.image or f"case {case.id}"
                    for question_type in _question_types(case, world, telling, question):
                        # The cases with the lowest ranks are kept, one per picture.
                        kept = drawn.setdefault(question_type, {})
                        kept[picture] = min(kept.get(picture, entry), entry, key=itemgetter(0))
                        if len(kept) > MAX_EXAMPLES_PER_TYPE:
                            del kept[max(kept, key=lambda name: kept[name][0])]
        self._examples = {
            question_type: [case for _, case in sorted(kept.values(), key=itemgetter(0))]
            for question_type, kept in drawn.items()
        }

    def candidates(self, case: Case, world: World, telling: Telling) -> Iterator[Case]:
        """Iterate over possible examples for a question, best first; never the case itself or one with its picture."""
        question = case.question(world, telling)
        if question is None:
            return
        pictures = _picture_keys(case)
        for question_type in _question_types(case, world, telling, question):
            others = [
                other
                for other in self._examples.get(question_type, ())
                if other.id != case.id and pictures.isdisjoint(_picture_keys(other))
            ]
            first = self._rank_of(f"{case.id}/{world}/{telling}/example") % max(1, len(others))
            yield from others[first:] + others[:first]

    def _rank_of(self, key: str) -> int:
        digest = hashlib.blake2b(f"{self._seed}/{key}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest)


def _question_types(case: Case, world: World, telling: Telling, question: Question) -> tuple[_QuestionType, ...]:
    """Return two types of a question: with its own group, and with any group."""
    sort = (world, telling, question.kind, case.picture(world, telling) is not None)
    return (*sort, case.group), (*sort, None)


def _picture_keys(case: Case) -> set[str]:
    """Return all names and digests of a case's pictures; cases with one in common may share a picture."""
    known = (case.image, case.image_digest, case.counterfactual_image, case.counterfactual_digest)
    return {picture for picture in known if picture}
