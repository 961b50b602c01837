"""The edits of an audit as items for people: both pictures, both answers, and nothing of what judges said."""

from collections.abc import Iterator
from pathlib import Path

from countersight.audits import AuditFolder, CaseTrail, ConceptTrail, read_audit
from countersight.collect.campaign import keep_picture
from countersight.collect.flows import NewItem


def audit_items(folder: Path, audit: Path) -> Iterator[NewItem]:
    """One item for each edit that was made and asked about again; the control edits are left out."""
    pictures = AuditFolder.open(audit)
    for trail in read_audit(audit).cases:
        for concept in trail.concepts:
            item = _item(folder, pictures, trail, concept)
            if item is not None:
                yield item


def _item(folder: Path, audit: AuditFolder, trail: CaseTrail, concept: ConceptTrail) -> NewItem | None:
    edit = concept.edit
    if trail.baseline is None or concept.again is None or edit is None or not edit.after:
        return None
    source = {
        "case": trail.case,
        "concept": concept.number,
        "question": trail.record.question.text,
        "options": [option.text for option in trail.record.question.options],
        "cited": concept.instruction.concept,
        "changed": concept.instruction.positive,
        "before": keep_picture(folder, audit.picture(edit.before)),
        "after": keep_picture(folder, audit.picture(edit.after)),
        "answer": trail.baseline.answer.text,
        "why": trail.baseline.explanation.text,
        "answer_again": concept.again.answer.text,
        "why_again": concept.again.explanation.text,
    }
    return NewItem(f"{trail.case}/{concept.number}"[:200], source, "judge")
