"""The cases in a log against those that were selected when the audit began."""

from collections.abc import Iterator

from countersight.audit.bundle.files import content
from countersight.audit.log import LOG
from countersight.audit.selection import SELECTION, Selected, Selection, decode_selection, select
from countersight.audit.verifying.finding import Finding, Opened
from countersight.dataset import Dataset
from countersight.errors import AuditError
from countersight.text import several

NAMED = 5
"""Cases that a finding names; there may be thousands."""


def checked_selection(opened: Opened) -> Iterator[Finding]:
    """Whether every case that was selected is in the log, and no other, and the selection is that of the rule."""
    if not opened.audit.cases:
        yield Finding("not verified", LOG, "it holds no case: nothing was audited, and nothing can be sound")
    if SELECTION not in opened.files:
        if opened.early:
            yield from _by_number(opened)
        else:
            yield Finding("missing", SELECTION)
        return
    try:
        selection = decode_selection(content(opened.path / SELECTION))
    except AuditError as error:
        yield Finding("broken", SELECTION, str(error))
        return
    yield from _rule(opened, selection)
    there = {Selected(step.place.row, step.place.case) for step in opened.audit.steps if step.stage == "case"}
    missing = [each for each in selection.cases if each not in there]
    if missing:
        why = "the audit was not finished, or they were taken out"
        yield Finding("missing", LOG, f"{_named(missing, len(selection.cases))} are not in the log: {why}")
    added = sorted(there - set(selection.cases), key=lambda each: each.row)
    if added:
        yield Finding("added", LOG, f"cases that were not selected: {_named(added, len(there))}")


def _rule(opened: Opened, selection: Selection) -> Iterator[Finding]:
    manifest = opened.audit.manifest
    if (selection.fingerprint, selection.rows) != (manifest.dataset.fingerprint, manifest.dataset.rows):
        yield Finding("broken", SELECTION, "it was made of another dataset than audit.json names")
    expected = selection.expected(manifest.cases)
    if len(selection.cases) != expected:
        found = several(len(selection.cases), "case")
        yield Finding("broken", SELECTION, f"it has {found}; by the rule there are {expected:,}")
    if opened.dataset is not None and select(Dataset.open(opened.dataset), manifest.cases) != selection:
        yield Finding("broken", SELECTION, "the rule selects other cases of the dataset")


def _by_number(opened: Opened) -> Iterator[Finding]:
    manifest, there = opened.audit.manifest, len(opened.audit.cases)
    expected = min(manifest.dataset.rows, manifest.cases or manifest.dataset.rows)
    if there != expected:
        words = f"{there:,} of {expected:,} selected cases are in the log; nothing says which were left out"
        yield Finding("not verified", LOG, words)


def _named(cases: list[Selected], of: int) -> str:
    listed = ", ".join(each.case for each in cases[:NAMED]) + (", …" if len(cases) > NAMED else "")
    return f"{len(cases):,} of {several(of, 'case')} ({listed})"
