"""A language model as the writer: it writes in the paper's steps, and then corrects its grammar (C-VQA 3.1, B)."""

import json
import re
import tomllib
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, Final, TypeVar

import msgspec

from countersight.authoring.checks import faults, parts_of
from countersight.authoring.drafts import OPERATIONS, PairDraft, Unwritten
from countersight.authoring.sources import SourceQuestion
from countersight.authoring.store import CachedModel
from countersight.case import Question
from countersight.composer import FILLER, compose
from countersight.models import Request, Turn
from countersight.reading import answer_in
from countersight.text import printable

SHOWN = 20
"""Examples shown to a model, drawn by seed once for all questions: what stands before the question is then the same in
every request and long enough (over 1,024 tokens) that servers keep it, and do not read it, or charge for it, anew."""
_EXAMPLES: Final[dict[str, list[dict[str, Any]]]] = tomllib.loads(
    (files(__package__) / "examples.toml").read_text(encoding="utf-8")
)
_STEPS: Final = {
    "direct": (
        "You change questions about the number of things in a photograph.\n"
        "1. Read the question and its answer.\n"
        "2. Choose an operation that changes the number: {operations}.\n"
        "3. Work out the new answer.\n"
        "4. Write the new question: it counts the same things, in the conditional (would), with one supposition (if) "
        "that does the operation. Suppose only what can be in this photograph. Say neither the old nor the new answer."
    ),
    "boolean": (
        "You change yes/no questions about a photograph.\n"
        "1. Read the question and its answer.\n"
        "2. Flip the answer.\n"
        "3. Find something that would make the flipped answer true, without stating it outright.\n"
        "4. Write the new question: it asks for the same thing, in the conditional (would), with one supposition (if) "
        "that says what you found. Suppose only what can be in this photograph."
    ),
}
_REPLY: Final = {
    "direct": '{"operation": "...", "new_answer": "...", "question": "..."}',
    "boolean": '{"because": "...", "new_answer": "yes or no", "question": "..."}',
}


def writing_prompt(source: SourceQuestion, wanted: tuple[str, ...], seed: int) -> str:
    """Return the prompt: the instructions shared by a group, then the question to change."""
    advice = f" Choose the operation {wanted[0]} if it fits." if source.group == "direct" else ""
    asked = f"Now this one.{advice}\nQuestion: {source.question}\nAnswer: {source.answer}"
    return f"{_told(source.group, seed)}\n\n{asked}"


@cache
def _told(group: str, seed: int) -> str:
    """The steps, the shape of a reply, and examples of ours."""
    examples = Random(f"{seed}/{group}").sample(_EXAMPLES[group], SHOWN)
    steps = _STEPS[group].format(operations=", ".join(OPERATIONS))
    shaped = f"Reply with one JSON object and nothing else: {_REPLY[group]}"
    return "\n\n".join((steps, shaped, "Examples:", *(_example(group, example) for example in examples)))


def _example(group: str, example: dict[str, Any]) -> str:
    key = "operation" if group == "direct" else "because"
    reply = {key: example[key], "new_answer": example["new_answer"], "question": example["new_question"]}
    return f"Question: {example['question']}\nAnswer: {example['answer']}\n{json.dumps(reply)}"


def shape(group: str) -> dict[str, Any]:
    """Return the JSON schema of a reply."""
    key = "operation" if group == "direct" else "because"
    properties = {name: {"type": "string"} for name in (key, "new_answer", "question")}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def polishing_prompt(draft: PairDraft) -> str:
    """Return the prompt for a second pass over the grammar."""
    return (
        "Correct the grammar of this question without changing what it means: keep every number, every thing and what "
        "is supposed. If nothing is wrong, repeat it as it is.\n"
        f'Reply with one JSON object and nothing else: {{"question": "..."}}\n\nQuestion: {draft.question}'
    )


def blind_prompt(question: str, group: str) -> str:
    """Return the prompt with the counterfactual question alone, without its picture and the factual answer."""
    wanted = "one number" if group == "direct" else "yes or no"
    return (
        f"There is a photograph that you cannot see. If the text of the question alone settles the answer, reply with "
        f"{wanted} and nothing else. If one would have to look at the photograph, reply: unknown\n{question}"
    )


