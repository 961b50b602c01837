"""The trail of each case (everything done for it), assembled from the steps of an audit."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import msgspec

from countersight.audits.calibration.calibration_file import Calibration, read_calibration
from countersight.audits.folder import AuditFolder
from countersight.audits.manifest import STRENGTHS, Manifest
from countersight.audits.records import (
    CONTROL,
    CaseRecord,
    Check,
    Concepts,
    Dose,
    EditRecord,
    Failed,
    ModelReply,
    Output,
    Stage,
    Step,
    StepPlace,
    Thought,
    Verdict,
)
from countersight.editing import Instruction

Kind = TypeVar("Kind", bound=Output)
replace = msgspec.structs.replace


class Response(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer and an explanation, given in one conversation about one picture."""

    answer: ModelReply
    explanation: ModelReply


class WeakerEdit(msgspec.Struct, frozen=True, omit_defaults=True):
    """A weaker version of an edit, and the model's answer to it."""

    strength: int
    picture: str
    """The digest of its picture; in cases.jsonl, the file's name."""
    answer: str | None = None


class ChangedExplanation(msgspec.Struct, frozen=True, omit_defaults=True):
    """The model's explanation with one concept changed, and the answer that the model then gave."""

    text: str
    """The changed explanation; empty if it could not be changed."""
    expected: str = ""
    """The answer that follows from it, if known."""
    answer: str | None = None
    reason: str = ""
    """The reason if the explanation could not be changed; otherwise empty."""


