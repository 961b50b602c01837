"""The trail of each case, assembled from the steps of an audit."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from countersight.audits.calibration.sheet import Calibration, read_calibration
from countersight.audits.folder import AuditFolder
from countersight.audits.records import (
    CONTROL,
    STRENGTHS,
    CaseRecord,
    CaseTrail,
    Check,
    Concepts,
    ConceptTrail,
    Dose,
    DoseTrail,
    EditRecord,
    Failed,
    Manifest,
    Output,
    Response,
    Said,
    Step,
    StepPlace,
    Thought,
    ThoughtTrail,
    Verdict,
)
from countersight.editing import Instruction


class AuditTrail(msgspec.Struct, frozen=True):
    """The current state of an audit, finished or not."""

    path: Path
    manifest: Manifest
    cases: tuple[CaseTrail, ...]
    """In the order of the dataset."""
    steps: tuple[Step, ...]
    calibration: Calibration | None = None
    """The calibration of its judges, if the audit has one."""


def read_audit(folder: Path | str) -> AuditTrail:
    """Read an audit, checking its chain of steps."""
    opened = AuditFolder.open(folder)
    steps = tuple(opened.steps())
    return AuditTrail(
        opened.path, opened.manifest, trails(steps, opened.manifest), steps, read_calibration(opened.path)
    )


def trails(steps: Iterable[Step], manifest: Manifest) -> tuple[CaseTrail, ...]:
    """Return the trails of all cases; of a repeated step only the last counts.

    Steps of an audit under other judges than the manifest names are left out.
    """
    judges = {judge.name for judge in manifest.judges}
    checkers = {checker.name for checker in manifest.checkers}
    known: dict[tuple[str, StepPlace], Output] = {}
    rows: dict[str, int] = {}
    for step in steps:
        if step.stage == "verdict" and step.place.judge not in judges:
            continue
        if step.stage == "check" and step.place.judge not in checkers:
            continue
        known[step.stage, step.place] = step.output
        if step.place.case:
            rows[step.place.case] = step.place.row
    verdicts: dict[tuple[str, int | None], list[Verdict]] = {}
    checks: dict[tuple[str, int | None], list[Check]] = {}
    failures: dict[str, list[str]] = {}
    for (stage, place), output in known.items():
        if isinstance(output, Verdict):
            verdicts.setdefault((place.case, place.concept), []).append(output)
        elif isinstance(output, Check):
            checks.setdefault((place.case, place.concept), []).append(output)
        elif isinstance(output, Failed):
            failures.setdefault(place.case, []).append(f"{stage}: {output.reason}")
    found = []
    for case, row in sorted(rows.items(), key=lambda item: item[1]):
        trail = _trail(case, row, known, verdicts, checks)
        if trail is not None:
            found.append(msgspec.structs.replace(trail, failures=tuple(failures.get(case, ()))))
    return tuple(found)


def _trail(
    case: str,
    row: int,
    known: dict[tuple[str, StepPlace], Output],
    verdicts: dict[tuple[str, int | None], list[Verdict]],
    checks: dict[tuple[str, int | None], list[Check]],
) -> CaseTrail | None:
    here = StepPlace(case, row)
    record = known.get(("case", here))
    if not isinstance(record, CaseRecord):
        return None
    extracted = known.get(("concepts", here))
    extracted = extracted if isinstance(extracted, Concepts) else None
    concepts = []
    for number, instruction in enumerate(extracted.instructions if extracted else (), 1):
        place = msgspec.structs.replace(here, concept=number)
        given = sorted(verdicts.get((case, number), ()), key=lambda each: (each.judge, each.vote))
        concept = _concept(number, instruction, known.get(("edit", place)), place, known, tuple(given))
        concepts.append(
            msgspec.structs.replace(
                concept,
                checks=tuple(checks.get((case, number), ())),
                doses=_doses(known, place),
                thought=_thought(known, place),
            )
        )
    unrelated = known.get(("uncited", here))
    unrelated = unrelated if isinstance(unrelated, Concepts) else None
    uncited = []
    for number, instruction in enumerate(unrelated.instructions if unrelated else (), 1):
        place = msgspec.structs.replace(here, concept=-number)
        concept = _concept(-number, instruction, known.get(("edit", place)), place, known, ())
        uncited.append(msgspec.structs.replace(concept, checks=tuple(checks.get((case, -number), ()))))
    control = known.get(("edit", StepPlace(concept=CONTROL, picture=record.picture)))
    return CaseTrail(
        case,
        row,
        record,
        _response(known, here, "answer", "why"),
        extracted,
        tuple(concepts),
        _concept(CONTROL, control.instruction, control, msgspec.structs.replace(here, concept=CONTROL), known, ())
        if isinstance(control, EditRecord)
        else None,
        unrelated=unrelated,
        uncited=tuple(uncited),
    )


def _concept(
    number: int,
    instruction: Instruction,
    edit: Output | None,
    place: StepPlace,
    known: dict[tuple[str, StepPlace], Output],
    verdicts: tuple[Verdict, ...],
) -> ConceptTrail:
    again = _response(known, place, "answer again", "why again")
    return ConceptTrail(number, instruction, edit if isinstance(edit, EditRecord) else None, again, verdicts)


def _doses(known: dict[tuple[str, StepPlace], Output], place: StepPlace) -> tuple[DoseTrail, ...]:
    found = []
    for strength in range(1, STRENGTHS):
        here = msgspec.structs.replace(place, dose=strength)
        dose, answer = known.get(("dose", here)), known.get(("answer again", here))
        if isinstance(dose, Dose):
            found.append(DoseTrail(dose, answer if isinstance(answer, Said) else None))
    return tuple(found)


def _thought(known: dict[tuple[str, StepPlace], Output], place: StepPlace) -> ThoughtTrail | None:
    thought, answer = known.get(("thought", place)), known.get(("answer thought", place))
    if not isinstance(thought, Thought):
        return None
    return ThoughtTrail(thought, answer if isinstance(answer, Said) else None)


def _response(known: dict[tuple[str, StepPlace], Output], place: StepPlace, answer: str, why: str) -> Response | None:
    first, second = known.get((answer, place)), known.get((why, place))
    return Response(first, second) if isinstance(first, Said) and isinstance(second, Said) else None
