"""Terms of the suites of worlds: the difficulty of a case, and the kind of change."""

from typing import Final

import msgspec

from countersight.scoring import Axis
from countersight.suites.cello.terms import TERMS as CELLO_TERMS
from countersight.suites.paper_terms import Terms, by_provenance

_AXES: Final = (
    Axis("difficulty", ("easy", "medium", "hard"), by_provenance("difficulty")),
    Axis(
        "kind of change",
        ("remove", "add", "replace", "move", "turn", "speed"),
        lambda case: case.change.kinds if case.change else (),
    ),
)
TERMS: Final = Terms(group="question", axes=_AXES)
"""The terms of supports and discs."""
CAUSAL_TERMS: Final = msgspec.structs.replace(CELLO_TERMS, axes=(*CELLO_TERMS.axes, _AXES[0]))
