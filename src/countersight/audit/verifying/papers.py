"""The papers and the page of a bundle, made again from its log and compared with those that lie there."""

import base64
import io
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from PIL import Image

from countersight.audit.bundle.cases import CASES
from countersight.audit.bundle.changes import CHANGES, ChangeRecord, change_record
from countersight.audit.bundle.dataset_sheet import DATASET_SHEET, Card, DatasetSheet, dataset_card
from countersight.audit.bundle.files import content
from countersight.audit.bundle.limits import LIMITS
from countersight.audit.bundle.naming import REPORT
from countersight.audit.bundle.sign_off import SIGN_OFF
from countersight.audit.bundle.write import Sheets, papers, sheets_of
from countersight.audit.finishing import page_of
from countersight.audit.scores import SCORES, Scores, score
from countersight.audit.verifying.edits import alike
from countersight.audit.verifying.finding import Finding, Opened
from countersight.audit.verifying.packing import is_bare_webp
from countersight.errors import AuditError

_WORDED: Final = (LIMITS, SIGN_OFF, REPORT)
"""What another version may word otherwise."""
_PICTURE: Final = re.compile(r"data:image/webp;base64,([A-Za-z0-9+/=]*)")
_SHOWN: Final = "[a picture]"
"""Stands for each picture of a page where its words are compared, so that none is taken out or put in."""


def checked_papers(opened: Opened) -> Iterator[Finding]:
    """Whatever follows from the log and does not lie there as it follows."""
    try:
        sheets = _sheets(opened)
    except AuditError as error:
        yield Finding("broken", str(error).split(" ")[0], str(error))
        return
    for name, follows in papers(sheets).items():
        written = _written(opened, name)
        if isinstance(written, bytes):
            yield from _compared(opened, name, written, follows, sheets.scores)
        else:
            yield written
    yield from (Finding("broken", fault.split(" ")[0].rstrip(":"), fault) for fault in sheets.reviews.faults)
    yield from _card(opened, sheets.dataset)
    yield from _changes(opened, sheets)


def checked_page(opened: Opened) -> Iterator[Finding]:
    """Whether the page that people read says and shows what follows from the log."""
    page = _written(opened, REPORT)
    if isinstance(page, Finding):
        yield page
        return
    try:
        follows = page_of(_sheets(opened), opened.bundle.gallery)
    except AuditError:
        return  # found with the papers
    written = page.decode("utf-8", "replace")
    if written == follows:
        return
    if opened.early or opened.other_version:
        yield _not_derived(opened, REPORT)
    elif _PICTURE.sub(_SHOWN, written) != _PICTURE.sub(_SHOWN, follows):
        yield Finding("broken", REPORT, "it does not say what follows from the log")
    elif not all(map(_same_picture, _PICTURE.findall(written), _PICTURE.findall(follows))):
        yield Finding("broken", REPORT, "it shows other pictures than those of the bundle")


def _sheets(opened: Opened) -> Sheets:
    """What the log says; the card of the dataset and an earlier audit are taken as they were written down."""
    return sheets_of(opened.folder, opened.audit, score(opened.audit), None, kept_card=True)


def _written(opened: Opened, name: str) -> bytes | Finding:
    if name not in opened.files:
        return Finding("missing", name, "it follows from the log")
    try:
        return content(opened.path / name)
    except AuditError as error:
        return Finding("broken", name, str(error))


def _compared(opened: Opened, name: str, written: bytes, follows: bytes, scores: Scores) -> Iterator[Finding]:
    if written == follows:
        return
    if name in _WORDED and (opened.early or opened.other_version):
        yield _not_derived(opened, name)
    elif not ((opened.early or opened.other_version) and _says_less(name, written, follows)):
        what = _told_scores(written, scores) if name == SCORES else "it does not follow from the log"
        yield Finding("broken", name, what + opened.other_version)


def _not_derived(opened: Opened, name: str) -> Finding:
    """Whoever edits a page need only name another version in the seal: what is not derived is not sound."""
    wrote = opened.bundle.countersight
    return Finding("not verified", name, f"Countersight {wrote} is said to have worded it; verify it with that version")


def _says_less(name: str, written: bytes, follows: bytes) -> bool:
    """Whether all that an earlier version wrote is what follows; a later one may say more."""
    lines = name == CASES
    try:
        one, other = (
            [msgspec.json.decode(line) for line in (data.splitlines() if lines else [data])]
            for data in (written, follows)
        )
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return len(one) == len(other) and all(map(_within, one, other))


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


def _card(opened: Opened, sheet: DatasetSheet) -> Iterator[Finding]:
    """Whether the card is the dataset's; it is no part of the rows, and may have been changed there since."""
    if opened.dataset is not None and (dataset_card(opened.dataset) or Card()) != sheet.card:
        yield Finding("not verified", DATASET_SHEET, "the card of the dataset says something else now")


def _changes(opened: Opened, sheets: Sheets) -> Iterator[Finding]:
    """The record of changes says of this audit what follows; of the earlier one only that audit can tell."""
    if CHANGES in opened.files and sheets.changes is None:
        yield Finding("broken", CHANGES, "it is not of this audit as it stands")
    if sheets.changes is None:
        return
    record: ChangeRecord = sheets.changes
    if any(shift.now != getattr(sheets.scores.kept, measure) for measure, shift in record.scores.items()):
        yield Finding("broken", CHANGES, "the scores that it gives for now do not follow from the log")
    if opened.against is not None and change_record(opened.audit, sheets.scores, opened.against) != record:
        yield Finding("broken", CHANGES, f"it does not follow from this audit and {opened.against.name}")


def _same_picture(one: str, other: str) -> bool:
    if one == other:
        return True
    try:
        shown, made = (base64.b64decode(data, validate=True) for data in (one, other))
        pictures = (Image.open(io.BytesIO(data), formats=["WEBP"]) for data in (shown, made))
        return is_bare_webp(shown) and alike(*pictures)
    except (OSError, ValueError, Image.DecompressionBombError):
        return False
