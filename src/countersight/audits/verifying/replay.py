"""Repeat the stages of an audit with the recorded replies; every difference is a finding.

Replies of models and pictures of editors are taken from the log. Everything else is computed by the same code as in the
audit: the cases of the dataset, prompts, extraction, the exact editor, measures, checks, verdicts. A step that is only
in the log, or that is required but missing from the log, is also a finding.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final

import msgspec

from countersight import __version__
from countersight.audits.clients import add_to_step
from countersight.audits.folder import MANIFEST, AuditFolder
from countersight.audits.manifest import Actor
from countersight.audits.participants import ROLES, Participants, Role, open_exact_editor, open_registered
from countersight.audits.prompts import SETS, AuditPrompts
from countersight.audits.records import (
    CaseRecord,
    Check,
    Concepts,
    EditRecord,
    Failed,
    ModelReply,
    Output,
    Stage,
    Step,
    StepPlace,
    Verdict,
)
from countersight.audits.stages import Stages
from countersight.audits.step_log import LOG
from countersight.audits.steps import METER, StepFailed, Work, metered
from countersight.audits.trail import AuditTrail
from countersight.audits.verifying.findings import Finding, What, difference, is_drawing, same_picture
from countersight.dataset import Dataset
from countersight.editing import Abilities, Edited, EditRequest
from countersight.engine import Answered, RetriesExhausted, blocking
from countersight.errors import AskingFailed, CountersightError
from countersight.models import MODELS, Answer, Request
from countersight.picture import Picture
from countersight.scenes import Scene

BUILT_IN: Final = ("", "exact", "rules", "things", "pixels", "seams", "countersight")
"""Participants without a server, weights or randomness: they always give the same output and never fail."""
StepKey = tuple[Stage, StepPlace]


class Replay:
    """Repeats the steps of an audit with the recorded replies, and compares the results with the log."""

    def __init__(self, steps: Iterable[Step], folder: AuditFolder, unlike: What) -> None:
        """`unlike` is the kind of finding for a picture that differs."""
        self.findings: list[Finding] = []
        self.log: dict[StepKey, Step] = {}
        self.current: Step | None = None  # steps run one after another, so one step at a time is current
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

    async def do(self, stage: Stage, place: StepPlace, by: Actor, inputs: object, work: Work) -> Output:
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

    async def _repeat(self, step: Step, by: Actor, work: Work) -> None:
        """Repeat a step, and compare its actor, its request and its output with the log."""
        where = f"{_step_in_words(step.stage, by, step.place)} on {_place_in_words(step.place)}"
        made = step.output
        with metered() as meter:
            if not isinstance(step.output, Failed) or by.name in BUILT_IN:
                self.current, self._replies = step, _replies(step.output)
                try:
                    made = await work()
                except RetriesExhausted as given_up:
                    made = Failed(str(given_up))
                except Exception as error:  # a hostile record may cause any error
                    self.find("broken", f"step {step.n}: {where} cannot be repeated: {type(error).__name__}: {error}")
                    return
        if isinstance(given := step.output, CaseRecord):
            self.picture(given.picture, given.scene)
        what, output = self._with_same_pictures(step.output, made)
        again = msgspec.structs.replace(step, by=by.name, asked=meter.asked, output=output)
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
        if scene is not None and not is_drawing(picture, scene):
            self.find(self._unlike, f"the picture {digest[:16]} does not match its scene")
        return picture

    def abilities(self) -> Abilities | None:
        """Return the editor's abilities as given to the extractor of the current case."""
        step = self.log.get(("concepts", self._case))
        return step.output.able if step and isinstance(step.output, Concepts) else None

    def all_findings(self) -> Iterator[Finding]:
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
            Recorded(manifest.model, self),
            self._participant("extractor", manifest.extractor, prompts),
            tuple(self._participant("judge", each, prompts) for each in manifest.judges),
            editor,
            tuple(self._participant("checker", each, prompts) for each in manifest.checkers),
        )

    def _participant(self, role: Role, party: Actor, prompts: AuditPrompts) -> Any:
        (registry, by_model), recorded = ROLES[role], Recorded(party, self)
        if not registry.knows(party.name) and is_model(party.name, self._steps):
            return by_model(recorded, prompts)
        if party.name not in BUILT_IN:  # of another package, or an object that a script passed
            return recorded
        return self._unless_changed(open_registered(registry, party.name), party) or recorded

    def _unless_changed(self, opened: Any, party: Actor) -> Any:
        """Return a built-in participant; if it had other settings in the audit, add a finding and return None."""
        if opened.party == party:
            return opened
        words = f"{party.name} had other settings than in this version: {party.settings or 'none'}"
        self.find("not verified", words, MANIFEST)
        return None


class Recorded:
    """A participant that cannot be asked again: a model, an editor, or a judge, extractor or checker of a plugin."""

    def __init__(self, party: Actor, replay: Replay) -> None:
        self.party, self._replay = party, replay
        self.several = any(place.judge == party.name and place.vote > 1 for _, place in replay.log)

    async def ask(self, request: Request | EditRequest) -> Answered[Answer | Edited]:
        """Return the next recorded reply, or the recorded edit."""
        answered = Answered(self._replay.reply(request), 0.0, 1)
        add_to_step(request, answered)
        return answered

    async def abilities(self, request: EditRequest) -> Abilities | None:
        """Return the editor's abilities from the log."""
        return self._replay.abilities()

    async def _output(self, *_: Any) -> Any:
        current = self._replay.current
        assert current is not None
        METER.get().add_turns(current.asked)
        return current.output

    extract = judge = check = _output


def is_model(name: str, steps: Iterable[Step]) -> bool:
    """Whether a participant is a model, by its name or because a conversation with it was recorded."""
    return MODELS.knows(name) or any(step.asked for step in steps if step.by == name)


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
    yield from replay.all_findings()
