"""The work of each step: asking the model, extracting concepts, editing, judging."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

import msgspec

from countersight.audits.asking import AskedEditor, AskedModel, ShownPicture, conversation, measured, said, spent
from countersight.audits.checkers.protocol import Checker, EditShown
from countersight.audits.extraction.protocol import Extractor, Statement
from countersight.audits.folder import AuditFolder, digest_of
from countersight.audits.judges.protocol import Evidence, Judge
from countersight.audits.prompts import AuditPrompts
from countersight.audits.records import (
    Actor,
    CaseRecord,
    Check,
    Concepts,
    Dose,
    EditRecord,
    Response,
    Said,
    Stage,
    StepPlace,
    Thought,
    Usage,
    Verdict,
)
from countersight.audits.steps import DoesSteps, StepFailed, StepResult
from countersight.case import AnswerKind, Question
from countersight.editing import Abilities, Credentials, EditRequest, Instruction, OrderBook, marked
from countersight.editing.quality import PerceptualDistance
from countersight.engine import RetriesExhausted
from countersight.errors import AskingFailed, BadPicture, OrderInDoubt, Refused
from countersight.models import Request, Turn
from countersight.picture import Picture, check_picture
from countersight.scenes import Scene

Made = TypeVar("Made", CaseRecord, Said, Concepts, EditRecord, Check, Verdict, Dose, Thought)

NOTHING = Instruction(
    concept="",
    kind="object",
    action="nothing",
    positive="The picture exactly as it is. Change nothing.",
)
"""The control edit: if the answer changes with it, a change with any other edit proves nothing."""


class Subject(msgspec.Struct, frozen=True):
    """The subject of one case."""

    place: StepPlace
    question: Question
    shown: ShownPicture
    image: str
    """The picture's file name in the dataset."""
    scene: Scene | None


