"""Clauses that say just what was asked, and where in a reply they answer."""

import re

from msgspec.structs import replace

from countersight.reading.language.asked import Asked, content
from countersight.reading.language.clauses import MODAL_AT, NOW_AT, clauses, stated
from countersight.reading.language.vocabulary import any_of
from countersight.reading.yes_or_no.claims import asserted
from countersight.reading.yes_or_no.negation import NEGATED
from countersight.reading.yes_or_no.repetitions import is_short_answer, says_it_all
from countersight.reading.yes_or_no.ways import NO_DIFFERENCE

_BEING_THERE = re.compile(
    rf"{any_of('yes_no.being_there')}|^no(?:ne|body|thing)?(?: \w+)?(?: (?:on|in|at|there|left|around)\b|\W*$)",
    re.IGNORECASE,
)
_CHANGES_THAT = re.compile(r"(?<!not )(?<!n't )\b(?:change|reverse|flip|undo) (?:that|this)\W*$", re.IGNORECASE)
_DOUBTED = re.compile(r"\W*i (?:don't|do not) (?:think|believe) (?:that )?(?P<what>[\w' ]{4,60})\W*$", re.IGNORECASE)
# "A broken till would not matter, because she could pay by card": a reason is so, too.
_REASON = re.compile(r"(?<!not)(?<!only)(?<!just),? because (?!of\b)(?P<why>[^,;]+)", re.IGNORECASE)
_SUBJECT_AND_VERB = re.compile(r"no (?!one\b)\w+ (?!means?\b|makes?\b|is\b|are\b)\w+|no (?!one\b)\w+", re.IGNORECASE)


def short_answer(pieces: list[str], asked: Asked) -> str | None:
    """The answer of a first sentence that is one and no more, before its reasons: "I think it would. The oak is …"."""
    first = pieces[0]
    if doubted := _DOUBTED.match(first):
        return asserted(first, asked) if is_short_answer(doubted["what"], asked) else None
    short = len(pieces) > 1 and _is_of_what_was_asked(first, asked) and is_short_answer(first, asked)
    return asserted(first, asked) if short else None


def said_in_full(pieces: list[str], asked: Asked) -> str | None:
    """What the clauses say that have all words of the question: "it isn't too big for the box, so he could send it"."""
    every = [clause for piece in pieces for clause in clauses(stated(piece)) if says_it_all(clause, asked)]
    told = {asserted(clause, asked) for clause in every if _is_of_what_was_asked(clause, asked)}
    return told.pop() if len(told) == 1 else None


def unchanged(pieces: list[str], asked: Asked) -> str | None:
    """What is so now, where it is said to make no difference: "he can't reach it, and a stool would change nothing"."""
    changed = any(map(_CHANGES_THAT.search, pieces))
    if asked.of_now or not (changed or any(map(NO_DIFFERENCE.search, pieces))):
        return None
    every = [NOW_AT.sub("", clause) for piece in pieces for clause in clauses(piece) if not MODAL_AT.search(clause)]
    told = {asserted(clause, replace(asked, of_now=True)) for clause in every} - {None}
    if changed and told <= {"yes", "no"} and asked.states:
        return ({"yes", "no"} - told).pop() if len(told) == 1 else None  # "it is off, and the switch would change that"
    return told.pop() if len(told) == 1 else None


def agreed(reason: str, asked: Asked, *, sure: bool) -> str | None:
    """Yes, where "no …" after an agreeing word is only a reason; "certainly, no cats would be there" denies cats."""
    claim = next((answer for clause in clauses(stated(reason)) if (answer := asserted(clause, asked))), None)
    if claim:
        return claim
    # "No cleaning removes every stain" is how the world is: it denies nothing of the stains that were asked about.
    always = None if MODAL_AT.search(reason) else _SUBJECT_AND_VERB.match(reason)
    about = content(always.group() if always else reason) - {"no"}
    # What no rule tells from a denial in other words is left unread: "of course, no one would be on the beach".
    denies = _BEING_THERE.search(reason) or about & asked.words
    return "yes" if sure and not denies else None


def reason_of(piece: str) -> str:
    """The reason of a piece, which is so unless that is denied: "it is not barking because the door is open"."""
    reason = _REASON.search(piece)
    sure = reason and (MODAL_AT.search(reason["why"]) or not NEGATED.search(piece[: reason.start()]))
    return reason["why"] if reason and sure else ""


def _is_of_what_was_asked(clause: str, asked: Asked) -> bool:
    return asked.of_now or bool(MODAL_AT.search(clause))
