"""Turns a pair into a case of C-VQA, or of CFMM with its aspects and shared options."""

import re
from typing import Final

from countersight.authoring.pairing import Pair
from countersight.authoring.vocabulary import ASPECTS
from countersight.case import LETTERS, AnswerKind, Case, Option, Question
from countersight.random_choice import balanced_answer
from countersight.suites import supposed
from countersight.suites.cfmm import NAME as CFMM
from countersight.suites.cvqa import REAL_NAME

SUITE_NAMES: Final[dict[str, str]] = {"cvqa": REAL_NAME, CFMM: CFMM}
"""The suite name in the cases of each benchmark that can be built."""


def aspect(question: str, group: str) -> str:
    """Return the aspect of a question: count, color, direction, size, shape, or common if it needs common sense."""
    if group == "direct":
        return "count"
    words = set(re.findall(r"[a-z]+", question.casefold()))
    return next((name for name, telling in ASPECTS.items() if words & telling), "common")


def as_case(pair: Pair, number: int, *, suite: str, provenance: dict[str, str | int], seed: int) -> Case:
    """Return a pair as a case: with number or yes/no answers for C-VQA, with two shared options for CFMM."""
    source, draft = pair.source, pair.draft
    kind: AnswerKind = "number" if source.group == "direct" else "boolean"
    factual, counterfactual = (
        Question(source.question, source.answer, kind),
        Question(draft.question, draft.answer, kind),
    )
    group: str = source.group
    if suite == CFMM:
        group = aspect(source.question, source.group)
        answers = (source.answer, draft.answer)
        shown = balanced_answer(
            (answers, answers[::-1]), f"{seed}/letters", number
        )  # the new answer is A as often as B
        options = tuple(map(Option, shown))
        factual, counterfactual = (
            Question(asked.text, LETTERS[shown.index(asked.answer)], "choice", options)
            for asked in (factual, counterfactual)
        )
    history = {
        "source": source.id,
        "img_path": source.image,
        "agreement": f"{source.agreement:g}",
        "operation": draft.operation,
        "pattern": draft.pattern,
        "unpolished": draft.unpolished,
    }
    return Case(
        id=f"{SUITE_NAMES[suite]}-built-{number:06d}",
        suite=SUITE_NAMES[suite],
        group=group,
        factual=factual,
        change=supposed(draft.told or draft.question),
        counterfactual=counterfactual,
        provenance=provenance | {name: value for name, value in history.items() if value},
    )
