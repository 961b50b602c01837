"""The records of a bundle by themselves: which cases were selected, times, pictures, and nothing smuggled in."""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from countersight.audits.bundle.files import content
from countersight.audits.bundle.seal import SEAL, Bundle
from countersight.audits.bundle.sessions import SESSIONS, Session
from countersight.audits.bundle.zipping import zip_bundle
from countersight.audits.calibration.sheet import CALIBRATION, Calibration
from countersight.audits.calibration.taking import CALIBRATION_FOLDER
from countersight.audits.folder import MANIFEST, PICTURES
from countersight.audits.log import LOG, decode_step, encode_step
from countersight.audits.probes import Dose
from countersight.audits.records import CaseRecord, EditRecord, Manifest
from countersight.audits.selection import SELECTION, Selected, Selection, decode_selection, select
from countersight.audits.verifying.finding import Finding, What
from countersight.audits.verifying.stages import Opened
from countersight.dataset import Dataset
from countersight.errors import AuditError
from countersight.text import several

NAMED: Final = 5
"""Cases that a finding names; there may be thousands."""
SLACK: Final = timedelta(days=1)
"""By so much the clocks of machines that work on one audit in turn may differ."""
WHOLE: Final[dict[str, type[msgspec.Struct]]] = {
    SEAL: Bundle,
    MANIFEST: Manifest,
    SELECTION: Selection,
    CALIBRATION: Calibration,
    f"{CALIBRATION_FOLDER}/{MANIFEST}": Manifest,
}
LOGS: Final = (LOG, f"{CALIBRATION_FOLDER}/{LOG}")


def checked_pictures(opened: Opened, digests: dict[str, str]) -> Iterator[Finding]:
    """Every picture that a step speaks of is there under its own digest, and no other is."""
    spoken = {picture for step in opened.audit.steps for picture in _spoken(step.output) if picture}
    there = {PurePosixPath(name).stem: name for name in opened.files if name.startswith(f"{PICTURES}/")}
    for missing in sorted(spoken - there.keys()):
        yield Finding("missing", f"{PICTURES}/{missing}", "a step speaks of it")
    for name in sorted(there[stem] for stem in there.keys() - spoken):
        yield Finding("added", name, "no step speaks of it")
    for stem in sorted(spoken & there.keys()):
        found, sealed = digests.get(there[stem]), opened.bundle.files.get(there[stem])
        if found and sealed and found == sealed.sha256 != stem:  # another one than was sealed is named already
            yield Finding("altered", there[stem], "its bytes are not those that its name is the digest of")


def _spoken(output: object) -> tuple[str, ...]:
    match output:
        case CaseRecord(picture=picture):
            return (picture,)
        case EditRecord(before=before, after=after, mask=mask):
            return before, after, mask
        case Dose(after=after):
            return (after,)
    return ()


def checked_selection(opened: Opened) -> Iterator[Finding]:
    """Whether every case that was selected is in the log, and no other, and the selection is that of the rule."""
    if not opened.audit.cases:
        yield Finding("not verified", LOG, "it holds no case: nothing was audited, and nothing can be sound")
    later = SELECTION in opened.files or any(case.record.drawn is not None for case in opened.audit.cases)
    if opened.bundle.format < 2 and later:  # the format of 0.1 had neither scenes nor a selection
        yield Finding("broken", SEAL, "it says that it is older than its log is")
    if SELECTION not in opened.files:
        what: What = "not verified" if opened.early else "missing"
        yield Finding(what, SELECTION, "nothing says which cases were selected")
        return
    try:
        selection = decode_selection(content(opened.path / SELECTION))
    except AuditError as error:
        yield Finding("broken", SELECTION, str(error))
        return
    manifest = opened.audit.manifest
    if (selection.fingerprint, selection.rows) != (manifest.dataset.fingerprint, manifest.dataset.rows):
        yield Finding("broken", SELECTION, "it was made of another dataset than audit.json names")
    expected = selection.expected(manifest.cases)
    if len(selection.cases) != expected:
        found = several(len(selection.cases), "case")
        yield Finding("broken", SELECTION, f"it has {found}; by the rule there are {expected:,}")
    if opened.dataset is not None and select(Dataset.open(opened.dataset), manifest.cases) != selection:
        yield Finding("broken", SELECTION, "the rule selects other cases of the dataset")
    there = {Selected(step.place.row, step.place.case) for step in opened.audit.steps if step.stage == "case"}
    missing = [each for each in selection.cases if each not in there]
    if missing:
        why = "the audit was not finished, or they were taken out"
        yield Finding("missing", LOG, f"{_named(missing, len(selection.cases))} are not in the log: {why}")
    added = sorted(there - set(selection.cases), key=lambda each: each.row)
    if added:
        yield Finding("added", LOG, f"cases that were not selected: {_named(added, len(there))}")


