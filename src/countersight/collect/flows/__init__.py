"""The flows, one module each, by name."""

from importlib import import_module
from typing import Final

from countersight.errors import CampaignError
from countersight.text import unknown

from .forms import Choice as Choice
from .forms import Field as Field
from .forms import Form as Form
from .forms import Text as Text
from .protocol import Advance as Advance
from .protocol import Content as Content
from .protocol import Dispute as Dispute
from .protocol import Finish as Finish
from .protocol import Flow as Flow
from .protocol import Instance as Instance
from .protocol import Item as Item
from .protocol import NewItem as NewItem
from .protocol import Past as Past
from .protocol import Phase as Phase
from .protocol import Sources as Sources

FLOWS: Final = {
    "cosim": "question, change and distractors in three phases, each verifying the one before (CoSIm)",
    "cfmm": "basic and counterfactual question by aspect, then answered blind by a second person (CFMM)",
    "cvqa": "verify machine-written pairs by two people and a third; write indirect questions by hand (C-VQA)",
    "verify": "verify the cases of any dataset by two people and a third",
    "answer": "answer the questions of a dataset as a model does; the export is a run",
    "judge": "give EDCT's two verdicts on the edits of an audit",
}
"""The flows with a short description."""


def flow_named(name: str) -> Flow:
    """Return the flow with this name."""
    if name not in FLOWS:
        raise CampaignError(unknown("flow", name, FLOWS))
    flow: Flow = import_module(f"countersight.collect.flows.{name}").FLOW
    return flow


def phase_of(flow: Flow, name: str) -> Phase | None:
    """Return a phase of a flow by its name, or None."""
    return next((phase for phase in flow.phases if phase.name == name), None)
