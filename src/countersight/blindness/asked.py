"""Questions without their pictures: the text and the possible answers."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from countersight.case import LETTERS, Case, Question, World

USUAL_ANSWERS = 12
"""Candidate answers for an open question: the most frequent ones of its group."""
_WORD = re.compile(r"\d+|[^\W\d_]+(?:'[^\W\d_]+)?")


Answered = Mapping[tuple[str, World], bool]
"""Whether each question, by case and world, was answered correctly."""


class BlindQuestion(msgspec.Struct, frozen=True):
    """A question without its picture."""

    case: str
    world: World
    group: str
    block: str
    """Questions with the same block, such as the same picture, are never split between training and test folds."""
    picture: str
    """The id of its picture in the causal graphs."""
    text: str
    answers: tuple[str, ...]
    """The candidate answers: the options, yes and no, or the usual answers of the group."""
    right: int
    """The position of the right answer among them, or -1 if it is missing."""
    offered: bool
    """Whether the question lists its answers, so that their positions can carry information."""
    chance: float | None
    """The accuracy of guessing; None for open questions."""


def words(text: str) -> list[str]:
    """Return the words and numbers of a text, in lower case."""
    return _WORD.findall(text.casefold())


def asked_of(cases: Iterable[Case]) -> list[BlindQuestion]:
    """Return every question of the cases, in both worlds."""
    found = [(case, world, question) for case in cases for world, question in _questions(case)]
    usual = _usual(found)
    return [_asked(case, world, question, usual.get((case.group, world), ())) for case, world, question in found]


def _questions(case: Case) -> list[tuple[World, Question]]:
    worlds: tuple[tuple[World, Question | None], ...] = (
        ("factual", case.factual),
        ("counterfactual", case.counterfactual),
    )
    return [(world, question) for world, question in worlds if question and not question.hidden]


def _usual(found: list[tuple[Case, World, Question]]) -> dict[tuple[str, World], tuple[str, ...]]:
    """The most frequent answers of each group and world, for questions that offer none."""
    counts: dict[tuple[str, World], Counter[str]] = {}
    for case, world, question in found:
        if question.kind in ("number", "open"):
            counts.setdefault((case.group, world), Counter())[question.answer] += 1
    return {key: tuple(answer for answer, _ in count.most_common(USUAL_ANSWERS)) for key, count in counts.items()}


def _asked(case: Case, world: World, question: Question, usual: tuple[str, ...]) -> BlindQuestion:
    text = question.text if question.text or not case.change else case.change.text
    if case.context and world == "counterfactual":
        text = f"{text} {case.context}"
    if case.change and case.change.text not in text:
        text = f"{text} {case.change.text}" if world == "counterfactual" else text
    if question.kind == "choice":
        answers = tuple(option.text for option in question.options)
        right, chance = LETTERS.index(question.answer), 1 / len(answers)
    elif question.kind == "boolean":
        answers, right, chance = ("yes", "no"), int(question.answer == "no"), 0.5
    else:
        answers = usual
        right, chance = (usual.index(question.answer) if question.answer in usual else -1), None
    offered = question.kind == "choice"
    block = _block(case)
    group = f"{case.group}, control" if case.control_of else case.group
    picture = str(case.provenance.get("img_id") or block)
    return BlindQuestion(case.id, world, group, block, picture, text, answers, right, offered, chance)


def _block(case: Case) -> str:
    """The picture of a case, or the unit of cases that were made together. Every answer occurs equally often in a unit,
    so all its other answers together would reveal the last one."""
    if "unit" in case.provenance:
        return f"{case.group}/{case.provenance['unit']}"
    return case.image or str(case.provenance.get("img_id") or case.id)
