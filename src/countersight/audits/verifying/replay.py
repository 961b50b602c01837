"""Repeat the stages of an audit with the recorded replies; every difference is a finding.

Replies of models and pictures of editors are taken from the log. Everything else is computed by the same code as in the
audit: the cases of the dataset, prompts, extraction, the exact editor, measures, checks, verdicts. A step that is only
in the log, or that is required but missing from the log, is also a finding.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, Final, Literal

import msgspec
import numpy as np

from countersight import __version__
from countersight.audits.auditing import ROLES, Role, open_exact_editor, open_registered
from countersight.audits.folder import LOG, MANIFEST, AuditFolder
from countersight.audits.prompts import SETS, AuditPrompts
from countersight.audits.records import (
    Actor,
    CaseRecord,
    Check,
    Concepts,
    EditRecord,
    Failed,
    LocalParticipant,
    ModelReply,
    Output,
    Stage,
    Step,
    StepPlace,
    Usage,
    Verdict,
)
from countersight.audits.stages import Participants, Stages
from countersight.audits.steps import StepFailed, StepResult
from countersight.audits.trail import AuditTrail
from countersight.dataset import Dataset
from countersight.editing import Abilities, Edited, EditRequest
from countersight.engine import Answered, RetriesExhausted, blocking
from countersight.errors import AskingFailed, BadPicture, CountersightError
from countersight.models import Answer, Request
from countersight.picture import Picture, as_seen, check_picture
from countersight.scenes import Scene, draw
from countersight.text import printable

What = Literal["altered", "missing", "added", "broken", "not verified"]
"""“not verified” means neither sound nor proven wrong, for example because another version wrote the file."""
APART: Final = 0.01
"""Largest allowed difference of a measure between machines; 0.5 pixels for the alignment of an edit."""
_FIGURE: Final = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_SHOWN: Final = 100
"""Maximum number of characters of a value in a finding."""


class Finding(msgspec.Struct, frozen=True):
    """Something that was changed, or does not follow from the log."""

    what: What
    file: str
    why: str = ""

    def __str__(self) -> str:
        return printable(f"{self.what}: {self.file}" + (f" ({self.why})" if self.why else ""))


class Note(msgspec.Struct, frozen=True):
    """Something that cannot be recomputed, and why; it is evidence neither for nor against a bundle."""

    what: str
    why: str
    trusted: bool = True
    """Whether the verdict depends on it."""

    def __str__(self) -> str:
        return printable(f"{'Taken on trust' if self.trusted else 'Not checked'}: {self.what} ({self.why})")


def difference(given: Any, made: Any, name: str = "") -> str:
    """Return the first difference between a record and the recomputed one, in words; "" if there is none.

    Both are plain JSON values. Measures may differ slightly, because machines round differently.
    """
    if given == made:
        return ""
    if isinstance(given, dict) and isinstance(made, dict):
        pairs = [(f"{name}.{key}".lstrip("."), given.get(key), made.get(key)) for key in given | made]
    elif isinstance(given, list | tuple) and isinstance(made, list | tuple) and len(given) == len(made):
        pairs = [(name, one, other) for one, other in zip(given, made, strict=True)]
    elif isinstance(given, float) and isinstance(made, float):
        near = abs(given - made) <= (50 * APART if name.endswith("warp") else APART)
        return "" if near else f"{name} is {given:g} in the log; recomputed it is {made:g}"
    elif name.endswith("seen") and _same_but_for_rounding(given, made):
        return ""
    else:
        both = enumerate(zip(str(given), str(made), strict=False))
        start = max(0, next((place for place, (one, other) in both if one != other), 0) - 40)
        return f"{name} is {_show(given, start)} in the log; recomputed it is {_show(made, start)}"
    return next((found for key, one, other in pairs if (found := difference(one, other, key))), "")


def _same_but_for_rounding(one: str, other: str) -> bool:
    """Whether two sentences differ only in their numbers, and by at most one in the last digit."""
    if _FIGURE.split(one) != _FIGURE.split(other):
        return False
    for first, second in zip(_FIGURE.findall(one), _FIGURE.findall(other), strict=True):
        places = len(first.partition(".")[2])
        if places != len(second.partition(".")[2]) or round(abs(float(first) - float(second)) * 10**places) > 1:
            return False
    return True


def _show(value: object, start: int) -> str:
    """Return the part of a long value where it differs from another."""
    text = "nothing" if value in (None, "", [], ()) else str(value)
    if len(text) <= _SHOWN:
        return text
    return "…" * bool(start) + text[start : start + _SHOWN] + "…" * (start + _SHOWN < len(text))


def same_picture(given: bytes, made: bytes) -> bool:
    """Whether two pictures have the same pixels; their files may differ in compression or metadata."""
    if given == made:
        return True
    try:
        one, other = (np.asarray(as_seen(check_picture(data))) for data in (given, made))
    except BadPicture:
        return False
    return np.array_equal(one, other)


BUILT_IN: Final = ("", "exact", "rules", "things", "pixels", "seams", "countersight")
"""Participants without a server, weights or randomness: they always give the same output and never fail."""
StepKey = tuple[Stage, StepPlace]


class Replay:
    """Repeats the steps of an audit with the recorded replies, and compares the results with the log."""

    def __init__(self, steps: Iterable[Step], folder: AuditFolder, unlike: What) -> None:
        """`unlike` is the kind of finding for a picture that differs."""
        self.findings: list[Finding] = []
        self.log: dict[StepKey, Step] = {}
        self.current: Step | None = None
        self._folder, self._unlike = folder, unlike
        self._steps, self._replies = tuple(steps), list[str]()
        self.visited: set[StepKey] = set()
        self._case = StepPlace()
        """The place of the current case."""
        done: dict[StepKey, int] = {}
        for step in self._steps:
            key, failed = (step.stage, step.place), isinstance(step.output, Failed)
            if key in done:  # a later step or failure would silently replace the first
                words = "it failed, although step {} had already succeeded" if failed else "it repeats step {}"
                self.find("broken", f"step {step.n}: {words.format(done[key])}")
            else:
                self.log[key] = step
                if not failed:
                    done[key] = step.n

    def find(self, what: What, why: str, file: str = LOG) -> None:
        """Record a finding."""
        self.findings.append(Finding(what, file, why))

    async def do(
        self, stage: Stage, place: StepPlace, by: Actor, inputs: object, work: Callable[[], Awaitable[StepResult]]
    ) -> Output:
        """Return the recorded output of a step, after repeating it; raises StepFailed if the log has none."""
        step = self.log.get((stage, place))
        if step is None:
            self.find(
                "missing",
                f"{_place_in_words(place)}: there is no step {_step_in_words(stage, by, place)}, nor one that failed",
            )
            raise StepFailed(stage)
        if stage == "case":
            self._case = place
        if (stage, place) not in self.visited:  # the cases of one picture share its control edit
            self.visited.add((stage, place))
            await self._repeat(step, by, work)
        if isinstance(step.output, Failed):
            raise StepFailed(step.output.reason)
        return step.output

    async def _repeat(self, step: Step, by: Actor, work: Callable[[], Awaitable[StepResult]]) -> None:
        """Repeat a step, and compare its actor, its request and its output with the log."""
        made, where = (
            StepResult(step.output),
            f"{_step_in_words(step.stage, by, step.place)} on {_place_in_words(step.place)}",
        )
        failed = isinstance(step.output, Failed) and by.name not in BUILT_IN
        if not failed:
            self.current, self._replies = step, _replies(step.output)
            try:
                made = await work()
            except RetriesExhausted as given_up:
                made = StepResult(Failed(str(given_up)))
            except Exception as error:  # a hostile record may cause any error
                self.find("broken", f"step {step.n}: {where} cannot be repeated: {type(error).__name__}: {error}")
                return
        if isinstance(given := step.output, CaseRecord):
            self.picture(given.picture, given.scene)
        what, output = self._with_same_pictures(step.output, made.output)
        again = msgspec.structs.replace(step, by=by.name, asked=made.asked, output=output)
        if apart := difference(msgspec.to_builtins(step), msgspec.to_builtins(again)):
            self.find(what, f"step {step.n}: {where}: {apart}")

    def _with_same_pictures(self, given: Output, made: Output) -> tuple[What, Output]:
        """Return the kind of finding for a difference, and the output with the recorded digests of equal pictures."""
        what: What = "broken"
        for name in ("after", "mask"):
            old, new = getattr(given, name, ""), getattr(made, name, "")
            if old != new:
                pictures = [self._folder.picture(digest).data for digest in (old, new) if digest]
                if len(pictures) == 2 and same_picture(*pictures):
                    made = msgspec.structs.replace(made, **{name: old})
                else:
                    what = self._unlike
        measured, before = getattr(made, "quality", None), getattr(given, "quality", None)
        if self._folder.manifest.lpips and measured and before:  # the weights are not in the bundle
            made = msgspec.structs.replace(made, quality=msgspec.structs.replace(measured, lpips=before.lpips))
        return what, made

    def reply(self, request: Request | EditRequest) -> Answer | Edited:
        """Return the next recorded reply, or the edit, of the current step."""
        output = self.current.output if self.current else None
        if isinstance(request, Request) and self._replies:
            finish, model = (output.finish, output.model) if isinstance(output, ModelReply) else ("", "")
            return Answer(self._replies.pop(), finish=finish, model=model)
        if isinstance(request, Request) or not isinstance(output, EditRecord):
            raise LookupError("the log has no further reply")
        if not output.after:
            raise RetriesExhausted(AskingFailed(output.failure, again=False), 1)
        mask = self._folder.picture(output.mask).data if output.mask else None
        return Edited(self.picture(output.after, output.scene), mask, output.log, scene=output.scene)

    def picture(self, digest: str, scene: Scene | None) -> Picture:
        """Return a recorded picture; if it has a scene, it must be a drawing of that scene."""
        picture = self._folder.picture(digest)
        if scene is not None and not _is_drawing(picture, scene):
            self.find(self._unlike, f"the picture {digest[:16]} does not match its scene")
        return picture

    def abilities(self) -> Abilities | None:
        """Return the editor's abilities as given to the extractor of the current case."""
        step = self.log.get(("concepts", self._case))
        return step.output.able if step and isinstance(step.output, Concepts) else None

    def close(self) -> Iterator[Finding]:
        """Return all findings, including those about steps that were not required."""
        yield from self.findings
        strange: dict[tuple[str, str], list[int]] = {}
        for step in self._steps:
            if (step.stage, step.place) not in self.visited:
                strange.setdefault((step.stage, step.by), []).append(step.n)
        for (stage, by), found in strange.items():
            others = f", and {len(found) - 1:,} more" if len(found) > 1 else ""
            words = f"step {found[0]}{others} ({stage!r} by {by or 'nobody'}) is not required by audit.json"
            yield Finding("added", LOG, words)

    def participants(self, prompts: AuditPrompts) -> Participants:
        """Return all participants: the built-in ones themselves, the others as recorded."""
        manifest = self._folder.manifest
        editor: Any = Recorded(manifest.editor, self) if manifest.editor.name else None
        if manifest.editor.name == "exact":
            editor = self._unless_changed(open_exact_editor(), manifest.editor) or editor
        return Participants(
            tuple(self._participant("judge", each, prompts) for each in manifest.judges),
            Recorded(manifest.model, self),
            self._participant("extractor", manifest.extractor, prompts),
            editor,
            tuple(self._participant("checker", each, prompts) for each in manifest.checkers),
        )

    def _participant(self, role: Role, party: Actor, prompts: AuditPrompts) -> Any:
        (registry, by_model), recorded = ROLES[role], Recorded(party, self)
        if not registry.knows(party.name):
            return by_model(recorded, prompts)
        if party.name not in BUILT_IN:
            return recorded
        return self._unless_changed(open_registered(registry, party.name), party) or recorded

    def _unless_changed(self, opened: Any, party: Actor) -> Any:
        """Return a built-in participant; if it had other settings in the audit, add a finding and return None."""
        if opened.party == party:
            return opened
        words = f"{party.name} had other settings than in this version: {party.settings or 'none'}"
        self.find("not verified", words, MANIFEST)
        return None


