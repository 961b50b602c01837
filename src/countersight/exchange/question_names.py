"""What all exports share: how a dataset is opened, and how questions and metrics are named in other tools."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from countersight.case import VARIANTS, WORLDS, Case, Question, QuestionVariant
from countersight.dataset import BadRow, Dataset
from countersight.engine import MANIFEST, PROMPTS, Prompt, prompt_context
from countersight.errors import ExchangeError
from countersight.figures import Figure
from countersight.scoring import GroupScores

MEASURES: Final = ("factual", "counterfactual", "drop", "both_right", "shown", "imagination_gap")
PROMPT: Final[Prompt] = PROMPTS["0-shot"]
"""The prompt for tools that do not define one."""


class NamedQuestion(msgspec.Struct, frozen=True):
    """One question of one case, with its name in other tools."""

    row: int
    case: Case
    asking: QuestionVariant
    question: Question

    @property
    def key(self) -> str:
        """The name of the question in the files of other tools, made of case id and asking."""
        return key_of(self.case.id, self.asking)

    @property
    def words(self) -> str:
        """The prompt for the question."""
        return PROMPT.render(self.question, prompt_context(self.case, *WORLDS[self.asking]))

    @property
    def gold(self) -> str:
        """The question with its right answer as JSON, from which a reply can be scored."""
        return msgspec.json.encode(self.question).decode()

    @property
    def pictures(self) -> tuple[tuple[str, str], ...]:
        """The picture files of the question, with their recorded digests."""
        return self.case.pictures(*WORLDS[self.asking])

    @property
    def cluster(self) -> str:
        """A name of the case's picture; questions with the same one are not independent."""
        return self.case.image_digest or self.case.image or str(self.row)


def key_of(case: str, asking: QuestionVariant) -> str:
    """Return the name of a question in the files of other tools."""
    return f"{case}:{asking}"


def questions(dataset: Dataset, on_bad: Callable[[BadRow], None] | None = None) -> Iterator[NamedQuestion]:
    """Return every question of a dataset, case by case."""
    for row, case in dataset.cases(on_bad):
        yield from questions_of(row, case)


def questions_of(row: int, case: Case) -> Iterator[NamedQuestion]:
    """Return the questions of one case: factual, with the change told, and with the change shown."""
    for asking in VARIANTS:
        question = case.question(*WORLDS[asking])
        if question is not None:
            yield NamedQuestion(row, case, asking, question)


def dataset_at(path: Path, name: str) -> Dataset:
    """Open the dataset at a path, for a format that accepts nothing else."""
    for manifest, what in ((MANIFEST, "a run"), ("audit.json", "an audit")):
        if (path / manifest).is_file():
            raise ExchangeError(f"{name} needs a dataset, but {path} is {what}; name the folder of its dataset")
    return Dataset.open(path)


def run_figures(row: GroupScores) -> dict[str, float]:
    """Return the metrics of a run by name, with confidence interval and p-value for differences."""
    found: dict[str, float] = {}
    for name in MEASURES:
        figure: Figure | None = getattr(row, name)
        if figure is None or figure.value is None:
            continue
        found[name] = figure.value
        if figure.p is not None:
            found |= {f"{name}_low": figure.low, f"{name}_high": figure.high, f"{name}_p": figure.p}
    return found
