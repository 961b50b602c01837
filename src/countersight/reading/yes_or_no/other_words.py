"""Plain words for what a reply tells by its signs, its degrees of likelihood and what is done to things."""

import re

from countersight.reading.language.asked import Asked, content
from countersight.reading.language.clauses import MODAL
from countersight.reading.language.rewordings import subject_of
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of, found

_STARTS = r"(?:^|(?<=[.!?;,:] )|(?<=[,.] so ))"
# "Very likely", "almost certainly": likely and certainly, so far as an answer goes.
_HOW_LIKELY = re.compile(
    r"(?<!not )\b(?:most|very|quite|almost|highly|extremely|fairly|pretty|rather|all but|more than)"
    r" (?=(?:likely|probabl[ey]|certainly|surely|definitely|certain that|safe to)\b)",
    re.IGNORECASE,
)
# "The puddles show that the street is wet": it is. What shows nothing, or only would, leaves it open.
_SHOWN = re.compile(
    rf"{_STARTS}(?!{any_of('yes_no.negation_words')}|little\b|few\b)"
    rf"(?:(?!not\b|never\b|{MODAL})[\w'-]+ ){{1,8}}?{any_of('rewordings.showing')} (?=\w)",
    re.IGNORECASE,
)
_NOT_UNABLE = re.compile(r"\b(?P<is>is|are|was|would)(?:n't| not)(?P<be> be)? unable (?=to\b)", re.IGNORECASE)
_WHOM = r"(?P<who>it|him|her|them|the \w+(?: \w+)?)"
_BRINGS_DOWN = re.compile(
    rf"(?P<would>{MODAL})(?P<not>(?: not)?)(?: \w+ly)? (?:bring|pull|knock) (?:{_WHOM} down|down (?P<what>the \w+))\b",
    re.IGNORECASE,
)
_HARMS = re.compile(
    rf"(?P<would>{MODAL})(?P<not>(?: not)?) do {_WHOM} (?:(?P<no>no|not any)|any|some|much|serious|great)? ?harm\b",
    re.IGNORECASE,
)
_COMES_TO_HARM = re.compile(r"\bcome to (?:(?P<no>no)|any|some)? ?harm\b", re.IGNORECASE)
_WITHOUT = re.compile(
    r"(?<!\bnot)(?<!\bis)(?<!\bare)(?<!\bbe),? without (?:(?:a single|any|an?) )?(?P<what>\w+)", re.IGNORECASE
)
_PART = re.compile(
    rf"{_STARTS}(?:(?:one|both|all)(?: of)? )?(?P<whose>his|her|its|their) (?:\w+ )?{any_of('rewordings.parts_that_do')}"
    rf" (?P<does>(?:(?:is|are|would|can) (?:\w+ly )?)?{any_of('rewordings.done_by_a_part')})",
    re.IGNORECASE,
)
_DONE_BY_A_PART = found("rewordings.done_by_a_part")
_WHOSE = {"his": "he", "her": "she", "its": "it", "their": "they"}
_LACKING = found("yes_no.lacking_what_is_asked")
_FREE = re.compile(
    r"(?:\b(?P<is>is|are|was|would|will)|(?P<s>'s))(?P<not>n't| not| no longer)?(?P<be> be)?(?: \w+ly| all)? "
    r"(?:free|clear|empty|rid|devoid)(?P<of> (?:of|from)(?: any)?)?\b",
    re.IGNORECASE,
)


def in_plain_words(text: str, asked: Asked, question: str) -> str:
    """The text with such words in place of its own."""
    text = _SHOWN.sub("", _HOW_LIKELY.sub("", text))
    text = _NOT_UNABLE.sub(r"\g<is>\g<be> able ", text)
    text = _COMES_TO_HARM.sub(lambda found: f"{'not ' if found['no'] else ''}be harmed", text)
    text = _BRINGS_DOWN.sub(lambda found: _suffers(found, "come down"), text)
    text = _HARMS.sub(lambda found: _suffers(found, "be harmed"), text)
    if _DONE_BY_A_PART.search(asked.text):
        text = _PART.sub(lambda found: f"{_WHOSE[found['whose'].lower()]} {found['does']}", text)
    if lacking := _LACKING.search(question):
        what = re.split(r"\b(?:if|when|after)\b", question[lacking.end() :])[0].strip(" ?")
        text = _FREE.sub(lambda found: _has(found, what), text)
    elif asked.of_being:
        text = _WITHOUT.sub(lambda found: _there_is_none(found, asked), text)
    return text


def _suffers(found: re.Match[str], fate: str) -> str:
    """ "Would bring the tent down": the tent would come down."""
    told = found.groupdict()
    negated = told["not"] or told.get("no") or told["would"].lower().endswith("n't")
    who = subject_of(found) if told["who"] else told["what"]
    return f"{told['would']} make {who}, {who} would {'not ' if negated else ''}{fate}"


def _has(found: re.Match[str], what: str) -> str:
    """ "It isn't free", to whether it is free of obstacles: it has obstacles."""
    has = "would have" if found["be"] else "has"
    lacks = "would not have" if found["be"] else "does not have"
    return f" {has if found['not'] else lacks} {'' if found['of'] else what}".rstrip()


def _there_is_none(found: re.Match[str], asked: Asked) -> str:
    """ "The sky is clear, without a single cloud", to whether there are any clouds: there are none."""
    if stem(found["what"].lower()) not in asked.words or not content(found["what"]):
        return found.group()
    return f". There {'are' if asked.of_now else 'would be'} no {found['what']}"
