"""Write cases.jsonl, with every test in full and one case per line, and the difference picture of each edit."""

import io
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Final

import msgspec
from PIL import Image, ImageChops

from countersight.audits.folder import PICTURES, AuditFolder
from countersight.audits.records import EditRecord
from countersight.audits.score_records import AuditScores
from countersight.audits.seal import SEAL, digest, read_seal
from countersight.audits.trail import AuditTrail, CaseTrail, ConceptTrail
from countersight.errors import BadPicture
from countersight.files import write_whole
from countersight.picture import LONGEST_SIDE, as_seen
from countersight.system import cores

CASES: Final = "cases.jsonl"
DIFFERENCES: Final = "differences"
replace = msgspec.structs.replace


def cases_in_full(audit: AuditTrail, scores: AuditScores, files: Iterable[str]) -> tuple[CaseTrail, ...]:
    """Return the trails of all cases with their scores, without scenes, and with file names instead of digests.

    `files` has the names of all existing files.
    """
    names = {PurePosixPath(name).stem: name for name in files if name.startswith((f"{PICTURES}/", f"{DIFFERENCES}/"))}
    scored = {(concept.case, concept.number): concept for concept in scores.concepts}

    def in_full(case: CaseTrail, concept: ConceptTrail) -> ConceptTrail:
        edit, score = concept.edit, scored.get((case.case, concept.number))
        if edit is not None:
            files = {key: names.get(getattr(edit, key), "") for key in ("before", "after", "mask")}
            concept = replace(
                concept, edit=replace(edit, scene=None, **files), difference=names.get(difference_of(edit), "")
            )
        doses = tuple(replace(dose, picture=names.get(dose.picture, "")) for dose in concept.doses)
        if score is None:
            return replace(concept, doses=doses)
        return replace(concept, doses=doses, pcs=score.pcs, ncc=score.ncc, ccs=score.ccs, excluded=score.excluded)

    return tuple(
        replace(
            case,
            record=replace(case.record, picture=names.get(case.record.picture, ""), scene=None),
            concepts=tuple(in_full(case, concept) for concept in case.concepts),
            control=in_full(case, case.control) if case.control else None,
            uncited=tuple(in_full(case, concept) for concept in case.uncited),
        )
        for case in audit.cases
    )


def encode_cases(cases: Iterable[CaseTrail]) -> bytes:
    """Return the bytes of cases.jsonl."""
    return b"".join(msgspec.json.encode(case) + b"\n" for case in cases)


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
