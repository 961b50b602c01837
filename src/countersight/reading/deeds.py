"""What somebody does, or would do, in the words of a whole sentence: "playing chess", of "She is playing chess."."""

import re

from countersight.reading.clauses import MODAL, MODAL_AT, imagines, sentences, stated, tells_of_now
from countersight.reading.new_words import RATHER_THAN
from countersight.reading.open_parts import stems_of

# "What is she doing", "what would he have to do"; not "what do they eat", nor "what would the change do to the sea".
_ASKED = re.compile(r"\W*what\b(?! (?:do|does|did)\b).*\b(?:doing|do)(?:\W*$| (?:in|on|at|here)\b)", re.IGNORECASE)
_HEDGE = r"(?:(?:most |very )?likely|probably|simply|just|then|also|\w+ly|have to|need to|be forced to)"
_WOULD = re.compile(rf"(?P<who>.*?)\s*{MODAL}(?: {_HEDGE})*\s+(?P<does>\w.*)", re.IGNORECASE)
_IS = re.compile(r"(?P<who>.*?)\s*(?:\b(?:is|are|was|were)|'s|'re)(?: \w+ly)? (?P<does>[a-z]+ing\b.*)", re.IGNORECASE)
_REASON = re.compile(
    r",? (?:because|since|so that|in order to|which|while|whereas|as (?:it|he|she|they|the))\b.*", re.IGNORECASE
)
_NAMED = re.compile(r"\b(?:the|an?|his|her|its|their) ([\w' -]+)$", re.IGNORECASE)
_LONGEST = 10  # words of an answer


def asks_for_a_deed(question: str) -> bool:
    """Whether a question asks what somebody or something does, or would do."""
    return bool(_ASKED.match(stated(question) or question))


def deed(said: str, question: str) -> str | None:
    """What the last sentence about the world in question says to be done; None where that is no deed."""
    if imagines(question):
        told = [main for piece in sentences(said) if MODAL_AT.search(main := stated(piece))]
        found = _WOULD.match(told[-1]) if told else None
    else:
        every = sentences(said)
        told = [piece for piece in every if _IS.match(piece) and not imagines(piece)]
        found = _IS.match(told[0]) if len(told) == 1 or (told and tells_of_now(told[0])) else None
    if found is None or _is_another(found["who"], question):
        return None
    does = _REASON.sub("", RATHER_THAN.sub("", found["does"])).strip(" .,;!")
    return does if 0 < len(does.split()) <= _LONGEST else None


def _is_another(who: str, question: str) -> bool:
    """Whether somebody else does it than was asked about: "The dog would bark.", to what the man would do."""
    named = _NAMED.search(who)
    return named is not None and stems_of(named[1]).isdisjoint(stems_of(question))
