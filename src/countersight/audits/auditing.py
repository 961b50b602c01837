"""Run an audit over all cases; it can be resumed at every step."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec

from countersight.audits.bundle.manifest import begin_session
from countersight.audits.calibration.sheet import check_calibration, copy_calibration
from countersight.audits.criteria import check_criterion
from countersight.audits.folder import MANIFEST, AuditFolder, FileOrders, begin_manifest, digest_of, sweep
from countersight.audits.judges.pooling import HALVES
from countersight.audits.judges.protocol import Judge
from countersight.audits.opening import Opener
from countersight.audits.plan import PLAN, PLAN_SIGNATURE, read_plan
from countersight.audits.prompts import AuditPrompts
from countersight.audits.records import STRENGTHS, Actor, CaseRecord, Dose, EditRecord, Intervene, Manifest, Pool, Step
from countersight.audits.selection import Selection, select, write_selection
from countersight.audits.stages import Parties, Stages, steps_of_a_case
from countersight.audits.steps import AuditTally, Steps, run_items
from countersight.case import Case
from countersight.dataset import Dataset
from countersight.editing import Credentials, Editor, EditorSettings
from countersight.editing.quality import PerceptualDistance
from countersight.engine import RetryPolicy, reference
from countersight.errors import AuditError, CountersightError, DatasetError
from countersight.files import write_whole
from countersight.models import Model, ModelSettings
from countersight.scenes import SCENES_FILE

USUAL_CHECKERS: tuple[str, ...] = ("pixels", "seams")
"""The default checkers of edits, which need no model."""


class AuditOptions(msgspec.Struct, frozen=True):
    """The settings of an audit: the model, the other participants, and the method."""

    model: str | Model
    extractor: str
    editor: str | Editor
    judges: tuple[str | Judge, ...]
    prompts: AuditPrompts
    votes: int = 1
    pool: Pool = HALVES
    concepts: int = 1
    control: bool = False
    cases: int | None = None
    descriptive: bool = False
    """Whether only questions are used that are likely to elicit a description of the picture."""
    settings: ModelSettings = ModelSettings(max_tokens=2048)
    """Settings of the audited model."""
    extractor_settings: ModelSettings = ModelSettings(max_tokens=2048)
    judge_settings: ModelSettings = ModelSettings(max_tokens=2048)
    editor_settings: EditorSettings = EditorSettings()
    retry: RetryPolicy = RetryPolicy()
    calibration: Path | None = None
    """A folder written by `audit calibrate`, for scores corrected for the judges' errors."""
    lpips: Path | None = None
    checkers: tuple[str, ...] = ()
    """The checkers that decide whether an edit did what was requested."""
    uncited: bool = False
    """Whether the same number of uncited things is edited too."""
    intervene: Intervene = "picture"
    strength: int = 1
    """The number of doses of each edit; 1 is the whole edit only."""
    operator: str = ""
    credentials: Path | None = None
    """A folder with a certificate, for content credentials on edited pictures."""
    plan: Path | None = None
    """A plan written by `audit plan`; deviations from it are reported."""
    requires: tuple[str, ...] = ()
    """Criteria in addition to those of the plan, such as "CCS lower end at least 0.8"."""


async def audit_dataset(
    dataset: Dataset, output: Path, options: AuditOptions, tally: AuditTally, stop: asyncio.Event
) -> None:
    """Run every case of a dataset through the four stages; finished steps are skipped."""
    if dataset.count == 0:
        raise DatasetError(f"{dataset.path} has no cases")
    _refuse_nonsense(options)
    _refuse_exact_without_scenes(dataset, options)
    opener = Opener(options.retry, options.prompts, tally, stop)
    parties = Parties(  # before there is a folder: a wrong name leaves none behind
        model=opener.model(options.model, options.settings),
        extractor=opener.extractor(options.extractor, options.extractor_settings),
        editor=None if options.intervene == "thought" else opener.editor(options.editor, options.editor_settings),
        judges=opener.judges(options.judges, options.judge_settings),
        checkers=opener.checkers(options.checkers, options.judge_settings, _begun(output)),
    )
    try:
        lpips = _lpips(options.lpips) if options.lpips else None
        credentials = Credentials(options.credentials) if options.credentials else None
        manifest = _manifest(dataset, output, options, parties)
        if options.calibration:
            check_calibration(options.calibration, manifest)
        folder = AuditFolder.begin(output, manifest)
        selection = select(dataset, options.cases, tally.bad_row, descriptive=options.descriptive)
        tally.left_out = selection.left_out
        write_selection(output, selection)
        if options.calibration:
            copy_calibration(options.calibration, output)
        if options.plan is not None:
            write_whole(output / PLAN, options.plan.read_bytes())
            signed = options.plan.with_name(options.plan.name + ".sig")
            if signed.is_file():
                write_whole(output / PLAN_SIGNATURE, signed.read_bytes())
        begin_session(output, options.operator)
        with folder.writing() as journal, closing(FileOrders(output)) as orders:
            before = list(folder.steps())
            opener.know(before)
            steps = Steps(journal, before, tally, stop)
            given = {"lpips": lpips, "orders": orders, "credentials": credentials}
            stages = Stages(folder, options.prompts, parties, steps, dataset, **given)  # type: ignore[arg-type]
            full = steps_of_a_case(parties.judges, folder.manifest)
            tally.total = full * len(selection.cases)
            cases = _chosen(dataset, selection)
            await run_items(stages.audit, cases, steps, tally, full, options.retry.concurrency, stop)
            if not stop.is_set():
                sweep(output, pictures_of(folder.steps()))
                if options.intervene == "picture":
                    _refuse_editor_without_edits(folder)
    finally:
        await parties.close()


