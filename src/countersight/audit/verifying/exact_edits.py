"""Edits of the exact editor made again: the same request gives the same scene, picture and mask, or a refusal."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from countersight.audit.folder import digest_of
from countersight.audit.log import LOG
from countersight.audit.records import CaseTrail, ConceptTrail, EditRecord
from countersight.audit.verifying.edits import alike
from countersight.audit.verifying.finding import Finding, Opened
from countersight.audit.verifying.packing import holds_more
from countersight.editing import EditRequest, marked
from countersight.editing.exact import exact_edit
from countersight.errors import AuditError, BadPicture, EditFailed
from countersight.machine import cores
from countersight.picture import Picture, as_seen, check_picture


def checked_exact_edits(opened: Opened) -> Iterator[Finding]:
    """Every edit that the exact editor makes otherwise, or does not refuse."""
    if opened.audit.manifest.editor.name != "exact":
        return
    tests = [(case, concept) for case in opened.audit.cases for concept in _edited(case)]
    with ThreadPoolExecutor(cores()) as pool:
        found = pool.map(lambda test: _wrong(opened, *test), tests)
        for (case, concept), wrong in zip(tests, found, strict=True):
            if wrong:
                yield Finding("broken", LOG, f"case {case.case}, concept {concept.number}: {wrong}")


def _edited(case: CaseTrail) -> Iterator[ConceptTrail]:
    for concept in (*case.concepts, *case.uncited, *([case.control] if case.control else [])):
        if concept.edit is not None:
            yield concept


def _wrong(opened: Opened, case: CaseTrail, concept: ConceptTrail) -> str:
    edit = concept.edit
    assert edit is not None
    try:
        before = opened.folder.picture(edit.before)
        made = exact_edit(EditRequest(before, edit.instruction, edit.seed, scene=opened.scene(case)))
    except AuditError:
        return ""  # a picture that is missing or was altered is named already
    except EditFailed as error:
        return "" if edit.failure == str(error) else f"the exact editor refuses this edit: {error}"
    if not edit.after:
        return f"the exact editor makes this edit; in the log it fails: {edit.failure}"
    if (edit.drawn, edit.log) != (made.scene, made.log):
        return "the exact editor changes the scene otherwise"
    if not _same(opened, edit.after, marked(check_picture(made.picture.data))):
        return "the edited picture is not the one that the exact editor draws"
    return "" if _same_mask(opened, edit, made.mask) else "the mask is not the one that the exact editor gives"


def _same_mask(opened: Opened, edit: EditRecord, mask: bytes | None) -> bool:
    if mask is None or not edit.mask:
        return mask is None and not edit.mask
    return _same(opened, edit.mask, check_picture(mask))


def _same(opened: Opened, digest: str, made: Picture) -> bool:
    if digest_of(made.data) == digest:
        return True
    try:
        lying = opened.folder.picture(digest)
        smuggled = made.mime == "image/png" and holds_more(lying.data, made.data, signed=True)
        return not smuggled and alike(as_seen(lying), as_seen(made))
    except AuditError:
        return True  # it is named already
    except BadPicture:
        return False
