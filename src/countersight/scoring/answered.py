"""Every question of a run with its reply and what became of it, one at a time."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from countersight.case import ASKINGS, TWICE, WORLDS, Asking, Case, Question, Reply, Telling, World
from countersight.scoring.outcome import OUTCOMES, UNREAD, Find, Outcome, Outcomes, counted_replies

if TYPE_CHECKING:
    from countersight.scoring.run_scores import JudgedRun

_CASES_AT_ONCE = 8_192


class Answered(msgspec.Struct, frozen=True):
    """One question of one case, the reply that counts, and what became of it."""

    row: int
    case: Case
    asking: Asking
    question: Question
    outcome: Outcome
    answer: str | None
    """What was read out of the reply."""
    credit: float | None
    """What that is worth; None where it is not scored."""
    reply: Reply | None
    is_fourth: bool = False
    """Whether it is the question with "if", asked of the picture after the change: it counts in sets alone."""

    @property
    def place(self) -> tuple[World, Telling]:
        """The world that it is about, and how that reached the model."""
        return TWICE if self.is_fourth else WORLDS[self.asking]


def answered_questions(judged: "JudgedRun") -> Iterator[Answered]:
    """The questions of a run in the order of its dataset, then those of controls."""
    find = judged.run.numbered().at
    yield from _answered(judged.outcomes, judged.cases(), find)
    if judged.controls:
        yield from _answered(judged.controls.outcomes, judged.control_cases(), find)


def answered_fourths(judged: "JudgedRun") -> Iterator[Answered]:
    """The fourth question of every case that has one, of a run that was shown both worlds."""

    def find(numbers: Iterable[int]) -> dict[int, Reply]:
        wanted = set(numbers)
        return {number: reply for number, reply in enumerate(judged.fourth_replies()) if number in wanted}

    for each in _answered(judged.fourths(), judged.fourth_cases(), find):
        yield msgspec.structs.replace(each, is_fourth=True)


def _answered(outcomes: Outcomes, cases: Iterator[tuple[int, Case]], find: Find) -> Iterator[Answered]:
    """The questions of some cases; a million cases are never held at once."""
    worth = {asking: outcomes.credit(asking) for asking in ASKINGS}
    start = 0
    while chunk := list(islice(cases, _CASES_AT_ONCE)):
        said = counted_replies(outcomes, range(start, start + len(chunk)), find)
        for position, (row, case) in enumerate(chunk, start):
            for column, asking in enumerate(ASKINGS):
                question = case.question(*WORLDS[asking])
                code = int(outcomes.codes[position, column])
                outcome = OUTCOMES[code]
                if question is None or outcome is None:
                    continue
                answer = outcomes.answer_texts[outcomes.answers[position, column]]
                credit = float(worth[asking][position]) if code >= UNREAD else None
                yield Answered(row, case, asking, question, outcome, answer, credit, said.get((position, asking)))
        start += len(chunk)
