"""Finds where a reply says outright what its answer is, and where it says that it has none."""

import json
import re
from collections.abc import Iterator

from countersight.reading.language.clauses import sentences
from countersight.reading.language.vocabulary import any_of, listed

_TAGGED = re.compile(
    r"<\s*(?:final[_ ]?)?answer\s*>(.{0,2000}?)(?:<\s*/\s*(?:final[_ ]?)?answer\s*>|$)"
    r"|\\(?:boxed|fbox)\s*\{((?:[^{}]|\{[^{}]{0,200}\}){0,300})\}",
    re.IGNORECASE | re.DOTALL,
)
_NOUN = any_of("statements.answer_nouns")
_TO_THE_QUESTION = r"(?:\s+(?:to|for)\s+[^.:\n]{1,80}?)?(?:\s+(?:here|then|now|therefore|option|choice|letter))?"
_THE_ANSWER_IS = (
    rf"(?:^|(?<=\W))(?:(?:{any_of('statements.answer_qualities')})\s+){{0,4}}{_NOUN}{_TO_THE_QUESTION}"
    rf"\s*(?:{any_of('statements.answer_verbs')}\s*(?:that\b|:)?|['\"]?\s*[:=]+>?|-+>)"
)
# "The right one is closed" is said of a door, and no announcement.
_RIGHT_IS = (
    r"(?:^|(?<=\W))(?:(?:correct|best)\s+one|(?:correct|right|best)\s+(?:option|choice|letter)"
    r"|right\s+one(?=\s*(?:is|would be|:)\W*(?:[A-Ha-h]|the|an?|option|number|yes|no|\d+)\b))"
    r"\s*(?:(?:is|would be)\b\s*:?|:)"
)
_HEADING = r"(?:^|(?<=\n))[ \t]*(?:final )?answer[ \t]*[:.]?[ \t]*(?=\n)"
_STATED = re.compile(f"{_THE_ANSWER_IS}|{_RIGHT_IS}|{_HEADING}|####", re.IGNORECASE)
_NOT_THAT = re.compile(
    r"(?:(?:\bnot|n't) (?:think|believe|say|sure|convinced|claim)|\bdoubt)(?: that)?(?: the| my)?\s*$", re.IGNORECASE
)  # "I don't think the answer is A"
_NEAR = 30
_KEYS = tuple(listed("statements.answer_fields"))
_NOT_A_LETTER = re.compile(r"[^a-z]")
_ACT = any_of("statements.refused_acts")
_I_CANNOT = (
    rf"\b(?:i|we|you|one)(?:'m| am| are|'re)?\s+(?:(?:really|simply|just|also) )*{any_of('statements.cannot')}\s+"
    rf"(?:\w+ly |even )?{_ACT}|\bunable to (?:\w+ly )?{_ACT}"
)
_TOO_LITTLE = (
    r"(?:\bnot|n't|\black\w*) (?:\w+ ){0,2}(?:enough|sufficient) (?:\w+ )?"
    r"(?:information|details?|context|data|clues?|evidence)"
)
_UNKNOWN = (
    r"^\W{0,5}(?:can't|cannot|couldn't) (?:say|tell|determine|know)\b|: unknown\b|\bn/a\b|^\W{0,5}unknown\W{0,5}$"
    r"|^\W{0,5}(?:who|no one|no-one|nobody) (?:knows|(?:can|could|would) (?:possibly |really )?(?:say|tell|know))\b"
)
_SORRY = (
    r"^\W{0,5}(?:sorry|apologies)\b(?! for (?:my|the|that) (?:earlier|previous|mistake|error|confusion|miscount|wrong))"
)
_REFUSAL = re.compile(
    f"{_I_CANNOT}|{any_of('statements.refusals')}|{_TOO_LITTLE}|{_UNKNOWN}|{_SORRY}", re.IGNORECASE | re.MULTILINE
)
# "Is it 4?", "Did you say B?": nobody answers by asking.
_WHAT_DO_YOU = r"\W*(?:what|which|how|who|where)\b[^.!?]*\b(?:you|i|we|me|knows)\b[^.!?]*\?\W*$"
_ASKS_BACK = re.compile(
    r"\W*(?:(?:so|or|and|but|hm+|well),? )?(?:is|are|was|were|would|will|could|should|shall|can|do|does|did|has|have)"
    rf"(?:n't)? [^.!?]*\?\W*$|{_WHAT_DO_YOU}",
    re.IGNORECASE,
)
# "There are 7, but it's hard to be certain": what stands before is the answer all the same.
_HEDGED = re.compile(
    rf",? (?:but|though|although) {any_of('statements.hedges')}"
    r"(?: for sure| for certain| exactly| about (?:that|it))?(?=\s*(?:[.!]|$))",
    re.IGNORECASE,
)
_REMARK = re.compile(
    rf"(?:(?:^|(?<=[.!?\n] )|(?<=\n))|, (?:though|although|but) ){any_of('statements.remarks')}[^.!?\n]*[.!?]*",
    re.IGNORECASE,
)
_AFTER_ALL = re.compile(rf"{any_of('statements.after_all')}|\bstill,", re.IGNORECASE)
_MOST_ANNOUNCED = 20
_MOST_OBJECTS = 5  # JSON objects looked at from either end of a reply