class Recorded(LocalParticipant):
    """A participant that cannot be asked again: a model, an editor, or a judge, extractor or checker of a plugin."""

    def __init__(self, party: Actor, replay: Replay) -> None:
        self.party, self._replay = party, replay
        self.several = any(place.judge == party.name and place.vote > 1 for _, place in replay.log)

    async def ask(self, request: Request | EditRequest) -> Answered[Answer | Edited]:
        """Return the next recorded reply, or the recorded edit."""
        return Answered(self._replay.reply(request), 0.0, 1)

    async def abilities(self, request: EditRequest) -> Abilities | None:
        """Return the editor's abilities from the log."""
        return self._replay.abilities()

    async def _output(self, *_: Any) -> Any:
        current = self._replay.current
        assert current is not None
        found = dict.fromkeys(("concepts", "verdict", "check"), current.output)
        return SimpleNamespace(**found, spent=Usage(), asked=current.asked)

    extract = judge = check = _output


def _replies(output: Output) -> list[str]:
    """Return the model's replies in a step, the last one first."""
    match output:
        case ModelReply(text=text):
            return [text]
        case Concepts(tries=tries) | Verdict(tries=tries):
            return [each.text for each in reversed(tries)]
        case Check(said=replies):
            return list(reversed(replies))
    return []


