"""What somebody does, or would do, in the words of a whole sentence: "playing chess", of "She is playing chess."."""

import re

from countersight.reading.language.clauses import MODAL, MODAL_AT, imagines, sentences, stated
from countersight.reading.language.vocabulary import any_of
from countersight.reading.open.new_words import RATHER_THAN
from countersight.reading.open.parts import stems_of

# "What is she doing", "what would he have to do"; not "what do they eat", nor "what would the change do to the sea".
_ASKED = re.compile(
    r"\W*what\b(?! (?:do|does|did)\b).*\b(?:doing|do)(?: next| now| then)?(?:\W*$| (?:in|on|at|here)\b)"
    r"|\W*what would happen to (?!be\b)[\w' ]+\W*$",
    re.IGNORECASE,
)
_OPINION = re.compile(rf"^\W*{any_of('yes_no.opinions')},?\s+", re.IGNORECASE)
_HEDGE = (
    r"(?:(?:most |very )?likely|just|then|also|(?!(?:fly|apply|rely|reply)\b)\w+ly|have to|need to|be forced to"
    r"|be(?= \w+ing\b))"
)
_WOULD = re.compile(
    rf"(?P<who>.*?)\s*(?P<would>{MODAL})(?: {_HEDGE})*\s+(?!have\b|expect\b)(?P<does>\w.*)", re.IGNORECASE
)
_IS = re.compile(
    r"(?P<who>.*?)\s*(?P<would>\b(?:is|are|was|were)|'s|'re)(?: \w+ly)? (?P<does>[a-z]+ing\b.*)", re.IGNORECASE
)
_REASON = re.compile(
    r",? (?:because|since|so that|in order to|which|while|whereas|as (?:it|he|she|they|the))\b.*", re.IGNORECASE
)
# "… and she is reading": what another does
_AND_ANOTHER = re.compile(
    rf",? (?:and|but) (?:he|she|it|they|(?:the|an?|his|her) \w+|[A-Z]\w+) (?:is|are|was|were|{MODAL})\b.*"
)
_NAMED = re.compile(r"\b(?i:the|an?|his|her|its|their) ([\w' -]+)$|^\W*([A-Z][a-z]+)$")
_ANOTHER_VERB = re.compile(rf"\b(?:is|are|was|were)\b|{MODAL}", re.IGNORECASE)
_PRONOUNS = frozenset({"he", "she", "it", "they", "you", "we", "i", "there"})
_LONGEST = 10  # words of an answer


def asks_for_a_deed(question: str) -> bool:
    """Whether a question asks what somebody or something does, or would do."""
    return bool(_ASKED.match(stated(question) or question))


def deed(said: str, question: str) -> str | None:
    """What the one sentence about the world in question says to be done; None where there are more, or no deed."""
    every = sentences(said)
    if imagines(question):
        verb, told = _WOULD, [main for piece in every if MODAL_AT.search(main := stated(piece))]
    else:
        verb, told = _IS, [piece for piece in every if _IS.match(piece) and not imagines(piece)]
    found = verb.match(_OPINION.sub("", told[0])) if len(told) == 1 else None
    if found is None or _is_another(found["who"], question):
        return None
    does = _REASON.sub("", RATHER_THAN.sub("", _AND_ANOTHER.sub("", found["does"]))).strip(" .,;!")
    if not 0 < len(does.split()) <= _LONGEST or _ANOTHER_VERB.search(does):
        return None
    return f"not {does}" if found["would"].lower().endswith("n't") else does


def _is_another(who: str, question: str) -> bool:
    """Whether somebody else does it than was asked about: "The dog would bark.", to what the man would do."""
    named = _NAMED.search(who)
    if named is None or (named[2] or "").lower() in _PRONOUNS:
        return False
    return stems_of(named[1] or named[2]).isdisjoint(stems_of(question)) or "'s " in who