class ConceptTrail(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything done for one concept or for the control edit; missing parts are None.

    The last five fields are filled in for cases.jsonl and the page.
    """

    number: int
    """CONTROL, or the number of the concept: from 1 if it is cited, from -1 down if not."""
    instruction: Instruction
    edit: EditRecord | None = None
    again: Response | None = None
    """The model's response to the edited picture."""
    verdicts: tuple[Verdict, ...] = ()
    checks: tuple[Check, ...] = ()
    doses: tuple[WeakerEdit, ...] = ()
    """Weaker edits, the weakest first."""
    thought: ChangedExplanation | None = None
    failures: tuple[str, ...] = ()
    """Steps of the test whose last attempt failed, each with its stage and reason."""
    difference: str = ""
    """The file of the difference between the pictures before and after."""
    pcs: float | None = None
    ncc: float | None = None
    ccs: float | None = None
    excluded: str = ""
    """The reason if the test does not count; otherwise empty."""

    @property
    def answer(self) -> str | None:
        """The model's answer about the edited picture, if it was asked."""
        return self.again.answer.text if self.again else None

    @property
    def explanation(self) -> str | None:
        """The model's explanation of the edited picture, if it was asked."""
        return self.again.explanation.text if self.again else None


class CaseTrail(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything done for one case, in order; it is also one line of cases.jsonl."""

    case: str
    row: int
    record: CaseRecord
    baseline: Response | None = None
    """The model's response to the original picture."""
    extracted: Concepts | None = None
    concepts: tuple[ConceptTrail, ...] = ()
    control: ConceptTrail | None = None
    failures: tuple[str, ...] = ()
    """Steps outside of the tests whose last attempt failed, each with its stage and reason."""
    unrelated: Concepts | None = None
    """Edits of uncited objects, if they were requested."""
    uncited: tuple[ConceptTrail, ...] = ()
    """The trails of these edits; numbered -1, -2, …"""

    @property
    def answer(self) -> str | None:
        """The model's answer about the original picture, if it was asked."""
        return self.baseline.answer.text if self.baseline else None

    @property
    def explanation(self) -> str | None:
        """The model's explanation of the original picture, if it was asked."""
        return self.baseline.explanation.text if self.baseline else None


class AuditTrail(msgspec.Struct, frozen=True):
    """The current state of an audit, finished or not."""

    path: Path
    manifest: Manifest
    cases: tuple[CaseTrail, ...]
    """The trails of the cases, in the order of the dataset."""
    steps: tuple[Step, ...]
    calibration: Calibration | None = None
    """The calibration of its judges, if the audit has one."""


def read_audit(folder: Path | str) -> AuditTrail:
    """Read an audit and check its chain of steps."""
    opened = AuditFolder.open(folder)
    steps = tuple(opened.steps())
    return AuditTrail(
        opened.path, opened.manifest, trails(steps, opened.manifest), steps, read_calibration(opened.path)
    )


def trails(steps: Iterable[Step], manifest: Manifest) -> tuple[CaseTrail, ...]:
    """Return the trails of all cases; if a step was repeated, only the last one counts.

    Steps of judges and checkers that the manifest does not name are left out.
    """
    named = {
        "verdict": {judge.name for judge in manifest.judges},
        "check": {checker.name for checker in manifest.checkers},
    }
    known = {
        (step.stage, step.place): step.output
        for step in steps
        if step.stage not in named or step.place.judge in named[step.stage]
    }
    outputs, rows = _Outputs(known), {place.case: place.row for _, place in known if place.case}
    found = (outputs.trail(case, row) for case, row in sorted(rows.items(), key=lambda item: item[1]))
    return tuple(trail for trail in found if trail is not None)


class _Outputs:
    """The outputs of an audit's steps, by stage and place."""

    def __init__(self, known: dict[tuple[Stage, StepPlace], Output]) -> None:
        self._known = known
        self._opinions: dict[tuple[str, int | None], list[Verdict | Check]] = defaultdict(list)
        self._failures: dict[tuple[str, int | None], list[str]] = defaultdict(list)
        """The failed steps of each test; steps outside of tests are listed under their case or control edit."""
        for (stage, place), output in known.items():
            if isinstance(output, Verdict | Check):
                self._opinions[place.case, place.concept].append(output)
            elif isinstance(output, Failed):
                self._failures[place.case or place.picture, place.concept].append(f"{stage}: {output.reason}")

    def trail(self, case: str, row: int) -> CaseTrail | None:
        """Return everything done for a case; None if the case itself failed."""
        here = StepPlace(case, row)
        record = self._get(CaseRecord, "case", here)
        if record is None:
            return None
        extracted, unrelated = self._get(Concepts, "concepts", here), self._get(Concepts, "uncited", here)
        cited = enumerate(extracted.instructions if extracted else (), 1)
        uncited = enumerate(unrelated.instructions if unrelated else (), 1)
        control = self._get(EditRecord, "edit", StepPlace(concept=CONTROL, picture=record.picture))
        return CaseTrail(
            case,
            row,
            record,
            self._response(here, "answer", "why"),
            extracted,
            tuple(self._concept(here, number, instruction) for number, instruction in cited),
            replace(self._concept(here, CONTROL, control.instruction), edit=control) if control else None,
            (*self._failures[case, None], *self._failures[record.picture, CONTROL], *self._failures[case, CONTROL]),
            unrelated,
            tuple(self._concept(here, -number, instruction) for number, instruction in uncited),
        )

    def _concept(self, here: StepPlace, number: int, instruction: Instruction) -> ConceptTrail:
        place = replace(here, concept=number)
        opinions = self._opinions[here.case, number]
        verdicts = [each for each in opinions if isinstance(each, Verdict)]
        thought = self._get(Thought, "thought", place)
        return ConceptTrail(
            number,
            instruction,
            self._get(EditRecord, "edit", place),
            self._response(place, "answer again", "why again"),
            tuple(sorted(verdicts, key=lambda each: (each.judge, each.vote))),
            tuple(each for each in opinions if isinstance(each, Check)),
            tuple(
                WeakerEdit(strength, dose.after, self._text("answer again", at))
                for strength in range(1, STRENGTHS)
                if (dose := self._get(Dose, "dose", at := replace(place, dose=strength)))
            ),
            ChangedExplanation(thought.text, thought.expected, self._text("answer thought", place), thought.reason)
            if thought
            else None,
            tuple(self._failures[here.case, number]) if number != CONTROL else (),
        )

    def _response(self, place: StepPlace, answer: Stage, why: Stage) -> Response | None:
        first, second = self._get(ModelReply, answer, place), self._get(ModelReply, why, place)
        return Response(first, second) if first and second else None

    def _text(self, stage: Stage, place: StepPlace) -> str | None:
        reply = self._get(ModelReply, stage, place)
        return reply.text if reply else None

    def _get(self, kind: type[Kind], stage: Stage, place: StepPlace) -> Kind | None:
        output = self._known.get((stage, place))
        return output if isinstance(output, kind) else None
