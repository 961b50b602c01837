"""Run folders for reports, filled by hand with what a model would have said."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from countersight.case import Case, Reply
from countersight.dataset.folder import Dataset
from countersight.engine import PROMPTS, Answering, RunFolder

Said = Mapping[int, tuple[str | None, str | None]]
"""For each row what was said as it is and under a change; None where nothing was."""


def run(
    folder: Path,
    source: Path,
    said: Said,
    *,
    model: str = "openai:gpt-4o",
    prompt: str = "0-shot",
    answering: Answering = "generate",
) -> Path:
    """A run of a dataset."""
    dataset = Dataset.open(source)
    asked = msgspec.structs.replace(PROMPTS["0-shot"], name=prompt)
    begun = RunFolder.begin(
        folder, dataset=dataset, model=model, settings={}, prompt=asked, shown=False, answering=answering
    )
    with begun.writing() as journal:
        for row, case in dataset.cases():
            for world, text in zip(("factual", "counterfactual"), said.get(row, (None, None)), strict=True):
                if text is not None:
                    journal.append(Reply(case.id, row, world, text=text))
    return folder


def right(cases: list[Case], row: int) -> tuple[str, str]:
    """The right answers to a case."""
    case = cases[row]
    assert case.factual
    assert case.counterfactual
    return case.factual.answer, case.counterfactual.answer
