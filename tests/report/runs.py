"""Run folders for reports, filled by hand with what a model would have said."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from countersight.case import Case, Reply
from countersight.dataset.folder import Dataset
from countersight.engine import PROMPTS, Answering, Prompt, RunFolder, RunOptions

Answers = Mapping[int, tuple[str | None, str | None]]
"""For each row what was said as it is and under a change; None where nothing was."""


def recorded(
    folder: Path,
    source: Path,
    replies: Iterable[Reply],
    *,
    model: str = "openai:gpt-4o",
    prompt: Prompt = PROMPTS["0-shot"],
    shown: bool = False,
    answering: Answering = "generate",
    settings: dict[str, Any] | None = None,
) -> Path:
    """A run of a dataset with these replies."""
    begun = RunFolder.begin(
        folder,
        dataset=Dataset.open(source),
        model=model,
        settings=settings or {},
        options=RunOptions(prompt, shown, answering),
    )
    with begun.writing() as journal:
        for reply in replies:
            journal.append(reply)
    return folder


def run(
    folder: Path,
    source: Path,
    said: Answers,
    *,
    model: str = "openai:gpt-4o",
    prompt: str = "0-shot",
    answering: Answering = "generate",
) -> Path:
    """A run of a dataset in which this was said."""
    replies = (
        Reply(case.id, row, world, text=text)
        for row, case in Dataset.open(source).cases()
        for world, text in zip(("factual", "counterfactual"), said.get(row, (None, None)), strict=True)
        if text is not None
    )
    asked = msgspec.structs.replace(PROMPTS["0-shot"], name=prompt)
    return recorded(folder, source, replies, model=model, prompt=asked, answering=answering)


def right(cases: list[Case], row: int) -> tuple[str, str]:
    """The right answers to a case."""
    case = cases[row]
    assert case.factual
    assert case.counterfactual
    return case.factual.answer, case.counterfactual.answer
