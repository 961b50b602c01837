"""People's judgements of an audit's verdicts: reviews, and the calibration of judges on them.

People judge in a campaign (`collect --flow judge`). Reviews are shown next to the scores and never change them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from countersight import __version__
from countersight.audits.calibration.sheets import (
    MEASURES,
    Calibration,
    Test,
    judge_sheets,
    write_calibration,
)
from countersight.audits.pooling import pool_scores
from countersight.audits.records import decode_record
from countersight.audits.score_records import AuditScores
from countersight.audits.trail import AuditTrail, read_audit
from countersight.errors import AuditError
from countersight.files import bounded_lines, write_whole

LABELS: Final = "labels.jsonl"
_MAX_LINE = 1 << 16


class PersonLabel(msgspec.Struct, frozen=True, omit_defaults=True):
    """One person's judgement of one edit of an audit; None is “cannot be decided”."""

    case: str
    concept: int
    """The number of the concept in the audit, counted from 1."""
    person: str
    """A pseudonym."""
    pcs: int | None
    ncc: int | None
    pcs_reason: str = ""
    ncc_reason: str = ""
    at: str = ""
    """When, in UTC."""


def read_labels(folder: Path) -> Iterator[PersonLabel]:
    """Return the labels that `collect export` wrote for a judge campaign."""
    file = folder / LABELS
    if not file.is_file():
        raise AuditError(f"{folder} contains no labels by people; export them from a campaign with the flow judge")
    with open(file, "rb") as lines:
        for number, line in enumerate(bounded_lines(lines, _MAX_LINE), 1):
            yield decode_record(line, PersonLabel, f"{file} line {number}")


def calibrate_on_people(audit: Path, labels: Path, output: Path) -> Calibration:
    """Calibrate the judges of an audit on people's labels of some of its tests, and store the calibration."""
    made = people_calibration(read_audit(audit), list(read_labels(labels)))
    output.mkdir(parents=True, exist_ok=True)
    write_calibration(output, made)
    return made


def people_calibration(audit: AuditTrail, labels: list[PersonLabel]) -> Calibration:
    """Return the calibration of an audit's judges; right is what most people say, and ties are left out."""
    manifest = audit.manifest
    tests = {(case.case, concept.number): concept.verdicts for case in audit.cases for concept in case.concepts}
    given: dict[str, dict[Test, list[int]]] = {measure: {} for measure in MEASURES}
    for label in labels:
        test = label.case, label.concept
        if test not in tests:
            raise AuditError(_unknown("the labels contain", label, "the audit"))
        both = None if label.pcs is None or label.ncc is None else label.pcs * label.ncc
        for measure, score in zip(MEASURES, (label.pcs, label.ncc, both), strict=True):
            if score is not None:
                given[measure].setdefault(test, []).append(score)
    right = {
        measure: {
            test: int(most) for test, scores in of.items() if (most := pool_scores(scores, "majority")) is not None
        }
        for measure, of in given.items()
    }
    people = len({label.person for label in labels})
    return Calibration(
        judges=judge_sheets(manifest, tests, right),
        size=len(given["pcs"]),
        seed=0,
        prompts=manifest.prompts,
        countersight=__version__,
        domain=f"of {manifest.dataset.name}, audited with {manifest.model.name}, labelled by people ({people:,})",
    )


def _unknown(found: str, label: PersonLabel, audit: str) -> str:
    test = f"concept {label.concept} of case {label.case[:80]!r}"
    return f"{found} {test}, which is not in {audit}; name the audit that people reviewed"


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
        raise AuditError(_unknown(f"{export} contains", strange[0], str(audit)))
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
