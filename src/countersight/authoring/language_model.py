"""Write pairs with a language model, following the steps of the C-VQA paper (3.1, appendix B), and check them.

The check sees only text: does the new answer follow from the old one, and can it be known without the picture?
"""

import json
import re
from contextlib import suppress
from functools import cache
from itertools import islice
from random import Random
from typing import Any, Final

import msgspec

from countersight.authoring.checks import first_fault, parts_of
from countersight.authoring.sources import OPERATIONS, PairDraft, SourceQuestion, Unwritten, question_like
from countersight.authoring.vocabulary import read_table
from countersight.case import Question
from countersight.composer import FILLER, compose
from countersight.engine import RetriesExhausted, StoredModel
from countersight.models import Request, Turn
from countersight.reading import answer_in
from countersight.text import printable

SHOWN = 20
"""The number of examples shown to a model. They are drawn once for all questions, so that all requests begin with the
same text, which is long enough (over 1,024 tokens) for the prompt caches of servers."""
_MAX_LENGTH = 600
_EXAMPLES: Final = read_table("examples.toml")
_PROMPTS: Final = read_table("prompts.toml")
VOTES = 3
"""How often a model is asked without the picture; if all answers are right, the pair is dropped."""
ANSWERED_BLIND: Final = "a model answers it without the picture"
NOT_DERIVED: Final = "a model gives a different answer"
_WANTED: Final = {"number": "one number", "boolean": "yes or no"}
_MOST_KNOWN = 8
"""The number of other questions about the picture shown to the checking model."""
_MOST_OBJECTS = 50
_WORD: Final = re.compile(r"[a-z0-9]+")


class _Written(msgspec.Struct):
    question: str
    new_answer: str | int = ""
    operation: str = ""


@cache
def _instructions(group: str, seed: int) -> str:
    """Return the beginning of every prompt of a group: the steps, the form of a reply, and examples."""
    key = "operation" if group == "direct" else "because"
    parts = [_PROMPTS["write"][group].format(operations=", ".join(OPERATIONS))]
    for each in Random(f"{seed}/{group}").sample(_EXAMPLES[group], SHOWN):
        reply = {key: each[key], "new_answer": each["new_answer"], "question": each["new_question"]}
        parts.append(f"Question: {each['question']}\nAnswer: {each['answer']}\n{json.dumps(reply)}")
    return "\n\n".join(parts)


def _request(key: str, prompt: str, question: str, shape: dict[str, Any] | None = None) -> Request:
    return Request(key, (Turn("user", prompt),), "open", question=question, shape=shape)


class ModelWriter:
    """A writer that asks a model for each question; every reply is stored at once."""

    def __init__(self, model: StoredModel, seed: int) -> None:
        self._model = model
        self._seed = seed
        self.name = model.name

    async def write(self, source: SourceQuestion, wanted: tuple[str, ...]) -> PairDraft:
        """Return a counterfactual question as the model wrote and corrected it; raises Unwritten."""
        is_count = source.group == "direct"
        advice = f" Choose the operation {wanted[0]} if it fits." if is_count else ""
        now = f"Now this one.{advice}\nQuestion: {source.question}\nAnswer: {source.answer}"
        prompt = f"{_instructions(source.group, self._seed)}\n\n{now}"
        key = "operation" if is_count else "because"
        names = (key, "new_answer", "question")
        shape = {
            "type": "object",
            "properties": {name: {"type": "string"} for name in names},
            "required": list(names),
            "additionalProperties": False,
        }
        draft = _draft(source, await self._reply(_request(f"{source.id}/write", prompt, source.question, shape)))
        return draft if first_fault(source, draft) else await self._polished(source, draft)

    async def _reply(self, request: Request) -> str:
        try:
            text = await self._model.ask(request)
        except RetriesExhausted as failure:
            raise Unwritten("the model did not answer", str(failure)) from None
        if not text.strip():
            raise Unwritten("an empty reply")
        return text

    async def _polished(self, source: SourceQuestion, draft: PairDraft) -> PairDraft:
        """Return the draft with corrected grammar, or unchanged if the correction changes its meaning."""
        prompt = _PROMPTS["polish"].format(question=draft.question)
        try:
            text = await self._reply(_request(f"{source.id}/polish", prompt, draft.question))
        except Unwritten:
            return draft
        found = _written(text)
        if found is None or not _says_the_same(source, draft, found.question):
            return draft
        polished = msgspec.structs.replace(draft, question=_tidy(found.question), unpolished=draft.question)
        same = polished.question == draft.question
        return draft if same or first_fault(source, polished) else polished


def _draft(source: SourceQuestion, text: str) -> PairDraft:
    """Return the draft in a reply; raises Unwritten."""
    written = printable(text.replace("\n", " "))[:_MAX_LENGTH]
    found = _written(text)
    if found is None:
        raise Unwritten("a reply that is not valid JSON", written=written)
    answer = answer_in(str(found.new_answer)[:100], question_like(source, found.question))
    if answer is None:
        raise Unwritten("a reply without an answer", written=written)
    operation = found.operation.strip().casefold() if source.group == "direct" else "flip"
    question = _tidy(found.question)
    _, clause = parts_of(question) or ("", "")
    words = [word for word in _WORD.findall(clause.casefold()) if not word.isdigit()]
    pattern = " ".join(word if word in FILLER or word.endswith("ed") else "_" for word in words)
    return PairDraft(question, answer, operation if operation in (*OPERATIONS, "flip") else "another", pattern)


def _written(text: str) -> _Written | None:
    """Return the first JSON object with a question in a reply, ignoring the text around it."""
    for brace in islice(re.finditer(r"\{", text), _MOST_OBJECTS):
        with suppress(ValueError, RecursionError):  # msgspec's errors are ValueErrors
            found = msgspec.convert(json.JSONDecoder(strict=False).raw_decode(text, brace.start())[0], _Written)
            return found if found.question.strip() else None
    return None


def _tidy(question: str) -> str:
    text = " ".join(question.split())
    return text[:1].upper() + text[1:]


def _says_the_same(source: SourceQuestion, draft: PairDraft, question: str) -> bool:
    """Whether a correction keeps the meaning: the computed number, or the content words of a yes/no question."""
    if source.group == "direct":
        return compose(int(source.answer), question, source.question) == int(draft.answer)
    before, after = (set(_WORD.findall(text.casefold())) - FILLER for text in (draft.question, question))
    return len(before ^ after) <= 2


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
