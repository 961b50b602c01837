"""Reviews of an audit's verdicts by people, which are shown next to the scores and never change them."""

from pathlib import Path
from typing import Final

import msgspec

from countersight.audits.calibration.people import LABELS, PersonLabel, read_labels
from countersight.audits.score_records import AuditScores
from countersight.errors import AuditError
from countersight.files import write_whole

REVIEWED: Final[str] = f"reviews/{LABELS}"
UNNOTED: Final = "at an unknown time"


class Review(msgspec.Struct, frozen=True):
    """One verdict that a person reviewed."""

    label: PersonLabel
    measure: str
    was: float | None
    now: float | None
    reason: str = ""

    @property
    def at(self) -> str:
        """The time of the review, if recorded."""
        return self.label.at or UNNOTED

    @property
    def overturned(self) -> bool:
        """Whether the person disagrees with the verdict."""
        return self.now != self.was


class ReviewLog(msgspec.Struct, frozen=True):
    """The reviews, and the problems with the labels, if any."""

    reviews: tuple[Review, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def overturned(self) -> tuple[Review, ...]:
        """The reviews that disagree with the verdict."""
        return tuple(review for review in self.reviews if review.overturned)


def take_reviews(export: Path, audit: Path, scores: AuditScores) -> int:
    """Copy the labels of a campaign into the folder of an audit, and return their number."""
    labels = list(read_labels(export))
    tests = {(concept.case, concept.number) for concept in scores.concepts}
    strange = [label for label in labels if (label.case, label.concept) not in tests]
    if strange:
        of = f"concept {strange[0].concept} of case {strange[0].case[:80]!r}"
        raise AuditError(f"{export} contains {of}, which is not in {audit}; name the audit that people reviewed")
    (audit / REVIEWED).parent.mkdir(exist_ok=True)
    write_whole(audit / REVIEWED, (export / LABELS).read_bytes())
    return len(labels)


def read_reviews(folder: Path, scores: AuditScores) -> ReviewLog:
    """Return the reviews of an audit; unreadable labels and labels of unknown verdicts are reported."""
    tests = {(concept.case, concept.number): concept for concept in scores.concepts}
    try:
        labels = list(read_labels((folder / REVIEWED).parent)) if (folder / REVIEWED).exists() else []
    except AuditError as error:
        return ReviewLog((), (str(error),))
    lost = [label for label in labels if (label.case, label.concept) not in tests]
    faults = (f"{REVIEWED}: there is no concept {each.concept} of case {each.case[:80]!r}" for each in lost)
    known = ((label, tests[label.case, label.concept]) for label in labels if label not in lost)
    reviews = []
    for label, test in known:  # the verdict of the panel
        reviews.append(Review(label, "pcs", test.pcs, label.pcs, label.pcs_reason))
        reviews.append(Review(label, "ncc", test.ncc, label.ncc, label.ncc_reason))
    return ReviewLog(tuple(reviews), tuple(faults))
