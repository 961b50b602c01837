"""Questions without their pictures: the text and the possible answers."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from countersight.case import LETTERS, TWO_WORLDS, Case, Question, World

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


def blind_questions(cases: Iterable[Case]) -> list[BlindQuestion]:
    """Return every question of the cases, in both worlds."""
    found: list[tuple[Case, World, Question]] = []
    usual: dict[tuple[str, World], Counter[str]] = {}
    for case in cases:
        for world in TWO_WORLDS:
            question = case.question(world)
            if question and not question.hidden:
                found.append((case, world, question))
                if question.kind in ("number", "open"):
                    usual.setdefault((case.group, world), Counter())[question.answer] += 1
    return [_without_picture(*each, usual.get((each[0].group, each[1]), Counter())) for each in found]


def _without_picture(case: Case, world: World, question: Question, usual: Counter[str]) -> BlindQuestion:
    text = question.text if question.text or not case.change else case.change.text
    if case.context and world == "counterfactual":
        text = f"{text} {case.context}"
    if case.change and case.change.text not in text and world == "counterfactual":
        text = f"{text} {case.change.text}"
    chance: float | None = None
    if question.kind == "choice":
        answers = tuple(option.text for option in question.options)
        right, chance = LETTERS.index(question.answer), 1 / len(answers)
    elif question.kind == "boolean":
        answers, right, chance = ("yes", "no"), int(question.answer == "no"), 0.5
    else:
        answers = tuple(answer for answer, _ in usual.most_common(USUAL_ANSWERS))
        right = answers.index(question.answer) if question.answer in answers else -1
    block = case.image or str(case.provenance.get("img_id") or case.id)
    if "unit" in case.provenance:  # in a unit all answers are equally frequent: the others reveal the last
        block = f"{case.group}/{case.provenance['unit']}"
    group = f"{case.group}, control" if case.control_of else case.group
    picture = str(case.provenance.get("img_id") or block)
    return BlindQuestion(case.id, world, group, block, picture, text, answers, right, question.kind == "choice", chance)