def tagged(text: str) -> Iterator[str]:
    """What the reply puts into a box, an answer tag or a JSON field made for the answer, last first."""
    every = [match[1] or match[2] or "" for match in _TAGGED.finditer(text)]
    yield from reversed(every)
    yield from _from_json(text)


def announced(text: str) -> Iterator[str]:
    """What follows "the answer is" and its like, last first."""
    for match in reversed(list(_STATED.finditer(text))[-_MOST_ANNOUNCED:]):
        region = text[match.end() :].strip()
        if region.strip(".*_\"' ") and not _NOT_THAT.search(text, max(0, match.start() - _NEAR), match.start()):
            yield region


def only_asks(text: str) -> bool:
    """Whether a text is a question back and nothing else."""
    return text.rstrip(" \"'*_)\n").endswith("?") and all(map(_ASKS_BACK.match, sentences(text)))


def without_hedges(text: str) -> str:
    """The text without what it adds to its answer for the sake of caution."""
    return _HEDGED.sub("", text)


def without_side_remarks(text: str) -> str:
    """The text without what it says of something else than the answer: who took the photo, what one may ask next."""
    rest = _REMARK.sub("", text)
    return rest if rest.strip() else text


def without_refusal(text: str) -> str | None:
    """The text, or what it says after all where it first says that it cannot tell; None for a plain refusal."""
    text = without_side_remarks(text)
    refusals = list(_REFUSAL.finditer(text))
    if not refusals:
        return text
    after = text[refusals[-1].end() :]
    resumed = _AFTER_ALL.search(after)
    return after[resumed.end() :] if resumed else None


def _from_json(text: str) -> Iterator[str]:
    decoder = json.JSONDecoder()
    starts = [match.start() for match in re.finditer(r"\{", text)]
    if text.lstrip()[:1] == "[" and text.rstrip()[-1:] == "]":  # elsewhere "[1]" is a footnote
        starts.insert(0, text.index("["))
    for start in [*starts[:_MOST_OBJECTS], *starts[_MOST_OBJECTS:][-_MOST_OBJECTS:]]:
        try:
            value, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        answer = _field(value)
        if answer is not None:
            yield answer


def _field(value: object) -> str | None:
    value = _only(value)
    if isinstance(value, dict):
        named = {_NOT_A_LETTER.sub("", str(key).lower()): entry for key, entry in value.items()}
        value = _only(next((named[key] for key in _KEYS if key in named), None))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, str | int | float) else None


def _only(value: object) -> object:
    return value[0] if isinstance(value, list) and len(value) == 1 else value
