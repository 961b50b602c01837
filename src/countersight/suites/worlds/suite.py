"""The registration of the suites of worlds."""

from typing import Final

from countersight.suites.suite import Suite

SUPPORTS_NAME: Final = "supports"
DISCS_NAME: Final = "discs"
CAUSAL_NAME: Final = "causal-worlds"

SUPPORTS_SUITE: Final = Suite(
    SUPPORTS_NAME,
    "worlds of blocks, planks, cups, shelves and strings: what would fall, computed by static equilibrium",
    "none: it is generated from a seed",
    "drawn by Countersight",
    "",
    maker="countersight.suites.worlds.making:make_supports",
    options={"seed": ("difficulty", "groups")},
    title="Supports",
    terms="countersight.suites.worlds.terms:TERMS",
)
DISCS_SUITE: Final = Suite(
    DISCS_NAME,
    "discs on a table, some of them pushed: what would touch what, computed collision by collision",
    "none: it is generated from a seed",
    "drawn by Countersight",
    "",
    maker="countersight.suites.worlds.making:make_discs",
    options={"seed": ("difficulty", "groups")},
    title="Discs",
    terms="countersight.suites.worlds.terms:TERMS",
)
CAUSAL_SUITE: Final = Suite(
    CAUSAL_NAME,
    "CELLO's twelve tasks on worlds of supports, with answers computed by intervention",
    "none: it is generated from a seed",
    "drawn by Countersight",
    "",
    maker="countersight.suites.worlds.making:make_causal",
    options={"seed": ("difficulty", "wording")},
    title="Causal worlds",
    terms="countersight.suites.worlds.terms:CAUSAL_TERMS",
)
