"""The difference picture of each edit: what changed between the pictures before and after, aligned with each other."""

import io
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final

import msgspec
from PIL import Image, ImageChops

from countersight.audits.folder import AuditFolder
from countersight.audits.records import EditRecord
from countersight.audits.seal import SEAL, digest, read_seal
from countersight.audits.trail import CaseTrail
from countersight.errors import BadPicture
from countersight.files import write_whole
from countersight.picture import LONGEST_SIDE, as_seen
from countersight.system import cores

DIFFERENCES: Final = "differences"
replace = msgspec.structs.replace


def difference_of(edit: EditRecord) -> str:
    """Return the name, without folder and suffix, of the difference picture of an edit; "" if nothing changed."""
    return f"{edit.before[:16]}-{edit.after[:16]}" if edit.after not in ("", edit.before) else ""


def edits(cases: Iterable[CaseTrail]) -> list[EditRecord]:
    """Return every edit of an audit, including control edits and edits of uncited objects."""
    return [
        concept.edit
        for case in cases
        for concept in (*case.concepts, *case.uncited, *([case.control] if case.control else []))
        if concept.edit
    ]


def write_differences(
    folder: AuditFolder, cases: Iterable[CaseTrail], done: Callable[[int], None] = lambda number: None
) -> None:
    """Write a PNG to `differences/` for every edit that changed a picture, and remove all others.

    Sealed files that have not changed are not written again.
    """
    wanted = {f"{DIFFERENCES}/{name}.png": edit for edit in edits(cases) if (name := difference_of(edit))}
    place = folder.path / DIFFERENCES
    place.mkdir(exist_ok=True)
    for file in place.iterdir():
        if f"{DIFFERENCES}/{file.name}" not in wanted:
            file.unlink()
    if not wanted:
        place.rmdir()
    sealed = read_seal(folder.path)[0].files if (folder.path / SEAL).exists() else {}

    def make(name: str) -> None:
        file = folder.path / name
        if not file.exists() or name not in sealed or digest(file) != sealed[name].sha256:
            with suppress(BadPicture):  # a picture that cannot be decoded was not measured and does not count
                png = io.BytesIO()
                _difference(folder, wanted[name]).save(png, "PNG", compress_level=2)
                write_whole(file, png.getvalue())

    with ThreadPoolExecutor(cores()) as pool:  # Pillow releases the GIL
        for number, _ in enumerate(pool.map(make, wanted), 1):
            done(number)


def _difference(folder: AuditFolder, edit: EditRecord) -> Image.Image:
    """Return the pixel differences between a picture and its edit, aligned as for the quality measures."""
    before, after = (as_seen(folder.picture(digest), LONGEST_SIDE) for digest in (edit.before, edit.after))
    if after.size != before.size:
        after = after.resize(before.size, Image.Resampling.LANCZOS)
    warp = edit.quality.warp if edit.quality else ()
    if len(warp) == 6:
        over = after.transform(after.size, Image.Transform.AFFINE, warp, Image.Resampling.BICUBIC)
        there = Image.new("L", after.size, 255).transform(after.size, Image.Transform.AFFINE, warp)
        after = Image.composite(over, before, there)  # outside of the edited picture, nothing differs
    return ImageChops.difference(before, after)
