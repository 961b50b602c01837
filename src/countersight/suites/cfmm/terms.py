"""CFMM's scores in its paper's terms."""

from typing import Final

from countersight.suites.paper_terms import Terms

TERMS: Final = Terms(
    group="aspect",
    groups={aspect: aspect for aspect in ("count", "color", "size", "shape", "direction", "common")},
    measures={"factual": "acc_b", "counterfactual": "acc_c", "both_right": "acc+", "drop": "drop"},
    adds_up=True,
    counts=True,
)
