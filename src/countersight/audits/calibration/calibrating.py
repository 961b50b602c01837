"""`audit calibrate`: run judges and an editor on tests with known verdicts; resumable like an audit."""

import asyncio
import datetime
import platform
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Any, Final

import msgspec

from countersight import __version__
from countersight.audits.asking import AskedEditor
from countersight.audits.calibration.items import (
    CalibrationItem,
    fingerprint_of,
    make_items,
)
from countersight.audits.calibration.sheet import (
    CALIBRATION,
    DOMAINS,
    LABELS,
    Calibration,
    Domain,
    EditorSheet,
    JudgeSheet,
    Test,
    judge_sheet,
    opinions,
    rate,
    read_calibration,
)
from countersight.audits.checkers.pixels import as_asked
from countersight.audits.folder import LOG, MANIFEST, AuditFolder, digest_of
from countersight.audits.judges.protocol import HALVES, Judge, Pool
from countersight.audits.opening import Opener
from countersight.audits.prompts import AuditPrompts
from countersight.audits.records import Actor, CaseRecord, EditRecord, Manifest, Step, StepPlace, Verdict
from countersight.audits.steps import AuditTally, Runner, StepFailed, Steps
from countersight.audits.work import Subject, Work
from countersight.editing import EditorSettings
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


class CalibrationFiles(msgspec.Struct, frozen=True):
    """The files of a calibration that are copied into an audit, by their names there."""

    files: dict[str, bytes]

    def write(self, audit: Path) -> None:
        """Write the files to the folder of an audit."""
        for name, data in self.files.items():
            (audit / name).parent.mkdir(exist_ok=True)
            write_whole(audit / name, data)
        AuditFolder.open(audit).name_calibration(digest_of(self.files[CALIBRATION]))


def take_up(folder: Path, manifest: Manifest) -> CalibrationFiles:
    """Return the files of a calibration for an audit; raises if its judges or their settings are different."""
    calibration = read_calibration(folder)
    if calibration is None:
        raise AuditError(
            f"{folder} contains no {CALIBRATION}; create it with: countersight audit calibrate -o {quote(str(folder))}"
        )
    fault = unlike(calibration, manifest)
    if fault:
        raise AuditError(f"{folder} {fault}")
    log = {f"{CALIBRATION_FOLDER}/{name}": folder / name for name in (*TAKEN, LABELS)}
    return CalibrationFiles(
        {CALIBRATION: (folder / CALIBRATION).read_bytes()}
        | {name: file.read_bytes() for name, file in log.items() if file.is_file()}
    )


def unlike(calibration: Calibration, manifest: Manifest) -> str:
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
    editor: str | None
    prompts: AuditPrompts
    size: int = 144
    seed: int = 0
    domain: Domain = "drawings"
    """The kind of pictures in the tests."""
    votes: int = 1
    pool: Pool = HALVES
    judge_settings: ModelSettings = ModelSettings(max_tokens=2048)
    editor_settings: EditorSettings = EditorSettings()
    retry: RetryPolicy = RetryPolicy()


