"""OK-VQA and VQAv2 in the terms of VQA."""

from typing import Final

from countersight.suites.paper_terms import AS_IT_IS, Terms

TERMS: Final = Terms(about=AS_IT_IS, measures={"factual": "VQA accuracy"})
