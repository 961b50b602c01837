"""The flows, one module each, by name."""

from importlib import import_module
from typing import Final, get_args

from countersight.collect.settings import FlowName

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

FLOWS: Final[tuple[str, ...]] = get_args(FlowName)
"""The names of the flows; each has a module of its name."""


def flow_named(name: FlowName) -> Flow:
    """Return the flow with this name."""
    flow: Flow = import_module(f"countersight.collect.flows.{name}").FLOW
    return flow


def phase_of(flow: Flow, name: str) -> Phase | None:
    """Return a phase of a flow by its name, or None."""
    return next((phase for phase in flow.phases if phase.name == name), None)
