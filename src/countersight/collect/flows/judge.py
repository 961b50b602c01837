"""Flow `judge`: people give EDCT's two verdicts on an audit, blind to its judges and to each other (EDCT 3)."""

from typing import Any, Final

import msgspec

from countersight.collect.flows.protocol import Choice, Flow, Form, Item, Past, Phase, Text

_SCORES: Final = {"1": 1, "0": 0, "none": None}
SHOWN: Final = {"1": "Yes", "0": "No", "none": "Cannot be decided"}
FIELDS: Final = (
    Choice("pcs", "Does the new answer follow from the changed picture?", options=SHOWN, inline=True),
    Text("pcs_reason", "In a few words, why?", needed=False),
    Choice("ncc", "Does the new explanation reflect the change?", options=SHOWN, inline=True),
    Text("ncc_reason", "In a few words, why so?", needed=False),
)


class PersonVerdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """One person's verdict on one edit; None is “cannot be decided”."""

    pcs: int | None
    ncc: int | None
    pcs_reason: str = ""
    ncc_reason: str = ""


class JudgeFlow(Flow):
    """The flow in which people judge."""

    name = "judge"
    about = "People give the two verdicts of an audit: does the answer follow the edit, does the explanation?"
    phases = (
        Phase(
            "judge",
            "Judge",
            "Say whether an answer and its explanation follow a change of the picture.",
            PersonVerdict,
            fields=FIELDS,
        ),
    )

    def read(self, phase: str, form: Form, item: Item, past: Past) -> PersonVerdict:
        """Return the two verdicts with a reason each."""
        pcs, pcs_reason, ncc, ncc_reason = form.read(FIELDS).values()
        return PersonVerdict(_SCORES.get(pcs), _SCORES.get(ncc), pcs_reason, ncc_reason)

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """Return the question, both pictures and both answers; the judges' verdicts are not part of the item."""
        return {"trail": item.source}

    def labels(self, phase: str, content: PersonVerdict) -> dict[str, str]:
        """Return both verdicts; an undecided one is not a label."""
        given = {"PCS": content.pcs, "NCC": content.ncc}
        return {name: str(score) for name, score in given.items() if score is not None}


FLOW = JudgeFlow()