async def calibrate(
    output: Path, options: CalibrationOptions, tally: AuditTally, stop: asyncio.Event
) -> Calibration | None:
    """Run every known test by every judge, and its edit by the editor; None if stopped."""
    if options.pool == "mean":
        raise AuditError(f"votes pooled by their mean cannot be calibrated: {NO_MEAN}")
    items: list[CalibrationItem] = []
    await _calibrate(output, options, items, tally, stop)
    if stop.is_set():
        return None
    folder = AuditFolder.open(output)
    made = sheets(folder, items, list(folder.steps()), options.domain)
    write_whole(output / CALIBRATION, msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")
    return made


async def _calibrate(
    output: Path, options: CalibrationOptions, items: list[CalibrationItem], tally: AuditTally, stop: asyncio.Event
) -> None:
    opener = Opener(options.retry, options.prompts, tally, stop)
    judges = opener.judges(list(options.judges), options.judge_settings)
    editor = opener.editor(options.editor, options.editor_settings) if options.editor else None
    try:
        items += await make_items(options.size, options.seed, options.domain)
        folder = AuditFolder.begin(output, _manifest(options, items, judges, editor))
        with folder.writing() as journal:
            before = list(folder.steps())
            opener.know(before)
            steps = Steps(journal, before, tally, stop)
            trial = Trial(Work(folder, options.prompts, steps), judges, editor, options.votes)
            full = 1 + (editor is not None) + sum(options.votes if judge.several else 1 for judge in judges)
            tally.total = full * len(items)
            await Runner(trial.put, steps, tally, full, stop).run(iter(enumerate(items)), options.retry.concurrency)
    finally:
        for judge in judges:
            await judge.close()
        if editor is not None:
            await editor.close()


class Trial:
    """Runs a known test by everybody."""

    def __init__(self, work: Work, judges: tuple[Judge, ...], editor: AskedEditor | None, votes: int) -> None:
        self._work = work
        self._judges = judges
        self._editor = editor
        self._votes = votes

    async def put(self, row: int, item: CalibrationItem) -> None:
        place, question = StepPlace(item.id, row), item.evidence.question
        with suppress(StepFailed):
            record = CaseRecord("", question, f"{item.id}.png", "calibration", item.kind)
            shown = await self._work.begin(place, record, item.picture)
            here = msgspec.structs.replace(place, concept=1)
            for judge in self._judges:
                for vote in range(1, (self._votes if judge.several else 1) + 1):
                    with suppress(StepFailed):
                        await self._work.judge(judge, vote, here, item.evidence)
            if self._editor is not None:
                subject = Subject(place, question, shown, record.image, item.evidence.scene)
                await self._work.edit(self._editor, subject, here, item.evidence.instruction)


def _manifest(
    options: CalibrationOptions, items: list[CalibrationItem], judges: tuple[Judge, ...], editor: AskedEditor | None
) -> Manifest:
    return Manifest(
        dataset=DatasetReference("calibration", "", fingerprint_of(items), len(items)),
        model=Actor("known verdicts"),
        extractor=Actor("rules"),
        editor=editor.party if editor else Actor(""),
        judges=tuple(judge.party for judge in judges),
        votes=options.votes,
        pool=options.pool,
        concepts=1,
        control=False,
        seed=options.seed,
        prompts=msgspec.structs.asdict(options.prompts),
        started=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        countersight=__version__,
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
    )


def sheets(folder: AuditFolder, items: list[CalibrationItem], steps: list[Step], domain: Domain) -> Calibration:
    """Return the calibration sheets of all participants, from their results."""
    manifest = folder.manifest
    edits = {step.place.case: step.output for step in steps if isinstance(step.output, EditRecord)}
    known = {item.id: item for item in items}
    return Calibration(
        judges=judge_sheets(manifest, items, steps),
        editor=_editor_sheet(manifest.editor, folder, known, edits) if manifest.editor.name else None,
        size=len(items),
        seed=manifest.seed,
        pool=manifest.pool,
        prompts=manifest.prompts,
        countersight=__version__,
        domain=DOMAINS[domain],
    )


def judge_sheets(manifest: Manifest, items: Sequence[CalibrationItem], steps: Iterable[Step]) -> tuple[JudgeSheet, ...]:
    """Return the sheet of every judge, from its verdicts on these items; the last is the panel, if several."""
    verdicts: dict[Test, list[Verdict]] = {}
    for step in steps:
        if isinstance(step.output, Verdict):
            verdicts.setdefault((step.place.case, 1), []).append(step.output)
    known = {(item.id, 1): item for item in items}
    pairs = [(test, *item.right) for test, item in known.items()]
    right = {
        "pcs": {test: pcs for test, pcs, _ in pairs},
        "ncc": {test: ncc for test, _, ncc in pairs},
        "ccs": {test: pcs * ncc for test, pcs, ncc in pairs},
    }
    kinds = {test: item.kind for test, item in known.items()}
    hostile = {test for test, item in known.items() if item.hostile}
    held = opinions(manifest, verdicts)
    return tuple(judge_sheet(judge, manifest.votes, own, right, kinds, hostile) for judge, own in held)


def _editor_sheet(
    editor: Actor, folder: AuditFolder, items: dict[str, CalibrationItem], edits: dict[str, EditRecord]
) -> EditorSheet:
    shown = {name: edit for name, edit in edits.items() if edit.after}
    seen: list[bool] = []
    for name, edit in shown.items():
        changed = items[name].evidence.changed
        done = as_asked(folder.picture(edit.after), changed) if changed is not None else None
        seen += [] if done is None else [done]
    reasons = Counter(
        edit.failure or (edit.quality.reason if edit.quality else "") for edit in edits.values() if not _good(edit)
    )
    return EditorSheet(
        editor=editor,
        n=len(edits),
        pictures=len(shown),
        good=sum(_good(edit) for edit in shown.values()),
        done=rate(sum(seen), len(seen)),
        reasons=dict(reasons.most_common()),
    )


def _good(edit: EditRecord) -> bool:
    return bool(edit.after) and (edit.quality is None or edit.quality.good)
