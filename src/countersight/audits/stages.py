"""The four stages of an audit, for one case (EDCT 3): ask, extract, edit, ask again and judge."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

import msgspec
import numpy as np
from PIL import Image

from countersight.audits.changed_explanations import change_thought
from countersight.audits.checkers.protocol import Checker, EditShown
from countersight.audits.clients import conversation, record_reply
from countersight.audits.extraction.protocol import Statement
from countersight.audits.folder import AuditFolder, digest_of
from countersight.audits.judges.protocol import Evidence
from countersight.audits.manifest import Actor, Manifest
from countersight.audits.participants import Participants
from countersight.audits.prompts import AuditPrompts
from countersight.audits.records import (
    CONTROL,
    CaseRecord,
    Check,
    Concepts,
    Dose,
    EditRecord,
    ModelReply,
    Stage,
    StepPlace,
    Thought,
    Verdict,
)
from countersight.audits.scene_facts import SceneIndex, effect_of
from countersight.audits.steps import StepFailed, StepRunner
from countersight.audits.trail import Response
from countersight.audits.uncited import uncited_concepts
from countersight.case import AnswerKind, Case, Question
from countersight.dataset import Dataset
from countersight.editing import Abilities, EditRequest, Instruction, OrderBook, mark_edited, png_picture
from countersight.editing.quality import PerceptualDistance, measure_edit
from countersight.engine import RetriesExhausted
from countersight.errors import AskingFailed, BadPicture, OrderInDoubt, Refused
from countersight.models import Request, Turn
from countersight.picture import Picture, Pixels, as_seen, check_picture
from countersight.scenes import Scene

Made = TypeVar("Made", CaseRecord, ModelReply, Concepts, EditRecord, Check, Verdict, Dose, Thought)
COUNTERSIGHT = Actor("countersight")
"""The actor of steps that need neither a model nor an editor."""
NOTHING = Instruction(
    concept="",
    kind="object",
    action="nothing",
    positive="The picture exactly as it is. Change nothing.",
)
"""The control edit: if the answer changes with it, a change with any other edit proves nothing."""
replace = msgspec.structs.replace


class Subject(msgspec.Struct, frozen=True):
    """The subject of one case: its record and its picture."""

    place: StepPlace
    record: CaseRecord
    picture: Picture

    @property
    def question(self) -> Question:
        """The question from the dataset."""
        return self.record.question

    @property
    def scene(self) -> Scene | None:
        """The scene in the picture, if it was generated."""
        return self.record.scene


class Stages:
    """Runs cases through the four stages; each step is done once."""

    def __init__(
        self,
        folder: AuditFolder,
        prompts: AuditPrompts,
        participants: Participants,
        steps: StepRunner,
        dataset: Dataset | None = None,
        *,
        lpips: PerceptualDistance | None = None,
        orders: OrderBook | None = None,
    ) -> None:
        """Without a dataset, `audit` cannot be used."""
        self._folder, self._prompts, self._participants, self._steps = folder, prompts, participants, steps
        self._manifest: Manifest = folder.manifest
        self._dataset, self._lpips, self._orders = dataset, lpips, orders
        self._scenes = SceneIndex(dataset.path) if dataset else None

    async def audit(self, row: int, case: Case) -> None:
        """Run all stages for one case; failures are logged, and steps that depend on a failed step are skipped."""
        assert case.factual is not None
        assert case.image is not None
        assert self._dataset is not None
        assert self._scenes is not None
        try:
            picture: Picture | BadPicture = await asyncio.to_thread(
                self._dataset.picture, case.image, case.image_digest
            )
        except BadPicture as error:
            picture = error
        place, scene = StepPlace(case.id, row), self._scenes.scene(case.id)
        record = CaseRecord("", case.factual, case.image, case.suite, case.group, scene)
        with suppress(StepFailed):
            await self.test(await self.begin(place, record, picture))

    async def begin(self, place: StepPlace, record: CaseRecord, picture: Picture | BadPicture) -> Subject:
        """Record a case, store its picture, and return it as the subject of the stages."""

        async def work() -> CaseRecord:
            if isinstance(picture, BadPicture):
                raise RetriesExhausted(AskingFailed(f"picture {record.image} {picture}", again=False), 1)
            return replace(record, picture=await self._keep(picture))

        # The scene follows from the case, so a step of 0.1, which did not record it, is still the same step.
        inputs = (replace(record, scene=None), None if isinstance(picture, BadPicture) else digest_of(picture.data))
        output = await self._do(CaseRecord, "case", place, Actor(""), inputs, work)
        assert isinstance(picture, Picture)
        return Subject(place, replace(record, picture=output.picture), picture)

    async def test(self, subject: Subject) -> None:
        """Run the four stages for a subject; raises StepFailed if a step on which others depend fails."""
        manifest = self._manifest
        baseline = await self._answer_and_explain(subject, subject.place, subject.picture, ("answer", "why"))
        statement = Statement(
            subject.question.text, baseline.answer.text, baseline.explanation.text, await self._abilities(subject)
        )
        found = (await self._extract(statement, subject.place)).instructions
        for number in range(1, len(found) + 1):
            with suppress(StepFailed):  # the other concepts can still be tested
                if manifest.intervene != "picture":
                    with suppress(StepFailed):
                        await self._alter_explanation(subject, number, found, replace(statement, able=None))
                if manifest.intervene != "thought":
                    await self._test(subject, number, found[number - 1], baseline)
        if manifest.control:  # edited once per picture, but every case is asked
            shared = StepPlace(concept=CONTROL, picture=subject.record.picture)
            edit = await self._edit(subject, shared, NOTHING)
            await self._ask_again(subject, replace(subject.place, concept=CONTROL), edit)
        if manifest.uncited and found:
            await self._change_uncited(subject, statement, len(found))

    async def _judge(self, place: StepPlace, evidence: Evidence) -> None:
        """Collect every vote of every judge (stage 4); a failed vote does not stop the others."""
        for judge in self._participants.judges:
            for vote in range(1, (self._manifest.votes if judge.several else 1) + 1):
                key = f"{place.case}/{place.concept}/verdict/{vote}"
                here = replace(place, judge=judge.party.name, vote=vote)
                inputs = (evidence, self._prompts.judge, self._prompts.again)
                with suppress(StepFailed):
                    work = partial(judge.judge, evidence, vote, key)
                    await self._do(Verdict, "verdict", here, judge.party, inputs, work)

    async def _test(self, subject: Subject, number: int, instruction: Instruction, baseline: Response) -> None:
        """Edit the picture, ask again and judge the replies (EDCT 3, stages 3 and 4)."""
        place = replace(subject.place, concept=number)
        edit = await self._edit_and_check(subject, place, instruction)
        again = await self._ask_again(subject, place, edit)
        if again is None:
            return
        evidence = Evidence(
            subject.question,
            baseline.answer.text,
            baseline.explanation.text,
            instruction,
            again.answer.text,
            again.explanation.text,
            subject.scene,
            edit.scene,
        )
        await self._judge(place, evidence)
        with suppress(StepFailed):
            await self._try_doses(subject, place, edit)

    async def _edit_and_check(self, subject: Subject, place: StepPlace, instruction: Instruction) -> EditRecord:
        """Return an edit after every checker has checked it; a checker that fails does not stop the others."""
        edit = await self._edit(subject, place, instruction)
        for checker in self._participants.checkers if edit.after else ():
            with suppress(StepFailed):
                await self._check(checker, subject, place, edit)
        return edit

    async def _change_uncited(self, subject: Subject, statement: Statement, most: int) -> None:
        """Test at most `most` edits of objects that the explanation does not cite."""
        seed = self._manifest.seed

        async def work() -> Concepts:
            return uncited_concepts(statement, subject.picture, subject.scene, seed, most)

        inputs = (statement, subject.scene, seed, most)
        others = await self._do(Concepts, "uncited", subject.place, COUNTERSIGHT, inputs, work)
        for number, instruction in enumerate(others.instructions, 1):
            with suppress(StepFailed):
                place = replace(subject.place, concept=-number)
                await self._ask_again(subject, place, await self._edit_and_check(subject, place, instruction))

    async def _try_doses(self, subject: Subject, place: StepPlace, edit: EditRecord) -> None:
        """Make weaker versions of an edit and ask the model about each; the full edit is tested elsewhere."""
        of = self._manifest.strength
        for strength in range(1, of):

            async def work(strength: int = strength) -> Dose:
                whole = await self._stored(edit.after)
                weaker = await asyncio.to_thread(weaken_pixels, subject.picture, whole, strength, of)
                picture = mark_edited(png_picture(weaker))
                return Dose(strength, edit.before, edit.after, await self._keep(picture))

            here, inputs = replace(place, dose=strength), (edit.before, edit.after, strength, of)
            dose = await self._do(Dose, "dose", here, COUNTERSIGHT, inputs, work)
            turns = (Turn("user", self._prompts.ask(subject.question), await self._stored(dose.after)),)
            await self._ask_model("answer again", here, turns, subject.question)

    async def _alter_explanation(
        self, subject: Subject, number: int, instructions: Sequence[Instruction], statement: Statement
    ) -> None:
        """Replace the model's explanation with one in which this concept is changed, and ask for the answer again."""
        instruction, others = instructions[number - 1], instructions[: number - 1]
        place = replace(subject.place, concept=number)

        async def work() -> Thought:
            scene = subject.scene
            effect = partial(effect_of, scene, subject.picture, self._manifest.seed) if scene else None
            return change_thought(statement, instruction, others, effect)

        thought = await self._do(Thought, "thought", place, COUNTERSIGHT, (statement, instruction, others), work)
        if thought.text:
            asked = self._prompts.ask(subject.question)
            turns = (Turn("user", asked, subject.picture), Turn("assistant", thought.text), Turn("user", asked))
            await self._ask_model("answer thought", place, turns, subject.question)

    async def _ask_again(self, subject: Subject, place: StepPlace, edit: EditRecord) -> Response | None:
        if not edit.after:
            return None
        return await self._answer_and_explain(
            subject, place, await self._stored(edit.after), ("answer again", "why again")
        )

    async def _answer_and_explain(
        self, subject: Subject, place: StepPlace, picture: Picture, stages: tuple[Stage, Stage]
    ) -> Response:
        """Ask for the answer, then the explanation, in one conversation (stage 1)."""
        question = subject.question
        turns: tuple[Turn, ...] = (Turn("user", self._prompts.ask(question), picture),)
        first = await self._ask_model(stages[0], place, turns, question)
        turns = (*turns, Turn("assistant", first.text), Turn("user", self._prompts.why))
        return Response(first, await self._ask_model(stages[1], place, turns, question))

    async def _ask_model(
        self, stage: Stage, place: StepPlace, turns: tuple[Turn, ...], question: Question
    ) -> ModelReply:
        """Return the model's next turn in a conversation."""
        model = self._participants.model
        kind: AnswerKind = "open" if stage in ("why", "why again") else question.unlisted_kind
        numbers = [*([] if place.concept is None else [place.concept]), *([place.dose] if place.dose else [])]
        key = "/".join((place.case, stage, *map(str, numbers)))

        async def work() -> ModelReply:
            return record_reply((await model.ask(Request(key, turns, kind, question=question.text))).answer)

        return await self._do(ModelReply, stage, place, model.party, conversation(turns), work)

    async def _extract(self, statement: Statement, place: StepPlace) -> Concepts:
        """Return the concepts of the explanation, and the edits that test them (stage 2)."""
        extractor, most = self._participants.extractor, self._manifest.concepts

        async def work() -> Concepts:
            found: Concepts = await extractor.extract(statement, most, f"{place.case}/concepts")
            return replace(found, able=statement.able)

        inputs = (statement, most, self._prompts.extract, self._prompts.again)
        return await self._do(Concepts, "concepts", place, extractor.party, inputs, work)

    async def _abilities(self, subject: Subject) -> Abilities | None:
        """Return the editor's abilities for a picture; None if there is no editor, or it accepts any instruction."""
        if self._participants.editor is None:
            return None
        seed = self._manifest.seed
        request = EditRequest(subject.picture, NOTHING, seed, scene=subject.scene, name=subject.record.image)
        able: Abilities | None = await self._participants.editor.abilities(request)
        return able

    async def _edit(self, subject: Subject, place: StepPlace, instruction: Instruction) -> EditRecord:
        """Check, measure, store and return the edited picture, or return the reason why there is none (stage 3)."""
        before, seed, editor = subject.picture, self._manifest.seed, self._participants.editor
        assert editor is not None
        record = EditRecord(instruction, subject.record.picture, seed=seed)
        request = EditRequest(
            before, instruction, seed, scene=subject.scene, name=subject.record.image, orders=self._orders
        )

        async def work() -> EditRecord:
            try:
                edited = (await editor.ask(request)).answer
                picture = mark_edited(check_picture(edited.picture.data))
                control = instruction.action == "nothing"
                quality = await asyncio.to_thread(
                    measure_edit, before, picture, edited.mask, control=control, lpips=self._lpips
                )
            except RetriesExhausted as given_up:
                if given_up.failure.again or isinstance(given_up.failure, Refused | OrderInDoubt):
                    raise  # the next attempt may succeed, if the server, the key or the order is fixed
                return replace(record, failure=str(given_up))
            except BadPicture as error:
                return replace(record, failure=f"the edited picture {error}")
            return replace(
                record,
                after=await self._keep(picture),
                mask=await asyncio.to_thread(self._folder.keep, edited.mask, "image/png") if edited.mask else "",
                quality=quality,
                log=edited.log,
                scene=edited.scene if isinstance(edited.scene, Scene) else None,
            )

        inputs = (instruction, record.before, seed, subject.scene, self._manifest.lpips)
        return await self._do(EditRecord, "edit", place, editor.party, inputs, work)

    async def _check(self, checker: Checker, subject: Subject, place: StepPlace, edit: EditRecord) -> Check:
        """Return one checker's result on whether an edit did what was requested (stage 3)."""
        here = replace(place, judge=checker.party.name)

        async def work() -> Check:
            after = await self._stored(edit.after)
            mask = (await self._stored(edit.mask)).data if edit.mask else None
            seen = EditShown(edit.instruction, subject.picture, after, mask, subject.scene, edit.seed)
            return await checker.check(seen, f"{place.case}/{place.concept}/check")

        inputs = (edit.instruction, edit.before, edit.after, edit.mask, subject.scene)
        return await self._do(Check, "check", here, checker.party, inputs, work)

    async def _do(
        self,
        kind: type[Made],
        stage: Stage,
        place: StepPlace,
        by: Actor,
        inputs: object,
        work: Callable[[], Awaitable[Made]],
    ) -> Made:
        """Return the output of a step, with the type of its stage; raises StepFailed if there is none."""

        async def checked() -> Made:
            made = await work()
            if not isinstance(made, kind):  # by a judge, extractor or checker of another package
                raise TypeError(f"it returned {type(made).__name__} instead of {kind.__name__}")
            return made

        output = await self._steps.do(stage, place, by, inputs, checked)
        assert isinstance(output, kind)
        return output

    async def _keep(self, picture: Picture) -> str:
        """Store a picture and return its digest."""
        return await asyncio.to_thread(self._folder.keep, picture.data, picture.mime)

    async def _stored(self, digest: str) -> Picture:
        """Return a stored picture of the audit."""
        return await asyncio.to_thread(self._folder.picture, digest)


def weaken_pixels(before: Picture, after: Picture, strength: int, of: int) -> Pixels:
    """Return a reproducible blend of two pictures, with `strength` / `of` of the second one. Raises BadPicture."""
    one, other = as_seen(before).convert("RGB"), as_seen(after).convert("RGB")
    if other.size != one.size:
        other = other.resize(one.size, Image.Resampling.LANCZOS)
    start = np.asarray(one).astype(np.int32)
    way = np.asarray(other).astype(np.int32) - start
    pixels: Pixels = (start + np.floor_divide(2 * way * strength + of, 2 * of)).astype(np.uint8)
    return pixels
