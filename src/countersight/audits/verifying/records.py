"""The records of a bundle by themselves: which cases were selected, times, pictures, and nothing smuggled in."""

import base64
import hashlib
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Any, Final

import msgspec

from countersight.audits.bundle.cases import CASES, DIFFERENCES, difference, difference_of, edits, encoded_difference
from countersight.audits.bundle.changes import CHANGES, change_record
from countersight.audits.bundle.dataset_sheet import DATASET_SHEET, Card, dataset_card
from countersight.audits.bundle.files import content
from countersight.audits.bundle.limits import LIMITS, SIGN_OFF
from countersight.audits.bundle.seal import SEAL, Bundle, zip_bundle
from countersight.audits.bundle.sessions import SESSIONS, Session
from countersight.audits.bundle.write import REPORT, Sheets, papers, sheets_of
from countersight.audits.calibration.calibrating import CALIBRATION_FOLDER
from countersight.audits.calibration.sheet import CALIBRATION, Calibration
from countersight.audits.finishing import page_of
from countersight.audits.folder import LOG, MANIFEST, PICTURES, decode_step, encode_step
from countersight.audits.records import CaseRecord, Dose, EditRecord, Manifest
from countersight.audits.scores import SCORES, Scores, score
from countersight.audits.selection import SELECTION, Selected, Selection, decode_selection, select
from countersight.audits.verifying.finding import Finding, What, likeness, same_webp
from countersight.audits.verifying.stages import Opened
from countersight.dataset import Dataset
from countersight.errors import AuditError, BadPicture
from countersight.system import cores
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
    if selection.descriptive != manifest.descriptive:
        yield Finding("broken", SELECTION, "it was made by another rule than audit.json names")
    expected = selection.expected(manifest.cases)
    if len(selection.cases) != expected:
        found = several(len(selection.cases), "case")
        yield Finding("broken", SELECTION, f"it has {found}; by the rule there are {expected:,}")
    if (
        opened.dataset is not None
        and select(Dataset.open(opened.dataset), manifest.cases, descriptive=manifest.descriptive) != selection
    ):
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


_WORDED: Final = (LIMITS, SIGN_OFF, REPORT)
"""What another version may word otherwise."""
_PICTURE: Final = re.compile(r"data:image/webp;base64,([A-Za-z0-9+/=]*)")
_SHOWN: Final = "[a picture]"
"""Stands for each picture of a page where its words are compared, so that none is taken out or put in."""


def checked_differences(opened: Opened) -> Iterator[Finding]:
    """The picture of every edit's difference, made again."""
    made = {name: edit for edit in edits(opened.audit.cases) if (name := difference_of(edit))}
    for name in sorted(name for name in opened.files if name.startswith(f"{DIFFERENCES}/") and name not in made):
        yield Finding("added", name, "no edit in the log has it")
    with ThreadPoolExecutor(cores()) as pool:  # Pillow and NumPy let go of the interpreter
        for found in pool.map(lambda name: _difference(opened, name, made[name]), made):
            if found:
                yield found


def _difference(opened: Opened, name: str, edit: EditRecord) -> Finding | None:
    if name not in opened.files:
        return Finding("missing", name, "it follows from an edit in the log")
    try:
        follows = encoded_difference(difference(opened.folder, edit))
    except (AuditError, BadPicture):
        return None  # a picture that is missing or was altered is named already
    if likeness(content(opened.path / name), follows) != "other":
        return None
    return Finding("broken", name, "it is not where the two pictures differ, or holds more")


def checked_papers(opened: Opened) -> Iterator[Finding]:
    """Whatever follows from the log and does not lie there as it follows, and last the page that people read."""
    try:
        # The card of the dataset and an earlier audit are taken as they were written down.
        sheets = sheets_of(opened.folder, opened.audit, score(opened.audit), None, kept_card=True)
    except AuditError as error:
        yield Finding("broken", str(error).split(" ")[0], str(error))
        return
    for name, follows in papers(sheets).items():
        written = _written(opened, name)
        if isinstance(written, Finding):
            yield written
        elif written != follows:
            yield from _differing(opened, name, written, follows, sheets.scores)
    yield from (Finding("broken", fault.split(" ")[0].rstrip(":"), fault) for fault in sheets.reviews.faults)
    if opened.dataset is not None and (dataset_card(opened.dataset) or Card()) != sheets.dataset.card:
        yield Finding("not verified", DATASET_SHEET, "the card of the dataset says something else now")
    yield from _changes(opened, sheets)
    yield from _page(opened, sheets)


