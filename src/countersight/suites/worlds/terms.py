"""Terms of the suites of worlds: the difficulty of a case, and the kind of change."""

from collections.abc import Iterable
from typing import Final

import msgspec

from countersight.case import Case
from countersight.scoring import Axis
from countersight.suites.cello.terms import TERMS as CELLO_TERMS
from countersight.suites.paper_terms import Terms, remembered


def _change_kinds(case: Case) -> Iterable[str]:
    return case.change.kinds if case.change else ()


_AXES: Final = (
    Axis("difficulty", ("easy", "medium", "hard"), remembered("difficulty")),
    Axis("kind of change", ("remove", "add", "replace", "move", "turn", "speed"), _change_kinds),
    Axis("depth of the chain", tuple(map(str, range(30))), remembered("depth")),
    Axis("margin in pixels", ("6", "10", "15", "20"), remembered("margin")),
)


TERMS: Final = Terms(group="question", axes=_AXES)
"""The terms of supports and discs."""
CAUSAL_TERMS: Final = msgspec.structs.replace(CELLO_TERMS, axes=(*CELLO_TERMS.axes, _AXES[0]))
