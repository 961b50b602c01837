"""reviews.jsonl: what people made of the verdicts. People write it, a line a verdict they looked at.

    {"at": "2026-11-20T10:00:00Z", "by": "A. Reviewer", "role": "safety engineer", "case": "dots-17", "concept": 1,
     "measure": "pcs", "was": 1, "now": 0, "reason": "the answer counts a dot that was removed"}

`measure` is pcs, ncc or edit (was the edit good?). A verdict is overturned where `now` is not `was`. Reviews stand
beside the scores and never change them.
"""

from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from countersight.audit.bundle.files import content
from countersight.audit.scores import Scores

REVIEWS: Final = "reviews.jsonl"

_Words = Annotated[str, msgspec.Meta(max_length=4_000)]
_Named = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]


class Review(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One verdict that a person looked at."""

    at: _Named
    by: _Named
    role: _Words = ""
    case: _Named
    concept: int
    measure: Literal["pcs", "ncc", "edit"]
    was: float | None
    now: float | None
    reason: _Words = ""

    @property
    def overturned(self) -> bool:
        """Whether the person holds otherwise."""
        return self.now != self.was


class ReviewLog(msgspec.Struct, frozen=True):
    """The reviews, and what is wrong with the log, where something is."""

    reviews: tuple[Review, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def overturned(self) -> tuple[Review, ...]:
        """The reviews that hold otherwise."""
        return tuple(review for review in self.reviews if review.overturned)


def read_reviews(folder: Path, scores: Scores) -> ReviewLog:
    """The review log of an audit; lines that cannot be read, or speak of no verdict of this audit, are named."""
    file = folder / REVIEWS
    if not file.exists():
        return ReviewLog()
    tests = {(concept.case, concept.number) for concept in scores.concepts}
    reviews, faults = [], []
    for number, line in enumerate(content(file).splitlines(), 1):
        if not line.strip():
            continue
        try:
            review = msgspec.json.decode(line, type=Review)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            faults.append(f"{REVIEWS} line {number}: {error}")
            continue
        if (review.case, review.concept) in tests:
            reviews.append(review)
        else:
            faults.append(f"{REVIEWS} line {number}: there is no concept {review.concept} of case {review.case[:80]!r}")
    return ReviewLog(tuple(reviews), tuple(faults))
