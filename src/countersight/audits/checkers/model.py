"""Check edits with a vision model, by asking it the same question about the pictures before and after."""

from msgspec.structs import replace

from countersight.audits.checkers.protocol import EditShown, cannot_tell, question_of
from countersight.audits.clients import ByModel
from countersight.audits.records import Check
from countersight.case import Question
from countersight.editing import Instruction, noun_in
from countersight.models import Request, Turn
from countersight.reading import answer_in


class ModelChecker(ByModel):
    """Asks a vision model, without mentioning the edit."""

    async def check(self, edit: EditShown, key: str) -> Check:
        """Ask yes or no about both pictures; an edit is done if the answer changed as it should."""
        asked = plain_question(edit.instruction)
        put = f"{asked}\nAnswer yes or no."
        said: list[str] = []
        for nth, picture in enumerate((edit.before, edit.after)):
            turn = Turn("user", put, picture)
            answered = await self._model.ask(Request(f"{key}/{nth}", (turn,), "boolean", question=asked))
            said.append(answered.answer.text)
        return check_replies(self.party.name, edit.instruction, tuple(said))


def plain_question(instruction: Instruction) -> str:
    """Return the question about both pictures, which does not reveal the edit."""
    target = noun_in(instruction.target or instruction.concept)
    match instruction.action:
        case "remove" | "move" | "resize":
            return f"Is there any {target} in this picture?"
        case "recolour" if instruction.value:
            return f"Is there any {target} in this picture that is {instruction.value}?"
        case "replace" if instruction.value:
            return f"Is there any {noun_in(instruction.value)} in this picture?"
    return f"Is this true of the picture: {instruction.positive}"


def check_replies(checker: str, instruction: Instruction, said: tuple[str, ...]) -> Check:
    """Return the result that follows from a model's two answers."""
    asked = plain_question(instruction)
    read = [answer_in(text, Question(asked, "yes", "boolean")) for text in said]
    if None in read or len(read) != 2:
        unread = cannot_tell(checker, instruction, f"no answer could be extracted from its replies to “{asked}”")
        return replace(unread, said=said)
    seen = f"“{asked}” {read[0]} before, {read[1]} after"
    wanted = ["yes", "no"] if instruction.action == "remove" else ["no", "yes"]
    if instruction.action in ("move", "resize"):
        wanted = ["yes", "yes"]
    done = read == wanted if read[0] == wanted[0] else None  # undecided if the model is wrong about the original
    return Check(checker, question_of(instruction), done, seen, said)
