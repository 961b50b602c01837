"""The calibration of an audit's judges, worked out again from its log."""

from collections.abc import Iterator
from functools import cache

import msgspec

from countersight.audit.bundle.files import content
from countersight.audit.calibration.items import Item, fingerprint_of, make_items
from countersight.audit.calibration.on_people import people_calibration
from countersight.audit.calibration.sheet import CALIBRATION, Calibration, Domain, domain_of
from countersight.audit.calibration.tabulating import judge_sheets
from countersight.audit.calibration.taking import CALIBRATION_FOLDER, TAKEN, unlike
from countersight.audit.folder import MANIFEST, AuditFolder, digest_of
from countersight.audit.log import LOG
from countersight.audit.people import LABELS, read_labels
from countersight.audit.prompts import AuditPrompts
from countersight.audit.records import Manifest, Step, Verdict
from countersight.audit.trail import read_audit
from countersight.audit.verifying.finding import Finding, Opened
from countersight.audit.verifying.gaps import asks_too_much, votes
from countersight.audit.verifying.sealed import refuse_long_lines
from countersight.audit.verifying.steps import repeated
from countersight.audit.verifying.unasked import asked_nobody
from countersight.audit.verifying.verdicts import checked_verdict
from countersight.engine import blocking
from countersight.errors import AuditError
from countersight.text import several

LARGEST = 10_000
"""Tests of a calibration that are made again; nobody asks for more."""


def checked_calibration(opened: Opened) -> Iterator[Finding]:
    """Whether the sheets of the judges follow from their verdicts on tests that can be made again."""
    calibration, named = opened.audit.calibration, opened.audit.manifest.calibration
    if calibration is None:
        if named:
            yield Finding("missing", CALIBRATION, "audit.json names a calibration, and there is none")
        return
    if named and named != digest_of(content(opened.path / CALIBRATION)):
        yield Finding("broken", CALIBRATION, "it is not the calibration that audit.json names")
    fault = unlike(calibration, opened.audit.manifest)
    if fault:
        yield Finding("broken", CALIBRATION, f"it {fault}")
    missing = [name for name in (f"{CALIBRATION_FOLDER}/{each}" for each in TAKEN) if name not in opened.files]
    if missing:
        yield Finding("missing", missing[0], "without its log the calibration cannot be derived again")
        return
    try:
        content(opened.path / CALIBRATION_FOLDER / MANIFEST)
        refuse_long_lines(opened.path / CALIBRATION_FOLDER / LOG)
        folder = AuditFolder.open(opened.path / CALIBRATION_FOLDER)
        steps = list(folder.steps())
    except AuditError as error:
        yield Finding("broken", CALIBRATION_FOLDER, str(error))
        return
    if too_much := asks_too_much(folder.manifest):
        yield Finding("broken", f"{CALIBRATION_FOLDER}/{MANIFEST}", too_much)
        return
    if calibration.people:
        yield from _by_people(opened, calibration)
        return
    if not 0 < calibration.size <= LARGEST:
        yield Finding("broken", CALIBRATION, f"it says that it has {calibration.size:,} tests")
        return
    domain = domain_of(calibration)
    if domain is None:
        yield Finding("broken", CALIBRATION, f"nobody makes tests of its domain, {calibration.domain[:80]!r}")
        return
    items = _items(calibration.size, calibration.seed, domain)
    if folder.manifest.dataset.fingerprint != fingerprint_of(items):
        yield Finding("broken", CALIBRATION_FOLDER, f"its tests are not those of its seed{opened.other_version}")
        return
    known = {item.id: item for item in items}
    strange = [step.n for step in steps if not _belongs(step, folder.manifest, known)]
    if strange:
        words = f"step {strange[0]} belongs to no test, judge or vote of this calibration"
        yield _in_calibration(Finding("added", LOG, words))
        return  # what is no verdict of a judge that is named has no place in a sheet
    prompts = msgspec.convert(folder.manifest.prompts, AuditPrompts)
    for step in steps:
        if step.stage == "verdict":
            for found in checked_verdict(step, known[step.place.case].evidence, prompts):
                yield _in_calibration(found)
    for found in (*repeated(tuple(steps)), *asked_nobody(steps), *_gaps(folder.manifest, items, steps)):
        yield _in_calibration(found)
    if judge_sheets(folder.manifest, list(items), steps) != calibration.judges:
        yield Finding("broken", CALIBRATION, "its figures do not follow from the verdicts in its log")


def _belongs(step: Step, manifest: Manifest, items: dict[str, Item]) -> bool:
    """Whether a step is of a test, and a verdict one that the judges were asked for."""
    place, output = step.place, step.output
    if place.case not in items:
        return False
    if not isinstance(output, Verdict):
        return True
    given = (output.judge, output.vote)
    return step.stage == "verdict" and given == (place.judge, place.vote) and given in votes(manifest)


def _gaps(manifest: Manifest, items: tuple[Item, ...], steps: list[Step]) -> Iterator[Finding]:
    """Each judge votes on each test, or fails to."""
    there = {(step.place.case, step.place.judge, step.place.vote) for step in steps if step.stage == "verdict"}
    for judge, vote in votes(manifest):
        missing = sum((item.id, judge, vote) not in there for item in items)
        if missing:
            words = f"{judge} has no vote {vote} on {missing:,} of {several(len(items), 'test')}, nor one that failed"
            yield Finding("missing", LOG, words)


def same_audit(one: Manifest, other: Manifest) -> bool:
    return (one.dataset.fingerprint, one.started) == (other.dataset.fingerprint, other.started)


def _by_people(opened: Opened, calibration: Calibration) -> Iterator[Finding]:
    folder = opened.path / CALIBRATION_FOLDER
    try:
        judged = read_audit(folder)
        made = people_calibration(judged, list(read_labels(folder)))
    except AuditError as error:
        yield Finding("broken", f"{CALIBRATION_FOLDER}/{LABELS}", str(error))
        return
    if same_audit(judged.manifest, opened.audit.manifest):
        own = opened.audit.steps[: len(judged.steps)]
        if [step.hash for step in judged.steps] != [step.hash for step in own]:
            words = "it is not the log of the audit as it was when people labelled it"
            yield Finding("broken", f"{CALIBRATION_FOLDER}/{LOG}", words)
    if (made.judges, made.people, made.domain) != (calibration.judges, calibration.people, calibration.domain):
        yield Finding("broken", CALIBRATION, "its figures do not follow from people's labels and its log")


@cache
def _items(size: int, seed: int, domain: Domain) -> tuple[Item, ...]:
    return tuple(blocking(lambda: make_items(size, seed, domain)))


def _in_calibration(found: Finding) -> Finding:
    return msgspec.structs.replace(found, file=f"{CALIBRATION_FOLDER}/{found.file}")
