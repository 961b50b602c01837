"""`audit calibrate`: judges and an editor on tests whose right verdict is known; resumable like an audit."""

import asyncio
import datetime
import platform
from contextlib import suppress
from pathlib import Path

import msgspec

from countersight import __version__
from countersight.audits.calibration.items import Item, fingerprint_of, make_items
from countersight.audits.calibration.sheet import CALIBRATION, Calibration, Domain
from countersight.audits.calibration.tabulating import sheets
from countersight.audits.calibration.taking import NO_MEAN
from countersight.audits.editing import AskedEditor
from countersight.audits.folder import AuditFolder
from countersight.audits.judges.panel import HALVES, Pool
from countersight.audits.judges.protocol import Judge
from countersight.audits.opening import Opener
from countersight.audits.prompts import AuditPrompts
from countersight.audits.records import Actor, CaseRecord, Manifest, Place
from countersight.audits.running import Runner
from countersight.audits.steps import StepFailed, Steps
from countersight.audits.tally import AuditTally
from countersight.audits.work import Subject, Work
from countersight.editing import EditorSettings
from countersight.engine import DatasetReference, RetryPolicy
from countersight.errors import AuditError
from countersight.files import write_whole
from countersight.models import ModelSettings


class Options(msgspec.Struct, frozen=True):
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


async def calibrate(output: Path, options: Options, tally: AuditTally, stop: asyncio.Event) -> Calibration | None:
    """Put every known test to every judge, and its edit to the editor; None where it was stopped."""
    if options.pool == "mean":
        raise AuditError(f"votes pooled by their mean cannot be calibrated: {NO_MEAN}")
    items: list[Item] = []
    await _calibrate(output, options, items, tally, stop)
    if stop.is_set():
        return None
    folder = AuditFolder.open(output)
    made = sheets(folder, items, list(folder.steps()), options.domain)
    write_whole(output / CALIBRATION, msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")
    return made


async def _calibrate(output: Path, options: Options, items: list[Item], tally: AuditTally, stop: asyncio.Event) -> None:
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

    async def put(self, row: int, item: Item) -> None:
        place, question = Place(item.id, row), item.evidence.question
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


def _manifest(options: Options, items: list[Item], judges: tuple[Judge, ...], editor: AskedEditor | None) -> Manifest:
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
