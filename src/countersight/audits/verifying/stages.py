"""Replays the cases of an audit, and the tests of its calibration, with everybody who can be had here."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import msgspec
from PIL import Image

from countersight import __version__
from countersight.audits.asking import AskedEditor, Shown
from countersight.audits.bundle.files import content
from countersight.audits.bundle.seal import FORMAT, Bundle
from countersight.audits.bundle.sessions import read_sessions
from countersight.audits.calibration.calibrating import CALIBRATION_FOLDER, TAKEN, Trial, judge_sheets, unlike
from countersight.audits.calibration.items import Item, fingerprint_of, make_items
from countersight.audits.calibration.on_people import people_calibration
from countersight.audits.calibration.sheet import CALIBRATION, LABELS, Calibration, Domain, domain_of, read_labels
from countersight.audits.checkers.model import ModelChecker
from countersight.audits.checkers.protocol import CHECKERS
from countersight.audits.extensions import Further
from countersight.audits.extraction.model import ModelExtractor
from countersight.audits.extraction.protocol import EXTRACTORS
from countersight.audits.folder import LOG, MANIFEST, AuditFolder, digest_of
from countersight.audits.judges.model import ModelJudge
from countersight.audits.judges.protocol import JUDGES
from countersight.audits.opening import open_ours
from countersight.audits.prompts import SETS, AuditPrompts
from countersight.audits.records import STRENGTHS, Actor, CaseRecord, CaseTrail, Manifest, Place, Step, drawn_fields
from countersight.audits.selection import SceneIndex
from countersight.audits.stages import Parties, Stages
from countersight.audits.steps import StepFailed, Worked
from countersight.audits.trail import Audit, read_audit
from countersight.audits.verifying.finding import Finding, alike
from countersight.audits.verifying.replay import (
    OURS,
    Recorded,
    RecordedEditor,
    RecordedModel,
    Recording,
    ReplayFolder,
    ReplaySteps,
    ReplayWork,
    repeated,
)
from countersight.audits.work import Subject
from countersight.dataset import Dataset
from countersight.engine import blocking
from countersight.errors import AuditError, BadPicture, CountersightError
from countersight.files import bounded_lines
from countersight.picture import as_seen
from countersight.scenes import Scene, draw
from countersight.worlds import draw_world

LARGEST: Final = 10_000
"""Tests of a calibration that are made again; nobody asks for more."""
MOST_VOTES: Final = 1_000
LONGEST_LINE: Final = 64 * 1024**2
"""A line of the log that is longer was never written by an audit."""
_FIELDS: Final = {
    "question": "another question or right answer",
    "image": "another picture",
    "suite": "another suite",
    "group": "another group",
    "drawn": "another scene",
    "picture": "another picture",
}


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """A bundle whose log holds together."""

    folder: AuditFolder
    audit: Audit
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
    def early(self) -> bool:
        """Whether it was sealed by a version that derived less, or otherwise."""
        return self.bundle.format < FORMAT

    @property
    def other_version(self) -> str:
        """That another version wrote it, where one did."""
        wrote = self.bundle.countersight
        return "" if wrote == __version__ else f"; written by {wrote}, this is {__version__}"

    def drawn_here(self) -> bool:
        """Whether the program and the library that drew the pictures are those that draw them again."""
        try:
            skia = version("skia-python")
        except PackageNotFoundError:
            return False
        told = [session.packages.get("skia_python", skia) for session in read_sessions(self.path)]
        return not self.other_version and all(each == skia for each in told)


class Cast:
    """Everybody who took part, as far as they can be had: ours are themselves, models and editors are recorded."""

    def __init__(self, manifest: Manifest, prompts: AuditPrompts, recording: Recording) -> None:
        self.findings: list[Finding] = []
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
        if party.name in OURS:
            ours = self._ours(role, party)
            if ours is not None:
                return ours
        if registry.knows(party.name):
            mine = (place for stage, place in self._recording.steps if stage == "verdict" and place.judge == party.name)
            return Recorded(party, self._recording, several=any(place.vote > 1 for place in mine))
        return by_model(RecordedModel(party, self._recording), *more)

    def _ours(self, role: str, party: Actor) -> Any:
        opened = open_ours(role, party.name)
        if opened.party == party:
            return opened
        words = f"{party.name} was held to other settings than this version's: {party.settings or 'none'}"
        self.findings.append(Finding("not verified", MANIFEST, words))
        return None


def replayed(opened: Opened) -> Iterator[Finding]:
    """Every case of an audit taken through its stages again."""
    manifest, steps = opened.audit.manifest, opened.audit.steps
    yield from repeated(steps)
    try:
        prompts = msgspec.convert(manifest.prompts, AuditPrompts)
    except msgspec.ValidationError as error:
        yield Finding("broken", MANIFEST, f"prompts: {error}")
        return
    yield from _shipped(prompts, manifest)
    recording, folder = Recording(steps, opened.folder), ReplayFolder(opened.folder)
    doing = ReplaySteps(recording, folder, drawn_here=opened.drawn_here(), lpips=bool(manifest.lpips))
    cast, known = Cast(manifest, prompts, recording), _Dataset(opened)

    async def whole() -> None:
        parties = cast.parties()
        work = ReplayWork(folder, prompts, doing)
        work.recording, work.exact = recording, not isinstance(parties.editor, RecordedEditor)
        stages = Stages(manifest, None, parties, work, Further(folder, doing, work))
        for case in opened.audit.cases:
            try:
                with suppress(StepFailed):
                    await stages.test(await known.subject(doing, case))
            except AuditError:  # a picture that is missing or was altered is named already
                doing.leave(case)
        for place in {step.place for step in steps if step.stage == "case"} - known.seen:
            with suppress(StepFailed):  # one that failed
                await doing.do("case", place, Actor(""), (), known.nothing)

    blocking(whole)
    yield from known.findings
    yield from cast.findings
    yield from doing.close(steps)


class _Dataset:
    """The cases as their dataset has them; where that is not here, pictures as drawings of their scenes."""

    def __init__(self, opened: Opened) -> None:
        self.findings: list[Finding] = []
        self.seen: set[Place] = set()
        self._opened = opened
        self._dataset = Dataset.open(opened.dataset) if opened.dataset else None
        self._scenes = SceneIndex(opened.dataset) if opened.dataset else None

    async def subject(self, doing: ReplaySteps, case: CaseTrail) -> Subject:
        """What a case is about, compared with what is known of it."""
        record, place = case.record, Place(case.case, case.row)
        self.seen.add(place)

        async def work() -> Worked:
            return Worked(record)

        await doing.do("case", place, Actor(""), (), work)
        wrong = self._unlike(case) if self._dataset else self._undrawn(record)
        if wrong:
            self.findings.append(Finding("broken", LOG, f"case {case.case}{wrong}"))
        shown = Shown(self._opened.folder.picture(record.picture), record.picture)
        return Subject(place, record.question, shown, record.image, record.drawn)

    async def nothing(self) -> Worked:
        """A case that has no record."""
        raise AuditError("there is no record of it")

    def _unlike(self, trail: CaseTrail) -> str:
        real = self._as_it_is(trail)
        if real is None:
            return " has another row or picture than the dataset"
        differ = (what for name, what in _FIELDS.items() if getattr(trail.record, name) != getattr(real, name))
        return next((f" has {what} than the dataset" for what in differ), "")

    def _as_it_is(self, trail: CaseTrail) -> CaseRecord | None:
        assert self._dataset is not None
        assert self._scenes is not None
        try:
            case = self._dataset.case_at(trail.row)
            if case.id != trail.case or case.factual is None or case.image is None:
                return None
            picture = digest_of(self._dataset.picture(case.image, case.image_digest).data)
        except (CountersightError, IndexError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        drawn = self._scenes.scene(case.id)
        return CaseRecord(picture, case.factual, case.image, case.suite, case.group, **drawn_fields(drawn))

    def _undrawn(self, record: CaseRecord) -> str:
        drawn, wrong = record.drawn, ": its picture is no drawing of its scene"
        if drawn is None:
            return ""
        try:
            picture = self._opened.folder.picture(record.picture)
            if isinstance(drawn, Scene) and (picture.width, picture.height) != (drawn.width, drawn.height):
                return wrong  # one of another size may be too large to be drawn at all
            made = Image.fromarray(draw(drawn) if isinstance(drawn, Scene) else draw_world(drawn))
            exact, seen = self._opened.drawn_here(), as_seen(picture)
            same = seen.tobytes() == made.convert(seen.mode).tobytes() if exact else alike(seen, made)
            return "" if same else wrong
        except AuditError:
            return ""  # a picture that is missing or was altered is named already
        except (BadPicture, ValueError, KeyError):
            return wrong


def _shipped(prompts: AuditPrompts, manifest: Manifest) -> Iterator[Finding]:
    """Whoever reads a name of ours takes the words for ours: those of a user's own file never have one."""
    if prompts == SETS.get(prompts.name, prompts):
        return
    words = f"its prompts are called {prompts.name}, and are not those that ship under this name"
    if manifest.countersight == __version__:
        yield Finding("broken", MANIFEST, words)
    else:
        began = f"{words}; {manifest.countersight} is said to have asked them, this is {__version__}"
        yield Finding("not verified", MANIFEST, began)


