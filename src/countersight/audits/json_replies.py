"""Replies in a required format: find and check the JSON in a model's reply, and ask again if it is missing."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

import msgspec

from countersight.audits.records import Attempt, RecordedTurn, Usage
from countersight.audits.steps import AskedModel, add_usage, conversation, replace_surrogates
from countersight.engine import fill
from countersight.models import Request, Turn
from countersight.text import printable

MARK = "| "
LONGEST_QUOTATION = 8_000
"""Maximum length of a text that is quoted in a prompt, in characters; explanations are far shorter."""
_BREAKS = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1b\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
"""Invisible characters, which could hide words from a person who reads the log."""


def flatten(text: str) -> str:
    """Return a text on one line without quotation marks, for prompts that are used as published."""
    return " ".join(_plain(text).split()) or "(nothing)"


def _plain(text: str) -> str:
    """Return the part of a text that is quoted, with invisible characters made visible."""
    return _UNSEEN.sub("\ufffd", replace_surrogates(text[:LONGEST_QUOTATION]))


def quote(name: str, text: str) -> str:
    """Quote a text as data under a name: every line is marked, and the result is reproducible."""
    plain = _plain(text)
    tag = hashlib.sha256(f"{name}/{plain}".encode()).hexdigest()[:12]
    lines = [f"{MARK}{line}" for line in _BREAKS.split(plain)]
    cut = [f"(cut: {len(text):,} characters in all)"] if len(text) > LONGEST_QUOTATION else []
    return "\n".join((f"--- {name} {tag} begins ---", *lines, f"--- {name} {tag} ends ---", *cut))


_SCORE: Final = r"\b{}\b[^\w-]{{0,12}}(?P<score>[01](?:\.0+)?|true|false)\b(?!\.\d)"
_SCORES: Final = {name: re.compile(_SCORE.format(name), re.IGNORECASE) for name in ("pcs", "ncc")}
_REASONS: Final = {
    "pcs_reason": re.compile(r"Prediction Change Score[^:\n]{0,20}:\W*(?P<words>[^\n]{3,2000})", re.IGNORECASE),
    "ncc_reason": re.compile(r"NLE Concept Consistency[^:\n]{0,20}:\W*(?P<words>[^\n]{3,2000})", re.IGNORECASE),
}
_PART: Final = r"{} Prompt\W{{0,8}}:\W{{0,8}}(?P<words>.{{3,2000}}?)[\"“”*\s]*"
_POSITIVE: Final = re.compile(_PART.format("Positive") + r"(?=Negative Prompt|\Z)", re.IGNORECASE | re.DOTALL)
_NEGATIVE: Final = re.compile(_PART.format("Negative") + r"(?=Positive Prompt|\Z)", re.IGNORECASE | re.DOTALL)


def parse_scores(text: str) -> dict[str, Any] | None:
    """Return PCS and NCC with their reasons if a reply gives each exactly one score; None otherwise."""
    found: dict[str, Any] = {}
    for name, pattern in _SCORES.items():
        given = {match["score"].casefold() for match in pattern.finditer(text)}
        values = {"1" if each in ("true", "1") or each.startswith("1.") else "0" for each in given}
        if len(values) != 1:
            return None
        found[name] = values.pop()
    for name, pattern in _REASONS.items():
        reason = pattern.search(text)
        found[name] = reason["words"].strip() if reason else ""
    return found


def parse_edit(text: str) -> dict[str, Any] | None:
    """Return the edit that a reply describes by a positive and a negative prompt; None if there is none."""
    positive, negative = _POSITIVE.search(text), _NEGATIVE.search(text)
    if positive is None:
        return None
    words, unwanted = positive["words"].strip(), negative["words"].strip() if negative else ""
    return {
        "concepts": [
            {"concept": unwanted[:500] or words[:500], "kind": "object", "action": "other", "positive": words,
             "negative": unwanted}
        ]
    }  # fmt: skip


TRIES = 3
"""Maximum number of requests for a reply in the required format; after that, a judge abstains."""
LONGEST = 100_000
"""Maximum length of the part of a reply that is searched, in characters."""
NO_JSON = "there is no JSON object in it"
_OBJECTS = 64
"""Maximum number of opening braces that are tried, so that a text full of braces does not take too long."""
_DECODER = json.JSONDecoder()
_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)

Shape = TypeVar("Shape")


class BadShape(ValueError):  # noqa: N818 - it names the thing
    """Raised if a reply does not have the required format; the message says what is wrong."""


class Shaped(msgspec.Struct, frozen=True):
    """The result of asking for a reply in a required format."""

    tries: tuple[Attempt, ...]
    """All replies. Only the last can have the required format; if it does, its `fault` is empty."""
    spent: Usage
    asked: tuple[RecordedTurn, ...]


def read_shape(
    text: str, shape: type[Shape], otherwise: Callable[[str], dict[str, Any] | None] = lambda text: None
) -> Shape:
    """Parse the value in a text, or raise BadShape. `otherwise` parses a text that contains no JSON.

    The JSON may be fenced, surrounded by text, or preceded by reasoning. Two different values are an error: the model
    may have repeated one that it was shown.
    """
    text = _THOUGHT.sub("", text[:LONGEST]).strip()
    fault = NO_JSON
    found: list[Shape] = []
    for part in _objects(text):
        try:
            value = msgspec.convert(part, shape)
        except msgspec.ValidationError as error:
            fault = printable(str(error))[:200]
            continue
        if value not in found:
            found.append(value)
    fields = otherwise(text) if fault == NO_JSON and not found else None
    if fields is not None:
        try:
            return msgspec.convert(fields, shape)
        except msgspec.ValidationError as error:
            raise BadShape(printable(str(error))[:200]) from None
    if not found:
        raise BadShape(fault)
    if len(found) > 1:
        raise BadShape("there is more than one answer in it")
    return found[0]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the outermost JSON objects in a text, in order."""
    at, tried = 0, 0
    while (at := text.find("{", at)) >= 0 and tried < _OBJECTS:
        tried += 1
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
        else:
            yield value


async def ask_shaped(
    model: AskedModel,
    key: str,
    text: str,
    read: Callable[[str], Any],
    schema: dict[str, Any],
    again: str,
    vote: int = 0,
) -> Shaped:
    """Ask until a reply has the required format, at most TRIES times; each new request says what was wrong."""
    turns: tuple[Turn, ...] = (Turn("user", text),)
    tries: list[Attempt] = []
    so_far: Usage | None = None
    while True:
        answered = await model.ask(Request(key, turns, "open", shape=schema, vote=vote))
        so_far = add_usage(answered, so_far)
        reply = replace_surrogates(answered.answer.text)
        try:
            read(reply)
            tries.append(Attempt(reply))
        except BadShape as error:
            tries.append(Attempt(reply, str(error)))
        if not tries[-1].fault or len(tries) == TRIES:
            return Shaped(tuple(tries), so_far, conversation(turns))
        fault = fill(again, {"fault": tries[-1].fault})
        turns = (*turns, Turn("assistant", reply[:4_000]), Turn("user", fault))
