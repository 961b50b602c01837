"""Audits of explanations (EDCT): `audit`, `audit_async` and `verify`."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from countersight.audits import (
    BRIEF,
    USUAL,
    USUAL_CHECKERS,
    AuditOptions,
    AuditPrompts,
    AuditTally,
    Intervene,
    audit_dataset,
    find_prompts,
    finish,
    read_allowed_signers,
)
from countersight.audits.judges import Judge
from countersight.audits.verifying import Trust, Verified, verify_bundle
from countersight.editing import Editor
from countersight.engine import RetryPolicy, synchronous
from countersight.errors import CountersightError
from countersight.models import ModelSettings
from countersight.progress import Progress, counted, usual
from countersight.results import Audit
from countersight.verbs.inputs import SomeDataset, SomeModel, check_from, checked, dataset_of, folder_of, settings_of
from countersight.verbs.running import open_model


@checked
async def audit_async(
    dataset: SomeDataset,
    model: SomeModel,
    *,
    extractor: str,
    editor: Editor | str = "",
    judges: Sequence[Judge | str],
    out: Path | str,
    name: str = "",
    prompts: AuditPrompts | str | None = None,
    cases: int | None = None,
    concepts: int = 1,
    votes: int = 1,
    control: Literal["", "nothing", "uncited", "both"] = "",
    intervene: Intervene = "picture",
    strength: int = 1,
    checkers: Sequence[str] = USUAL_CHECKERS,
    descriptive: bool = False,
    plan: Path | str | None = None,
    settings: ModelSettings | None = None,
    retry: RetryPolicy = RetryPolicy(),  # noqa: B008 - frozen
    stop: asyncio.Event | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Test whether a model's explanations are faithful to its answers (EDCT); an existing audit is resumed.

    `plan` is a file written by `countersight audit plan`; deviations from it are reported.
    """
    check_from(1, cases=cases, concepts=concepts, votes=votes, strength=strength)
    if not judges:
        raise CountersightError("judges must be a list of at least one name, such as ['exact']")
    chosen = settings_of(settings, ModelSettings(max_tokens=2048))
    watch, tally, stopped = progress or usual(), AuditTally(), stop or asyncio.Event()
    options = AuditOptions(
        model=open_model(model, chosen, name=name),
        extractor=extractor,
        editor=editor,
        prompts=audit_prompts(prompts, extractor),
        votes=votes,
        concepts=concepts,
        intervene=intervene,
        strength=strength,
        descriptive=descriptive,
        plan=Path(plan) if plan else None,
        cases=cases,
        settings=chosen,
        extractor_settings=helper_settings(chosen),
        judge_settings=helper_settings(chosen, votes),
        retry=retry,
        **audit_method(judges, control, checkers),
    )
    with counted(watch, "Auditing", "cases", lambda: (tally.done, tally.total)):
        await audit_dataset(dataset_of(dataset), Path(out), options, tally, stopped)
    if not stopped.is_set():
        await asyncio.to_thread(finish, Path(out), progress=watch)
    return Audit.open(out)


audit = synchronous(audit_async)


def audit_method(judges: Sequence[Any], control: str, checkers: Sequence[str]) -> dict[str, Any]:
    """Return how the cases of an audit are tested, as the fields of `AuditOptions` and `AuditPlan`."""
    return {
        "judges": tuple(judges),
        "control": control in ("nothing", "both"),
        "uncited": control in ("uncited", "both"),
        "checkers": tuple(checkers or USUAL_CHECKERS),
    }


def audit_prompts(prompts: AuditPrompts | str | None, extractor: str) -> AuditPrompts:
    """Return the prompts of an audit, by default the short ones if no language model finds the concepts."""
    words = prompts or (BRIEF if extractor == "rules" else USUAL)
    return words if isinstance(words, AuditPrompts) else find_prompts(words)


def helper_settings(audited: ModelSettings, votes: int = 1) -> ModelSettings:
    """Return the settings of the extractor or of the judges, with enough tokens for reasoning and JSON.

    Judges that vote more than once need a temperature; otherwise all votes would be nearly the same.
    """
    return ModelSettings(
        seed=audited.seed,
        timeout=audited.timeout,
        ray=audited.ray,
        max_tokens=2048,
        temperature=0.7 if votes > 1 else 0.0,
    )


@checked
def verify(audit: Audit | Path | str, *, seal: str = "", key: str = "") -> Verified:
    """Check a finished audit for changed or missing files and wrong results; see `.sound` and `.findings`."""
    return verify_bundle(folder_of(audit), seal, trust=Trust(read_allowed_signers([key] if key else [])))