def _page(opened: Opened, sheets: Sheets) -> Iterator[Finding]:
    page = _written(opened, REPORT)
    if isinstance(page, Finding):
        yield page
        return
    try:
        follows = page_of(sheets, opened.bundle.gallery)
    except (AuditError, BadPicture):
        return  # a picture that is missing or was altered is named already
    written = page.decode("utf-8", "replace")
    if written == follows:
        return
    if opened.early or opened.other_version:
        yield _not_derived(opened, REPORT)
    elif _PICTURE.sub(_SHOWN, written) != _PICTURE.sub(_SHOWN, follows):
        yield Finding("broken", REPORT, "it does not say what follows from the log")
    elif not all(map(_same_picture, _PICTURE.findall(written), _PICTURE.findall(follows))):
        yield Finding("broken", REPORT, "it shows other pictures than those of the bundle")


def _same_picture(one: str, other: str) -> bool:
    try:
        return one == other or same_webp(*(base64.b64decode(data, validate=True) for data in (one, other)))
    except ValueError:
        return False


def _written(opened: Opened, name: str) -> bytes | Finding:
    if name not in opened.files:
        return Finding("missing", name, "it follows from the log")
    try:
        return content(opened.path / name)
    except AuditError as error:
        return Finding("broken", name, str(error))


def _differing(opened: Opened, name: str, written: bytes, follows: bytes, scores: Scores) -> Iterator[Finding]:
    other = opened.early or opened.other_version
    if name in _WORDED and other:
        yield _not_derived(opened, name)
    elif not (other and _says_less(name, written, follows)):
        what = _told_scores(written, scores) if name == SCORES else "it does not follow from the log"
        yield Finding("broken", name, what + opened.other_version)


def _not_derived(opened: Opened, name: str) -> Finding:
    """Whoever edits a page need only name another version in the seal: what is not derived is not sound."""
    wrote = opened.bundle.countersight
    return Finding("not verified", name, f"Countersight {wrote} is said to have worded it; verify it with that version")


def _says_less(name: str, written: bytes, follows: bytes) -> bool:
    """Whether all that an earlier version wrote is what follows; a later one may say more."""
    try:
        one, other = (
            [msgspec.json.decode(line) for line in (data.splitlines() if name == CASES else [data])]
            for data in (written, follows)
        )
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return _within(one, other)


def _within(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return all(key in other and _within(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_within, one, other))
    return bool(one == other)


def _told_scores(written: bytes, follows: Scores) -> str:
    try:
        told = msgspec.json.decode(written, type=Scores).kept.ccs.value
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "it is damaged; scores follow from the verdicts in the log"
    if told == follows.kept.ccs.value:
        return "it does not follow from the verdicts in the log"
    return f"CCS is {told} in it; {follows.kept.ccs.value} follows from the verdicts in the log"


def _changes(opened: Opened, sheets: Sheets) -> Iterator[Finding]:
    """The record of changes says of this audit what follows; of the earlier one only that audit can tell."""
    record = sheets.changes
    if record is None:
        if CHANGES in opened.files:
            yield Finding("broken", CHANGES, "it is not of this audit as it stands")
        return
    if any(shift.now != getattr(sheets.scores.kept, measure) for measure, shift in record.scores.items()):
        yield Finding("broken", CHANGES, "the scores that it gives for now do not follow from the log")
    if opened.against is not None and change_record(opened.audit, sheets.scores, opened.against) != record:
        yield Finding("broken", CHANGES, f"it does not follow from this audit and {opened.against.name}")
