"""The four stages of an audit, for one case (EDCT 3): ask, extract, edit, ask again and judge."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from countersight.audit.asking import AskedModel
from countersight.audit.checkers.protocol import Checker
from countersight.audit.editing import AskedEditor
from countersight.audit.extraction.protocol import Extractor
from countersight.audit.judges.protocol import Evidence, Judge
from countersight.audit.records import CONTROL, CaseRecord, EditRecord, Manifest, Place, Response
from countersight.audit.scene_index import SceneIndex
from countersight.audit.steps import StepFailed
from countersight.audit.work import NOTHING, Subject, Work
from countersight.case import Case
from countersight.dataset import Dataset
from countersight.editing import Instruction
from countersight.errors import BadPicture
from countersight.picture import Picture


class Parties(msgspec.Struct, frozen=True):
    """Everybody who takes part."""

    model: AskedModel
    extractor: Extractor
    editor: AskedEditor
    judges: tuple[Judge, ...]
    checkers: tuple[Checker, ...] = ()

    async def close(self) -> None:
        """Let everybody go."""
        await self.model.close()
        await self.extractor.close()
        await self.editor.close()
        for judge in self.judges:
            await judge.close()
        for checker in self.checkers:
            await checker.close()


class Stages:
    """Takes cases through the four stages, each step once."""

    def __init__(self, manifest: Manifest, dataset: Dataset, parties: Parties, work: Work) -> None:
        self._manifest = manifest
        self._dataset = dataset
        self._parties = parties
        self._work = work
        self._scenes = SceneIndex(dataset.path)

    async def audit(self, row: int, case: Case) -> None:
        """Everything about one case; what fails is in the log, and ends what would build on it."""
        with suppress(StepFailed):
            subject = await self._begin(Place(case.id, row), case)
            baseline = await self._work.respond(
                self._parties.model, subject, subject.place, subject.shown, ("answer", "why")
            )
            concepts = await self._work.extract(
                self._parties.extractor, self._parties.editor, subject, baseline, self._manifest.concepts
            )
            for number, instruction in enumerate(concepts.instructions, 1):
                with suppress(StepFailed):  # the other concepts can still be tested
                    await self._test(subject, number, instruction, baseline)
            if self._manifest.control:
                await self._change_nothing(subject)

    async def _begin(self, place: Place, case: Case) -> Subject:
        assert case.factual is not None
        assert case.image is not None
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

    async def _test(self, subject: Subject, number: int, instruction: Instruction, baseline: Response) -> None:
        """Edit, ask again, judge (EDCT 3, stages 3 and 4)."""
        place = msgspec.structs.replace(subject.place, concept=number)
        edit = await self._work.edit(self._parties.editor, subject, place, instruction)
        if not edit.after:
            return
        await self._check(subject, place, edit)
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
        for judge in self._parties.judges:
            for vote in range(1, (self._manifest.votes if judge.several else 1) + 1):
                with suppress(StepFailed):  # a judge that fails does not keep the others from judging
                    await self._work.judge(judge, vote, place, evidence)

    async def _check(self, subject: Subject, place: Place, edit: EditRecord) -> None:
        for checker in self._parties.checkers:
            with suppress(StepFailed):  # one that fails does not keep the others from looking
                await self._work.check(checker, subject, place, edit)

    async def _change_nothing(self, subject: Subject) -> None:
        """The control edit, once for every picture, and what the model says then."""
        shared = Place(concept=CONTROL, picture=subject.shown.digest)
        edit = await self._work.edit(self._parties.editor, subject, shared, NOTHING)
        if edit.after:
            await self._again(subject, msgspec.structs.replace(subject.place, concept=CONTROL), edit.after)

    async def _again(self, subject: Subject, place: Place, digest: str) -> Response:
        shown = await self._work.kept(digest)
        return await self._work.respond(self._parties.model, subject, place, shown, ("answer again", "why again"))


def steps_of_a_case(judges: Sequence[Judge], votes: int, concepts: int, *, control: bool, checkers: int = 0) -> int:
    """The most steps a case can take by itself; a control edit is its picture's."""
    verdicts = sum(votes if judge.several else 1 for judge in judges)
    return 4 + concepts * (3 + checkers + verdicts) + (2 if control else 0)
