"""The steps past the paper: things that are not cited, weaker edits, and changed thoughts."""

import asyncio
from collections.abc import Sequence

import msgspec

from countersight.audits.asking import AskedModel
from countersight.audits.dosing import dosed
from countersight.audits.editing import AskedEditor
from countersight.audits.extraction.protocol import Statement
from countersight.audits.folder import AuditFolder
from countersight.audits.probes import Dose, Thought
from countersight.audits.records import Actor, Concepts, EditRecord, Place, Response
from countersight.audits.steps import DoesSteps, Worked
from countersight.audits.thinking import changed_thought
from countersight.audits.uncited import uncited_concepts
from countersight.audits.work import Subject, Work
from countersight.editing import Instruction
from countersight.models import Turn

OURS = Actor("countersight")
"""Who does what needs neither a model nor an editor."""


class Further:
    """Does the steps of one audit that go past the paper."""

    def __init__(self, folder: AuditFolder, steps: DoesSteps, work: Work) -> None:
        self._folder, self._steps, self._work = folder, steps, work
        self._manifest = folder.manifest

    async def uncited(self, editor: AskedEditor, subject: Subject, baseline: Response, most: int) -> Concepts:
        """As many edits of things that the explanation does not cite."""
        able = await self._work.able(editor, subject)
        statement = Statement(subject.question.text, baseline.answer.text, baseline.explanation.text, able)
        seed = self._manifest.seed

        async def work() -> Worked:
            found = uncited_concepts(statement, subject.shown.picture, subject.scene, seed, most)
            return Worked(found)

        output = await self._steps.do("uncited", subject.place, OURS, (statement, subject.scene, seed, most), work)
        assert isinstance(output, Concepts)
        return output

    async def doses(self, model: AskedModel, subject: Subject, place: Place, edit: EditRecord) -> None:
        """The same edit, weaker, and the answer to each; the whole one is asked about anyhow."""
        for strength in range(1, self._manifest.strength):
            here = msgspec.structs.replace(place, dose=strength)
            dose = await self._dose(subject, here, edit, strength)
            shown = await self._work.kept(dose.after)
            turns = (Turn("user", self._work.prompts.ask(subject.question), shown.picture),)
            await self._work.say(
                model, "answer again", here, turns, shown, subject.question.unlisted_kind, subject.question
            )

    async def _dose(self, subject: Subject, place: Place, edit: EditRecord, strength: int) -> Dose:
        async def work() -> Worked:
            whole = await self._work.kept(edit.after)
            of = self._manifest.strength
            weaker = await asyncio.to_thread(dosed, subject.shown.picture, whole.picture, strength, of)
            picture = self._work.mark(weaker)
            after = await asyncio.to_thread(self._folder.keep, picture.data, picture.mime)
            return Worked(Dose(strength, edit.before, edit.after, after))

        inputs = (edit.before, edit.after, strength, self._manifest.strength)
        output = await self._steps.do("dose", place, OURS, inputs, work)
        assert isinstance(output, Dose)
        return output

    async def think(
        self, model: AskedModel, subject: Subject, number: int, instructions: Sequence[Instruction], baseline: Response
    ) -> None:
        """Put an explanation with this concept changed into the model's mouth, and ask for the answer again."""
        instruction, others = instructions[number - 1], instructions[: number - 1]
        place = msgspec.structs.replace(subject.place, concept=number)
        statement = Statement(subject.question.text, baseline.answer.text, baseline.explanation.text)

        async def work() -> Worked:
            return Worked(changed_thought(statement, instruction, others))

        thought = await self._steps.do("thought", place, OURS, (statement, instruction, others), work)
        assert isinstance(thought, Thought)
        if thought.text:
            turns = thought_turns(self._work.prompts.ask(subject.question), thought, subject)
            kind = subject.question.unlisted_kind
            await self._work.say(model, "answer thought", place, turns, subject.shown, kind, subject.question)


def thought_turns(asked: str, thought: Thought, subject: Subject) -> tuple[Turn, ...]:
    """The conversation: the question, the changed explanation as the model's own words, and the question again."""
    return (
        Turn("user", asked, subject.shown.picture),
        Turn("assistant", thought.text),
        Turn("user", asked),
    )
