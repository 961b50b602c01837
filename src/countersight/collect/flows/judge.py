"""Flow `judge`: people give EDCT's two verdicts on an audit, blind to its judges and to each other (EDCT 3)."""

from typing import Any, Final

import msgspec

from countersight.collect.flows.protocol import Choice, Flow, Form, Item, Past, Phase, Text

_SCORES: Final = {"1": 1, "0": 0, "none": None}
FIELDS: Final = (
    Choice("pcs", "whether the answer follows the change", tuple(_SCORES)),
    Choice("ncc", "whether the explanation follows the change", tuple(_SCORES)),
    Text("pcs_reason", "The reason", most=500, needed=False),
    Text("ncc_reason", "The reason", most=500, needed=False),
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
            "judge", "Judge", "Say whether an answer and its explanation follow a change of the picture.", PersonVerdict
        ),
    )

    def read(self, phase: str, form: Form, item: Item, past: Past) -> PersonVerdict:
        """Return the two verdicts with a reason each."""
        pcs, ncc, *reasons = form.read(FIELDS).values()
        return PersonVerdict(_SCORES.get(pcs), _SCORES.get(ncc), *reasons)

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """Return the question, both pictures and both answers; the judges' verdicts are not part of the item."""
        return {"trail": item.source}

    def labels(self, phase: str, content: PersonVerdict) -> dict[str, str]:
        """Return both verdicts; an undecided one is not a label."""
        given = {"PCS": content.pcs, "NCC": content.ncc}
        return {name: str(score) for name, score in given.items() if score is not None}


FLOW = JudgeFlow()
