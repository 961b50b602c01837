"""Prepare runs and audits: turn what the command line and the public functions accept into options of the engine."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from countersight.dataset import Dataset
from countersight.engine import Answering, Prompt, RunOptions, Sample, restore_options
from countersight.models import ModelSettings

if TYPE_CHECKING:  # imported only when needed: it takes as long as asking many questions
    from countersight.scoring import StoppingMetric, Until


def prepare_run(
    out: Path,
    *,
    prompt: Prompt,
    settings: ModelSettings,
    shown: bool,
    answering: Answering,
    shots_from: Dataset | None,
    cases: int | None,
    again: Literal["", "cut", "empty", "unread"],
    until: float | Literal["decided"] | None,
    until_metric: "StoppingMetric | None",
) -> "tuple[RunOptions, ModelSettings, Dataset | None, Until | None]":
    """Return the options of a run in the folder `out`, its settings, the dataset of its examples and its stopping rule.

    What an existing run has recorded is restored.
    """
    sample = Sample(cases, settings.seed) if cases else None
    options = RunOptions(prompt, shown, answering, settings.seed, again, sample)
    options, settings, pool = restore_options(out, options, settings, shots_from)
    if until is None:
        return options, settings, pool, None
    from countersight.scoring import Until

    return options, settings, pool, Until(None if until == "decided" else until, until_metric or "drop", settings.seed)


def audit_method(judges: Sequence[Any], control: str, checkers: Sequence[str]) -> dict[str, Any]:
    """Return how the cases of an audit are tested, as the fields of `AuditOptions` and `AuditPlan`."""
    from countersight.audits import USUAL_CHECKERS

    return {
        "judges": tuple(judges),
        "control": control in ("nothing", "both"),
        "uncited": control in ("uncited", "both"),
        "checkers": tuple(checkers or USUAL_CHECKERS),
    }


def audit_prompts(prompts: Any, extractor: str) -> Any:
    """Return the prompts of an audit, by default the short ones if no language model finds the concepts."""
    from countersight.audits import BRIEF, USUAL, AuditPrompts, find_prompts

    words = prompts or (BRIEF if extractor == "rules" else USUAL)
    return words if isinstance(words, AuditPrompts) else find_prompts(words)