class Work:
    """Does the steps of one audit."""

    def __init__(
        self,
        folder: AuditFolder,
        prompts: AuditPrompts,
        steps: DoesSteps,
        lpips: PerceptualDistance | None = None,
        orders: OrderBook | None = None,
        credentials: Credentials | None = None,
    ) -> None:
        self._folder = folder
        self._lpips = lpips
        self.prompts = prompts
        self._steps = steps
        self._seed = folder.manifest.seed
        self._orders = orders
        self._credentials = credentials

    def mark(self, picture: Picture) -> Picture:
        """Return an edited picture with a mark, and a signature if there is a certificate."""
        said = marked(picture)
        return self._credentials.sign(said) if self._credentials else said

    async def do(
        self,
        kind: type[Made],
        stage: Stage,
        place: StepPlace,
        by: Actor,
        inputs: object,
        work: Callable[[], Awaitable[StepResult]],
    ) -> Made:
        """Return the output of a step, of the type of its stage; raises StepFailed if there is none."""
        output = await self._steps.do(stage, place, by, inputs, work)
        assert isinstance(output, kind)
        return output

    async def begin(self, place: StepPlace, record: CaseRecord, picture: Picture | BadPicture) -> ShownPicture:
        """Record a case and store its picture."""

        async def work() -> StepResult:
            if isinstance(picture, BadPicture):
                raise RetriesExhausted(AskingFailed(f"picture {record.image} {picture}", again=False), 1)
            return StepResult(msgspec.structs.replace(record, picture=await self.keep(picture)))

        # The scene follows from the case: a step of 0.1, which did not note it, is still the same step.
        known = msgspec.structs.replace(record, scene=None)
        inputs = (known, None if isinstance(picture, BadPicture) else digest_of(picture.data))
        output = await self.do(CaseRecord, "case", place, Actor(""), inputs, work)
        assert isinstance(picture, Picture)
        return ShownPicture(picture, output.picture)

    async def respond(
        self, model: AskedModel, subject: Subject, place: StepPlace, shown: ShownPicture, stages: tuple[Stage, Stage]
    ) -> Response:
        """Ask for the answer, then the explanation, in one conversation (EDCT 3, stage 1)."""
        question = subject.question
        turns: tuple[Turn, ...] = (Turn("user", self.prompts.ask(question), shown.picture),)
        first = await self.say(model, stages[0], place, turns, shown, question.unlisted_kind, question)
        turns = (*turns, Turn("assistant", first.text), Turn("user", self.prompts.why))
        return Response(first, await self.say(model, stages[1], place, turns, shown, "open", question))

    async def say(
        self,
        model: AskedModel,
        stage: Stage,
        place: StepPlace,
        turns: tuple[Turn, ...],
        shown: ShownPicture,
        kind: AnswerKind,
        question: Question,
    ) -> Said:
        """Return the model's next turn in a conversation."""
        asked = conversation(turns, shown)
        numbers = [*([] if place.concept is None else [place.concept]), *([place.dose] if place.dose else [])]
        key = "/".join((place.case, stage, *map(str, numbers)))

        async def work() -> StepResult:
            answered = await model.ask(Request(key, turns, kind, question=question.text))
            return StepResult(said(answered.answer), spent(answered), asked)

        return await self.do(Said, stage, place, model.party, asked, work)

    async def extract(
        self, extractor: Extractor, editor: AskedEditor | None, subject: Subject, baseline: Response, most: int
    ) -> Concepts:
        """Return the concepts of the explanation, and the edits that test them (stage 2)."""
        able = await self.able(editor, subject)
        statement = Statement(subject.question.text, baseline.answer.text, baseline.explanation.text, able)

        async def work() -> StepResult:
            found = await extractor.extract(statement, most, f"{subject.place.case}/concepts")
            return StepResult(msgspec.structs.replace(found.concepts, able=able), found.spent, found.asked)

        inputs = (statement, most, self.prompts.extract, self.prompts.again)
        return await self.do(Concepts, "concepts", subject.place, extractor.party, inputs, work)

    async def able(self, editor: AskedEditor | None, subject: Subject) -> Abilities | None:
        """Return the editor's abilities for a picture; None if there is no editor, or it accepts any words."""
        if editor is None:
            return None
        request = EditRequest(subject.shown.picture, NOTHING, self._seed, scene=subject.scene, name=subject.image)
        return await editor.abilities(request)

    async def edit(
        self, editor: AskedEditor, subject: Subject, place: StepPlace, instruction: Instruction
    ) -> EditRecord:
        """Return the edited picture, checked, measured and stored; or why there is none (stage 3)."""
        shown = subject.shown
        record = EditRecord(instruction, shown.digest, seed=self._seed)
        request = EditRequest(
            shown.picture, instruction, self._seed, scene=subject.scene, name=subject.image, orders=self._orders
        )

        async def work() -> StepResult:
            try:
                answered = await editor.ask(request)
                edited = answered.answer
                picture = self.mark(check_picture(edited.picture.data))
                control = instruction.action == "nothing"
                quality = await asyncio.to_thread(
                    measured, shown.picture, picture, edited.mask, control=control, lpips=self._lpips
                )
            except RetriesExhausted as given_up:
                if given_up.failure.again or isinstance(given_up.failure, Refused | OrderInDoubt):
                    raise  # it may be otherwise next time: the server is well or knows us, somebody looked at the bill
                failed = msgspec.structs.replace(record, failure=str(given_up))
                return StepResult(failed, Usage(attempts=given_up.attempts))
            except BadPicture as error:
                return StepResult(msgspec.structs.replace(record, failure=f"the edited picture {error}"))
            done = msgspec.structs.replace(
                record,
                after=await self.keep(picture),
                mask=await asyncio.to_thread(self._folder.keep, edited.mask, "image/png") if edited.mask else "",
                quality=quality,
                log=edited.log,
                scene=edited.scene if isinstance(edited.scene, Scene) else None,
            )
            return StepResult(done, Usage(cost=edited.cost, seconds=answered.seconds, attempts=answered.attempts))

        inputs = (instruction, shown.digest, self._seed, subject.scene, self._folder.manifest.lpips)
        return await self.do(EditRecord, "edit", place, editor.party, inputs, work)

    async def check(self, checker: Checker, subject: Subject, place: StepPlace, edit: EditRecord) -> Check:
        """Return one checker's result on whether an edit did what was requested (stage 3)."""
        here = msgspec.structs.replace(place, judge=checker.party.name)

        async def work() -> StepResult:
            after = await self.kept(edit.after)
            mask = (await self.kept(edit.mask)).picture.data if edit.mask else None
            seen = EditShown(edit.instruction, subject.shown.picture, after.picture, mask, subject.scene, edit.seed)
            result = await checker.check(seen, f"{place.case}/{place.concept}/check")
            return StepResult(result.check, result.spent, result.asked)

        inputs = (edit.instruction, edit.before, edit.after, edit.mask, subject.scene)
        return await self.do(Check, "check", here, checker.party, inputs, work)

    async def keep(self, picture: Picture) -> str:
        """Store a picture and return its digest."""
        return await asyncio.to_thread(self._folder.keep, picture.data, picture.mime)

    async def kept(self, digest: str) -> ShownPicture:
        """Return a stored picture of the audit, to be shown."""
        return ShownPicture(await asyncio.to_thread(self._folder.picture, digest), digest)

    async def judge_by_all(self, judges: Sequence[Judge], votes: int, place: StepPlace, evidence: Evidence) -> None:
        """Do every vote of every judge; one that fails does not keep the others from judging."""
        for judge in judges:
            for vote in range(1, (votes if judge.several else 1) + 1):
                with suppress(StepFailed):
                    await self.judge(judge, vote, place, evidence)

    async def judge(self, judge: Judge, vote: int, place: StepPlace, evidence: Evidence) -> Verdict:
        """One vote of one judge (stage 4)."""
        key = f"{place.case}/{place.concept}/verdict/{vote}"

        async def work() -> StepResult:
            judged = await judge.judge(evidence, vote, key)
            return StepResult(judged.verdict, judged.spent, judged.asked)

        here = msgspec.structs.replace(place, judge=judge.party.name, vote=vote)
        inputs = (evidence, self.prompts.judge, self.prompts.again)
        return await self.do(Verdict, "verdict", here, judge.party, inputs, work)
