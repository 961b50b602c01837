"""The flows: one module each, found by name."""

from importlib import import_module
from typing import Final

from countersight.collect.flows.protocol import (
    Advance,
    Content,
    Dispute,
    Done,
    Flow,
    Form,
    Instance,
    Item,
    NewItem,
    Past,
    Phase,
    Step,
)
from countersight.errors import CampaignError
from countersight.text import unknown

__all__ = [
    "FLOWS",
    "Advance",
    "Content",
    "Dispute",
    "Done",
    "Flow",
    "Form",
    "Instance",
    "Item",
    "NewItem",
    "Past",
    "Phase",
    "Step",
    "flow_named",
    "phase_of",
]

FLOWS: Final = {
    "cosim": "question, change and distractors in three phases, each verifying the one before (CoSIm)",
    "cfmm": "basic and counterfactual question by aspect, then answered blind by a second person (CFMM)",
    "cvqa": "verify machine-written pairs by two people and a third; write indirect questions by hand (C-VQA)",
    "verify": "verify the cases of any dataset by two people and a third",
    "answer": "answer the questions of a dataset as a model does; the export is a run",
    "judge": "give EDCT's two verdicts on the edits of an audit",
}
"""What flows there are, with a word on each."""


def flow_named(name: str) -> Flow:
    """The flow of that name."""
    if name not in FLOWS:
        raise CampaignError(unknown("flow", name, FLOWS))
    flow: Flow = import_module(f"countersight.collect.flows.{name}").FLOW
    return flow


def phase_of(flow: Flow, name: str) -> Phase | None:
    """A phase of a flow by its name."""
    return next((phase for phase in flow.phases if phase.name == name), None)
