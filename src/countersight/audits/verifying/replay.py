"""The stages of an audit done again on what its log recorded: whatever comes out otherwise is a finding.

Replies of models and pictures of editors are handed out from the log; everything else is done by the same code that
did it for the audit: prompts, extraction, the exact editor, measures, checks, verdicts. A step that the log has and the
stages do not ask for, or the other way round, is found too.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from countersight.audits.asking import AskedEditor, AskedModel
from countersight.audits.folder import LOG, AuditFolder, digest_of
from countersight.audits.records import (
    CONTROL,
    Actor,
    CaseRecord,
    CaseTrail,
    Check,
    Concepts,
    Dose,
    EditRecord,
    Failed,
    Output,
    Place,
    Said,
    Stage,
    Step,
    Verdict,
)
from countersight.audits.steps import StepFailed, Worked
from countersight.audits.verifying.finding import Finding, Likeness, What, likeness
from countersight.audits.work import Subject, Work
from countersight.editing import Abilities, Edited, EditRequest
from countersight.engine import Answered, RetriesExhausted
from countersight.errors import AskingFailed, AuditError, BadPicture
from countersight.models import Answer, Request
from countersight.picture import Picture

OURS: Final = ("", "exact", "rules", "things", "pixels", "seams", "countersight")
"""Who works here without a server, weights or chance: done again it is the same, and it never fails."""
APART: Final = 0.01
"""Of a measure: what another release of a library may do to it."""
SHIFTED: Final = 0.5
"""Of a pixel: what it may do to the place where an edit lies."""
_CASE: Final[dict[Stage, Stage]] = {
    "answer": "case", "why": "answer", "concepts": "why", "uncited": "concepts", "thought": "concepts"
}  # fmt: skip
"""What steps are built on: a step of the whole case …"""
_CONCEPT: Final[dict[Stage, Stage]] = {
    "check": "edit", "dose": "edit", "why again": "answer again", "verdict": "why again", "answer thought": "thought"
}  # fmt: skip
"""… or one about the same concept."""


class NoReply(Exception):  # noqa: N818 - it names what is missing
    """The log has no reply for what is asked."""


class Recording:
    """The log of an audit, one step for each stage and place, and which step is being done again."""

    def __init__(self, steps: Iterable[Step], folder: AuditFolder) -> None:
        self.folder = folder
        self.steps: dict[tuple[Stage, Place], Step] = {}
        self.first: dict[tuple[Stage, Place], int] = {}
        for step in steps:
            key = step.stage, step.place
            if not isinstance(step.output, Failed):
                self.first.setdefault(key, step.n)
            if not isinstance(step.output, Failed) or key not in self.first:
                self.steps[key] = step
        self.current: Step | None = None
        self.replies: list[str] = []

    def begin(self, step: Step) -> None:
        """Hand out the replies of this step from here on."""
        match step.output:
            case Said(text=text):
                said: tuple[str, ...] = (text,)
            case Concepts(tries=tries) | Verdict(tries=tries):
                said = tuple(each.text for each in tries)
            case Check(said=said):
                pass
            case _:
                said = ()
        self.current, self.replies = step, list(reversed(said))

    def current_is(self, stage: Stage) -> bool:
        """Whether a step of this stage is being done again."""
        return self.current is not None and self.current.stage == stage

    def reply(self) -> Answer:
        """The next reply of the step at hand."""
        if not self.replies:
            raise NoReply
        said = self.current.output if self.current else None
        told = (said.finish, said.model) if isinstance(said, Said) else ("", "")
        return Answer(self.replies.pop(), finish=told[0], model=told[1])


class RecordedModel(AskedModel):
    """A model that says what the log says it said."""

    def __init__(self, party: Actor, recording: Recording) -> None:
        self.party, self._recording = party, recording

    async def ask(self, request: Request) -> Answered[Answer]:
        """The next recorded reply."""
        return Answered(self._recording.reply(), 0.0, 1)

    async def close(self) -> None:
        """There is nothing to let go of."""


class RecordedEditor(AskedEditor):
    """An editor that gives the picture, or the failure, that the log says it gave."""

    def __init__(self, party: Actor, recording: Recording) -> None:
        self.party, self._recording = party, recording

    async def ask(self, request: EditRequest) -> Answered[Edited]:
        """The recorded edit."""
        current = self._recording.current
        edit = current.output if current else None
        if not isinstance(edit, EditRecord):
            raise NoReply
        if not edit.after:
            raise RetriesExhausted(AskingFailed(edit.failure, again=False), 1)
        picture = self._recording.folder.picture(edit.after)
        mask = self._recording.folder.picture(edit.mask).data if edit.mask else None
        return Answered(Edited(picture, mask, edit.log, scene=edit.drawn), 0.0, 1)

    async def close(self) -> None:
        """There is nothing to let go of."""


class Recorded:
    """An extractor, judge or checker of somebody else, whose findings are taken as the log has them."""

    def __init__(self, party: Actor, recording: Recording, *, several: bool = True) -> None:
        self.party, self.several, self._recording = party, several, recording

    async def extract(self, *_: Any) -> Any:
        """What it extracted."""
        return self._worked("concepts")

    async def judge(self, *_: Any) -> Any:
        """What it judged."""
        return self._worked("verdict")

    async def check(self, *_: Any) -> Any:
        """What it saw."""
        return self._worked("check")

    def _worked(self, called: str) -> Any:
        from types import SimpleNamespace

        from countersight.audits.records import Usage

        current = self._recording.current
        assert current is not None
        return SimpleNamespace(**{called: current.output, "spent": Usage(), "asked": current.asked})

    async def close(self) -> None:
        """There is nothing to let go of."""


class ReplayFolder(AuditFolder):
    """Reads pictures from a bundle, and keeps what is made again in memory."""

    def __init__(self, folder: AuditFolder) -> None:
        super().__init__(folder.path, folder.manifest)
        self.made: dict[str, bytes] = {}

    def keep(self, data: bytes, mime: str) -> str:
        """The digest by which it is found among what was made again."""
        digest = digest_of(data)
        self.made[digest] = data
        return digest

    def likeness(self, recorded: str, made: str) -> Likeness:
        """How far the picture in the bundle is the one that was made again."""
        if recorded == made:
            return "same"
        if not recorded or not made or made not in self.made:
            return "other"
        try:
            return likeness(self.picture(recorded).data, self.made[made])
        except AuditError:
            return "same"  # one that is missing or was altered is named already


class ReplayWork(Work):
    """The work of each step, where the editor may be one that cannot be asked what it can do."""

    recording: Recording
    exact: bool
    """Whether edits are made again."""

    def mark(self, picture: Picture) -> Picture:
        """Recorded pictures are marked already; those that are made again are marked as they were."""
        return super().mark(picture) if self.exact or self.recording.current_is("dose") else picture

    async def able(self, editor: AskedEditor | None, subject: Subject) -> Abilities | None:
        """What the extractor was told that the editor can do, where the editor cannot be asked here."""
        if self.exact or editor is None:
            return await super().able(editor, subject)
        step = self.recording.steps.get(("concepts", subject.place))
        return step.output.able if step and isinstance(step.output, Concepts) else None


class ReplaySteps:
    """Does each step again and compares what comes of it with what the log has."""

    def __init__(
        self,
        recording: Recording,
        folder: ReplayFolder,
        *,
        drawn_here: bool = True,
        lpips: bool = False,
        trusted: frozenset[Stage] = frozenset(),
    ) -> None:
        """`drawn_here` says that the same version drew the pictures; the `trusted` stages are not done again."""
        self.findings: list[Finding] = []
        self.visited: set[tuple[Stage, Place]] = set()
        self._recording, self._folder, self._trusted = recording, folder, trusted
        self._drawn_here, self._lpips = drawn_here, lpips
        self._silent: list[int] = []

    async def do(
        self, stage: Stage, place: Place, by: Actor, inputs: object, work: Callable[[], Awaitable[Worked]]
    ) -> Output:
        """The recorded output of a step, after it was done again; StepFailed where the log has none."""
        step = self._recording.steps.get((stage, place))
        if step is None:
            self._find("missing", f"{_where(place)}: there is no step {_called(stage, by, place)}, nor one that failed")
            raise StepFailed(stage)
        if (stage, place) in self.visited:  # the cases of one picture share its control edit
            if isinstance(step.output, Failed):
                raise StepFailed(step.output.reason)
            return step.output
        self.visited.add((stage, place))
        if step.by != by.name:
            self._find("broken", f"step {step.n}: {step.by} did the step {stage!r}, by the log; {by.name} is named")
        if isinstance(step.output, Failed):
            if step.asked:
                self._silent.append(step.n)
            if by.name in OURS and stage != "case":
                words = f"{by.name} is said to have failed, and works here without a server that could"
                self._find("broken", f"step {step.n}: {words}")
            raise StepFailed(step.output.reason)
        self._order(step)
        if stage not in self._trusted:
            await self._again(step, by, work)
        elif step.asked:
            self._silent.append(step.n)
        return step.output

    async def _again(self, step: Step, by: Actor, work: Callable[[], Awaitable[Worked]]) -> None:
        self._recording.begin(step)
        try:
            worked = await work()
        except (AuditError, BadPicture):
            return  # a picture that is missing or was altered is named already
        except NoReply:
            self._find("broken", f"step {step.n}: {step.by} has more to answer than the log has replies of it")
            return
        except RetriesExhausted as given_up:
            worked = Worked(Failed(str(given_up)))
        except Exception as error:
            self._find("broken", f"step {step.n} cannot be done again: {type(error).__name__}: {error}")
            return
        if self._recording.replies:
            self._find("broken", f"step {step.n}: a reply of {step.by} reads otherwise than is noted of it")
        if worked.asked != step.asked:
            if worked.asked:
                words = f"what {step.by} was asked is not what the prompts make of the steps before"
                self._find("broken", f"step {step.n}: {words}")
            else:
                self._silent.append(step.n)
        self._compare(step, by, worked.output)

    def _compare(self, step: Step, by: Actor, made: Output) -> None:
        given, what = step.output, "broken"
        if isinstance(given, EditRecord) and isinstance(made, EditRecord):
            given, made, what = self._edits(given, made)
        elif isinstance(given, Dose) and isinstance(made, Dose) and self._is_same(given.after, made.after):
            made = msgspec.structs.replace(made, after=given.after)
        apart = _apart(msgspec.to_builtins(given), msgspec.to_builtins(made))
        if apart:
            told = f"step {step.n}: {_called(step.stage, by, step.place)} on {_where(step.place)}"
            self._find("not verified" if what == "not verified" else "broken", f"{told}: {apart}")

    def _is_same(self, recorded: str, made: str) -> bool:
        return self._folder.likeness(recorded, made) == "same"

    def _edits(self, given: EditRecord, made: EditRecord) -> tuple[EditRecord, EditRecord, str]:
        """Two edits whose pictures have one digest where they show the same; and what a difference means."""
        what = "broken"
        if self._lpips and given.quality and made.quality:
            kept = {name: getattr(given.quality, name) for name in ("lpips", "lpips_inside", "lpips_outside")}
            made = msgspec.structs.replace(made, quality=msgspec.structs.replace(made.quality, **kept))
        for name in ("after", "mask"):
            found = self._folder.likeness(getattr(given, name), getattr(made, name))
            if found == "same":
                made = msgspec.structs.replace(made, **{name: getattr(given, name)})
            elif found == "alike" and not self._drawn_here:
                what = "not verified"
        return given, made, what

    def _order(self, step: Step) -> None:
        """No step comes before the one that it builds on."""
        before = _built_on(step, self._recording.steps)
        n = self._recording.first.get(before, -1) if before else -1
        if before and n > step.n:
            words = f"step {step.n} ({step.stage}) builds on step {n} ({before[0]}), which comes after it"
            self._find("broken", words)

    def leave(self, case: CaseTrail) -> None:
        """Leave the other steps of a case, which cannot be done again."""
        mine = (each for each in self._recording.steps if each[1].case == case.case)
        self.visited |= {*mine, ("edit", Place(concept=CONTROL, picture=case.record.picture))}

    def close(self, steps: Iterable[Step], allowed: frozenset[Stage] = frozenset()) -> Iterator[Finding]:
        """Everything that was found, and the steps that nothing asked for."""
        yield from self.findings
        if self._silent:
            others = f", and {len(self._silent) - 1:,} more" if len(self._silent) > 1 else ""
            words = f"step {min(self._silent)}{others}: it says what was asked, and asks nobody"
            yield Finding("broken", LOG, words)
        strange: dict[tuple[str, str], list[int]] = {}
        for step in steps:
            if (step.stage, step.place) not in self.visited and step.stage not in allowed:
                strange.setdefault((step.stage, step.by), []).append(step.n)
        for (stage, by), found in strange.items():
            others = f", and {len(found) - 1:,} more" if len(found) > 1 else ""
            words = f"step {found[0]}{others} ({stage!r} by {by or 'nobody'}) is none that audit.json asks for"
            yield Finding("added", LOG, words)

    def _find(self, what: What, why: str) -> None:
        self.findings.append(Finding(what, LOG, why))


def repeated(steps: Iterable[Step]) -> Iterator[Finding]:
    """A step that gave something is never done again: a second one, or a failure, would quietly take its place."""
    done: dict[tuple[str, Place], int] = {}
    for step in steps:
        before = done.get((step.stage, step.place))
        if before is None:
            if not isinstance(step.output, Failed):
                done[step.stage, step.place] = step.n
        elif isinstance(step.output, Failed):
            yield Finding("broken", LOG, f"step {step.n}: it failed, and step {before} had done it before")
        else:
            yield Finding("broken", LOG, f"step {step.n} does again what step {before} had done")


def _built_on(step: Step, steps: Mapping[tuple[Stage, Place], Step]) -> tuple[Stage, Place] | None:
    stage, place = step.stage, step.place
    case = Place(place.case, place.row)
    if stage in _CASE:
        return _CASE[stage], case
    if stage in _CONCEPT:
        return _CONCEPT[stage], msgspec.structs.replace(place, judge="", vote=0, dose=0)
    if stage == "answer again" and place.dose:
        return "dose", place
    if stage == "answer again" and place.concept == CONTROL:
        record = steps.get(("case", case))
        shown = record.output.picture if record and isinstance(record.output, CaseRecord) else ""
        return "edit", Place(concept=CONTROL, picture=shown)
    if stage == "answer again":
        return "edit", place
    if stage == "edit" and place.concept:
        return "concepts" if place.concept > 0 else "uncited", case
    return None


def _where(place: Place) -> str:
    if not place.case:
        return f"picture {place.picture[:16]}"
    dose = f", dose {place.dose}" if place.dose else ""
    return f"case {place.case}" + (f", concept {place.concept}{dose}" if place.concept is not None else "")


def _called(stage: Stage, by: Actor, place: Place) -> str:
    if stage == "verdict":
        return f"'verdict' of {by.name} (vote {place.vote})"
    return f"{stage!r} of {by.name}" if stage == "check" else repr(stage)


def _apart(given: Any, made: Any, name: str = "") -> str:
    """Where two records differ, in words; nothing where they do not, but for what another library may do to figures."""
    if isinstance(given, dict) and isinstance(made, dict):
        for key in dict.fromkeys((*given, *made)):
            if found := _apart(given.get(key), made.get(key), f"{name}.{key}".lstrip(".")):
                return found
        return ""
    if isinstance(given, list | tuple) and isinstance(made, list | tuple) and len(given) == len(made):
        return next((found for one, other in zip(given, made, strict=True) if (found := _apart(one, other, name))), "")
    if isinstance(given, float) and isinstance(made, float):
        near = abs(given - made) <= (SHIFTED if name.endswith("warp") else APART)
        return "" if near else f"{name} is {given:g} in the log; done again it is {made:g}"
    if isinstance(given, str) and isinstance(made, str) and name == "seen" and _figures_apart(given, made):
        return ""
    return "" if given == made else f"{name} is {_short(given)} in the log; done again it is {_short(made)}"


def _figures_apart(one: str, other: str) -> bool:
    """Whether two sentences differ by no more than one in the last place of a figure."""
    import re

    figure = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
    if figure.split(one) != figure.split(other):
        return False
    for first, second in zip(figure.findall(one), figure.findall(other), strict=True):
        places = len(first.partition(".")[2])
        if places != len(second.partition(".")[2]) or round(abs(float(first) - float(second)) * 10**places) > 1:
            return False
    return True


def _short(value: object) -> str:
    told = "nothing" if value in (None, "", [], ()) else str(value)
    return told if len(told) <= 120 else f"{told[:117]}…"