REVIEWED: Final = {
    "changes": (True, "it supposes nothing that changes the scene"),
    "follows": (True, "the answer does not follow"),
    "fits": (True, "it does not fit the photograph"),
    "tells": (False, "it reveals the answer or the count"),
}
"""The questions to a reviewing model: the answer for a good pair, and the fault otherwise."""
_REVIEW_SHAPE: Final = {
    "type": "object",
    "properties": {**{name: {"type": "boolean"} for name in REVIEWED}, "why": {"type": "string"}},
    "required": [*REVIEWED, "why"],
    "additionalProperties": False,
}


def review_prompt(source: SourceQuestion, draft: PairDraft) -> str:
    """Return the prompt with both questions and answers, and what to review."""
    known = "".join(f"- {text}\n" for text in source.beside[:_TOLD])
    return (
        "A counterfactual question was written about a photograph that you cannot see. Check it.\n"
        + (f"What else is said or asked about the photograph:\n{known}" if known else "")
        + f"Question: {source.question}\nAnswer: {source.answer}\n"
        f"Counterfactual question: {draft.question}\nIts answer: {draft.answer}\n\n"
        "Reply with one JSON object and nothing else: "
        '{"changes": true or false, "follows": …, "fits": …, "tells": …, "why": "one sentence"}\n'
        "- changes: what is supposed changes something in the scene. It does not if nothing happens, or if it only "
        "concerns the photograph, whoever looks at it, or the answer itself.\n"
        "- follows: the answer follows from the first answer and from what is supposed.\n"
        "- fits: what is supposed can happen in the scene of such a photograph.\n"
        "- tells: the text states the answer, or how many things the photograph shows."
    )


_TOLD = 8
"""Captions and other questions that a model is told of."""
_KEPT = 600
TOLD_BLIND: Final = "a model answers it without the picture"
FAULTED: Final = "a model found a fault"
VOTES = 3
"""How often a model is asked without the picture; if all answers are right, the pair is dropped."""
_OBJECT: Final = re.compile(r"\{[^{}]{1,4000}\}", re.DOTALL)
_WORD: Final = re.compile(r"[a-z0-9]+")


_Shape = TypeVar("_Shape")


class _Written(msgspec.Struct):
    question: str
    new_answer: str | int
    operation: str = ""
    because: str = ""


class _Polished(msgspec.Struct):
    question: str


class _Verdict(msgspec.Struct):
    changes: bool | str
    follows: bool | str
    fits: bool | str
    tells: bool | str
    why: str = ""


class ModelWriter:
    """A writer that asks a model for each question; every reply is stored at once."""

    def __init__(self, model: CachedModel, seed: int) -> None:
        self._model = model
        self._seed = seed
        self.name = model.name

    async def write(self, source: SourceQuestion, wanted: tuple[str, ...]) -> PairDraft:
        """Return a counterfactual question as the model wrote and corrected it; raises Unwritten."""
        prompt = writing_prompt(source, wanted, self._seed)
        request = Request(
            f"{source.id}/write", (Turn("user", prompt),), "open", question=source.question, shape=shape(source.group)
        )
        draft = _draft(source, await self._said(request))
        return draft if next(faults(source, draft), None) else await self._polished(source, draft)

    async def _said(self, request: Request) -> str:
        reply = await self._model.ask(request)
        if reply.state == "failed":
            raise Unwritten("the model did not answer", reply.reason)
        if not reply.text.strip():
            raise Unwritten("an empty reply")
        return reply.text

    async def _polished(self, source: SourceQuestion, draft: PairDraft) -> PairDraft:
        """The draft in better grammar, where that says the same."""
        prompt = polishing_prompt(draft)
        request = Request(f"{source.id}/polish", (Turn("user", prompt),), "open", question=draft.question)
        try:
            text = await self._said(request)
        except Unwritten:
            return draft
        found = _object(text, _Polished)
        if found is None or not found.question.strip() or not _says_the_same(source, draft, found.question):
            return draft
        polished = msgspec.structs.replace(draft, question=_tidy(found.question))
        if polished.question == draft.question or next(faults(source, polished), None):
            return draft
        return msgspec.structs.replace(polished, unpolished=draft.question)


