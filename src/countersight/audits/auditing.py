"""Run an audit over all cases. An interrupted audit can be resumed at any step."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack, closing
from pathlib import Path

import msgspec

from countersight.audits.calibration.calibration_file import check_calibration, copy_calibration
from countersight.audits.ccs import HALVES
from countersight.audits.criteria import check_criterion
from countersight.audits.folder import MANIFEST, AuditFolder, begin_manifest, digest_of, sweep
from countersight.audits.manifest import STRENGTHS, Actor, AuditMethod, Manifest
from countersight.audits.orders import FileOrders
from countersight.audits.participants import AuditOptions, Opener, Participants
from countersight.audits.plan import PLAN, PLAN_SIGNATURE, plan_of, read_plan
from countersight.audits.records import CaseRecord, Dose, EditRecord, Step
from countersight.audits.selection import Selection, select, write_selection
from countersight.audits.sessions import begin_session
from countersight.audits.stages import Stages
from countersight.audits.steps import AuditTally, Steps, run_items
from countersight.case import Case
from countersight.dataset import Dataset
from countersight.editing.quality import read_lpips
from countersight.engine import dataset_reference
from countersight.errors import AuditError, CountersightError, DatasetError
from countersight.files import write_whole
from countersight.scenes import SCENES_FILE


async def audit_dataset(
    dataset: Dataset, output: Path, options: AuditOptions, tally: AuditTally, stop: asyncio.Event
) -> None:
    """Run every case of a dataset through the four stages; finished steps are skipped."""
    if dataset.count == 0:
        raise DatasetError(f"{dataset.path} has no cases")
    _refuse_nonsense(options)
    _refuse_exact_without_scenes(dataset, options)
    begun = AuditFolder.open(output).manifest.checkers if (output / MANIFEST).is_file() else ()
    async with AsyncExitStack() as opened:
        opener = Opener(options, opened, tally, stop)
        participants = opener.open(begun)  # before the folder is created: a wrong name leaves none behind
        lpips = read_lpips(options.lpips) if options.lpips else None
        manifest = _manifest(dataset, output, options, participants)
        if options.calibration:
            check_calibration(options.calibration, manifest)
        folder = AuditFolder.begin(output, manifest)
        with folder.writing() as journal, closing(FileOrders(output)) as orders:
            selection = select(dataset, options.cases, tally.bad_row, descriptive=options.descriptive)
            tally.left_out = selection.left_out
            write_selection(output, selection)
            _copy_given(output, options)
            begin_session(output, options.operator)
            before = list(folder.steps())
            opener.count_earlier_answers(before)
            steps = Steps(journal, before, tally, stop)
            stages = Stages(folder, options.prompts, participants, steps, dataset, lpips=lpips, orders=orders)
            tally.total = len(selection.cases)
            await run_items(stages.audit, _chosen(dataset, selection), steps, tally, options.retry.concurrency, stop)
            if not stop.is_set():
                sweep(output, pictures_of(folder.steps()))
                if options.intervene == "picture":
                    _refuse_editor_without_edits(folder)


def _copy_given(output: Path, options: AuditOptions) -> None:
    """Copy the calibration and the plan into the folder of an audit."""
    if options.calibration:
        copy_calibration(options.calibration, output)
    if options.plan is not None:
        write_whole(output / PLAN, options.plan.read_bytes())
        signed = options.plan.with_name(options.plan.name + ".sig")
        if signed.is_file():
            write_whole(output / PLAN_SIGNATURE, signed.read_bytes())


def _refuse_editor_without_edits(folder: AuditFolder) -> None:
    """Raise an error if no picture could be edited, instead of sealing an audit that tests nothing."""
    edits = [step.output for step in folder.steps() if isinstance(step.output, EditRecord)]
    if edits and not any(edit.after for edit in edits):
        why = Counter(edit.failure for edit in edits).most_common(1)[0][0]
        raise AuditError(
            f"every edit by {folder.manifest.editor.name} failed ({len(edits):,} of {len(edits):,}: {why}), so the "
            "audit was not sealed; choose another `editor` and another folder"
        )


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


def refuse_without_criteria(options: AuditOptions, output: Path) -> None:
    """Raise an error if neither the options, the plan nor an existing audit has a criterion to meet."""
    if (output / MANIFEST).is_file():
        there = AuditFolder.open(output).manifest
        criteria, plan = options.requires or there.requires, plan_of(output, there)
    else:
        criteria, plan = options.requires, read_plan(options.plan) if options.plan else None
    if not criteria and not (plan and plan.criteria):
        raise AuditError("there is no criterion to meet: pass one with --require, or a plan that has one with --plan")


def _refuse_exact_without_scenes(dataset: Dataset, options: AuditOptions) -> None:
    """Raise an error if `exact` is used without generated scenes; it can edit and judge only those."""
    if "exact" in (options.editor, *options.judges) and not (dataset.path / SCENES_FILE).is_file():
        raise AuditError(
            f"{dataset.path} has no {SCENES_FILE}: `exact` edits and judges only drawings of flowers and dots "
            "(countersight make cvqa-synthetic); choose another `editor` and other `judges`"
        )


def _chosen(dataset: Dataset, selection: Selection) -> Iterator[tuple[int, Case]]:
    """Return the selected cases with their rows, in order."""
    rows = {selected.row for selected in selection.cases}
    return ((row, case) for row, case in dataset.cases() if row in rows)


def _manifest(dataset: Dataset, output: Path, options: AuditOptions, participants: Participants) -> Manifest:
    return begin_manifest(
        dataset=dataset_reference(dataset, output),
        model=participants.model.party,
        extractor=participants.extractor.party,
        editor=participants.editor.party if participants.editor else Actor(""),
        judges=tuple(judge.party for judge in participants.judges),
        pool=HALVES,
        seed=options.settings.seed,
        prompts=msgspec.structs.asdict(options.prompts),
        lpips=digest_of(options.lpips.read_bytes()) if options.lpips else "",
        checkers=tuple(checker.party for checker in participants.checkers),
        plan=digest_of(options.plan.read_bytes()) if options.plan else "",
        requires=options.requires,
        **{name: getattr(options, name) for name in AuditMethod.__struct_fields__},
    )


def pictures_of(steps: Iterable[Step]) -> Iterator[str]:
    """Return the digests of all pictures and masks that the steps refer to."""
    for step in steps:
        match step.output:
            case CaseRecord(picture=picture):
                yield picture
            case EditRecord(before=before, after=after, mask=mask):
                yield from filter(None, (before, after, mask))
            case Dose(after=after):
                yield after
