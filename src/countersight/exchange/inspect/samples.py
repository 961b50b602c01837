"""A dataset as the samples of an Inspect task, in plain values (the task itself is in `task`)."""

from collections.abc import Iterator

from countersight.case import WORLDS, Asking, Question, Reply
from countersight.dataset import Dataset
from countersight.exchange.inspect.writing import Json
from countersight.exchange.named_questions import NamedQuestion, questions, run_figures
from countersight.scoring import outcomes, score
from countersight.text import printable


def sample(asked: NamedQuestion, dataset: Dataset) -> Json:
    """Return the fields of a `Sample`; pictures are given by their absolute paths."""
    pictures = [{"type": "image", "image": str((dataset.path / name).resolve())} for name, _ in asked.pictures]
    return {
        "id": printable(asked.key),
        "input": [{"role": "user", "content": [*pictures, {"type": "text", "text": asked.words}]}],
        "target": asked.question.answer,
        "metadata": {
            "case": asked.case.id,
            "row": asked.row,
            "asking": asked.asking,
            "group": f"{asked.case.group}, control" if asked.case.control_of else asked.case.group,
            "picture": asked.case.image_digest or asked.case.image or str(asked.row),
            "dataset_fingerprint": dataset.fingerprint,
        },
    }


def samples(dataset: Dataset, askings: tuple[Asking, ...]) -> Iterator[Json]:
    """Return the samples of every question asked in one of these ways."""
    return (sample(asked, dataset) for asked in questions(dataset) if asked.asking in askings)


def gold(dataset: Dataset) -> dict[tuple[int, str], Question]:
    """Return the questions with their right answers, by the row and the asking of a sample."""
    return {(asked.row, asked.asking): asked.question for asked in questions(dataset)}


def reply_of(metadata: Json, text: str, stop: str) -> Reply:
    """Return a model's output as a `Reply`; Inspect names the stop reason of a truncated reply `max_tokens`."""
    world, telling = WORLDS[metadata["asking"]]
    return Reply(metadata["case"], metadata["row"], world, telling, text=text, finish=stop)


def figures_of(dataset: Dataset, replies: list[Reply]) -> dict[str, float]:
    """Return the statistics of the replies so far, without controls."""
    cases = ((row, case) for row, case in dataset.cases() if not case.control_of)
    return run_figures(score(outcomes(cases, replies)).overall)
