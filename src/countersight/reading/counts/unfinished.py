"""Replies that take up what the question supposes and do not come to what follows from it."""

import re

from countersight.reading.counts.company import Quantity
from countersight.reading.counts.question import Counted
from countersight.reading.language.clauses import MODAL_AT, stated, supposed, supposes_at_last, supposes_first
from countersight.reading.language.numerals import numerals
from countersight.reading.language.ranks import Rank, has_its_would
from countersight.reading.language.stems import counted_words, first_spelled, spelled, stem
from countersight.reading.language.vocabulary import found

_SUPPOSES = re.compile(r"\b(?:if|after|once|when)\b", re.IGNORECASE)
_HAS = re.compile(
    r"\W*(?:he|she|they|it|the (?P<what>\w+))"
    r" (?:has|have|holds?|carr(?:y|ies)|contains?|shows?|wears?|(?:is|are) \w+ing)\b",
    re.IGNORECASE,
)
_IS_THERE = re.compile(r"\b(?:is|are|sits?|stands?|lies?)\b", re.IGNORECASE)
_THERE_ARE = re.compile(r"\b(?:there (?:is|are)|has|have)\b|\bthere's\b", re.IGNORECASE)
# "The original count is 5", "the count is 5 before the change"
_COUNT_OF_NOW = re.compile(
    r"\W*(?:the|my) (?:(?:original|current|initial|starting|present|existing)\b[^.,;]*"
    r"|(?:count|total|number|figure)\b[^.,;]*\b(?:now|at present|at the moment|before|currently)\b[^.,;]*)\W*$",
    re.IGNORECASE,
)
_IN_THE_PICTURE = re.compile(
    r"\b(?:in|on) th(?:e|is) (?:image|picture|photo|photograph|scene|view)\b"
    r"|\b(?:is|are|can be) (?:visible|shown|seen)\b",
    re.IGNORECASE,
)
_THE_PICTURE = re.compile(
    r"\bth(?:e|is) (?:image|picture|photo|photograph|scene|drawing|illustration) "
    r"(?:shows|depicts|displays|features|captures|portrays|contains)\b",
    re.IGNORECASE,
)
# "So it's one fewer."
_SO_MANY_FEWER = re.compile(
    r"\b(?:it's|that's|it is|that is|makes it|makes) (?:just |only )?[\w-]+ (?:fewer|less|more)\W*$", re.IGNORECASE
)
# "Take those away and you get the number."
_AND_YOU_GET = re.compile(
    r"\b(?:take|subtract|remove|deduct|leave|add)\b[^.\n]* and (?:you|we)(?:'ll| will|'d)? (?:get|have)"
    r"(?: (?:the|your) (?:number|answer|count|total|result))?\W*$",
    re.IGNORECASE,
)
# "That would take three from the seven."
_TAKES_FROM = re.compile(
    r"\b(?:that|this|it|which)(?:'d| would| will)? takes? [\w-]+(?: away)? (?:from|off) the [\w-]+(?: [a-z]+){0,2}\W*$",
    re.IGNORECASE,
)
_COMES_OF_THE_CHANGE = re.compile(
    r"\b(?:after|then|(?<!the )left|remain\w*|if|once|without|minus|more|fewer)\b|=", re.IGNORECASE
)
_ALL = re.compile(r"\b(?:all|both)\b", re.IGNORECASE)
_CHANGE = found("counts.changes")
_UNCHANGED = found("counts.unchanged")


def repeats_the_supposition(text: str, question: str) -> bool:
    """Whether a reply says only what the question supposes: "3 got off and 5 got on"."""
    said = spelled(text)
    return len(said) > 2 and f" {' '.join(said)} " in f" {' '.join(spelled(supposed(question)))} "


def tells_another_number(text: str, question: str) -> bool:
    """Whether a reply gives another number to what the question numbers: "on two legs", to who stands on one leg."""
    main = stated(question)
    numbered = {(n.value, *map(stem, first_spelled(main[n.end :]))) for n in numerals(main)}
    if not numbered:
        return False
    told = {(n.value, *map(stem, first_spelled(text[n.end :]))) for n in numerals(text)}
    others = any(noun == thing and m != "0" for _, *noun in numbered for m, *thing in told if noun)
    return others and not numbered & told


def leaves_its_result_untold(text: str) -> bool:
    """Whether a reply ends with what has to be done to its numbers, and not with what comes of it."""
    return bool(_SO_MANY_FEWER.search(text) or _AND_YOU_GET.search(text) or _TAKES_FROM.search(text))


def stops_halfway(pieces: list[str], asked: Counted) -> bool:
    """Whether a reply takes up the first of several changes and not the last: "if three flew away, 3 would remain"."""
    text = " ".join(pieces)
    said = {*counted_words(text), *(n.value for n in numerals(text))}
    taken = [bool(said & stage) for stage in asked.stages]
    supposing = any(supposes_first(piece) or _SUPPOSES.search(piece) for piece in pieces[-1:])
    return len(taken) > 1 and taken[0] and not taken[-1] and supposing


