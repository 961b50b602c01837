"""The stages of an audit done again on what its log recorded: whatever comes out otherwise is a finding.

Replies of models and pictures of editors are handed out from the log; everything else is done by the same code that
did it for the audit: the cases of the dataset, prompts, extraction, the exact editor, measures, checks, verdicts. A
step that the log has and the stages do not ask for, or the other way round, is found too.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import machine, system
from types import SimpleNamespace
from typing import Any, Final

import msgspec
import numpy as np

from countersight import __version__
from countersight.audits.asking import AskedEditor, AskedModel, ShownPicture
from countersight.audits.bundle.files import content
from countersight.audits.bundle.seal import Bundle
from countersight.audits.bundle.sessions import read_sessions
from countersight.audits.calibration.calibrating import CALIBRATION_FOLDER, TAKEN, Trial, judge_sheets, unlike
from countersight.audits.calibration.items import CalibrationItem, fingerprint_of, make_items
from countersight.audits.calibration.on_people import people_calibration
from countersight.audits.calibration.sheet import CALIBRATION, LABELS, Calibration, Domain, domain_of, read_labels
from countersight.audits.checkers.model import ModelChecker
from countersight.audits.checkers.protocol import CHECKERS
from countersight.audits.extensions import Extensions
from countersight.audits.extraction.model import ModelExtractor
from countersight.audits.extraction.protocol import EXTRACTORS
from countersight.audits.folder import LOG, MANIFEST, AuditFolder, digest_of
from countersight.audits.judges.model import ModelJudge
from countersight.audits.judges.protocol import JUDGES
from countersight.audits.opening import open_ours
from countersight.audits.prompts import SETS, AuditPrompts
from countersight.audits.records import (
    CONTROL,
    STRENGTHS,
    Actor,
    CaseRecord,
    Check,
    Concepts,
    EditRecord,
    Failed,
    Manifest,
    Output,
    Said,
    Stage,
    Step,
    StepPlace,
    Usage,
    Verdict,
)
from countersight.audits.stages import Parties, Stages
from countersight.audits.steps import StepFailed, StepResult
from countersight.audits.trail import AuditTrail, read_audit
from countersight.audits.verifying.finding import Finding, What, same_picture
from countersight.audits.work import Subject, Work
from countersight.dataset import Dataset
from countersight.editing import Abilities, Edited, EditRequest
from countersight.engine import Answered, RetriesExhausted, blocking
from countersight.errors import AskingFailed, AuditError, BadPicture, CountersightError
from countersight.files import bounded_lines
from countersight.models import Answer, Request
from countersight.picture import Picture, as_seen
from countersight.scenes import Scene, draw
from countersight.worlds import draw_world

OURS: Final = ("", "exact", "rules", "things", "pixels", "seams", "countersight")
"""Who works here without a server, weights or chance: done again it is the same, and it never fails."""
APART: Final = 0.01
"""Of a measure: what another machine may do to it."""
SHIFTED: Final = 0.5
"""Of a pixel: what it may do to the place where an edit lies."""
LARGEST: Final = 10_000
"""Tests of a calibration that are made again; nobody asks for more."""
MOST_VOTES: Final = 1_000
LONGEST_LINE: Final = 64 * 1024**2
"""A line of the log that is longer was never written by an audit."""
_FIGURE: Final = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_CASE: Final[dict[Stage, Stage]] = {
    "answer": "case", "why": "answer", "concepts": "why", "uncited": "concepts", "thought": "concepts"
}  # fmt: skip
"""What steps are built on: a step of the whole case …"""
_CONCEPT: Final[dict[Stage, Stage]] = {
    "check": "edit", "dose": "edit", "why again": "answer again", "verdict": "why again", "answer thought": "thought"
}  # fmt: skip
"""… or one about the same concept."""


class OpenedBundle(msgspec.Struct, frozen=True, kw_only=True):
    """A bundle whose log holds together."""

    folder: AuditFolder
    audit: AuditTrail
    bundle: Bundle
    files: frozenset[str]
    """Names of the plain files that lie there."""
    dataset: Path | None = None
    """The dataset that was audited, where it is there as it was."""
    against: Path | None = None
    """The earlier audit that it was compared with, where that was named."""

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self.folder.path

    @property
    def other_version(self) -> str:
        """That another version wrote it, where one did."""
        wrote = self.bundle.countersight
        return "" if wrote == __version__ else f"; written by {wrote}, this is {__version__}"

    def same_tools(self) -> bool:
        """Whether the program, the libraries and the kind of machine that drew pictures are those that draw here."""
        try:
            here = {name.replace("-", "_"): version(name) for name in ("skia-python", "pillow")}
        except PackageNotFoundError:
            return False
        told = [session.packages for session in read_sessions(self.path)]
        alike = all(packages.get(name, used) == used for packages in told for name, used in here.items())
        told_machine = self.audit.manifest.platform
        return not self.other_version and alike and (not told or told_machine == f"{system()} {machine()}")


class NoReply(Exception):  # noqa: N818 - it names what is missing
    """The log has no reply for what is asked."""


class Recording:
    """The log of an audit, one step for each stage and place, and which step is being done again."""

    def __init__(self, steps: Iterable[Step], folder: AuditFolder) -> None:
        self.folder = folder
        self.findings: list[Finding] = []
        self.steps: dict[tuple[Stage, StepPlace], Step] = {}
        self.first: dict[tuple[Stage, StepPlace], int] = {}
        self.current: Step | None = None
        self.replies: list[str] = []
        for step in steps:
            key, failed = (step.stage, step.place), isinstance(step.output, Failed)
            if key in self.first:  # a second one, or a failure, would quietly take the place of the first
                words = f"it failed, and step {self.first[key]} had done it before"
                self.find(
                    "broken",
                    f"step {step.n}: " + (words if failed else f"it does again what step {self.first[key]} had done"),
                )
            else:
                self.steps[key] = step
                if not failed:
                    self.first[key] = step.n

    def find(self, what: What, why: str, file: str = LOG) -> None:
        """Note something that does not follow."""
        self.findings.append(Finding(what, file, why))

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
    """An editor that replays the pictures and failures recorded in the log."""

    def __init__(self, party: Actor, recording: Recording) -> None:
        self.party, self._recording = party, recording

    async def ask(self, request: EditRequest) -> Answered[Edited]:
        """The recorded edit."""
        current, folder = self._recording.current, self._recording.folder
        edit = current.output if current else None
        if not isinstance(edit, EditRecord):
            raise NoReply
        if not edit.after:
            raise RetriesExhausted(AskingFailed(edit.failure, again=False), 1)
        mask = folder.picture(edit.mask).data if edit.mask else None
        return Answered(Edited(folder.picture(edit.after), mask, edit.log, scene=edit.drawn), 0.0, 1)

    async def close(self) -> None:
        """There is nothing to let go of."""


class RecordedPlugin:
    """An extractor, judge or checker of somebody else, whose findings are taken as the log has them."""

    def __init__(self, party: Actor, recording: Recording, *, several: bool) -> None:
        self.party, self.several, self._recording = party, several, recording

    async def _recorded(self, *_: Any) -> Any:
        current = self._recording.current
        assert current is not None
        found = dict.fromkeys(("concepts", "verdict", "check"), current.output)
        return SimpleNamespace(**found, spent=Usage(), asked=current.asked)

    extract = judge = check = _recorded

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

    def is_same(self, recorded: str, made: str) -> bool:
        """Whether the picture in the bundle is the one that was made again."""
        if recorded == made or not recorded or made not in self.made:
            return recorded == made
        try:
            return same_picture(self.picture(recorded).data, self.made[made])
        except AuditError:
            return True  # one that is missing or was altered is named already


class ReplayWork(Work):
    """The work of each step, where the editor may be one that cannot be asked what it can do."""

    recording: Recording
    exact: bool
    """Whether edits are made again."""

    def mark(self, picture: Picture) -> Picture:
        """Recorded pictures are marked already; those that are made again are marked as they were."""
        current = self.recording.current
        return super().mark(picture) if self.exact or (current and current.stage == "dose") else picture

    async def able(self, editor: AskedEditor | None, subject: Subject) -> Abilities | None:
        """What the extractor was told that the editor can do, where the editor cannot be asked here."""
        if self.exact or editor is None:
            return await super().able(editor, subject)
        step = self.recording.steps.get(("concepts", subject.place))
        return step.output.able if step and isinstance(step.output, Concepts) else None


class ReplaySteps:
    """Does each step again and compares what comes of it with what the log has."""

    def __init__(
        self, recording: Recording, folder: ReplayFolder, *, same_tools: bool = True, trusted: tuple[Stage, ...] = ()
    ) -> None:
        """`same_tools` says that pictures must be the same to the pixel; the `trusted` stages are not done again."""
        self.visited: set[tuple[Stage, StepPlace]] = set()
        self._recording, self._folder = recording, folder
        self._same_tools, self._trusted = same_tools, trusted
        self._silent: list[int] = []

    async def do(
        self, stage: Stage, place: StepPlace, by: Actor, inputs: object, work: Callable[[], Awaitable[StepResult]]
    ) -> Output:
        """The recorded output of a step, after it was done again; StepFailed where the log has none."""
        step = self._recording.steps.get((stage, place))
        if step is None:
            self._find("missing", f"{_where(place)}: there is no step {_called(stage, by, place)}, nor one that failed")
            raise StepFailed(stage)
        if (stage, place) not in self.visited:  # the cases of one picture share its control edit
            self.visited.add((stage, place))
            await self._check(step, by, work)
        if isinstance(step.output, Failed):
            raise StepFailed(step.output.reason)
        return step.output

    async def _check(self, step: Step, by: Actor, work: Callable[[], Awaitable[StepResult]]) -> None:
        if step.by != by.name:
            self._find(
                "broken", f"step {step.n}: {step.by} did the step {step.stage!r}, by the log; {by.name} is named"
            )
        before = _built_on(step, self._recording.steps)
        n = self._recording.first.get(before, -1) if before else -1
        if before and n > step.n:
            words = f"step {step.n} ({step.stage}) builds on step {n} ({before[0]}), which comes after it"
            self._find("broken", words)
        made: StepResult | None = StepResult(step.output)
        if isinstance(step.output, Failed):
            if by.name in OURS and step.stage != "case":
                words = f"{by.name} is said to have failed, and works here without a server that could"
                self._find("broken", f"step {step.n}: {words}")
        elif step.stage not in self._trusted:
            made = await self._again(step, work)
        if made is None:
            return
        if step.asked and not made.asked:
            self._silent.append(step.n)
        elif made.asked != step.asked:
            words = f"what {step.by} was asked is not what the prompts make of the steps before"
            self._find("broken", f"step {step.n}: {words}")
        self._compare(step, by, made.output)

    async def _again(self, step: Step, work: Callable[[], Awaitable[StepResult]]) -> StepResult | None:
        """What comes of a step that is done again; None where that is found already."""
        self._recording.begin(step)
        try:
            made = await work()
        except (AuditError, BadPicture):
            return None  # a picture that is missing or was altered is named already
        except NoReply:
            self._find("broken", f"step {step.n}: {step.by} has more to answer than the log has replies of it")
            return None
        except RetriesExhausted as given_up:
            made = StepResult(Failed(str(given_up)))
        except Exception as error:
            self._find("broken", f"step {step.n} cannot be done again: {type(error).__name__}: {error}")
            return None
        if self._recording.replies:
            self._find("broken", f"step {step.n}: a reply of {step.by} reads otherwise than is noted of it")
        return made

    def _compare(self, step: Step, by: Actor, made: Output) -> None:
        given = step.output
        what: What = "broken"
        for name in ("after", "mask"):
            recorded, new = getattr(given, name, ""), getattr(made, name, "")
            if self._folder.is_same(recorded, new):
                made = msgspec.structs.replace(made, **{name: recorded}) if recorded != new else made
            elif not self._same_tools:
                what = "not verified"
        if self._folder.manifest.lpips and isinstance(given, EditRecord) and isinstance(made, EditRecord):
            made = _with_lpips_of(given, made)
        apart = _apart(msgspec.to_builtins(given), msgspec.to_builtins(made))
        if apart:
            told = f"step {step.n}: {_called(step.stage, by, step.place)} on {_where(step.place)}"
            self._find(what, f"{told}: {apart}")

    def leave(self, place: StepPlace, picture: str) -> None:
        """Leave the other steps of a case, which cannot be done again."""
        mine = (each for each in self._recording.steps if each[1].case == place.case)
        self.visited |= {*mine, ("edit", StepPlace(concept=CONTROL, picture=picture))}

    def close(self, steps: Iterable[Step], allowed: tuple[Stage, ...] = ()) -> Iterator[Finding]:
        """Everything that was found, and the steps that nothing asked for."""
        yield from self._recording.findings
        if self._silent:
            words = f"step {min(self._silent)}{_others(self._silent)}: it says what was asked, and asks nobody"
            yield Finding("broken", LOG, words)
        strange: dict[tuple[str, str], list[int]] = {}
        for step in steps:
            if (step.stage, step.place) not in self.visited and step.stage not in allowed:
                strange.setdefault((step.stage, step.by), []).append(step.n)
        for (stage, by), found in strange.items():
            words = f"step {found[0]}{_others(found)} ({stage!r} by {by or 'nobody'}) is none that audit.json asks for"
            yield Finding("added", LOG, words)

    def _find(self, what: What, why: str) -> None:
        self._recording.find(what, why)


def _with_lpips_of(given: EditRecord, made: EditRecord) -> EditRecord:
    """LPIPS is taken on trust: its weights are not in the bundle."""
    if given.quality is None or made.quality is None:
        return made
    kept = {name: getattr(given.quality, name) for name in ("lpips", "lpips_inside", "lpips_outside")}
    return msgspec.structs.replace(made, quality=msgspec.structs.replace(made.quality, **kept))


def _others(numbers: list[int]) -> str:
    return f", and {len(numbers) - 1:,} more" if len(numbers) > 1 else ""


def _built_on(step: Step, steps: Mapping[tuple[Stage, StepPlace], Step]) -> tuple[Stage, StepPlace] | None:
    stage, place = step.stage, step.place
    case = StepPlace(place.case, place.row)
    if stage in _CASE:
        return _CASE[stage], case
    if stage in _CONCEPT:
        return _CONCEPT[stage], msgspec.structs.replace(place, judge="", vote=0, dose=0)
    if stage == "answer again" and place.dose:
        return "dose", place
    if stage == "answer again" and place.concept == CONTROL:
        record = steps.get(("case", case))
        shown = record.output.picture if record and isinstance(record.output, CaseRecord) else ""
        return "edit", StepPlace(concept=CONTROL, picture=shown)
    if stage == "answer again":
        return "edit", place
    if stage == "edit" and place.concept:
        return "concepts" if place.concept > 0 else "uncited", case
    return None


def _where(place: StepPlace) -> str:
    if not place.case:
        return f"picture {place.picture[:16]}"
    dose = f", dose {place.dose}" if place.dose else ""
    return f"case {place.case}" + (f", concept {place.concept}{dose}" if place.concept is not None else "")


def _called(stage: Stage, by: Actor, place: StepPlace) -> str:
    if stage == "verdict":
        return f"'verdict' of {by.name} (vote {place.vote})"
    return f"{stage!r} of {by.name}" if stage == "check" else repr(stage)


def _apart(given: Any, made: Any, name: str = "") -> str:
    """Where two records differ, in words; nothing where they do not, but for what another machine does to figures."""
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
    if given == made or (name == "seen" and _same_but_for_rounding(given, made)):
        return ""
    return f"{name} is {_short(given)} in the log; done again it is {_short(made)}"


def _same_but_for_rounding(one: str, other: str) -> bool:
    """Whether two sentences differ by no more than one in the last place of a figure."""
    if _FIGURE.split(one) != _FIGURE.split(other):
        return False
    for first, second in zip(_FIGURE.findall(one), _FIGURE.findall(other), strict=True):
        places = len(first.partition(".")[2])
        if places != len(second.partition(".")[2]) or round(abs(float(first) - float(second)) * 10**places) > 1:
            return False
    return True


def _short(value: object) -> str:
    told = "nothing" if value in (None, "", [], ()) else str(value)
    return told if len(told) <= 120 else f"{told[:117]}…"


class RecordedParties:
    """Everybody who took part, as far as they can be had: ours are themselves, models and editors are recorded."""

    def __init__(self, manifest: Manifest, prompts: AuditPrompts, recording: Recording) -> None:
        self._manifest, self._prompts, self._recording = manifest, prompts, recording

    def parties(self) -> Parties:
        """The same parts, taken again."""
        manifest = self._manifest
        editor: AskedEditor | None = RecordedEditor(manifest.editor, self._recording) if manifest.editor.name else None
        if manifest.editor.name == "exact":
            editor = self._ours("editor", manifest.editor) or editor
        return Parties(
            RecordedModel(manifest.model, self._recording),
            self._one("extractor", manifest.extractor, EXTRACTORS, ModelExtractor, self._prompts),
            editor,
            self.judges(),
            tuple(self._one("checker", each, CHECKERS, ModelChecker) for each in manifest.checkers),
        )

    def judges(self) -> tuple[Any, ...]:
        """The judges alone."""
        return tuple(self._one("judge", each, JUDGES, ModelJudge, self._prompts) for each in self._manifest.judges)

    def _one(self, role: str, party: Actor, registry: Any, by_model: Any, *more: Any) -> Any:
        ours = self._ours(role, party) if party.name in OURS else None
        if ours is not None:
            return ours
        if registry.knows(party.name):
            mine = (place for stage, place in self._recording.steps if stage == "verdict" and place.judge == party.name)
            return RecordedPlugin(party, self._recording, several=any(place.vote > 1 for place in mine))
        return by_model(RecordedModel(party, self._recording), *more)

    def _ours(self, role: str, party: Actor) -> Any:
        opened = open_ours(role, party.name)
        if opened.party == party:
            return opened
        words = f"{party.name} was held to other settings than this version's: {party.settings or 'none'}"
        self._recording.find("not verified", words, MANIFEST)
        return None


def replayed(opened: OpenedBundle) -> Iterator[Finding]:
    """Every case of an audit taken through its stages again."""
    manifest, steps = opened.audit.manifest, opened.audit.steps
    try:
        prompts = msgspec.convert(manifest.prompts, AuditPrompts)
    except msgspec.ValidationError as error:
        yield Finding("broken", MANIFEST, f"prompts: {error}")
        return
    if prompts != SETS.get(prompts.name, prompts):  # whoever reads a name of ours takes the words for ours
        same = manifest.countersight == __version__
        told = "" if same else f"; {manifest.countersight} is said to have asked them, this is {__version__}"
        words = f"its prompts are called {prompts.name}, and are not those that ship under this name{told}"
        yield Finding("broken" if same else "not verified", MANIFEST, words)
    recording, folder = Recording(steps, opened.folder), ReplayFolder(opened.folder)
    doing = ReplaySteps(recording, folder, same_tools=opened.same_tools())
    dataset = Dataset.open(opened.dataset) if opened.dataset else None

    async def whole() -> None:
        parties = RecordedParties(manifest, prompts, recording).parties()
        work = ReplayWork(folder, prompts, doing)
        work.recording, work.exact = recording, not isinstance(parties.editor, RecordedEditor)
        stages = Stages(manifest, dataset, parties, work, Extensions(folder, work))
        for (stage, place), step in list(recording.steps.items()):
            if stage != "case":
                continue
            try:
                with suppress(StepFailed):
                    if dataset is not None:
                        await stages.audit(place.row, dataset.case_at(place.row))
                    else:
                        await stages.test(await _subject(opened, doing, recording, step))
            except AuditError:  # a picture that is missing or was altered is named already
                doing.leave(place, step.output.picture if isinstance(step.output, CaseRecord) else "")
            except (CountersightError, IndexError, AssertionError, msgspec.DecodeError, ValueError, RecursionError):
                recording.find("broken", f"case {place.case} is not in this row of the dataset")
            folder.made.clear()

    blocking(whole)
    yield from doing.close(steps)


async def _subject(opened: OpenedBundle, doing: ReplaySteps, recording: Recording, step: Step) -> Subject:
    """What a case is about by the log alone; its picture must be the drawing of its scene, where it has one."""

    async def work() -> StepResult:
        return StepResult(step.output)

    record = await doing.do("case", step.place, Actor(""), (), work)
    assert isinstance(record, CaseRecord)
    picture = opened.folder.picture(record.picture)
    if record.drawn is not None and not _is_drawing(picture, record.drawn):
        what: What = "broken" if opened.same_tools() else "not verified"
        recording.find(what, f"case {step.place.case}: its picture is no drawing of its scene")
    return Subject(step.place, record.question, ShownPicture(picture, record.picture), record.image, record.drawn)


def _is_drawing(picture: Picture, drawn: Any) -> bool:
    if isinstance(drawn, Scene) and (picture.width, picture.height) != (drawn.width, drawn.height):
        return False  # one of another size may be too large to be drawn at all
    try:
        made = draw(drawn) if isinstance(drawn, Scene) else draw_world(drawn)
        return np.array_equal(np.asarray(as_seen(picture).convert("RGB")), made[:, :, :3])
    except (BadPicture, ValueError, KeyError):
        return False


def asks_too_much(manifest: Manifest) -> str:
    """That a manifest asks for more than any audit does, where it does."""
    if manifest.votes > MOST_VOTES or manifest.strength > STRENGTHS:
        return f"it asks for {manifest.votes:,} votes and {manifest.strength:,} doses; no audit has so many"
    return ""


def read_bounded(folder: Path) -> AuditTrail:
    """The audit in a folder; AuditError where it is damaged, or a line of its log is longer than any audit writes."""
    content(folder / MANIFEST)
    with open(folder / LOG, "rb") as file:
        for number, line in enumerate(bounded_lines(file, LONGEST_LINE), 1):
            if len(line) > LONGEST_LINE:
                raise AuditError(f"line {number} is longer than {LONGEST_LINE:,} bytes")
    return read_audit(folder)


def same_audit(one: Manifest, other: Manifest) -> bool:
    """Whether two manifests are of one audit."""
    return (one.dataset.fingerprint, one.started) == (other.dataset.fingerprint, other.started)


def recalibrated(opened: OpenedBundle) -> Iterator[Finding]:
    """The calibration of the judges made again: its tests, their verdicts, and the sheets that follow."""
    calibration, named = opened.audit.calibration, opened.audit.manifest.calibration
    if calibration is None:
        if named:
            yield Finding("missing", CALIBRATION, "audit.json names a calibration, and there is none")
        return
    if named and named != digest_of(content(opened.path / CALIBRATION)):
        yield Finding("broken", CALIBRATION, "it is not the calibration that audit.json names")
    if fault := unlike(calibration, opened.audit.manifest):
        yield Finding("broken", CALIBRATION, f"it {fault}")
    missing = [name for name in (f"{CALIBRATION_FOLDER}/{each}" for each in TAKEN) if name not in opened.files]
    if missing:
        yield Finding("missing", missing[0], "without its log the calibration cannot be derived again")
        return
    try:
        judged = read_bounded(opened.path / CALIBRATION_FOLDER)
    except AuditError as error:
        yield Finding("broken", CALIBRATION_FOLDER, str(error))
        return
    if too_much := asks_too_much(judged.manifest):
        yield Finding("broken", f"{CALIBRATION_FOLDER}/{MANIFEST}", too_much)
        return
    for found in (_by_people if calibration.people else _on_purpose)(opened, calibration, judged):
        inside = found.file in (LOG, MANIFEST, LABELS)
        yield msgspec.structs.replace(found, file=f"{CALIBRATION_FOLDER}/{found.file}") if inside else found


def _on_purpose(opened: OpenedBundle, calibration: Calibration, judged: AuditTrail) -> Iterator[Finding]:
    """A calibration on tests that were made on purpose: the tests of its seed put to its judges again."""
    domain, manifest, steps = domain_of(calibration), judged.manifest, judged.steps
    if not 0 < calibration.size <= LARGEST or domain is None:
        yield Finding("broken", CALIBRATION, f"nobody makes {calibration.size:,} tests {calibration.domain[:80]!r}")
        return
    items = _items(calibration.size, calibration.seed, domain)
    if manifest.dataset.fingerprint != fingerprint_of(items):
        yield Finding("broken", CALIBRATION_FOLDER, f"its tests are not those of its seed{opened.other_version}")
        return
    prompts, folder = msgspec.convert(manifest.prompts, AuditPrompts), AuditFolder.open(judged.path)
    recording, kept = Recording(steps, folder), ReplayFolder(folder)
    doing = ReplaySteps(recording, kept, trusted=("case",))
    judges = RecordedParties(manifest, prompts, recording).judges()
    trial = Trial(ReplayWork(kept, prompts, doing), judges, None, manifest.votes)

    async def whole() -> None:
        for row, item in enumerate(items):
            await trial.put(row, item)

    blocking(whole)
    yield from doing.close(steps, allowed=("edit",))
    try:
        same = judge_sheets(manifest, list(items), list(steps)) == calibration.judges
    except KeyError:
        return  # a verdict of no test or judge: found already
    if not same:
        yield Finding("broken", CALIBRATION, "its figures do not follow from the verdicts in its log")


@cache
def _items(size: int, seed: int, domain: Domain) -> tuple[CalibrationItem, ...]:
    return tuple(blocking(lambda: make_items(size, seed, domain)))


def _by_people(opened: OpenedBundle, calibration: Calibration, judged: AuditTrail) -> Iterator[Finding]:
    """A calibration on people's labels of an audit's tests."""
    try:
        made = people_calibration(judged, list(read_labels(judged.path)))
    except AuditError as error:
        yield Finding("broken", LABELS, str(error))
        return
    own = opened.audit.steps[: len(judged.steps)]
    if same_audit(judged.manifest, opened.audit.manifest) and [a.hash for a in judged.steps] != [b.hash for b in own]:
        yield Finding("broken", LOG, "it is not the log of the audit as it was when people labelled it")
    if (made.judges, made.people, made.domain) != (calibration.judges, calibration.people, calibration.domain):
        yield Finding("broken", CALIBRATION, "its figures do not follow from people's labels and its log")
