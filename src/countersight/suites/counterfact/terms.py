"""Visual CounterFact's scores in its paper's terms."""

from typing import Final

from countersight.suites.paper_terms import Terms

TERMS: Final = Terms(
    about="about what is seen and about what is known",
    measures={"factual": "accuracy", "fell_back": "said what is known"},
)
