"""Flow `judge`: people give EDCT's two verdicts on an audit, without seeing any other verdicts (EDCT 3)."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from countersight.audits import AuditFolder, read_audit
from countersight.collect.flows.forms import Form
from countersight.collect.flows.protocol import (
    Flow,
    Item,
    KeepPicture,
    Known,
    NewItem,
    Past,
    Sources,
    item_key,
)
from countersight.errors import CampaignError

_SCORES: Final = {"1": 1, "0": 0, "none": None}


class PersonVerdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """One person's verdict on one edit; None is “cannot be decided”."""

    pcs: int | None
    ncc: int | None
    pcs_reason: str = ""
    ncc_reason: str = ""


class JudgeFlow(Flow):
    """The flow in which people judge the edits of an audit."""

    name = "judge"
    uses = ("source",)
    contents = (PersonVerdict,)

    def new_items(self, sources: Sources, keep: KeepPicture, known: Known) -> Iterator[NewItem]:
        """Yield one item for each edit after which the model was asked again, without control edits."""
        if sources.source is None:
            raise CampaignError("the flow judge needs an audit: set `source`")
        opened = AuditFolder.open(sources.source)
        for trail in read_audit(sources.source).cases:
            before = trail.baseline
            for concept in trail.concepts:
                edit, again = concept.edit, concept.again
                if before is None or again is None or edit is None or not edit.after:
                    continue
                source = {
                    "case": trail.case,
                    "concept": concept.number,
                    "question": trail.record.question.text,
                    "options": [option.text for option in trail.record.question.options],
                    "cited": concept.instruction.concept,
                    "changed": concept.instruction.positive,
                    "before": keep(opened.picture(edit.before)),
                    "after": keep(opened.picture(edit.after)),
                    "answer": before.answer.text,
                    "why": before.explanation.text,
                    "answer_again": again.answer.text,
                    "why_again": again.explanation.text,
                }
                yield NewItem(item_key(trail.case, str(concept.number)), source, "judge")

    def read(self, phase: str, form: Form, item: Item, past: Past) -> PersonVerdict:
        """Return the two verdicts, each with a reason."""
        pcs, pcs_reason, ncc, ncc_reason = form.read(self.fields(phase, item, past)).values()
        return PersonVerdict(_SCORES.get(pcs), _SCORES.get(ncc), pcs_reason, ncc_reason)

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """Return the question, both pictures and both answers; the judges' verdicts are not part of the item."""
        return {"trail": item.source}

    def labels(self, phase: str, content: PersonVerdict) -> dict[str, str]:
        """Return both verdicts; an undecided one is not a label."""
        given = {"PCS": content.pcs, "NCC": content.ncc}
        return {name: str(score) for name, score in given.items() if score is not None}


FLOW = JudgeFlow()
