"""Corrected gold answers, for rescoring a run without querying the model again."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Self, TextIO

import msgspec

from countersight.case import VARIANTS, WORLDS, Case, Question, QuestionVariant
from countersight.csv_lines import csv_lines
from countersight.dataset import AnswerKey, Dataset, is_key, open_key
from countersight.errors import GoldError
from countersight.text import several

_LETTER: Final = re.compile(r"[(\[]?([A-Za-z])[)\].:]?")
"""The letter of an option in the forms that people use: B, b, (b), b)."""


_LONGEST_ROW: Final = 1 << 20
_TRUTHS: Final = {"true": "yes", "false": "no", "yes": "yes", "no": "no"}
"""Yes and no, as written by people and spreadsheets."""


class _GoldLine(msgspec.Struct, frozen=True):
    """A row of a table of corrections."""

    case: str
    world: QuestionVariant
    answer: str


_Answers = dict[tuple[str, QuestionVariant], Question | str]
"""The right answers by case and question variant: a question with its answer, or the answer alone."""


class Gold:
    """Corrected answers by case and question variant, which replace those of a dataset."""

    def __init__(self, answers: _Answers, path: Path, key: AnswerKey | None = None) -> None:
        self._answers = answers
        self.path = path
        self.key = key
        """The key that contains the answers of a hidden dataset."""
        self._corrected_questions: set[tuple[str, QuestionVariant]] = set()
        """The questions whose answer differs, among the cases read so far."""

    def __str__(self) -> str:
        """Return the name of the source, and how many answers it corrected so far."""
        source = self.path.resolve().name
        return source if self.key else f"{source}, {several(len(self._corrected_questions), 'answer')} corrected"

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """Read a dataset whose answers were corrected, a CSV table with case, world and answer, or a key.

        In a table `world` is factual, counterfactual or shown. A key has the answers of a hidden dataset.
        """
        path = Path(path)
        if not path.exists():
            raise GoldError(f"{path} does not exist; specify a dataset, a table of corrected answers or a key")
        if path.is_file() and is_key(path):
            return cls({}, path, open_key(path))
        if path.is_dir():
            asked = ((case, variant) for _, case in Dataset.open(path).cases() for variant in VARIANTS)
            found = {(case.id, variant): case.question(*WORLDS[variant]) for case, variant in asked}
            return cls({key: question for key, question in found.items() if question}, path)
        return cls(dict(_of_table(path)), path)

    def corrected(self, cases: Iterable[tuple[int, Case]]) -> Iterator[tuple[int, Case]]:
        """Iterate over the cases with corrected answers; cases without a correction are unchanged.

        Raises an error at the end if there are corrections for questions that were never asked.
        """
        unused = set(self._answers)
        for row, case in cases:
            unused.difference_update((case.id, variant) for variant in VARIANTS if case.question(*WORLDS[variant]))
            yield row, self.corrected_case(case)
        if unused:
            case_id, variant = min(unused)
            raise GoldError(f"{self.path} corrects the {variant} answer of case {case_id!r}, which was not asked")

    def _opened(self, key: AnswerKey, case: Case) -> Case:
        """Return the original case of a hidden dataset, with the published pictures."""
        whole = key.cases.get(case.id)
        if whole is None:
            raise GoldError(f"{self.path} has no answers for case {case.id!r}")
        pictures = ("image", "image_digest", "counterfactual_image", "counterfactual_digest")
        seen = {name: getattr(case, name) for name in pictures}
        return msgspec.structs.replace(whole, **seen, shown=whole.shown if case.shown else None, twice=None)

    def corrected_case(self, case: Case) -> Case:
        """Return a case with its corrected answers."""
        if self.key:
            return self._opened(self.key, case)
        changed: dict[str, Question] = {}
        for variant in VARIANTS:
            question, right = case.question(*WORLDS[variant]), self._answers.get((case.id, variant))
            if question is not None and right is not None:
                changed[variant] = self._replaced(question, right, f"{self.path}, case {case.id!r}, {variant}")
                if changed[variant] != question:
                    self._corrected_questions.add((case.id, variant))
        return msgspec.structs.replace(case, **changed) if changed else case

    def _replaced(self, question: Question, right: Question | str, where: str) -> Question:
        answer, answers = (right, ()) if isinstance(right, str) else (right.answer, right.answers)
        if not isinstance(right, str) and (right.text, right.kind, right.options) != (
            question.text,
            question.kind,
            question.options,
        ):
            raise GoldError(f"{where}: the question differs from the one that was asked; only answers can be corrected")
        letter = _LETTER.fullmatch(answer) if question.kind == "choice" else None
        answer = letter[1].upper() if letter else answer
        answer = _TRUTHS.get(answer.casefold(), answer) if question.kind == "boolean" else answer
        replaced = msgspec.structs.replace(question, answer=answer, answers=answers)
        if fault := replaced.fault():
            raise GoldError(f"{where}: {fault}")
        return replaced


def _of_table(path: Path) -> Iterator[tuple[tuple[str, QuestionVariant], str]]:
    with open(path, newline="", encoding="utf-8-sig") as file:
        for number, line in _csv(path, file):
            try:
                found = msgspec.convert(line, _GoldLine)
            except msgspec.ValidationError as error:
                raise GoldError(f"{path} line {number}: {error}; a line needs case, world and answer") from None
            yield (found.case, found.world), found.answer.strip()


def _csv(path: Path, file: TextIO) -> Iterator[tuple[int, object]]:
    """Iterate over the rows with their line numbers; an invalid row is an error, since it may contain answers."""
    header: list[str] = []
    for number, values in csv_lines(file, _LONGEST_ROW):
        if isinstance(values, str):
            raise GoldError(f"{path} line {number} {values}")
        header = header or values
        if len(values) != len(header):
            raise GoldError(f"{path} line {number} has {len(values)} values, but the header has {len(header)}")
        if values is not header:
            yield number, dict(zip(header, values, strict=True))
