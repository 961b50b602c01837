"""Calibrate judges on people: compare their verdicts with the labels of a campaign (`collect --flow judge`)."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from countersight import __version__
from countersight.audits.calibration.calibration_file import Calibration, PeopleSheet, write_calibration
from countersight.audits.calibration.judge_accuracy import MEASURES, Test, judge_sheets, opinions
from countersight.audits.ccs import Opinion, pool_scores
from countersight.audits.records import decode_record
from countersight.audits.trail import AuditTrail, read_audit
from countersight.errors import AuditError
from countersight.files import bounded_lines
from countersight.scoring import alt_test, cohen_kappa, corrected_mean

LABELS: Final = "labels.jsonl"
_MAX_LINE = 1 << 16


class PersonLabel(msgspec.Struct, frozen=True, omit_defaults=True):
    """One person's verdicts on one test of an audit; None means “cannot be decided”."""

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
    """The time of the judgement, in UTC."""


def read_labels(folder: Path) -> Iterator[PersonLabel]:
    """Return the labels that `collect export` wrote for a judge campaign."""
    file = folder / LABELS
    if not file.is_file():
        raise AuditError(f"{folder} contains no labels by people; export them from a campaign with the flow judge")
    with open(file, "rb") as lines:
        for number, line in enumerate(bounded_lines(lines, _MAX_LINE), 1):
            yield decode_record(line, PersonLabel, f"{file} line {number}")


def calibrate_on_people(audit: Path, labels: Path, output: Path) -> Calibration:
    """Compare the judges of an audit with people who labelled some of its tests, and store the calibration."""
    made = people_calibration(read_audit(audit), list(read_labels(labels)))
    output.mkdir(parents=True, exist_ok=True)
    write_calibration(output, made)
    return made


def people_calibration(audit: AuditTrail, labels: list[PersonLabel]) -> Calibration:
    """Return the calibration of an audit's judges with people's labels as ground truth."""
    manifest = audit.manifest
    tests = {(case.case, concept.number): concept.verdicts for case in audit.cases for concept in case.concepts}
    people = _people(labels, tests)
    right = {measure: _majority(people[measure]) for measure in MEASURES}
    of_judges = opinions(manifest, tests)
    persons = {label.person for label in labels}
    return Calibration(
        judges=judge_sheets(manifest, tests, right),
        size=len({test for given in people["pcs"].values() for test in given}),
        seed=0,
        prompts=manifest.prompts,
        countersight=__version__,
        domain=f"of {manifest.dataset.name}, audited with {manifest.model.name}, labelled by people ({len(persons):,})",
        people=tuple(
            _sheet(judge.name, measure, own, people[measure]) for judge, own in of_judges for measure in MEASURES
        ),
    )


def _people(labels: list[PersonLabel], tests: Mapping[Test, object]) -> dict[str, dict[str, dict[Test, int]]]:
    """Return the label of each test, by measure and person; "cannot be decided" does not count as a label."""
    found: dict[str, dict[str, dict[Test, int]]] = {measure: {} for measure in MEASURES}
    for label in labels:
        test = label.case, label.concept
        if test not in tests:
            raise AuditError(
                f"the labels contain concept {label.concept} of case {label.case[:80]!r}, which is not in the audit; "
                "name the audit that people reviewed"
            )
        both = None if label.pcs is None or label.ncc is None else label.pcs * label.ncc
        for measure, given in zip(MEASURES, (label.pcs, label.ncc, both), strict=True):
            if given is not None:
                found[measure].setdefault(label.person, {})[test] = given
    return found


def _majority(people: Mapping[str, Mapping[Test, int]]) -> dict[Test, int]:
    """Return the majority label of each test; tests with a tie are left out."""
    tests = dict.fromkeys(test for given in people.values() for test in given)
    labels = {test: [given[test] for given in people.values() if test in given] for test in tests}
    pooled = {test: pool_scores(each, "majority") for test, each in labels.items()}
    return {test: int(score) for test, score in pooled.items() if score is not None}


def _sheet(
    judge: str, measure: str, of_judge: Mapping[Test, Opinion], people: Mapping[str, Mapping[Test, int]]
) -> PeopleSheet:
    scores = {test: score for test, each in of_judge.items() if (score := getattr(each, measure)) is not None}
    decided = {test: int(score) for test, score in scores.items() if score in (0, 1)}
    most = {test: label for test, label in _majority(people).items() if test in decided}
    mine, theirs = [decided[test] for test in most], list(most.values())
    labelled = {test: label for test, label in _majority(people).items() if test in scores}  # a tie is half a yes
    named = {person: {_key(test): label for test, label in given.items()} for person, given in people.items()}
    return PeopleSheet(
        judge=judge,
        measure=measure,
        n=len(most),
        agreement=sum(a == b for a, b in zip(mine, theirs, strict=True)) / len(most) if most else None,
        kappa=cohen_kappa(mine, theirs),
        alt=alt_test(named, {_key(test): score for test, score in decided.items()}),
        corrected=corrected_mean(
            list(labelled.values()),
            [scores[test] for test in labelled],
            [score for test, score in scores.items() if test not in labelled],
        ),
    )


def _key(test: Test) -> str:
    return f"{test[0]}/{test[1]}"
