"""Checks of pairs by a language model that sees only text: does the answer follow, and can it be guessed blind?"""

from typing import Final

from countersight.authoring.checks import parts_of
from countersight.authoring.sources import PairDraft, SourceQuestion, question_like
from countersight.authoring.vocabulary import read_table
from countersight.case import Question
from countersight.composer import compose
from countersight.engine import RetriesExhausted, StoredModel
from countersight.models import Request, Turn
from countersight.reading import answer_in

VOTES = 3
"""How often a model is asked without the picture; if all answers are right, the pair is dropped."""
ANSWERED_BLIND: Final = "a model answers it without the picture"
NOT_DERIVED: Final = "a model comes to another answer"
_PROMPTS: Final = read_table("prompts.toml")
_WANTED: Final = {"number": "one number", "boolean": "yes or no"}
_MOST_KNOWN = 8
"""The number of other questions about the picture shown to the model."""


class PairChecker:
    """Checks pairs with a model: whether the new answer follows, and whether it can be known without the picture."""

    def __init__(self, model: StoredModel) -> None:
        self._model = model

    async def fault(self, source: SourceQuestion, draft: PairDraft) -> tuple[str, str] | None:
        """Return the reason for dropping a pair and the model's answer, or None."""
        derived = self._changes if source.group == "boolean" else self._count
        return await derived(source, draft) or await self._blind(source, draft)

    async def _answer(self, key: str, prompt: str, question: Question, vote: int = 0) -> str | None:
        """Return the answer in the model's reply; None if there is none."""
        turns = (Turn("user", prompt),)
        try:
            text = await self._model.ask(Request(key, turns, question.kind, question=question.text, vote=vote))
        except RetriesExhausted:
            return None
        return answer_in(text, question)

    async def _changes(self, source: SourceQuestion, draft: PairDraft) -> tuple[str, str] | None:
        """Check that the supposition changes the answer to a yes/no question, as the draft says."""
        _, supposed = parts_of(draft.question) or ("", "")
        prompt = _PROMPTS["changes"].format(
            known=_known(source), question=source.question, answer=source.answer, supposed=supposed
        )
        answer = await self._answer(f"{source.id}/changes", prompt, Question(prompt, "", "boolean"))
        is_changed = answer == "yes"
        return None if is_changed else (NOT_DERIVED, f"{self._model.name} says that the answer stays {source.answer}")

    async def _count(self, source: SourceQuestion, draft: PairDraft) -> tuple[str, str] | None:
        """Check that the model derives the same new count from the old one, unless the composer computes it."""
        if compose(int(source.answer), draft.question, source.question) is not None:
            return None
        prompt = _PROMPTS["derive"].format(
            known=_known(source), question=source.question, answer=source.answer, new_question=draft.question
        )
        answer = await self._answer(f"{source.id}/derive", prompt, Question(draft.question, "", "number"))
        if answer == draft.answer:
            return None
        return NOT_DERIVED, f"{self._model.name} answers {answer or 'nothing'}, not {draft.answer}"

    async def _blind(self, source: SourceQuestion, draft: PairDraft) -> tuple[str, str] | None:
        """Check that the model does not answer correctly every time without the picture and the old answer."""
        question = question_like(source, draft.question)
        prompt = _PROMPTS["blind"].format(wanted=_WANTED[question.kind], question=draft.question)
        for vote in range(VOTES):
            if await self._answer(f"{source.id}/blind/{vote}", prompt, question, vote) != draft.answer:
                return None
        return ANSWERED_BLIND, f"{self._model.name} answers {draft.answer} {VOTES} times of {VOTES}"


def _known(source: SourceQuestion) -> str:
    known = "".join(f"- {text}\n" for text in source.beside[:_MOST_KNOWN])
    return f"What is also asked about the photograph:\n{known}" if known else ""
