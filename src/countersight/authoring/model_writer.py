"""Write pairs with a language model, following the steps of the C-VQA paper (3.1, appendix B)."""

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
from countersight.authoring.vocabulary import PROMPTS, read_table
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
    parts = [PROMPTS["write"][group].format(operations=", ".join(OPERATIONS))]
    for each in Random(f"{seed}/{group}").sample(_EXAMPLES[group], SHOWN):
        reply = {key: each[key], "new_answer": each["new_answer"], "question": each["new_question"]}
        parts.append(f"Question: {each['question']}\nAnswer: {each['answer']}\n{json.dumps(reply)}")
    return "\n\n".join(parts)


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
        draft = _draft(source, await self._reply(f"{source.id}/write", prompt, source.question, shape))
        return draft if first_fault(source, draft) else await self._polished(source, draft)

    async def _reply(self, key: str, prompt: str, question: str, shape: dict[str, Any] | None = None) -> str:
        request = Request(key, (Turn("user", prompt),), "open", question=question, shape=shape)
        try:
            text = await self._model.ask(request)
        except RetriesExhausted as failure:
            raise Unwritten("the model did not answer", str(failure)) from None
        if not text.strip():
            raise Unwritten("an empty reply")
        return text

    async def _polished(self, source: SourceQuestion, draft: PairDraft) -> PairDraft:
        """Return the draft with corrected grammar, or unchanged if the correction changes its meaning."""
        prompt = PROMPTS["polish"].format(question=draft.question)
        try:
            text = await self._reply(f"{source.id}/polish", prompt, draft.question)
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
