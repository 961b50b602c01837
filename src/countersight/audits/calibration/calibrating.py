"""`audit calibrate`: run judges on tests with known verdicts; resumable like an audit."""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any, Final

import msgspec

from countersight import __version__
from countersight.audits.calibration.items import CalibrationItem, fingerprint_of, make_items
from countersight.audits.calibration.sheet import (
    CALIBRATION,
    DRAWINGS,
    LABELS,
    Calibration,
    JudgeSheet,
    Test,
    judge_sheet,
    opinions,
    read_calibration,
    write_calibration,
)
from countersight.audits.folder import LOG, MANIFEST, AuditFolder, begin_manifest, digest_of
from countersight.audits.judges.pooling import HALVES
from countersight.audits.judges.protocol import Judge
from countersight.audits.opening import Opener
from countersight.audits.prompts import AuditPrompts
from countersight.audits.records import Actor, CaseRecord, Manifest, Pool, Step, StepPlace, Verdict
from countersight.audits.stages import Parties, Stages
from countersight.audits.steps import AuditTally, StepFailed, Steps, run_items
from countersight.engine import DatasetReference, RetryPolicy
from countersight.errors import AuditError
from countersight.files import write_whole
from countersight.models import ModelSettings

CALIBRATION_FOLDER: Final = "calibration"
"""The folder of a calibration's log inside an audit's folder."""
TAKEN: Final = (MANIFEST, LOG)
"""The files of every calibration; one on people's labels has more."""
NO_MEAN: Final = (
    "a calibration counts yes and no verdicts, and a mean is neither; use --pool majority, or leave out the calibration"
)


def copy_calibration(folder: Path, audit: Path) -> None:
    """Copy a checked calibration into the folder of an audit, and name it in audit.json."""
    for name in (*TAKEN, LABELS):
        if (folder / name).is_file():
            (audit / CALIBRATION_FOLDER).mkdir(exist_ok=True)
            write_whole(audit / CALIBRATION_FOLDER / name, (folder / name).read_bytes())
    data = (folder / CALIBRATION).read_bytes()
    write_whole(audit / CALIBRATION, data)
    AuditFolder.open(audit).name_calibration(digest_of(data))


def check_calibration(folder: Path, manifest: Manifest) -> None:
    """Raise AuditError if a folder has no calibration of an audit's judges with their settings."""
    calibration = read_calibration(folder)
    if calibration is None:
        raise AuditError(
            f"{folder} contains no {CALIBRATION}; create it with: countersight audit calibrate -o {quote(str(folder))}"
        )
    if fault := misfit(calibration, manifest):
        raise AuditError(f"{folder} {fault}")


def misfit(calibration: Calibration, manifest: Manifest) -> str:
    """Return why a calibration does not apply to the judges of an audit; "" if it does."""
    if "mean" in (calibration.pool, manifest.pool):
        return f"cannot be used if votes are pooled by their mean: {NO_MEAN}"
    for judge in manifest.judges:
        sheet = calibration.of(judge.name)
        if sheet is None:
            return f"does not include the judge {judge.name}; calibrate again with all judges"
        other = _differing(sheet.judge.settings | {"votes": sheet.votes}, judge.settings | {"votes": manifest.votes})
        if other:
            return f"calibrated {judge.name} with other settings or votes ({other}); calibrate again"
    if any(calibration.prompts.get(name) != manifest.prompts[name] for name in ("judge", "again")):
        return "was calibrated with other prompts for judges; calibrate again with these `prompts`"
    return ""


def _differing(there: dict[str, Any], here: dict[str, Any]) -> str:
    """The first setting that two judges of one name do not share."""
    names = sorted(name for name in there.keys() | here.keys() if there.get(name) != here.get(name))
    return f"{names[0]} {there.get(names[0])} there, {here.get(names[0])} here" if names else ""


class CalibrationOptions(msgspec.Struct, frozen=True):
    """The settings of a calibration."""

    judges: tuple[str, ...]
    prompts: AuditPrompts
    size: int = 144
    seed: int = 0
    votes: int = 1
    pool: Pool = HALVES
    judge_settings: ModelSettings = ModelSettings(max_tokens=2048)
    retry: RetryPolicy = RetryPolicy()


async def calibrate(
    output: Path, options: CalibrationOptions, tally: AuditTally, stop: asyncio.Event
) -> Calibration | None:
    """Have every judge decide every test with a known verdict; returns None if stopped."""
    if options.pool == "mean":
        raise AuditError(f"votes pooled by their mean cannot be calibrated: {NO_MEAN}")
    opener = Opener(options.retry, options.prompts, tally, stop)
    judges = opener.judges(list(options.judges), options.judge_settings)
    try:
        items = await make_items(options.size, options.seed)
        folder = AuditFolder.begin(output, _manifest(options, items, judges))
        with folder.writing() as journal:
            before = list(folder.steps())
            opener.know(before)
            steps = Steps(journal, before, tally, stop)
            stages = Stages(folder, options.prompts, Parties(judges), steps)
            full = 1 + sum(options.votes if judge.several else 1 for judge in judges)
            tally.total = full * len(items)
            rows = iter(enumerate(items))
            await run_items(partial(put, stages), rows, steps, tally, full, options.retry.concurrency, stop)
    finally:
        for judge in judges:
            await judge.close()
    if stop.is_set():
        return None
    made = Calibration(
        judges=judge_sheets(folder.manifest, items, folder.steps()),
        size=len(items),
        seed=options.seed,
        pool=options.pool,
        prompts=folder.manifest.prompts,
        countersight=__version__,
        domain=DRAWINGS,
    )
    write_calibration(output, made)
    return made


async def put(stages: Stages, row: int, item: CalibrationItem) -> None:
    """Record a known test and the verdicts of all judges."""
    with suppress(StepFailed):
        place = StepPlace(item.id, row)
        record = CaseRecord("", item.evidence.question, f"{item.id}.png", "calibration", item.kind)
        await stages.begin(place, record, item.picture)
        await stages.judge(msgspec.structs.replace(place, concept=1), item.evidence)


def _manifest(options: CalibrationOptions, items: list[CalibrationItem], judges: tuple[Judge, ...]) -> Manifest:
    return begin_manifest(
        dataset=DatasetReference("calibration", "", fingerprint_of(items), len(items)),
        model=Actor("known verdicts"),
        extractor=Actor("rules"),
        editor=Actor(""),
        judges=tuple(judge.party for judge in judges),
        votes=options.votes,
        pool=options.pool,
        concepts=1,
        control=False,
        seed=options.seed,
        prompts=msgspec.structs.asdict(options.prompts),
    )


def judge_sheets(manifest: Manifest, items: Sequence[CalibrationItem], steps: Iterable[Step]) -> tuple[JudgeSheet, ...]:
    """Return the sheet of every judge, from its verdicts on these items; the last is the panel, if several."""
    verdicts: dict[Test, list[Verdict]] = {}
    for step in steps:
        if isinstance(step.output, Verdict):
            verdicts.setdefault((step.place.case, 1), []).append(step.output)
    known = {(item.id, 1): item for item in items}
    right = {
        "pcs": {test: item.right[0] for test, item in known.items()},
        "ncc": {test: item.right[1] for test, item in known.items()},
        "ccs": {test: item.right[0] * item.right[1] for test, item in known.items()},
    }
    kinds = {test: item.kind for test, item in known.items()}
    hostile = {test for test, item in known.items() if item.hostile}
    held = opinions(manifest, verdicts)
    return tuple(judge_sheet(judge, manifest.votes, own, right, kinds, hostile) for judge, own in held)
