"""Code shared by all exports: opening and splitting datasets, and naming questions and metrics for other tools.

A dataset is split into train and test by picture: cases that share a picture in either world are in the same split. The
split of a picture depends only on its bytes, so that exports and datasets with the same pictures agree on it.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from countersight.case import VARIANTS, WORLDS, Case, Question, QuestionVariant
from countersight.dataset import BadRow, Dataset, published_file
from countersight.engine import MANIFEST, PROMPTS, Prompt, prompt_context
from countersight.errors import BadPicture, ExchangeError
from countersight.figures import Figure
from countersight.picture import Picture
from countersight.scoring import GroupScores

MEASURES: Final = ("factual", "counterfactual", "drop", "both_right", "shown", "imagination_gap")
Side = Literal["train", "test"]
TESTED: Final = 5
"""The test split contains about one of this many pictures."""
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
        """The question's name in other tools' files: the case id and the question variant."""
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

    def row_of(self, dataset: Dataset) -> dict[str, Any]:
        """Return the question as a row of a table, with its pictures."""
        return {
            "key": self.key,
            "case": self.case.id,
            "row": self.row,
            "asking": self.asking,
            "group": self.case.group,
            "picture": self.cluster,
            "images": load_pictures(dataset, self.pictures, self.row),
            "words": self.words,
            "kind": self.question.kind,
            "answer": self.question.answer,
            "gold": self.gold,
            "control_of": self.case.control_of,
        }

    @property
    def cluster(self) -> str:
        """An id of the case's picture; questions about the same picture are not independent."""
        return self.case.image_digest or self.case.image or str(self.row)


def key_of(case: str, asking: QuestionVariant) -> str:
    """Return the name of a question in other tools' files."""
    return f"{case}:{asking}"


def questions(dataset: Dataset, on_bad: Callable[[BadRow], None] | None = None) -> Iterator[NamedQuestion]:
    """Return every question of a dataset, case by case."""
    for row, case in dataset.cases(on_bad):
        yield from questions_of(row, case)


def questions_of(row: int, case: Case) -> Iterator[NamedQuestion]:
    """Return the questions of one case: factual, with the change in words, and with the change in the picture."""
    for asking in VARIANTS:
        question = case.question(*WORLDS[asking])
        if question is not None:
            yield NamedQuestion(row, case, asking, question)


def dataset_at(path: Path, name: str) -> Dataset:
    """Open the dataset at a path, for a format that accepts only datasets."""
    for manifest, what in ((MANIFEST, "a run"), ("audit.json", "an audit")):
        if (path / manifest).is_file():
            raise ExchangeError(f"{name} needs a dataset, but {path} is {what}; name the folder of its dataset")
    return Dataset.open(path)


def run_figures(row: GroupScores) -> dict[str, float]:
    """Return the metrics of a run by name, with confidence intervals, and p-values for differences."""
    found: dict[str, float] = {}
    for name in MEASURES:
        figure: Figure | None = getattr(row, name)
        if figure is None or figure.value is None:
            continue
        found[name] = figure.value
        if figure.p is not None:
            found |= {f"{name}_low": figure.low, f"{name}_high": figure.high, f"{name}_p": figure.p}
    return found


def load_pictures(dataset: Dataset, named: tuple[tuple[str, str], ...], row: int) -> list[tuple[str, Picture]]:
    """Return the pictures with their names; an invalid one stops the export, because its row would be incomplete."""
    found = []
    for name, digest in named:
        try:
            found.append((Path(name).name, dataset.picture(name, digest)))
        except BadPicture as fault:
            raise ExchangeError(
                f"{dataset.path} row {row + 1}: picture {name} {fault}; fix the picture or remove the row"
            ) from None
    return found


class Splits:
    """Assigns every case of a dataset to a split, after one pass that finds connected pictures."""

    def __init__(self, dataset: Dataset) -> None:
        self._whole = published_side(dataset)
        self._parents: dict[int, int] = {}
        if self._whole is None:
            for _, case in dataset.cases():
                first, *others = _pictures(case)
                for other in others:
                    lower, upper = sorted((self._root(first), self._root(other)))
                    self._parents[upper] = lower

    def side(self, case: Case) -> Side:
        """Return the split of a case."""
        if self._whole is not None:
            return self._whole
        return "test" if self._root(_pictures(case)[0]) % TESTED == 0 else "train"

    def _root(self, picture: int) -> int:
        while (above := self._parents.get(picture, picture)) != picture:
            picture = above
        return picture


def published_side(dataset: Dataset) -> Side | None:
    """Return the split to which all cases of a published benchmark belong; None for generated datasets.

    Benchmarks, and datasets built from their questions, are test data, unless the name of the authors' file indicates
    that it is their training split.
    """
    file = published_file(dataset.path)
    if not file:
        return None
    return "train" if re.search(r"(?<![a-z])train", file.casefold()) else "test"


def _pictures(case: Case) -> list[int]:
    """Return the pictures of a case in both worlds, each as a number that depends on its bytes."""
    known = [case.image_digest or case.image, case.counterfactual_digest or case.counterfactual_image]
    known += case.further_digests or case.further_images
    names = [name for name in known if name] or [case.id]
    return [int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big") for name in names]
