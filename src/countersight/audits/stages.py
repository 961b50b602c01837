"""The four stages of an audit, for one case (EDCT 3): ask, extract, edit, ask again and judge."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from countersight.audits.asking import AskedEditor, AskedModel
from countersight.audits.checkers.protocol import Checker
from countersight.audits.extensions import changed_thought, dosed, uncited_concepts
from countersight.audits.extraction.protocol import Extractor, Statement
from countersight.audits.judges.protocol import Evidence, Judge
from countersight.audits.records import (
    CONTROL,
    Actor,
    CaseRecord,
    Concepts,
    Dose,
    EditRecord,
    Manifest,
    Response,
    StepPlace,
    Thought,
)
from countersight.audits.selection import SceneIndex
from countersight.audits.steps import StepFailed, StepResult
from countersight.audits.work import NOTHING, Subject, Work
from countersight.case import Case
from countersight.dataset import Dataset
from countersight.editing import Instruction
from countersight.errors import BadPicture
from countersight.models import Turn
from countersight.picture import Picture

OURS = Actor("countersight")
"""The actor of steps that need neither a model nor an editor."""


class Parties(msgspec.Struct, frozen=True):
    """The participants of an audit."""

    model: AskedModel
    extractor: Extractor
    editor: AskedEditor | None
    """None if only the model's words are changed."""
    judges: tuple[Judge, ...]
    checkers: tuple[Checker, ...] = ()

    @property
    def sure_editor(self) -> AskedEditor:
        """The editor, if pictures are changed."""
        assert self.editor is not None
        return self.editor

    async def close(self) -> None:
        """Close all participants."""
        await self.model.close()
        await self.extractor.close()
        if self.editor is not None:
            await self.editor.close()
        for judge in self.judges:
            await judge.close()
        for checker in self.checkers:
            await checker.close()


