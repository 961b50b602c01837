"""`audit calibrate`: judges and an editor on tests whose right verdict is known; resumable like an audit."""

import asyncio
import datetime
import platform
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Any, Final

import msgspec

from countersight import __version__
from countersight.audits.asking import AskedEditor, measured
from countersight.audits.calibration.items import (
    RIGHT,
    CalibrationItem,
    fingerprint_of,
    is_as_asked,
    make_items,
    spoiled,
)
from countersight.audits.calibration.sheet import (
    CALIBRATION,
    DOMAINS,
    LABELS,
    PANEL,
    Calibration,
    Domain,
    EditorSheet,
    JudgeSheet,
    KnownShare,
    instrument,
    rate,
    read_calibration,
)
from countersight.audits.checkers.pixels import as_asked
from countersight.audits.folder import LOG, MANIFEST, AuditFolder, digest_of
from countersight.audits.judges.protocol import HALVES, Judge, Opinion, Pool, by_judge, opinion, panel
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
from countersight.picture import Picture

CALIBRATION_FOLDER: Final = "calibration"
"""Where the log of a calibration lies in the folder of an audit."""
TAKEN: Final = (MANIFEST, LOG)
"""What every calibration has; one on people's labels has those too."""


NO_MEAN: Final = (
    "it counts how often a judge says yes or no, and a mean is neither; take --pool majority, or no calibration"
)


class CalibrationFiles(msgspec.Struct, frozen=True):
    """The files of a calibration that an audit keeps, by their names in its folder."""

    files: dict[str, bytes]

    def write(self, audit: Path) -> None:
        """Put them into the folder of an audit."""
        for name, data in self.files.items():
            (audit / name).parent.mkdir(exist_ok=True)
            write_whole(audit / name, data)
        AuditFolder.open(audit).name_calibration(digest_of(self.files[CALIBRATION]))


