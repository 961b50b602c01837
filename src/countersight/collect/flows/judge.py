"""Flow `judge`: people give EDCT's two verdicts on an audit, blind to its judges and to each other (EDCT 3)."""

from typing import Any

import msgspec

from countersight.case import Case
from countersight.collect.flows.protocol import Content, Done, Form, Instance, Item, Past, Phase, Step


class Judged(msgspec.Struct, frozen=True, omit_defaults=True):
    """One person's verdict on one edit; None is “cannot be decided”."""

    pcs: int | None
    ncc: int | None
    pcs_reason: str = ""
    ncc_reason: str = ""


_VALUES = {"1": 1, "0": 0, "none": None}


class Judge:
    """People in the place of judges."""

    name = "judge"
    about = "People give the two verdicts of an audit: does the answer follow the edit, does the explanation?"
    phases: tuple[Phase, ...] = (
        Phase("judge", "Judge", "Say whether an answer and its explanation follow a change of the picture.", Judged),
    )
    balance: tuple[str, ...] = ()
    grouped_in = ""

    def read(self, phase: str, form: Form, item: Item, past: Past) -> Judged:
        """The two verdicts with a reason each."""
        pcs = form.choice("pcs", "whether the answer follows the change", tuple(_VALUES))
        ncc = form.choice("ncc", "whether the explanation follows the change", tuple(_VALUES))
        return Judged(
            _VALUES.get(pcs),
            _VALUES.get(ncc),
            form.text("pcs_reason", "The reason", needed=False, most=500),
            form.text("ncc_reason", "The reason", needed=False, most=500),
        )

    def settle(self, item: Item, phase: str, past: Past) -> Step:
        """Everybody who was to judge has."""
        return Done()

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """The question, both pictures and both answers: nothing of what judges said is in the item at all."""
        return {"trail": item.source}

    def first_draft(self, phase: str, item: Item, past: Past) -> dict[str, str]:
        """Nothing is filled in."""
        return {}

    def groups(self, content: Content) -> tuple[str, ...]:
        """Nobody decides on groups here."""
        return ()

    def labels(self, phase: str, content: Judged) -> dict[str, str]:
        """Both verdicts; one that could not be decided is no label."""
        given = {"PCS": content.pcs, "NCC": content.ncc}
        return {name: str(score) for name, score in given.items() if score is not None}

    def instance(self, past: Past) -> Instance | None:
        """There is no model in this loop."""
        return None

    def case(self, item: Item, past: Past) -> Case | None:
        """None: the export of this flow is a table of labels."""
        return None


FLOW = Judge()
