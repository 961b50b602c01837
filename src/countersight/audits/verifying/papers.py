"""Differences, papers and page of a bundle, written again from its log and compared with those that lie there."""

import base64
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import msgspec

from countersight.audits.bundle.cases import CASES, DIFFERENCES, difference_of
from countersight.audits.bundle.changes import CHANGES, change_record
from countersight.audits.bundle.dataset_sheet import DATASET_SHEET, Card, dataset_card
from countersight.audits.bundle.differences import difference, edits, encoded_difference
from countersight.audits.bundle.files import content
from countersight.audits.bundle.limits import LIMITS
from countersight.audits.bundle.naming import REPORT
from countersight.audits.bundle.sign_off import SIGN_OFF
from countersight.audits.bundle.write import Sheets, papers, sheets_of
from countersight.audits.finishing import page_of
from countersight.audits.records import EditRecord
from countersight.audits.scores import SCORES, Scores, score
from countersight.audits.verifying.finding import Finding
from countersight.audits.verifying.pictures import likeness, same_webp
from countersight.audits.verifying.stages import Opened
from countersight.errors import AuditError, BadPicture
from countersight.system import cores

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
