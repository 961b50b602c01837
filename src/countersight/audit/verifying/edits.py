"""Pictures of a bundle: each is the one the log speaks of, and every edit is measured again."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePosixPath
from typing import Final

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from countersight.audit.bundle.cases import DIFFERENCES, difference_of
from countersight.audit.bundle.differences import difference, edits, encoded_difference
from countersight.audit.editing import measured
from countersight.audit.folder import MANIFEST, PICTURES
from countersight.audit.log import LOG
from countersight.audit.probes import Dose
from countersight.audit.records import CaseRecord, EditRecord
from countersight.audit.verifying.finding import Finding, Opened
from countersight.audit.verifying.packing import holds_more
from countersight.editing.quality import EditQuality
from countersight.errors import AuditError, BadPicture
from countersight.machine import cores
from countersight.picture import as_seen, read_picture

APART: Final = 0.01
"""Of a measure: what another release of a library may do to it."""
SHIFTED: Final = 0.5
"""Of a pixel: what it may do to the place where an edit lies."""
_MEASURES: Final = ("ssim", "ssim_inside", "ssim_outside", "changed", "changed_inside", "changed_outside")
FAINT: Final = 32
"""How far 5 x 5 pixels of two pictures may be apart on average, of 255, where they show the same."""


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


def checked_edits(opened: Opened) -> Iterator[Finding]:
    """Every edit measured again, and its difference made again."""
    made = {
        (edit.before, edit.after, edit.mask, edit.quality): edit for edit in edits(opened.audit.cases) if edit.after
    }
    named = {difference_of(edit) for edit in made.values()}
    for name in sorted(name for name in opened.files if name.startswith(f"{DIFFERENCES}/") and name not in named):
        yield Finding("added", name, "no edit in the log has it")
    with ThreadPoolExecutor(cores()) as pool:  # Pillow and NumPy let go of the interpreter
        for found in pool.map(lambda edit: list(_edit(opened, edit)), made.values()):
            yield from found
    if not opened.audit.manifest.lpips and any(edit.quality and _has_lpips(edit.quality) for edit in made.values()):
        yield Finding("broken", LOG, f"LPIPS of edits was measured, and {MANIFEST} names no weights for it")


def _has_lpips(quality: EditQuality) -> bool:
    return any(value is not None for value in (quality.lpips, quality.lpips_inside, quality.lpips_outside))


def _edit(opened: Opened, edit: EditRecord) -> Iterator[Finding]:
    try:
        before, after = opened.folder.picture(edit.before), opened.folder.picture(edit.after)
        covered = opened.folder.picture(edit.mask).data if edit.mask else None
        again = measured(before, after, covered, control=edit.instruction.action == "nothing")
    except (AuditError, BadPicture):
        return  # a picture that is missing or was altered is named already
    wrong = _unlike(edit.quality, again)
    if wrong:
        yield Finding("broken", LOG, f"the edit {edit.after[:16]} of {edit.before[:16]}: {wrong}")
    yield from _difference(opened, edit)


def _unlike(written: EditQuality | None, again: EditQuality) -> str:
    if written is None:
        return "nobody measured it"
    if (written.good, written.reason) != (again.good, again.reason):
        return f"it is called {_called(written)}; measured again it is {_called(again)}"
    if (written.registration, written.size) != (again.registration, again.size) or not _near(written.warp, again.warp):
        return "it is said to have been laid over its original otherwise than it is"
    for name in _MEASURES:
        one, other = getattr(written, name), getattr(again, name)
        if (one is None) != (other is None) or (one is not None and abs(one - other) > APART):
            return f"{name} is {one} in the log; measured again it is {other}"
    return ""


def _near(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return len(one) == len(other) and all(abs(a - b) <= SHIFTED for a, b in zip(one, other, strict=True))


def _called(quality: EditQuality) -> str:
    return "good" if quality.good else f"bad ({quality.reason})"


def _difference(opened: Opened, edit: EditRecord) -> Iterator[Finding]:
    name = difference_of(edit)
    if not name:
        return
    if name not in opened.files:
        yield Finding("missing", name, "it follows from an edit in the log")
        return
    try:
        shown, made = read_picture(opened.path / name), difference(opened.folder, edit)
    except BadPicture:
        yield Finding("broken", name, "it is no picture")
        return
    follows = encoded_difference(made)
    if shown.data == follows:
        return
    if not alike(as_seen(shown), made):
        yield Finding("broken", name, "it does not show where the two pictures differ")
    elif holds_more(shown.data, follows):
        yield Finding("broken", name, "it holds more than where the two pictures differ")


def alike(one: Image.Image, other: Image.Image) -> bool:
    """Whether two pictures show the same, but for what another release of a library may do to their pixels."""
    if one.size != other.size:
        return False
    apart = ImageChops.difference(one.convert("RGB"), other.convert("RGB")).filter(ImageFilter.BoxBlur(2))
    return bool(np.asarray(apart).max() <= FAINT)
