"""CoSIm's scores in its paper's terms: a change may be of several types, and its case counts for each (CoSIm 5.2)."""

from collections.abc import Iterable
from typing import Final

from countersight.case import Case
from countersight.scoring import Axis
from countersight.suites.cosim.changes import KINDS
from countersight.suites.paper_terms import UNDER_A_CHANGE, Terms, spelt

_PROPOSED: Final = "Where nobody assigned types, rules proposed them out of the words of the change."


def _change_types(case: Case) -> Iterable[str]:
    return map(spelt, case.change.kinds) if case.change else ()


def _number_of_changes(case: Case) -> Iterable[str]:
    number = case.provenance.get("changes") or (len(case.change.kinds) if case.change else 0)
    if not isinstance(number, int) or number < 1:
        return ()
    return (str(number) if number < 3 else "3 or more",)


TERMS: Final = Terms(
    about=UNDER_A_CHANGE,
    measures={"counterfactual": "accuracy"},
    axes=(
        Axis("change type", KINDS, _change_types, _PROPOSED),
        Axis("number of changes", ("1", "2", "3 or more"), _number_of_changes, _PROPOSED),
    ),
    beside=(("cosim-3", "Human"),),
)
