"""Flow `verify`: the cases of any dataset, each looked at by two people and, on a tie, a third."""

from typing import Any

import msgspec

from countersight.case import Case
from countersight.collect.flows import verifying
from countersight.collect.flows.protocol import Content, Form, Instance, Item, Past, Phase, Step


class Verify:
    """Verification of a dataset that is there already."""

    name = "verify"
    about = "Two people verify each case; a third decides where they differ."
    phases: tuple[Phase, ...] = (verifying.VERIFY, verifying.ADJUDICATE)
    balance: tuple[str, ...] = ()
    grouped_in = ""

    def read(self, phase: str, form: Form, item: Item, past: Past) -> verifying.Verified:
        """What a verifier or adjudicator says."""
        return verifying.read_verdict(form, verifying.case_of(item), past, adjudicating=phase == "adjudicate")

    def settle(self, item: Item, phase: str, past: Past) -> Step:
        """Agreement, or a third person."""
        return verifying.settle_verification(phase, past)

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """The case, and for the adjudicator what both said."""
        return verifying.shown_case(verifying.case_of(item))

    def first_draft(self, phase: str, item: Item, past: Past) -> dict[str, str]:
        """Nothing is filled in."""
        return {}

    def groups(self, content: Content) -> tuple[str, ...]:
        """Nobody decides on groups here."""
        return ()

    def labels(self, phase: str, content: verifying.Verified) -> dict[str, str]:
        """Is it about the picture, and the verdict."""
        return verifying.verdict_labels(content)

    def instance(self, past: Past) -> Instance | None:
        """There is no model in this loop."""
        return None

    def case(self, item: Item, past: Past) -> Case | None:
        """The case as people left it."""
        case = verifying.verified_case(verifying.case_of(item), verifying.final_verdict(past))
        return msgspec.structs.replace(case, image=item.source.get("picture") or None) if case else None


FLOW = Verify()
