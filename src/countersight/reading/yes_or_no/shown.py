"""Reads whether something is there: "A few people can be seen on the beach.", to whether there are any."""

import re

from countersight.reading.language.clauses import IF_AT, MODAL_AT, sentences
from countersight.reading.language.prepositions import is_placed_alike
from countersight.reading.language.stems import counted_words
from countersight.reading.language.vocabulary import any_of

_THING = r"[\w' -]+?"
_PLACE = rf"(?P<where> (?:{any_of('questions.prepositions')}|beside|next to)\b.*)?"
_ASKS_FOR_SOME = re.compile(
    r"\W*(?:(?:is|are) there|(?:can|do) you see|does the (?:picture|image|photo) (?:show|contain))"
    rf" (?:an?|any|some|one|at least one) (?P<what>{_THING}){_PLACE}\W*$",
    re.IGNORECASE,
)
_ASKS_WHETHER_WORN = re.compile(
    rf"\W*(?:is|are) .+ (?:wearing|holding|carrying) (?:an?|any|some) (?P<what>{_THING})\W*$", re.IGNORECASE
)
_WHERE = r"(?: here|,.*| on .*)?\W*$"
_NOT_SEEN = re.compile(
    rf"\W*(?:(?:there(?:'s| is| are)|i (?:can )?see|i can make out) no (?P<none>{_THING}){_WHERE}"
    rf"|no (?P<no>{_THING}) (?:is|are|can be) (?:visible|seen|there)\b.*"
    rf"|i (?:don't|do not|can't|cannot) see (?:an?|any) (?P<any>{_THING}){_WHERE})",
    re.IGNORECASE,
)
_SOME = r"(?:an?|one|two|three|four|five|six|\d+|some|several|many|a few|a couple of|a group of)"
# What there is, up to where its name ends: a dog bowl is no dog.
_SEEN = re.compile(
    rf"\W*(?:there(?:'s| is| are)|(?:i|we|you) (?:can )?see|the (?:picture|image|photo) (?:shows|contains|depicts))"
    rf" {_SOME}? ?(?P<what>{_THING})"
    rf"(?P<rest> (?:{any_of('questions.prepositions')}|that|who|which|visible|\w+ing)\b.*)?$",
    re.IGNORECASE,
)
_IS_SEEN = re.compile(
    rf"\W*(?:{_SOME} )?(?P<what>{_THING}) (?:can (?:clearly )?be (?:seen|spotted)|(?:is|are)(?: clearly)?"
    rf" (?:visible|present|there|{any_of('states.being_somewhere')})|(?:is|are)(?= (?:in|on|at)\b))(?P<rest>.*)$",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:no|not|none|never|neither|nor|without|nobody|nothing|hardly|empty)\b|n't\b", re.IGNORECASE)
_UNSURE = re.compile(r"\b(?:maybe|perhaps|possibly|might|may|could|or|used to|was|were)\b|\?", re.IGNORECASE)
# Where any picture has its things.
_ANYWHERE = re.compile(
    r"\b(?:in|at|from|to|on(?= the (?:far )?(?:left|right))) (?:the |this |its |his |her )?(?:far |very )?"
    rf"{any_of('states.in_any_picture')}"
    r"(?: (?:side|corner|half|edge))?\b",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[;:,]| (?:while|and|but) ", re.IGNORECASE)
_SOMEWHERE = re.compile(rf"\b{any_of('questions.prepositions')}\b", re.IGNORECASE)


def shown(text: str, question: str) -> str | None:
    """Yes where a reply shows what was asked for, no where it does not see it; None where it does neither."""
    if asked := _ASKS_FOR_SOME.match(question):
        where = _ANYWHERE.sub("", asked["where"] or "").strip(" ?.")
        told = [part for piece in sentences(text) if not _is_open(piece) for part in _PARTS.split(piece)]
        return "yes" if any(_shows(part, {*counted_words(asked["what"])}, where) for part in told) else None
    worn = _ASKS_WHETHER_WORN.match(question)
    missing = _NOT_SEEN.match(text) if worn and len(sentences(text)) == 1 else None
    what = next(filter(None, missing.groups()), "") if missing else ""
    return "no" if worn and what and {*counted_words(what)} == {*counted_words(worn["what"])} else None


def _is_open(piece: str) -> bool:
    return any(each.search(piece) for each in (_DENIED, _UNSURE, MODAL_AT, IF_AT))


def _shows(part: str, what: set[str], where: str) -> bool:
    """Whether a part of a sentence shows all that was asked for, there or at no place that it names."""
    part = part.strip(" .!")
    seen = _SEEN.match(part) or _IS_SEEN.match(part)
    named = counted_words(seen["what"]) if seen else []
    if not seen or not named or not what <= {*named} or named[-1] not in what:
        return False
    rest = _ANYWHERE.sub("", seen["rest"] or "")
    there = {*counted_words(where)} <= {*counted_words(rest)} and is_placed_alike(where, rest)
    return not where or not _SOMEWHERE.search(rest) or there
