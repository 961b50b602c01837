"""MMVP's scores in its paper's terms."""

from typing import Final

from countersight.suites.paper_terms import ACCURACY, AS_IT_IS, Terms

TERMS: Final = Terms(about=AS_IT_IS, measures=ACCURACY, wholes={"set": "pair accuracy"})
