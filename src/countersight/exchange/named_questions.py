"""What is handed over: folders opened as what they are, every question under a name, figures under plain names."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from countersight.audits import AuditFolder
from countersight.case import ASKINGS, WORLDS, Asking, Case, Question
from countersight.dataset import BadRow, Dataset
from countersight.engine import MANIFEST, PROMPTS, Prompt, RunFolder, told
from countersight.errors import ExchangeError
from countersight.scoring import Difference, GroupScores, Rate

FOURTH: Final = "twice"
"""What stands in the place of an asking for the question with "if" that is asked of the picture after the change."""
MEASURES: Final = ("factual", "counterfactual", "drop", "both_right", "shown", "imagination_gap")
_AUDIT: Final = "audit.json"
PROMPT: Final[Prompt] = PROMPTS["0-shot"]
"""How questions are worded for tools that word none themselves."""


class NamedQuestion(msgspec.Struct, frozen=True):
    """One question of one case."""

    row: int
    case: Case
    asking: Asking
    question: Question

    @property
    def key(self) -> str:
        """Its name in the files of other tools."""
        return key_of(self.case.id, self.asking)

    @property
    def words(self) -> str:
        """The question as it is put to a model."""
        return PROMPT.render(self.question, told(self.case, *WORLDS[self.asking]))

    @property
    def unlisted_words(self) -> str:
        """The question without its options, for tools that rank them."""
        return PROMPT.render(self.question, told(self.case, *WORLDS[self.asking]), listed=False)

    @property
    def pictures(self) -> tuple[tuple[str, str], ...]:
        """The files of the pictures it is asked about, each with what is known of its bytes."""
        return self.case.pictures(*WORLDS[self.asking])


def key_of(case: str, asking: str) -> str:
    """The name of a question in the files of other tools: an asking, or the fourth, which our own logs have."""
    return f"{case}:{asking}"


def questions(dataset: Dataset, on_bad: Callable[[BadRow], None] | None = None) -> Iterator[NamedQuestion]:
    """Every question of a dataset; those of one case follow each other."""
    for row, case in dataset.cases(on_bad):
        yield from questions_of(row, case)


def questions_of(row: int, case: Case) -> Iterator[NamedQuestion]:
    """The questions of one case: as it is, told the change, shown the change."""
    for asking in ASKINGS:
        question = case.question(*WORLDS[asking])
        if question is not None:
            yield NamedQuestion(row, case, asking, question)


def opened(path: Path) -> Dataset | RunFolder | AuditFolder:
    """The folder, opened as what it is."""
    if (path / MANIFEST).is_file():
        return RunFolder.open(path)
    if (path / _AUDIT).is_file():
        return AuditFolder.open(path)
    return Dataset.open(path)


def dataset_at(path: Path, name: str) -> Dataset:
    """The dataset there, for a format that takes nothing else."""
    source = opened(path)
    if not isinstance(source, Dataset):
        what = "a run" if isinstance(source, RunFolder) else "an audit"
        raise ExchangeError(f"{name} needs a dataset, but {path} is {what}; name the folder of its dataset")
    return source


def run_figures(row: GroupScores) -> dict[str, float]:
    """What a run comes to: each figure, and for a difference its interval and p too."""
    found: dict[str, float] = {}
    for name in MEASURES:
        figure: Rate | Difference | None = getattr(row, name)
        if figure is None or figure.value is None:
            continue
        found[name] = figure.value
        if isinstance(figure, Difference):
            found |= {f"{name}_low": figure.low, f"{name}_high": figure.high, f"{name}_p": figure.p}
    return found