def asks_too_much(manifest: Manifest) -> str:
    """That a manifest asks for more than any audit does, where it does."""
    if manifest.votes > MOST_VOTES or manifest.strength > STRENGTHS:
        return f"it asks for {manifest.votes:,} votes and {manifest.strength:,} doses; no audit has so many"
    return ""


def refuse_long_lines(path: Path) -> None:
    """AuditError where a line of a log is longer than any audit writes."""
    with open(path, "rb") as file:
        for number, line in enumerate(bounded_lines(file, LONGEST_LINE), 1):
            if len(line) > LONGEST_LINE:
                raise AuditError(f"line {number} is longer than {LONGEST_LINE:,} bytes")


def recalibrated(opened: Opened) -> Iterator[Finding]:
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
        content(opened.path / CALIBRATION_FOLDER / MANIFEST)
        refuse_long_lines(opened.path / CALIBRATION_FOLDER / LOG)
        folder = AuditFolder.open(opened.path / CALIBRATION_FOLDER)
        steps = list(folder.steps())
    except AuditError as error:
        yield Finding("broken", CALIBRATION_FOLDER, str(error))
        return
    if too_much := asks_too_much(folder.manifest):
        yield Finding("broken", f"{CALIBRATION_FOLDER}/{MANIFEST}", too_much)
    elif calibration.people:
        yield from _by_people(opened, calibration)
    else:
        for found in _calibrated(opened, calibration, folder, steps):
            inside = found.file in (LOG, MANIFEST)
            yield msgspec.structs.replace(found, file=f"{CALIBRATION_FOLDER}/{found.file}") if inside else found


