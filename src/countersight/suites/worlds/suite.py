"""The registration of the suites of worlds, and the terms of their scores."""

from typing import Final

import msgspec

from countersight.scoring import Axis
from countersight.suites.cello.terms import TERMS as CELLO_TERMS
from countersight.suites.paper_terms import Terms, by_provenance
from countersight.suites.suite import Suite

SUPPORTS_NAME: Final = "supports"
DISCS_NAME: Final = "discs"
CAUSAL_NAME: Final = "causal-worlds"

_DIFFICULTY: Final = Axis("difficulty", ("easy", "medium", "hard"), by_provenance("difficulty"))
_KIND_OF_CHANGE: Final = Axis(
    "kind of change",
    ("remove", "add", "replace", "move", "turn", "speed"),
    lambda case: case.change.kinds if case.change else (),
)
_TERMS: Final = Terms(group="question", axes=(_DIFFICULTY, _KIND_OF_CHANGE))


def _suite(name: str, words: str, maker: str, options: tuple[str, ...], title: str, terms: Terms) -> Suite:
    return Suite(
        name,
        words,
        "none: it is generated from a seed",
        "drawn by Countersight",
        "",
        maker=f"countersight.suites.worlds.making:{maker}",
        options={"seed": options},
        title=title,
        terms=terms,
    )


SUPPORTS_SUITE: Final = _suite(
    SUPPORTS_NAME,
    "worlds of blocks, planks, cups, shelves and strings: what would fall, computed by static equilibrium",
    "make_supports",
    ("difficulty", "groups"),
    "Supports",
    _TERMS,
)
DISCS_SUITE: Final = _suite(
    DISCS_NAME,
    "discs on a table, some of them pushed: what would touch what, computed collision by collision",
    "make_discs",
    ("difficulty", "groups"),
    "Discs",
    _TERMS,
)
CAUSAL_SUITE: Final = _suite(
    CAUSAL_NAME,
    "CELLO's twelve tasks on worlds of supports, with answers computed by intervention",
    "make_causal",
    ("difficulty", "wording"),
    "Causal worlds",
    msgspec.structs.replace(CELLO_TERMS, axes=(*CELLO_TERMS.axes, _DIFFICULTY)),
)