class PairChecker:
    """A model that reviews pairs, and is asked their questions without the picture."""

    def __init__(self, model: CachedModel) -> None:
        self._model = model

    async def fault(self, source: SourceQuestion, draft: PairDraft) -> tuple[str, str] | None:
        """Return the reason for dropping a pair and the model's words, or None.

        A question that is answered correctly every time without the picture and the factual answer needs no picture.
        """
        return await self._review(source, draft) or await self._told(source, draft)

    async def _review(self, source: SourceQuestion, draft: PairDraft) -> tuple[str, str] | None:
        request = Request(
            f"{source.id}/review",
            (Turn("user", review_prompt(source, draft)),),
            "open",
            question=draft.question,
            shape=_REVIEW_SHAPE,
        )
        reply = await self._model.ask(request)
        verdict = _object(reply.text, _Verdict)
        if reply.state == "failed" or verdict is None:
            return None  # a model that cannot judge is only asked without the picture
        wrong = [words for name, (wanted, words) in REVIEWED.items() if _is_yes(getattr(verdict, name)) != wanted]
        return (FAULTED, "; ".join([*wrong, printable(verdict.why)[:_KEPT]])) if wrong else None

    async def _told(self, source: SourceQuestion, draft: PairDraft) -> tuple[str, str] | None:
        asked = Question(draft.question, "", "number" if source.group == "direct" else "boolean")
        turns = (Turn("user", blind_prompt(draft.question, source.group)),)
        for vote in range(VOTES):
            reply = await self._model.ask(
                Request(f"{source.id}/blind/{vote}", turns, asked.kind, question=draft.question, vote=vote)
            )
            if reply.state == "failed" or answer_in(reply.text, asked) != draft.answer:
                return None
        return TOLD_BLIND, f"{self._model.name} answers {draft.answer} {VOTES} times of {VOTES}"


def _is_yes(value: bool | str) -> bool:
    return value.strip().casefold() in ("yes", "true") if isinstance(value, str) else value


def _draft(source: SourceQuestion, text: str) -> PairDraft:
    found = _object(text, _Written)
    if found is None or not found.question.strip():
        raise Unwritten("a reply that is not valid JSON", written=printable(text.replace("\n", " "))[:_KEPT])
    kind = Question(found.question, "", "number" if source.group == "direct" else "boolean")
    answer = answer_in(str(found.new_answer)[:100], kind)
    if answer is None:
        raise Unwritten("a reply without an answer", written=printable(text.replace("\n", " "))[:_KEPT])
    operation = found.operation.strip().casefold() if source.group == "direct" else "flip"
    question = _tidy(found.question)
    clause = parts_of(question)
    named = operation if operation in (*OPERATIONS, "flip") else "another"
    return PairDraft(question, answer, named, _pattern(clause[1] if clause else ""))


def _object(text: str, kind: type[_Shape]) -> _Shape | None:
    """The first JSON object of that shape in a reply, whatever stands around it."""
    for found in _OBJECT.findall(text):
        try:
            return msgspec.json.decode(found, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue
    return None


def _tidy(question: str) -> str:
    text = " ".join(question.split())
    return text[:1].upper() + text[1:]


def _pattern(clause: str) -> str:
    """A supposition without its numbers and names."""
    words = [word for word in _WORD.findall(clause.casefold()) if not word.isdigit()]
    return " ".join(word if word in FILLER or word.endswith("ed") else "_" for word in words)


def _says_the_same(source: SourceQuestion, draft: PairDraft, question: str) -> bool:
    """For a number the composer comes to the same; for yes and no the same words stand in both, little ones apart."""
    if source.group == "direct":
        return compose(int(source.answer), question, source.question) == int(draft.answer)
    before, after = (set(_WORD.findall(text.casefold())) - FILLER for text in (draft.question, question))
    return len(before ^ after) <= 2