def _named(cases: list[Selected], of: int) -> str:
    listed = ", ".join(each.case for each in cases[:NAMED]) + (", …" if len(cases) > NAMED else "")
    return f"{len(cases):,} of {several(of, 'case')} ({listed})"


def checked_times(opened: Opened) -> Iterator[Finding]:
    """A step long before one that it follows, a seal before its own steps, words for a time, a cost below zero."""
    latest = None
    for step in opened.audit.steps:
        spent = step.spent
        if min(spent.cost, spent.seconds, spent.tokens_in, spent.tokens_out, spent.attempts) < 0:
            yield Finding("broken", LOG, f"line {step.n + 1} is said to have cost less than nothing")
            return
        at = _time(step.at) if step.at else latest
        if at is None and step.at:
            yield Finding("broken", LOG, f"line {step.n + 1}: {step.at[:40]!r} is no time")
            return
        if at and latest and at < latest - SLACK:
            yield Finding("broken", LOG, f"line {step.n + 1} was done at {step.at}, long before a line that it follows")
            return
        latest = max(filter(None, (at, latest)), default=None)
    sealed = _time(opened.bundle.sealed)
    if sealed is None:
        yield Finding("broken", SEAL, f"{opened.bundle.sealed[:40]!r} is no time")
    elif latest and sealed < latest - SLACK:
        yield Finding("broken", SEAL, f"it was sealed at {opened.bundle.sealed}, long before its own steps were done")


def _time(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def checked_form(opened: Opened) -> Iterator[Finding]:
    """Records that hold something which no audit writes: read and written again, each has the bytes that lie there."""
    if opened.early:
        return
    what: What = "not verified" if opened.other_version else "broken"
    for name in (*WHOLE, SESSIONS, *LOGS):
        if name in opened.files and (line := _strange(opened.path / name, name)):
            yield Finding(what, name, f"line {line} holds something that no audit writes{opened.other_version}")


def _strange(file: Path, name: str) -> int:
    """The first line that is not as it is written, counted from 1; 0 where all are."""
    if name in LOGS:
        with open(file, "rb") as lines:
            return next((number for number, line in enumerate(lines, 1) if not _is_step(line)), 0)
    data = content(file)
    if name == SESSIONS:
        lying = enumerate(data.splitlines(), 1)
        return next((number for number, line in lying if not _is_written(line, Session)), 0)
    return 0 if _is_written(data, WHOLE[name]) else 1


def _is_step(line: bytes) -> bool:
    step = decode_step(line)
    return step is not None and encode_step(step)[0] == line


def _is_written(data: bytes, kind: type[msgspec.Struct]) -> bool:
    try:
        return msgspec.json.encode(msgspec.json.decode(data, type=kind)) == msgspec.json.format(data, indent=-1)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def checked_zip(file: Path, unpacked: Path) -> Iterator[Finding]:
    """Whether a ZIP has bytes beside its files: one that is made of them again is the same."""
    again = unpacked.with_name(f"{unpacked.name}.again.zip")
    try:
        zip_bundle(unpacked, again)
        if _digest(again) != _digest(file):
            yield Finding("added", file.name, "it has bytes that no bundle in one file has")
    except AuditError:  # it is not sealed: that is found where its files are looked at
        return
    finally:
        again.unlink(missing_ok=True)


def _digest(file: Path) -> bytes:
    with open(file, "rb") as bytes_of:
        return hashlib.file_digest(bytes_of, "sha256").digest()