def _calibrated(opened: Opened, calibration: Calibration, folder: AuditFolder, steps: list[Step]) -> Iterator[Finding]:
    domain = domain_of(calibration)
    if not 0 < calibration.size <= LARGEST or domain is None:
        yield Finding("broken", CALIBRATION, f"nobody makes {calibration.size:,} tests {calibration.domain[:80]!r}")
        return
    items = _items(calibration.size, calibration.seed, domain)
    if folder.manifest.dataset.fingerprint != fingerprint_of(items):
        yield Finding("broken", CALIBRATION_FOLDER, f"its tests are not those of its seed{opened.other_version}")
        return
    prompts = msgspec.convert(folder.manifest.prompts, AuditPrompts)
    recording, kept = Recording(steps, folder), ReplayFolder(folder)
    doing = ReplaySteps(recording, kept, trusted=frozenset({"case"}))
    cast = Cast(folder.manifest, prompts, recording)
    trial = Trial(ReplayWork(kept, prompts, doing), cast.judges(), None, folder.manifest.votes)

    async def whole() -> None:
        for row, item in enumerate(items):
            await trial.put(row, item)

    blocking(whole)
    yield from repeated(steps)
    yield from doing.close(steps, allowed=frozenset({"edit"}))
    try:
        same = judge_sheets(folder.manifest, list(items), steps) == calibration.judges
    except KeyError:
        return  # a verdict of no test or judge: found already
    if not same:
        yield Finding("broken", CALIBRATION, "its figures do not follow from the verdicts in its log")


def same_audit(one: Manifest, other: Manifest) -> bool:
    """Whether two manifests are of one audit."""
    return (one.dataset.fingerprint, one.started) == (other.dataset.fingerprint, other.started)


def _by_people(opened: Opened, calibration: Calibration) -> Iterator[Finding]:
    folder = opened.path / CALIBRATION_FOLDER
    try:
        judged = read_audit(folder)
        made = people_calibration(judged, list(read_labels(folder)))
    except AuditError as error:
        yield Finding("broken", f"{CALIBRATION_FOLDER}/{LABELS}", str(error))
        return
    if same_audit(judged.manifest, opened.audit.manifest):
        own = opened.audit.steps[: len(judged.steps)]
        if [step.hash for step in judged.steps] != [step.hash for step in own]:
            words = "it is not the log of the audit as it was when people labelled it"
            yield Finding("broken", f"{CALIBRATION_FOLDER}/{LOG}", words)
    if (made.judges, made.people, made.domain) != (calibration.judges, calibration.people, calibration.domain):
        yield Finding("broken", CALIBRATION, "its figures do not follow from people's labels and its log")


@cache
def _items(size: int, seed: int, domain: Domain) -> tuple[Item, ...]:
    return tuple(blocking(lambda: make_items(size, seed, domain)))