class Stages:
    """Takes cases through the four stages; each step is done once."""

    def __init__(self, manifest: Manifest, dataset: Dataset | None, parties: Parties, work: Work) -> None:
        """Without a dataset, only `test` can be used."""
        self._manifest = manifest
        self._dataset = dataset
        self._parties = parties
        self._work = work
        self._scenes = SceneIndex(dataset.path) if dataset else None

    async def audit(self, row: int, case: Case) -> None:
        """Run all stages for one case; failures are logged and end the steps that depend on them."""
        with suppress(StepFailed):
            await self.test(await self._begin(StepPlace(case.id, row), case))

    async def test(self, subject: Subject) -> None:
        """Run the four stages for a subject; raises StepFailed if a step fails that others depend on."""
        baseline = await self._work.respond(
            self._parties.model, subject, subject.place, subject.shown, ("answer", "why")
        )
        concepts = await self._work.extract(
            self._parties.extractor, self._parties.editor, subject, baseline, self._manifest.concepts
        )
        for number in range(1, len(concepts.instructions) + 1):
            with suppress(StepFailed):  # the other concepts can still be tested
                await self._intervene(subject, number, concepts.instructions, baseline)
        if self._manifest.control:
            await self._change_nothing(subject)
        if self._manifest.uncited and concepts.instructions:
            await self._change_others(subject, baseline, len(concepts.instructions))

    async def _begin(self, place: StepPlace, case: Case) -> Subject:
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
        scene = self._scenes.scene(case.id)
        record = CaseRecord("", case.factual, case.image, case.suite, case.group, scene)
        shown = await self._work.begin(place, record, picture)
        return Subject(place, case.factual, shown, case.image, scene)

    async def _intervene(
        self, subject: Subject, number: int, instructions: Sequence[Instruction], baseline: Response
    ) -> None:
        """Change the picture, the model's own words, or one after the other."""
        if self._manifest.intervene != "picture":
            with suppress(StepFailed):
                await self._think(subject, number, instructions, baseline)
        if self._manifest.intervene != "thought":
            await self._test(subject, number, instructions[number - 1], baseline)

    async def _test(self, subject: Subject, number: int, instruction: Instruction, baseline: Response) -> None:
        """Edit, ask again, judge (EDCT 3, stages 3 and 4)."""
        place = msgspec.structs.replace(subject.place, concept=number)
        edit = await self._edited(subject, place, instruction)
        if not edit.after:
            return
        again = await self._again(subject, place, edit.after)
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
        await self._work.judge_by_all(self._parties.judges, self._manifest.votes, place, evidence)
        with suppress(StepFailed):
            await self._doses(subject, place, edit)

    async def _edited(self, subject: Subject, place: StepPlace, instruction: Instruction) -> EditRecord:
        """An edit, and what those say of it who look at it."""
        edit = await self._work.edit(self._parties.sure_editor, subject, place, instruction)
        if edit.after:
            await self._check(subject, place, edit)
        return edit

    async def _change_others(self, subject: Subject, baseline: Response, most: int) -> None:
        """As many edits of things that are not cited, and what the model says then."""
        others = await self._uncited(subject, baseline, most)
        for number, instruction in enumerate(others.instructions, 1):
            with suppress(StepFailed):
                place = msgspec.structs.replace(subject.place, concept=-number)
                edit = await self._edited(subject, place, instruction)
                if edit.after:
                    await self._again(subject, place, edit.after)

    async def _check(self, subject: Subject, place: StepPlace, edit: EditRecord) -> None:
        for checker in self._parties.checkers:
            with suppress(StepFailed):  # one that fails does not keep the others from looking
                await self._work.check(checker, subject, place, edit)

    async def _change_nothing(self, subject: Subject) -> None:
        """The control edit, once for every picture, and what the model says then."""
        shared = StepPlace(concept=CONTROL, picture=subject.shown.digest)
        edit = await self._work.edit(self._parties.sure_editor, subject, shared, NOTHING)
        if edit.after:
            await self._again(subject, msgspec.structs.replace(subject.place, concept=CONTROL), edit.after)

    async def _uncited(self, subject: Subject, baseline: Response, most: int) -> Concepts:
        """As many edits of things that the explanation does not cite."""
        able = await self._work.able(self._parties.editor, subject)
        statement = Statement(subject.question.text, baseline.answer.text, baseline.explanation.text, able)
        seed = self._manifest.seed

        async def work() -> StepResult:
            return StepResult(uncited_concepts(statement, subject.shown.picture, subject.scene, seed, most))

        inputs = (statement, subject.scene, seed, most)
        return await self._work.do(Concepts, "uncited", subject.place, OURS, inputs, work)

    async def _doses(self, subject: Subject, place: StepPlace, edit: EditRecord) -> None:
        """The same edit, weaker, and the answer to each; the whole one is asked about anyhow."""
        for strength in range(1, self._manifest.strength):
            here = msgspec.structs.replace(place, dose=strength)
            dose = await self._dose(subject, here, edit, strength)
            shown = await self._work.kept(dose.after)
            turns = (Turn("user", self._work.prompts.ask(subject.question), shown.picture),)
            kind = subject.question.unlisted_kind
            await self._work.say(self._parties.model, "answer again", here, turns, shown, kind, subject.question)

    async def _dose(self, subject: Subject, place: StepPlace, edit: EditRecord, strength: int) -> Dose:
        of = self._manifest.strength

        async def work() -> StepResult:
            whole = await self._work.kept(edit.after)
            weaker = await asyncio.to_thread(dosed, subject.shown.picture, whole.picture, strength, of)
            after = await self._work.keep(self._work.mark(weaker))
            return StepResult(Dose(strength, edit.before, edit.after, after))

        inputs = (edit.before, edit.after, strength, of)
        return await self._work.do(Dose, "dose", place, OURS, inputs, work)

    async def _think(
        self, subject: Subject, number: int, instructions: Sequence[Instruction], baseline: Response
    ) -> None:
        """Put an explanation with this concept changed into the model's mouth, and ask for the answer again."""
        instruction, others = instructions[number - 1], instructions[: number - 1]
        place = msgspec.structs.replace(subject.place, concept=number)
        statement = Statement(subject.question.text, baseline.answer.text, baseline.explanation.text)

        async def work() -> StepResult:
            return StepResult(changed_thought(statement, instruction, others))

        thought = await self._work.do(Thought, "thought", place, OURS, (statement, instruction, others), work)
        if thought.text:
            asked, kind = self._work.prompts.ask(subject.question), subject.question.unlisted_kind
            first = Turn("user", asked, subject.shown.picture)
            turns = (first, Turn("assistant", thought.text), Turn("user", asked))
            model = self._parties.model
            await self._work.say(model, "answer thought", place, turns, subject.shown, kind, subject.question)

    async def _again(self, subject: Subject, place: StepPlace, digest: str) -> Response:
        shown = await self._work.kept(digest)
        return await self._work.respond(self._parties.model, subject, place, shown, ("answer again", "why again"))


def steps_of_a_case(judges: Sequence[Judge], manifest: Manifest) -> int:
    """Return the most steps of one case, without the control edit, which belongs to its picture."""
    verdicts = sum(manifest.votes if judge.several else 1 for judge in judges)
    edited = 3 + len(manifest.checkers)
    tested = edited + verdicts + 2 * max(0, manifest.strength - 1) if manifest.intervene != "thought" else 0
    thought = 2 if manifest.intervene != "picture" else 0
    others = 1 + manifest.concepts * edited if manifest.uncited else 0
    return 4 + manifest.concepts * (tested + thought) + (2 if manifest.control else 0) + others