def _refuse_editor_without_edits(folder: AuditFolder) -> None:
    """Raise an error if no picture could be edited, instead of sealing an audit that tests nothing."""
    edits = [step.output for step in folder.steps() if isinstance(step.output, EditRecord)]
    if edits and not any(edit.after for edit in edits):
        why = Counter(edit.failure for edit in edits).most_common(1)[0][0]
        raise AuditError(
            f"every edit by {folder.manifest.editor.name} failed ({len(edits):,} of {len(edits):,}: {why}), so the "
            "audit was not sealed; choose another `editor` and another folder"
        )


def _begun(output: Path) -> tuple[Actor, ...]:
    """Return the checkers of an existing audit; none for a new one."""
    return AuditFolder.open(output).manifest.checkers if (output / MANIFEST).is_file() else ()


def _refuse_nonsense(options: AuditOptions) -> None:
    if options.plan is not None:
        read_plan(options.plan)
    for words in options.requires:
        check_criterion(words)
    if not 1 <= options.strength <= STRENGTHS:
        raise CountersightError(f"strength must be a whole number from 1 to {STRENGTHS}")
    if options.intervene == "thought":
        if options.control or options.uncited or options.strength > 1:
            raise CountersightError("controls and strengths need picture edits: set `intervene` to picture or both")
    elif not options.editor:
        raise CountersightError("name an `editor`, or set `intervene` to thought, which needs none")


def _refuse_exact_without_scenes(dataset: Dataset, options: AuditOptions) -> None:
    """`exact` edits and judges what is drawn by our own scenes; elsewhere it can do nothing."""
    if "exact" in (options.editor, *options.judges) and not (dataset.path / SCENES_FILE).is_file():
        raise AuditError(
            f"{dataset.path} has no {SCENES_FILE}: `exact` edits and judges only drawings of flowers and dots "
            "(countersight make cvqa-synthetic); choose another `editor` and other `judges`"
        )


def _chosen(dataset: Dataset, selection: Selection) -> Iterator[tuple[int, Case]]:
    """The cases to audit, in order."""
    rows = {selected.row for selected in selection.cases}
    return ((row, case) for row, case in dataset.cases() if row in rows)


def _manifest(dataset: Dataset, output: Path, options: AuditOptions, parties: Parties) -> Manifest:
    return begin_manifest(
        dataset=reference(dataset, output),
        model=parties.model.party,
        extractor=parties.extractor.party,
        editor=parties.editor.party if parties.editor else Actor(""),
        judges=tuple(judge.party for judge in parties.judges),
        votes=options.votes,
        pool=options.pool,
        concepts=options.concepts,
        control=options.control,
        seed=options.settings.seed,
        prompts=msgspec.structs.asdict(options.prompts),
        lpips=digest_of(options.lpips.read_bytes()) if options.lpips else "",
        cases=options.cases,
        descriptive=options.descriptive,
        checkers=tuple(checker.party for checker in parties.checkers),
        uncited=options.uncited,
        intervene=options.intervene,
        strength=0 if options.strength == 1 else options.strength,
        plan=digest_of(options.plan.read_bytes()) if options.plan else "",
        requires=options.requires,
        credentials=options.credentials is not None,
    )


def _lpips(weights: Path) -> PerceptualDistance:
    from countersight.editing.quality import read_lpips

    return read_lpips(weights)


def pictures_of(steps: Iterable[Step]) -> Iterator[str]:
    """Return the digests of all pictures and masks mentioned in steps."""
    for step in steps:
        match step.output:
            case CaseRecord(picture=picture):
                yield picture
            case EditRecord(before=before, after=after, mask=mask):
                yield from filter(None, (before, after, mask))
            case Dose(after=after):
                yield after
