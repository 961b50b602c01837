"""Check pairs with a language model: does the new answer follow, and can it be known without the picture?"""

from typing import Final

from countersight.authoring.checks import Fault, parts_of
from countersight.authoring.sources import PairDraft, SourceQuestion, question_like
from countersight.authoring.vocabulary import PROMPTS
from countersight.case import Question
from countersight.composer import compose
from countersight.engine import RetriesExhausted, StoredModel
from countersight.models import Request, Turn
from countersight.reading import answer_in

NOT_DERIVED: Final = "a model gives a different answer"
ANSWERED_BLIND: Final = "a model answers it without the picture"
_WORDINGS: Final[list[str]] = PROMPTS["blind"]["wordings"]
VOTES: Final = len(_WORDINGS)
"""How often a model is asked without the picture, each time in other words; if all answers are right, the pair is
dropped. The same words at temperature 0 would give the same answer."""
_WANTED: Final = {"number": "one number", "boolean": "yes or no"}


class PairChecker:
    """Checks pairs with a model, which sees only text."""

    def __init__(self, model: StoredModel) -> None:
        self._model = model

    async def fault(self, source: SourceQuestion, draft: PairDraft) -> tuple[str, Fault] | None:
        """Return the name of the check that a pair fails, and the model's answer; None if it passes."""
        return await self._derive(source, draft) or await self._blind(source, draft)

    async def _derive(self, source: SourceQuestion, draft: PairDraft) -> tuple[str, Fault] | None:
        """Check that the model derives the same answer from the old one, unless the composer computes it."""
        if source.group == "direct" and compose(int(source.answer), draft.question, source.question) is not None:
            return None
        question = question_like(source, draft.question)
        _, supposed = parts_of(draft.question) or ("", "")
        prompt = PROMPTS["derive"].format(
            question=source.question, answer=source.answer, supposed=supposed, wanted=_WANTED[question.kind]
        )
        answer = await self._answer(f"{source.id}/derive", prompt, question)
        is_same = answer == draft.answer
        return (
            None if is_same else (NOT_DERIVED, f"{self._model.name} answers {answer or 'nothing'}, not {draft.answer}")
        )

    async def _blind(self, source: SourceQuestion, draft: PairDraft) -> tuple[str, Fault] | None:
        """Check that the model does not answer correctly every time without the picture and the old answer."""
        question = question_like(source, draft.question)
        for number, wording in enumerate(_WORDINGS):
            prompt = wording.format(wanted=_WANTED[question.kind], question=draft.question)
            if await self._answer(f"{source.id}/blind/{number}", prompt, question) != draft.answer:
                return None
        return ANSWERED_BLIND, f"{self._model.name} answers {draft.answer} {VOTES} times of {VOTES}"

    async def _answer(self, key: str, prompt: str, question: Question) -> str | None:
        """Return the answer in the model's reply; None if there is none."""
        try:
            text = await self._model.ask(Request(key, (Turn("user", prompt),), question.kind, question=question.text))
        except RetriesExhausted:
            return None
        return answer_in(text, question)
