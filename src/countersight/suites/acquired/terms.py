"""ACQUIRED's scores in its paper's terms."""

from typing import Final

from countersight.suites.paper_terms import UNDER_A_CHANGE, Terms

TERMS: Final = Terms(about=UNDER_A_CHANGE, group="domain", measures={"counterfactual": "pairwise accuracy"})
