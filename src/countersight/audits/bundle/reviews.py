"""What people made of the verdicts. They judge in a campaign (`collect --flow judge`), whose export an audit takes up:

    countersight audit bundle DIR --reviews EXPORT

Its labels lie in `reviews/`. A line a verdict that was written by hand, into reviews.jsonl as 0.1 had it, is read too:

    {"at": "2026-11-20T10:00:00Z", "by": "A. Reviewer", "role": "safety engineer", "case": "dots-17", "concept": 1,
     "measure": "pcs", "was": 1, "now": 0, "reason": "the answer counts a dot that was removed"}

`measure` is pcs, ncc or edit (was the edit good?). A verdict is overturned where `now` is not `was`. Reviews stand
beside the scores and never change them.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from countersight.audits.bundle.files import content
from countersight.audits.calibration.sheet import LABELS, PersonLabel, read_labels
from countersight.audits.scores import ConceptScore, Scores
from countersight.errors import AuditError
from countersight.files import write_whole

REVIEWS: Final = "reviews.jsonl"
REVIEWED: Final[str] = f"reviews/{LABELS}"
BY_HAND: Final = "written by hand"
IN_CAMPAIGN: Final = "in a campaign"
UNNOTED: Final = "at a time that was not noted"

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


def take_reviews(export: Path, audit: Path, scores: Scores) -> int:
    """Put what people said in a campaign into the folder of an audit; how many labels there are."""
    labels = list(read_labels(export))
    tests = {(concept.case, concept.number) for concept in scores.concepts}
    strange = [label for label in labels if (label.case, label.concept) not in tests]
    if strange:
        of = f"concept {strange[0].concept} of case {strange[0].case[:80]!r}"
        raise AuditError(f"{export} speaks of {of}, which is not in {audit}; name the audit that people judged")
    (audit / REVIEWED).parent.mkdir(exist_ok=True)
    write_whole(audit / REVIEWED, (export / LABELS).read_bytes())
    return len(labels)


def read_reviews(folder: Path, scores: Scores) -> ReviewLog:
    """The reviews of an audit; lines that cannot be read, or speak of no verdict of this audit, are named."""
    tests = {(concept.case, concept.number): concept for concept in scores.concepts}
    written = _by_hand(folder / REVIEWS, tests)
    try:
        labels = list(read_labels((folder / REVIEWED).parent)) if (folder / REVIEWED).exists() else []
    except AuditError as error:
        return ReviewLog(written.reviews, (*written.faults, str(error)))
    lost = [label for label in labels if (label.case, label.concept) not in tests]
    faults = tuple(f"{REVIEWED}: there is no concept {each.concept} of case {each.case[:80]!r}" for each in lost)
    known = ((label, tests[label.case, label.concept]) for label in labels if label not in lost)
    told = (review for label, test in known for review in _told(label, test))
    return ReviewLog((*written.reviews, *told), (*written.faults, *faults))


def _told(label: PersonLabel, test: ConceptScore) -> Iterator[Review]:
    """What a person said of both measures; the verdict is the panel's."""
    for measure, was, now, why in (
        ("pcs", test.pcs, label.pcs, label.pcs_reason),
        ("ncc", test.ncc, label.ncc, label.ncc_reason),
    ):
        yield Review(
            at=label.at or UNNOTED,
            by=label.person,
            role=IN_CAMPAIGN,
            case=label.case,
            concept=label.concept,
            measure=measure,  # type: ignore[arg-type]
            was=was,
            now=now,
            reason=why,
        )


def _by_hand(file: Path, tests: Mapping[tuple[str, int], ConceptScore]) -> ReviewLog:
    if not file.exists():
        return ReviewLog()
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
            role = f"{review.role}, {BY_HAND}" if review.role else BY_HAND
            reviews.append(msgspec.structs.replace(review, role=role))
            faults += _misquoted(number, review, tests[review.case, review.concept])
        else:
            faults.append(f"{REVIEWS} line {number}: there is no concept {review.concept} of case {review.case[:80]!r}")
    return ReviewLog(tuple(reviews), tuple(faults))


def _misquoted(number: int, review: Review, test: ConceptScore) -> list[str]:
    """That a review says of the judges what they did not say."""
    if review.measure == "edit" or review.was == (given := getattr(test, review.measure)):
        return []
    return [f"{REVIEWS} line {number}: the judges gave {given}, not {review.was}, for {review.measure.upper()}"]