def stops_before_its_result(every: list[Quantity], pieces: list[str], asked: Counted) -> bool:
    """Whether a reply counts what is there, and then only tells the change: "There are 3. Now we add two."."""
    if any(n.rank > Rank.STATED for n in every):
        return False
    last = len(pieces) - 1
    rest = pieces[every[-1].sentence :] if every else []
    if any(map(supposes_at_last, rest)) and not supposes_first(rest[0]):
        return True  # "there are two, and if one fell there would be fewer"
    tail = every[-1].after if every and every[-1].sentence == last else pieces[-1] if last > 0 else ""
    changes = _CHANGE.search(tail) or asked.supposition.intersection(counted_words(tail))
    return bool(changes) and bool(numerals(tail))


def tells_only_what_is(value: str, every: list[Quantity], pieces: list[str], asked: Counted) -> bool:
    """Whether a number is what is now, and the reply does not come to what would be."""
    return (
        _is_left_behind(value, every, pieces, asked)
        or _tells_what_something_has(every, pieces, asked)
        or _is_somewhere_else(value, every, asked)
        or _describes_the_picture(every, pieces)
        or _is_of_the_changed(value, every, pieces, asked)
    )


def _describes_the_picture(every: list[Quantity], pieces: list[str]) -> bool:
    """Whether a reply only counts things as they are: "there are four teams and two games", "the image shows two"."""
    (piece, *others) = pieces
    if every[0].value == "0" or any(_comes_to_more(each) for each in pieces):
        return False
    if all(map(_COUNT_OF_NOW.match, pieces)):
        return True
    best = max(n.rank for n in every)
    of_it = _IN_THE_PICTURE.match(piece) or _THE_PICTURE.search(piece)
    if best == Rank.CONCLUDED and (of_it or _IN_THE_PICTURE.search(piece)) and not others:
        return True  # "in the picture there are five cars and three lorries, for a total of eight"
    if best > Rank.STATED or (others and not of_it):
        return False
    several = _THERE_ARE.search(piece) and len({n.value for n in numerals(piece)}) > 1
    return bool(several or of_it or _IN_THE_PICTURE.search(piece))


def _comes_to_more(piece: str) -> bool:
    return bool(_COMES_OF_THE_CHANGE.search(piece) or _UNCHANGED.search(piece) or MODAL_AT.search(piece))


def _is_of_the_changed(value: str, every: list[Quantity], pieces: list[str], asked: Counted) -> bool:
    """Whether a number is that of the very things that were supposed to change: "twelve paper ones hang there"."""
    own = [n for n in every if n.value == value]
    told = all(
        n.rank in (Rank.SHARE, Rank.STATED) and (n.words if n.is_share else {*map(stem, n.phrase)}) & asked.supposition
        for n in own
    )
    return told and not any(map(_comes_to_more, pieces))


def _is_somewhere_else(value: str, every: list[Quantity], asked: Counted) -> bool:
    """Whether a number is told of a place that was not asked for: "two cars are parked on the other side"."""
    own = [n for n in every if n.value == value]
    told = all(n.rank == Rank.STATED and _IS_THERE.search(n.after) for n in own)
    asked_for = asked.words - asked.supposition
    return told and all(n.words - asked_for - frozenset(map(stem, n.phrase[:1])) for n in own)


def _tells_what_something_has(every: list[Quantity], pieces: list[str], asked: Counted) -> bool:
    """Whether a reply says what something has, where it was asked what it would have: "The shelf holds ten books."."""
    told = _HAS.match(pieces[0]) if len(pieces) == 1 and len(every) == 1 else None
    return told is not None and (not told["what"] or stem(told["what"].lower()) in asked.owner | asked.qualities)


def _is_left_behind(value: str, every: list[Quantity], pieces: list[str], asked: Counted) -> bool:
    """Whether a reply counts what is, and goes on to what would be without a count: "9, and all of them would fly"."""
    own = [n for n in every if n.value == value]
    if any(n.rank > Rank.STATED for n in own):
        return False
    last = own[-1]
    rest = ["" if has_its_would(last.after) else last.after, *map(stated, pieces[last.sentence + 1 :])]
    return any(MODAL_AT.search(each) and not _says_as_many(each, asked) for each in rest)


def _says_as_many(clause: str, asked: Counted) -> bool:
    """Whether what would be is said to be as many: "it would not change", "and all would cast a shadow"."""
    of_all = _ALL.search(clause) and asked.qualities.intersection(counted_words(clause))
    return bool(_UNCHANGED.search(clause) or of_all)
