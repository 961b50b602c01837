"""Pictures that show where an edit differs from its original: black where nothing does, brighter the more it does."""

import io
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from PIL import Image, ImageChops

from countersight.audits.bundle.cases import DIFFERENCES, difference_of
from countersight.audits.bundle.files import digest
from countersight.audits.bundle.seal import SEAL, read_seal
from countersight.audits.folder import AuditFolder
from countersight.audits.records import CaseTrail, EditRecord
from countersight.errors import BadPicture
from countersight.files import write_whole
from countersight.picture import LONGEST_SIDE, as_seen
from countersight.system import cores


def write_differences(
    folder: AuditFolder, cases: Iterable[CaseTrail], done: Callable[[int], None] = lambda number: None
) -> None:
    """A PNG in `differences/` for every edit that changed a picture, and no other.

    What was sealed before and is as it was is not made again.
    """
    wanted = {name: edit for edit in edits(cases) if (name := difference_of(edit))}
    place = folder.path / DIFFERENCES
    if place.is_dir():
        for file in place.iterdir():
            if f"{DIFFERENCES}/{file.name}" not in wanted:
                file.unlink()
    if not wanted:
        if place.is_dir():
            place.rmdir()
        return
    place.mkdir(exist_ok=True)
    sealed = read_seal(folder.path)[0].files if (folder.path / SEAL).exists() else {}

    def make(name: str) -> None:
        file = folder.path / name
        if not file.exists() or name not in sealed or digest(file) != sealed[name].sha256:
            with suppress(BadPicture):  # one that cannot be decoded was never measured either, and does not count
                write_whole(file, encoded_difference(difference(folder, wanted[name])))

    with ThreadPoolExecutor(cores()) as pool:  # Pillow lets go of the interpreter
        for number, _ in enumerate(pool.map(make, wanted), 1):
            done(number)


def edits(cases: Iterable[CaseTrail]) -> list[EditRecord]:
    """Every edit of an audit, the control edits and those of what is not cited too."""
    return [
        concept.edit
        for case in cases
        for concept in (*case.concepts, *case.uncited, *([case.control] if case.control else []))
        if concept.edit
    ]


def difference(folder: AuditFolder, edit: EditRecord) -> Image.Image:
    """How far every pixel of an edit, laid over its original as it was for measuring, is from what it was."""
    before = as_seen(folder.picture(edit.before), LONGEST_SIDE)
    after = as_seen(folder.picture(edit.after), LONGEST_SIDE)
    if after.size != before.size:
        after = after.resize(before.size, Image.Resampling.LANCZOS)
    warp = edit.quality.warp if edit.quality else ()
    if len(warp) == 6:
        over = after.transform(after.size, Image.Transform.AFFINE, warp, Image.Resampling.BICUBIC)
        there = Image.new("L", after.size, 255).transform(after.size, Image.Transform.AFFINE, warp)
        after = Image.composite(over, before, there)  # beyond its border the edit says nothing
    return ImageChops.difference(before, after)


def encoded_difference(image: Image.Image) -> bytes:
    """The bytes of a difference as they are kept."""
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=2)
    return file.getvalue()
