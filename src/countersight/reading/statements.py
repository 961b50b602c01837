"""Finds where a reply says outright what its answer is, and where it says that it has none."""

import json
import re
from collections.abc import Iterator

_TAGGED = re.compile(
    r"<\s*(?:final[_ ]?)?answer\s*>(.{0,2000}?)(?:<\s*/\s*(?:final[_ ]?)?answer\s*>|$)"
    r"|\\(?:boxed|fbox)\s*\{((?:[^{}]|\{[^{}]{0,200}\}){0,300})\}",
    re.IGNORECASE | re.DOTALL,
)
_STATED = re.compile(
    r"(?:^|(?<=[^\w]))(?:(?:final|correct|right|best|short|my|the|overall)\s+){0,4}(?:answer|ans|solution)\b"
    r"(?:\s+(?:to|for)\s+[^.:\n]{1,80}?)?(?:\s+(?:here|then|now|therefore|option|choice|letter))?"
    r"\s*(?:(?:is|was|will be|would be|would still be|would then be|should be|must be|remains"
    r"|becomes)\b\s*(?:that\b|:)?|['\"]?\s*[:=]+>?|-+>)"
    r"|(?:^|(?<=[^\w]))(?:correct|right|best)\s+(?:option|choice|one|letter)\s*(?:(?:is|would be)\b\s*:?|:)"
    r"|(?:^|(?<=\n))[ \t]*(?:final )?answer[ \t]*[:.]?[ \t]*(?=\n)"
    r"|####",
    re.IGNORECASE,
)
_KEYS = (
    *("answer", "finalanswer", "theanswer", "correctanswer", "result", "choice", "option", "selectedoption"),
    *("letter", "prediction", "response", "count", "number", "output", "value"),
)

_TELL = (
    r"(?:determine|tell|say|answer|know|help|assist|provide|identify|comply|fulfil\w*|confirm|verify|predict"
    r"|process|view|analy[sz]e|interpret"
    r"|give (?:you )?an? |be (?:sure|certain)|make (?:out|that|a determination)|access|see (?:the|any|an|this"
    r"|that|your)?\s*(?:attached )?(?:image|picture|photo)"
    r"|count (?:the|them|that|how)|estimate|speculate)"
)
_REFUSAL = re.compile(
    rf"\b(?:i|we|you|one)(?:'m| am| are|'re)?\s+(?:really |simply |just |also )*"
    rf"(?:can't|cannot|can not|couldn't|could not|am unable to|unable to|not able to|don't|do not|won't"
    rf"|will not)\s+(?:\w+ly |even )?{_TELL}"
    rf"|\bunable to (?:\w+ly )?{_TELL}|\b(?:cannot|can't|can not|could not) be (?:\w+ly )?(?:determined|answered"
    rf"|known|told|seen clearly|counted|established|inferred)"
    r"|\b(?:impossible|not possible|difficult|hard|no way) to (?:\w+ly )?(?:tell|say|determine|know|answer|judge"
    r"|count|give)"
    r"|\b(?:not enough|insufficient|no|lack of|without (?:more|further)) (?:\w+ )?information|\bunanswerable\b"
    r"|(?:\bnot|n't|\black\w*) (?:\w+ ){0,2}(?:enough|sufficient) (?:\w+ )?(?:information|details?|context|data)"
    r"|\bnot answerable\b|\bas an ai\b|\bit depends\b|\bdepends on\b"
    r"|^\W{0,5}(?:can't|cannot|couldn't) (?:say|tell|determine|know)\b|\bno idea\b|\bn/a\b|\bnot (?:sure|certain"
    r"|clear|specified|given|mentioned|provided)\b|\bunclear\b|\buncertain\b|\bunsure\b|\bundetermined\b"
    r"|\bindetermin\w+\b"
    r"|\bno (?:image|picture|photo)s? (?:is |was |has been )?(?:provided|attached|given|uploaded|available"
    r"|supplied)"
    r"|\b(?:is|remains|answer|:) unknown\b|^\W{0,5}unknown\W{0,5}$|\bi(?:'m| am) sorry\b|\bi apologi[sz]e\b"
    r"|^\W{0,5}(?:sorry|apologies)\b|\bi (?:must|have to) decline\b",
    re.IGNORECASE | re.MULTILINE,
)
_AFTER_ALL = re.compile(
    r"\b(?:but|however|though|still,|that said|nevertheless|best guess|my guess|i(?:'d| would) (?:guess|say"
    r"|estimate)|based on|assuming|maybe|perhaps|probably)\b",
    re.IGNORECASE,
)
_CORRECTED = re.compile(
    r"(?:^|[.!?,;\n-])\s*(?:no,? |oh,? |hmm,? |but )?"
    r"(?:wait|correction|scratch that|on second thoughts?|let me correct(?: myself| that)?|i mean)\b[\s,.:!-]*"
    # "D? No, A."; "First I thought D, but it is A."
    r"|(?:\b[A-Z]|\d)\?\s+(?:no|nope|not quite)\b[\s,.:!-]*"
    r"|\bi (?:\w+ )?(?:thought|guessed|assumed|would have said)\b[^.!?\n]{0,80}?\b(?:but|however|yet)\b[\s,.:!-]*",
    re.IGNORECASE,
)


def tagged(text: str) -> Iterator[str]:
    """What the reply puts into a box, an answer tag or a JSON field made for the answer, last first."""
    found = [match[1] or match[2] or "" for match in _TAGGED.finditer(text)]
    yield from reversed(found)
    yield from _from_json(text)


def announced(text: str) -> Iterator[str]:
    """What follows "the answer is" and its like, last first."""
    for match in reversed(list(_STATED.finditer(text))[-20:]):
        region = text[match.end() :].strip()
        if region.strip(".*_\"' "):
            yield region


def corrected(text: str) -> str | None:
    """What a text says after it takes back what it said before ("3. Wait, 4."), or None where it takes nothing back."""
    found = list(_CORRECTED.finditer(text))
    return text[found[-1].end() :] if found else None


def without_refusal(text: str) -> str | None:
    """The text, or what it says after all where it first says that it cannot tell; None for a plain refusal."""
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
    for start in [*starts[:5], *starts[5:][-5:]]:
        try:
            value, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        answer = _field(value)
        if answer is not None:
            yield answer


def _field(value: object) -> str | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict):
        named = {re.sub(r"[^a-z]", "", str(key).lower()): entry for key, entry in value.items()}
        value = next((named[key] for key in _KEYS if key in named), None)
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, str | int | float) else None
