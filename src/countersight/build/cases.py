"""A pair as a case of C-VQA-Real or of CFMM."""

from typing import Final

from countersight.build.aspects import aspect
from countersight.build.pairing import Pair
from countersight.case import LETTERS, AnswerKind, Case, Option, Question
from countersight.chance import balanced
from countersight.suites import supposed
from countersight.suites.cfmm import NAME as CFMM
from countersight.suites.cvqa import REAL_NAME

NAMES: Final[dict[str, str]] = {"cvqa": REAL_NAME, CFMM: CFMM}
"""What a benchmark that is built is called in a case."""


def as_case(pair: Pair, number: int, *, suite: str, provenance: dict[str, str | int], seed: int) -> Case:
    """The case of a pair: with a number or yes and no for C-VQA, with two shared options for CFMM."""
    source, draft = pair.source, pair.draft
    kind: AnswerKind = "number" if source.group == "direct" else "boolean"
    factual, counterfactual = (
        Question(source.question, source.answer, kind),
        Question(draft.question, draft.answer, kind),
    )
    group: str = source.group
    if suite == CFMM:
        group = aspect(source.question, source.group)
        options = _options(source.answer, draft.answer, f"{seed}/letters", number)
        factual, counterfactual = _choice(factual, options), _choice(counterfactual, options)
    return Case(
        id=f"{NAMES[suite]}-built-{number:06d}",
        suite=NAMES[suite],
        group=group,
        factual=factual,
        change=supposed(draft.told or draft.question),
        counterfactual=counterfactual,
        provenance=provenance | _told(pair),
    )


def _told(pair: Pair) -> dict[str, str | int]:
    """How the pair came about, for whoever verifies it."""
    told = {
        "source": pair.source.id,
        "img_path": pair.source.image,
        "agreement": f"{pair.source.agreement:g}",
        "operation": pair.draft.operation,
        "pattern": pair.draft.pattern,
        "unpolished": pair.draft.unpolished,
    }
    return {name: value for name, value in told.items() if value}


def _options(first: str, second: str, key: str, number: int) -> tuple[Option, Option]:
    """Two options, the right one of the changed world as often A as B."""
    a, b = balanced(((first, second), (second, first)), key, number)
    return Option(a), Option(b)


def _choice(question: Question, options: tuple[Option, Option]) -> Question:
    letter = LETTERS[[option.text for option in options].index(question.answer)]
    return Question(question.text, letter, "choice", options)
