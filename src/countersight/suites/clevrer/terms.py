"""CLEVRER's scores in its paper's terms."""

from typing import Final

from countersight.suites.paper_terms import Terms

TERMS: Final = Terms(
    group="type of question",
    measures={"factual": "per option, as it is", "counterfactual": "per option, counterfactual"},
    wholes={"set": "per question"},
)
