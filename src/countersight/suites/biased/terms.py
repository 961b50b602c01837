"""VLMs Are Biased in its paper's terms."""

from collections.abc import Iterable
from typing import Final

from countersight.case import Case
from countersight.scoring import Axis
from countersight.suites.paper_terms import AS_IT_IS, Terms, remembered


def _titled(case: Case) -> Iterable[str]:
    said = str(case.provenance.get("with_title", "")).casefold()
    return ("yes" if said in ("true", "1", "yes") else "no",) if said else ()


TERMS: Final = Terms(
    about=AS_IT_IS,
    group="topic",
    measures={"factual": "accuracy", "fell_back": "bias ratio"},
    axes=(
        Axis("type of question", ("Q1", "Q2", "Q3"), remembered("type_of_question")),
        Axis("title in the picture", ("no", "yes"), _titled),
        Axis("side in pixels", ("384", "768", "1152"), remembered("pixel")),
    ),
)
