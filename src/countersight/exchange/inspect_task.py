"""Inspect's entry point: `inspect eval countersight/dataset -T folder=flowers --model …`.

This is the only module that needs inspect_ai; Inspect imports it.
"""

from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, accuracy, grouped, metric, scorer, stderr
from inspect_ai.solver import TaskState, generate

from countersight.case import VARIANTS, WORLDS, Reply
from countersight.dataset import Dataset
from countersight.exchange.exported_questions import questions
from countersight.exchange.inspect_export import SCORER, grade, task_figures, task_samples
from countersight.scoring import OUTCOMES, judge


@task
def dataset(folder: str, shown: bool = False, max_tokens: int = 256) -> Task:
    """Ask every question of a dataset folder; `shown` adds the questions about counterfactual pictures."""
    opened = Dataset.open(Path(folder).expanduser())
    samples = task_samples(opened, VARIANTS if shown else VARIANTS[:2])
    return Task(
        dataset=MemoryDataset([Sample(**each) for each in samples], name=opened.name, location=str(opened.path)),
        solver=generate(),
        scorer=reader(str(opened.path)),
        metrics=[countersight(str(opened.path)), grouped(accuracy(), "group"), stderr(cluster="picture")],
        version=opened.fingerprint[:8],
        metadata={"dataset_fingerprint": opened.fingerprint, "shown": shown},
        max_tokens=max_tokens,
    )


@metric
def countersight(folder: str) -> Metric:
    """Compute the same metrics as `score`: accuracy in each world, drop with interval, both right, imagination gap."""

    def figures(scores: list[SampleScore]) -> dict[str, float]:
        scored = [each.score.metadata or {} for each in scores]
        return task_figures(Dataset.open(folder), [_reply(each, each["text"], each["stop"]) for each in scored])

    return figures


@scorer(metrics=[accuracy()], name=SCORER)
def reader(folder: str) -> Scorer:
    """Extract the answer from the reply and grade it as Countersight does; truncated and empty replies are unscored."""
    gold = {(item.row, item.asking): item.question for item in questions(Dataset.open(folder))}

    async def read(state: TaskState, target: Target) -> Score:
        metadata = state.metadata
        question = gold[metadata["row"], metadata["asking"]]
        stop = state.output.stop_reason if state.output.choices else "unknown"
        text = state.output.completion
        judged = judge(_reply(metadata, text, stop), question)
        outcome = OUTCOMES[judged.code]
        assert outcome is not None
        where: dict[str, Any] = {name: metadata[name] for name in ("case", "row", "asking", "group", "picture")}
        return Score(
            value=grade(outcome, judged.credit, soft=bool(question.answers)),
            answer=judged.answer,
            explanation=text,
            metadata=where | {"outcome": outcome, "text": text, "stop": stop},
        )

    return read


def _reply(metadata: dict[str, Any], text: str, stop: str) -> Reply:
    """Convert a model's output to a `Reply`; `max_tokens` is Inspect's stop reason for truncated replies."""
    world, telling = WORLDS[metadata["asking"]]
    return Reply(metadata["case"], metadata["row"], world, telling, text=text, finish=stop)
