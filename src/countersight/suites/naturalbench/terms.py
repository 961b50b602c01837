"""NaturalBench's scores in its paper's terms."""

from typing import Final

from countersight.suites.paper_terms import AS_IT_IS, Terms

TERMS: Final = Terms(
    about=AS_IT_IS,
    group="type",
    measures={"factual": "Acc"},
    wholes={"question": "Q-Acc", "picture": "I-Acc", "set": "G-Acc"},
)
