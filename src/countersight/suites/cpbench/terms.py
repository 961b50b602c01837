"""CP-Bench's scores in its paper's terms."""

from typing import Final

from countersight.suites.paper_terms import Terms

TERMS: Final = Terms(
    about="with a true or a false presupposition",
    group="presupposition",
    measures={"factual": "accuracy", "fell_back": "accepted what is not there"},
)