def _place_in_words(place: StepPlace) -> str:
    if not place.case:
        return f"picture {place.picture[:16]}"
    dose = f", dose {place.dose}" if place.dose else ""
    return f"case {place.case}" + (f", concept {place.concept}{dose}" if place.concept is not None else "")


def _step_in_words(stage: Stage, by: Actor, place: StepPlace) -> str:
    vote = f" (vote {place.vote})" if stage == "verdict" else ""
    return f"{stage!r} of {by.name}{vote}" if stage in ("verdict", "check") else repr(stage)


def replay_stages(audit: AuditTrail, dataset: Dataset | None, unlike: What) -> Iterator[Finding]:
    """Repeat the stages of every case of an audit, and return the findings."""
    manifest, folder = audit.manifest, AuditFolder.open(audit.path)
    try:
        prompts = msgspec.convert(manifest.prompts, AuditPrompts)
    except msgspec.ValidationError as error:
        yield Finding("broken", MANIFEST, f"prompts: {error}")
        return
    if prompts != SETS.get(prompts.name, prompts):  # a built-in name must mean the built-in prompts
        same = manifest.countersight == __version__
        versions = "" if same else f"; the audit was made by version {manifest.countersight}, this is {__version__}"
        words = f"its prompts are called {prompts.name}, but differ from the built-in prompts of this name{versions}"
        yield Finding("broken" if same else "not verified", MANIFEST, words)
    replay = Replay(audit.steps, folder, unlike)

    async def replay_case(stages: Stages, step: Step) -> None:
        if dataset is not None:
            await stages.audit(step.place.row, dataset.case_at(step.place.row))
        elif isinstance(record := step.output, CaseRecord):
            await stages.test(await stages.begin(step.place, record, folder.picture(record.picture)))
        else:
            replay.visited.add((step.stage, step.place))  # it failed, and cannot be repeated without the dataset

    async def replay_all() -> None:
        stages = Stages(folder, prompts, replay.participants(prompts), replay, dataset)
        for step in [step for (stage, _), step in replay.log.items() if stage == "case"]:
            try:
                with suppress(StepFailed):
                    await replay_case(stages, step)
            except (CountersightError, IndexError, AssertionError, msgspec.DecodeError, ValueError, RecursionError):
                replay.find("broken", f"row {step.place.row} of the dataset does not match the case in the log")

    blocking(replay_all)
    yield from replay.close()


LEVELS, EDGES = 32, 0.01
"""The largest difference of an edge pixel between versions of the rasteriser, and the largest share of such pixels."""


def _is_drawing(picture: Picture, scene: Scene) -> bool:
    if (picture.width, picture.height) != (scene.width, scene.height):
        return False  # a scene of another size may be too large to draw
    try:
        seen, drawn = np.asarray(as_seen(picture).convert("RGB")), draw(scene)[:, :, :3]
    except (BadPicture, ValueError, KeyError):
        return False
    apart = np.abs(seen.astype(np.int16) - drawn).max(axis=2)
    return bool(apart.max() <= LEVELS and (apart > 0).mean() <= EDGES)