def take_up(folder: Path, manifest: Manifest) -> CalibrationFiles:
    """A calibration that fits an audit: the same judges, asked in the same way."""
    calibration = read_calibration(folder)
    if calibration is None:
        raise AuditError(
            f"{folder} holds no {CALIBRATION}; fill it with: countersight audit calibrate -o {quote(str(folder))}"
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
    """Why a calibration says nothing about the judges of an audit; nothing where it fits."""
    if "mean" in (calibration.pool, manifest.pool):
        return f"is of no use where votes are pooled by their mean: {NO_MEAN}"
    for judge in manifest.judges:
        sheet = calibration.of(judge.name)
        if sheet is None:
            return f"has no sheet for the judge {judge.name}; calibrate it with the others"
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
    """What is calibrated, and how."""

    judges: tuple[str, ...]
    editor: str | None
    prompts: AuditPrompts
    size: int = 144
    seed: int = 0
    domain: Domain = "drawings"
    """What the tests are of."""
    photographs: tuple[Path, ...] = ()
    """What stickers are put on, where tests are of photographs."""
    votes: int = 1
    pool: Pool = HALVES
    judge_settings: ModelSettings = ModelSettings(max_tokens=2048)
    editor_settings: EditorSettings = EditorSettings()
    retry: RetryPolicy = RetryPolicy()


async def calibrate(
    output: Path, options: CalibrationOptions, tally: AuditTally, stop: asyncio.Event
) -> Calibration | None:
    """Put every known test to every judge, and its edit to the editor; None where it was stopped."""
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
        items += await make_items(options.size, options.seed, options.domain, options.photographs)
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
    """Puts a known test to everybody."""

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


GATED = 24
"""Tests whose edits are also made wrong on purpose: each takes four measurements."""


def sheets(folder: AuditFolder, items: list[CalibrationItem], steps: list[Step], domain: Domain) -> Calibration:
    """The sheets of everybody who was calibrated, from what they did."""
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


def judge_sheets(manifest: Manifest, items: list[CalibrationItem], steps: list[Step]) -> tuple[JudgeSheet, ...]:
    """What every judge is worth, by its verdicts on these items; the last is the panel, where there are several."""
    known = {item.id: item for item in items}
    verdicts: dict[str, list[Verdict]] = {}
    for step in steps:
        if isinstance(step.output, Verdict):
            verdicts.setdefault(step.place.case, []).append(step.output)
    held: dict[str, dict[str, Opinion]] = {judge.name: {} for judge in manifest.judges}
    together: dict[str, Opinion] = {}
    for item, given in verdicts.items():
        together[item] = panel(given, manifest.pool)
        for judge, votes in by_judge(given).items():
            held[judge][item] = opinion(votes, manifest.pool)
    judged = [_judge_sheet(judge, manifest.votes, known, held[judge.name]) for judge in manifest.judges]
    if len(judged) > 1:
        judged.append(_judge_sheet(Actor(PANEL), manifest.votes, known, together))
    return tuple(judged)


def _judge_sheet(judge: Actor, votes: int, items: dict[str, CalibrationItem], held: dict[str, Opinion]) -> JudgeSheet:
    pairs = [(items[name], opinion) for name, opinion in held.items()]

    def right(chosen: list[tuple[CalibrationItem, Opinion]]) -> int:
        return sum((each.pcs, each.ncc) == item.right for item, each in chosen)

    def share(chosen: list[tuple[CalibrationItem, Opinion]]) -> KnownShare:
        return rate(right(chosen), len(chosen))

    return JudgeSheet(
        judge=judge,
        votes=votes,
        pcs=instrument((each.pcs, item.right[0]) for item, each in pairs),
        ncc=instrument((each.ncc, item.right[1]) for item, each in pairs),
        ccs=instrument((each.ccs, item.right[0] * item.right[1]) for item, each in pairs),
        by_kind={kind: share([pair for pair in pairs if pair[0].kind == kind]) for kind in RIGHT},
        hostile=share([pair for pair in pairs if pair[0].hostile]),
        honest=share([pair for pair in pairs if not pair[0].hostile]),
    )


def _editor_sheet(
    editor: Actor, folder: AuditFolder, items: dict[str, CalibrationItem], edits: dict[str, EditRecord]
) -> EditorSheet:
    shown = {name: edit for name, edit in edits.items() if edit.after}
    seen: list[bool] = []
    for name, edit in shown.items():
        done = _is_done(folder.picture(edit.after), items[name])
        seen += [] if done is None else [done]
    reasons = Counter(
        edit.failure or (edit.quality.reason if edit.quality else "") for edit in edits.values() if not _good(edit)
    )
    gated: dict[str, list[tuple[bool, bool]]] = {kind: [] for kind in KINDS}
    for item in list(items.values())[:: max(1, len(items) // GATED)]:
        for kind, picture, good in failed_on_purpose(item):
            gated[kind].append((passes(item, picture), good))
    return EditorSheet(
        editor=editor,
        n=len(edits),
        pictures=len(shown),
        good=sum(_good(edit) for edit in shown.values()),
        done=rate(sum(seen), len(seen)),
        reasons=dict(reasons.most_common()),
        gate=instrument((float(said), int(good)) for pairs in gated.values() for said, good in pairs),
        gate_by_kind={
            kind: rate(sum(said == good for said, good in pairs), len(pairs)) for kind, pairs in gated.items()
        },
    )


def _is_done(edited: Picture, item: CalibrationItem) -> bool | None:
    """Whether an edit is the one that was asked for, where that can be told."""
    if item.evidence.changed is not None:
        return as_asked(edited, item.evidence.changed)
    return is_as_asked(edited, item.changed, item.mask) if item.mask else None


def _good(edit: EditRecord) -> bool:
    return bool(edit.after) and (edit.quality is None or edit.quality.good)


KINDS: Final = ("as asked", "nothing changed", "another part changed", "as asked, and all else darker")


def failed_on_purpose(item: CalibrationItem) -> Iterator[tuple[str, Picture, bool]]:
    """The right edit of a test, and three that are wrong: what was made, the picture, and whether it is good."""
    yield KINDS[0], item.changed, True
    yield KINDS[1], item.picture, False
    yield from ((kind, picture, False) for kind, picture in zip(KINDS[2:], spoiled(item), strict=True))


def passes(item: CalibrationItem, picture: Picture) -> bool:
    """Whether the rule takes an edit for a good one."""
    return measured(item.picture, picture, item.mask).good
