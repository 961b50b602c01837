"""Whether the yes or no that a reply begins with is what it comes to."""

import re

from countersight.reading.language.asked import Asked, content
from countersight.reading.language.clauses import MODAL_AT, clauses, imagines, stated
from countersight.reading.language.vocabulary import found
from countersight.reading.yes_or_no.claims import asserted
from countersight.reading.yes_or_no.repetitions import says_it_all
from countersight.reading.yes_or_no.yes_words import LEADING, opening_polarity

CONCLUSION = found("yes_no.conclusions")
CONTRAST = re.compile(r"\W*(?:but|however|yet)\b", re.IGNORECASE)
IS = re.compile(r"\b(?:is|are|was|were|has|have|does|do)\b|'s\b|'re\b", re.IGNORECASE)
_NONE_OF_IT = re.compile(r"\W*(?:not (?:an?|one|a single)|no) [a-z]", re.IGNORECASE)
_EMPHATIC = re.compile(r"\W*(?:without (?:question|any doubt)|for sure|indeed),", re.IGNORECASE)
_SUPPOSED = re.compile(r"\b(?:if|unless|otherwise|without)\b", re.IGNORECASE)


def upheld(answer: str, pieces: list[str], asked: Asked) -> str | None:
    """The answer that a reply began with, or the other one where it ends so, or None where it says both."""
    emphatic = _EMPHATIC.match(pieces[0])
    if emphatic and (claims := _claims(pieces[0][emphatic.end() :], asked)):
        return claims.pop() if len(claims) == 1 else None  # "without question, it would sink"
    if (
        _contradicts_itself(answer, pieces[0], asked)
        or _depends(answer, pieces)
        or _is_taken_back(answer, pieces, asked)
    ):
        return None
    return _concluded_otherwise(answer, pieces) or _overruled(answer, pieces, asked) or answer


def _depends(answer: str, pieces: list[str]) -> bool:
    """Whether a reply says one thing on one condition and the other on another: "Yes, if it was loud; no, if not."."""
    others = [piece for piece in pieces[1:] if opening_polarity(piece) not in (None, answer)]
    return imagines(pieces[0]) and any(map(imagines, others))


def _contradicts_itself(answer: str, piece: str, asked: Asked) -> bool:
    """Whether a sentence says the other thing than its first word: "No, it would not go out", to "stay lit"."""
    opening = LEADING.match(piece)
    rest = piece[opening.end() :] if opening else ""
    if rest[:1] not in (",", ":", " -") or not MODAL_AT.search(rest) or asked.of_now:
        return False  # "unlikely that it would" is one statement
    claims = _claims(rest[1:], asked)
    return bool(claims) and answer not in claims


def _claims(text: str, asked: Asked) -> set[str]:
    return {claim for clause in clauses(stated(text)) if content(clause) and (claim := asserted(clause, asked))}


def _is_taken_back(answer: str, pieces: list[str], asked: Asked) -> bool:
    """Whether a later sentence says all that was asked, and the other way: "Yes, it would be whole. It would not."."""
    later = [clause for piece in pieces[1:] if not _SUPPOSED.search(piece) for clause in clauses(piece)]
    said = {asserted(clause, asked) for clause in later if MODAL_AT.search(clause) and says_it_all(clause, asked)}
    return MODAL_AT.search(pieces[0]) is not None and bool(said - {None, answer})


def _concluded_otherwise(answer: str, pieces: list[str]) -> str | None:
    """The other word, where a reply ends in it after all: "I would say yes, but there is no wind, so no"."""
    several = len(pieces) > 1 or _NONE_OF_IT.match(pieces[0])  # "not a single car is on it, so yes, it is empty"
    last = opening_polarity(CONCLUSION.split(pieces[-1])[-1]) if several and CONCLUSION.search(pieces[-1]) else None
    return last if last != answer else None


def _overruled(answer: str, pieces: list[str], asked: Asked) -> str | None:
    """What would be, where the yes or no at the beginning was about what is: "Yes, it is on. But … it wouldn't be."."""
    opening = pieces[0]
    if asked.of_now or MODAL_AT.search(opening) or not IS.search(opening):
        return None
    for piece in reversed(pieces[1:]):
        # "No, it needs power. If it had a battery, it would be on" supposes something else than the question does.
        to_the_point = CONTRAST.match(piece) or content(piece) & asked.supposed
        if to_the_point and MODAL_AT.search(piece):
            claims = [asserted(clause, asked) for clause in clauses(stated(piece)) if MODAL_AT.search(clause)]
            said = {claim for claim in claims if claim}
            if said and answer not in said:
                return said.pop()
    return None
