"""cases.jsonl, with every test in full, one case per line; and the difference picture of every edit."""

import io
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Final

import msgspec
from PIL import Image, ImageChops

from countersight.audits.bundle.seal import SEAL, digest, read_seal
from countersight.audits.folder import PICTURES, AuditFolder
from countersight.audits.records import Check, EditRecord, Verdict
from countersight.audits.score_records import AuditScores, ConceptScore
from countersight.audits.trail import AuditTrail, CaseTrail, ChangedExplanation, ConceptTrail, WeakerEdit
from countersight.case import Question
from countersight.editing import Instruction
from countersight.editing.quality import EditQuality
from countersight.errors import BadPicture
from countersight.files import write_whole
from countersight.picture import LONGEST_SIDE, as_seen
from countersight.system import cores

CASES: Final = "cases.jsonl"
DIFFERENCES: Final = "differences"


class EditSheet(msgspec.Struct, frozen=True, omit_defaults=True):
    """One edit: its files (before, after, mask, difference) and its quality."""

    editor: str
    seed: int
    before: str
    after: str = ""
    mask: str = ""
    difference: str = ""
    quality: EditQuality | None = None
    failure: str = ""
    log: dict[str, str | int | float] = {}
    checks: tuple[Check, ...] = ()
    """Whether the edit did what was requested, according to each checker."""


class ConceptSheet(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One tested concept, or the control edit (number 0)."""

    number: int
    instruction: Instruction
    edit: EditSheet | None = None
    answer: str | None = None
    explanation: str | None = None
    """The model's explanation of the edited picture."""
    pcs: float | None = None
    ncc: float | None = None
    ccs: float | None = None
    excluded: str = ""
    verdicts: tuple[Verdict, ...] = ()
    doses: tuple[WeakerEdit, ...] = ()
    """Weaker versions of the edit, each with the model's answer."""
    thought: ChangedExplanation | None = None
    """The changed explanation in the model's turn, and the answer after it."""


class CaseSheet(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One case, which is one line of cases.jsonl."""

    case: str
    row: int
    suite: str = ""
    group: str = ""
    picture: str
    question: Question
    answer: str | None = None
    explanation: str | None = None
    no_concept: str = ""
    """Why the explanation has no testable concept, if so."""
    tests: tuple[ConceptSheet, ...] = ()
    control: ConceptSheet | None = None
    uncited: tuple[ConceptSheet, ...] = ()
    """Edits of things that the explanation does not cite; numbered -1, -2, …"""
    failures: tuple[str, ...] = ()


def _edit_sheet(edit: EditRecord, checks: tuple[Check, ...], names: Mapping[str, str], editor: str) -> EditSheet:
    return EditSheet(
        editor=editor,
        seed=edit.seed,
        before=names.get(edit.before, ""),
        after=names.get(edit.after, ""),
        mask=names.get(edit.mask, ""),
        difference=names.get(difference_of(edit), ""),
        quality=edit.quality,
        failure=edit.failure,
        log=edit.log,
        checks=checks,
    )


def _concept_sheet(
    concept: ConceptTrail, score: ConceptScore | None, names: Mapping[str, str], editor: str
) -> ConceptSheet:
    again = concept.again
    return ConceptSheet(
        number=concept.number,
        instruction=concept.instruction,
        edit=_edit_sheet(concept.edit, concept.checks, names, editor) if concept.edit else None,
        answer=again.answer.text if again else None,
        explanation=again.explanation.text if again else None,
        pcs=score.pcs if score else None,
        ncc=score.ncc if score else None,
        ccs=score.ccs if score else None,
        excluded=score.excluded if score else "",
        verdicts=concept.verdicts,
        doses=tuple(msgspec.structs.replace(dose, picture=names.get(dose.picture, "")) for dose in concept.doses),
        thought=concept.thought,
    )


def case_sheets(audit: AuditTrail, scores: AuditScores, files: Iterable[str]) -> tuple[CaseSheet, ...]:
    """Return the sheets of all cases, with the names of their files; `files` are the names of all existing files."""
    names = {PurePosixPath(name).stem: name for name in files if name.startswith((f"{PICTURES}/", f"{DIFFERENCES}/"))}
    scored = {(concept.case, concept.number): concept for concept in scores.concepts}
    editor = audit.manifest.editor.name

    def sheet_of(concept: ConceptTrail, score: ConceptScore | None = None) -> ConceptSheet:
        return _concept_sheet(concept, score, names, editor)

    return tuple(
        CaseSheet(
            case=case.case,
            row=case.row,
            suite=case.record.suite,
            group=case.record.group,
            picture=names.get(case.record.picture, ""),
            question=case.record.question,
            answer=case.baseline.answer.text if case.baseline else None,
            explanation=case.baseline.explanation.text if case.baseline else None,
            no_concept=case.extracted.reason if case.extracted and not case.extracted.instructions else "",
            tests=tuple(sheet_of(concept, scored.get((case.case, concept.number))) for concept in case.concepts),
            control=sheet_of(case.control) if case.control else None,
            uncited=tuple(map(sheet_of, case.uncited)),
            failures=case.failures,
        )
        for case in audit.cases
    )


def encode_cases(sheets: Iterable[CaseSheet]) -> bytes:
    """Return the bytes of cases.jsonl."""
    return b"".join(msgspec.json.encode(sheet) + b"\n" for sheet in sheets)


def difference_of(edit: EditRecord) -> str:
    """Return the name, without folder and suffix, of the difference picture of an edit; "" if nothing changed."""
    return f"{edit.before[:16]}-{edit.after[:16]}" if edit.after not in ("", edit.before) else ""


def edits(cases: Iterable[CaseTrail]) -> list[EditRecord]:
    """Return every edit of an audit, including control edits and edits of uncited things."""
    return [
        concept.edit
        for case in cases
        for concept in (*case.concepts, *case.uncited, *([case.control] if case.control else []))
        if concept.edit
    ]


def write_differences(
    folder: AuditFolder, cases: Iterable[CaseTrail], done: Callable[[int], None] = lambda number: None
) -> None:
    """Write a PNG to `differences/` for every edit that changed a picture, and remove others.

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
    """Return the pixel differences between an edit, aligned as for its quality measures, and its original."""
    before, after = (as_seen(folder.picture(digest), LONGEST_SIDE) for digest in (edit.before, edit.after))
    if after.size != before.size:
        after = after.resize(before.size, Image.Resampling.LANCZOS)
    warp = edit.quality.warp if edit.quality else ()
    if len(warp) == 6:
        over = after.transform(after.size, Image.Transform.AFFINE, warp, Image.Resampling.BICUBIC)
        there = Image.new("L", after.size, 255).transform(after.size, Image.Transform.AFFINE, warp)
        after = Image.composite(over, before, there)  # outside of the edited picture, nothing differs
    return ImageChops.difference(before, after)
