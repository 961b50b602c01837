"""C-VQA's scores in its paper's terms."""

from typing import Final

from countersight.suites.paper_terms import Terms

REAL_TERMS: Final = Terms(
    groups={"direct": "numerical direct", "indirect": "numerical indirect", "boolean": "boolean"},
)
SYNTHETIC_TERMS: Final = Terms(group="template")
