"""HallusionBench's scores in its paper's terms."""

from typing import Final

from countersight.suites.paper_terms import AS_IT_IS, Terms

TERMS: Final = Terms(
    about=AS_IT_IS,
    measures={"factual": "aAcc"},
    wholes={"question": "qAcc", "picture": "fAcc", "set": "whole sets"},
)
