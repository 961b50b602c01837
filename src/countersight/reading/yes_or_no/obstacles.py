"""What stands in the way of what was asked: to deny it is to affirm that, and to name it affirms nothing."""

import re

from countersight.reading.language.asked import Asked, content
from countersight.reading.language.clauses import MODAL
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import found
from countersight.reading.yes_or_no.negation import NEGATED, without_negation
from countersight.reading.yes_or_no.repetitions import LEADS

STAYING = frozenset(map(stem, ("remain", "left", "exist", "stay")))
"""To stay as one is may be hindered by nothing that hinders a change."""
_OBSTACLE = found("yes_no.obstacles")
_HOLDS_IN = re.compile(r" in(?:side)?$", re.IGNORECASE)
_NO_BEFORE = re.compile(r"\bno (?:\w+ )?$", re.IGNORECASE)
_THE_SUBJECT = re.compile(r"\b(?:the|his|her|its|their) \w+\b", re.IGNORECASE)
_PREVENTED = re.compile(
    r"\b(?:prevent|stop|block|hinder|keep|imped|trouble|difficult|problem)\w* (?:it|him|her|them|that|this|\w+ing)\b",
    re.IGNORECASE,
)
_STOPS_IT = re.compile(r"\b(?:prevent|stop|hinder|bother|deter) (?:it|him|her|them|that)\W*$", re.IGNORECASE)
_ARTICLE_BEFORE = re.compile(r"\b(?:the|an?|its|this) (?:\w+ )?$", re.IGNORECASE)  # "the bottom block"
_ONE = r"it|him|her|them|he|she|they|the \w+(?: \w+)?"
_NOT_KEPT_FROM = re.compile(
    rf"(?:\bnot|n't|\bnothing|\bnobody)\b.{{0,20}}\b(?:prevent|stop|keep) (?P<who>{_ONE}) from (?P<what>\w+ing)\b",
    re.IGNORECASE,
)
_FREE_WAY = re.compile(
    r"\b(?:his|her|its|their|the|your) (?:view|way|path|passage|access|exit|line of sight)\b", re.IGNORECASE
)
_NOTHING = rf"(?:there (?:is|would be) )?(?:nothing|nobody|no \w+)(?: (?:that|who))? (?:{MODAL}|to)"
_UNHINDERED = re.compile(
    rf"^\W*{_NOTHING}(?: \w+ly)? (?:prevent|stop|keep|hinder) (?P<one>{_ONE}) from \w+ing\b"
    rf"|^\W*(?P<other>{_ONE}) {MODAL}(?: \w+ly)? have (?:no|little) (?:trouble|difficulty|problems?) \w+ing\b",
    re.IGNORECASE,
)
# "Its way would be clear"
_WAY = re.compile(
    rf"{LEADS}(?:the|his|her|its|their) (?:way|path|passage) {MODAL}(?: not)?(?: (?:still|then|now))? be"
    r" (?:(?P<clear>clear|free|open|unobstructed)|blocked|obstructed|barred)\b",
    re.IGNORECASE,
)
_BLOCKS = re.compile(
    rf"{LEADS}(?P<what>the \w+(?: \w+)?) {MODAL}(?: still)? (?:be in (?:the|its|his|her|their) way"
    r"|(?:block|bar|obstruct) (?:the|its|his|her|their) (?:way|path|passage))\W*$",
    re.IGNORECASE,
)
_TOO_OR_ENOUGH = re.compile(r"\b(?:too|enough)\b", re.IGNORECASE)
_STILL = re.compile(r"\bstill\b", re.IGNORECASE)
NO_DIFFERENCE = found("yes_no.no_difference")
_FORBIDS = found("yes_no.forbidding")
_IN_VAIN = found("yes_no.in_vain")
# "He'd still be too short", "the stool isn't tall enough": measures of what it takes.
_IS = (
    r"(?:'d|'s|'re| would| will| is| are)(?P<not>n't| not)?(?: (?:still|then|also|be|just|probably|far|much|way|not))*"
)
_MEASURE = re.compile(
    rf"{LEADS}(?P<who>[\w -]{{2,40}}?){_IS}"
    r" (?P<what>too (?!much\b|many\b)\w+|\w+ enough)(?! to\b| for [\w ]+ to\b)(?: for (?P<whom>[\w ]+))?",
    re.IGNORECASE,
)


def freed(clause: str, asked: Asked) -> bool | None:
    """Whether a clause denies an obstacle to what was asked ("nothing would stop it"); None where it denies none.

    False where the obstacle is to something else, so that the clause says nothing to the question.
    """
    obstacle = _OBSTACLE.search(clause)
    denied = obstacle and (NEGATED.search(clause) or _NO_BEFORE.search(clause[: obstacle.start()]))
    if not obstacle or not denied:
        return None
    if asked.words & STAYING and _HOLDS_IN.search(obstacle.group()):
        return False  # "nothing would keep it inside", to whether it would stay
    named = content(obstacle.group().split()[0])
    if named & asked.words or (named & asked.supposed and _ARTICLE_BEFORE.search(clause[: obstacle.start()])):
        return None
    said = without_negation(_OBSTACLE.sub(_within, clause))
    if said <= {asked.subject}:
        # "Nothing would stop it", "nothing would stop the cat"; "that is no problem" may be about anything.
        return bool(_PREVENTED.search(_THE_SUBJECT.sub("it", clause)))
    if said <= asked.supposed and not asked.words & STAYING and _STOPS_IT.search(clause):
        return True  # "a higher feeder wouldn't stop it"
    done = _NOT_KEPT_FROM.search(clause)
    if done and stem(done["what"].lower()) in asked.words and content(done["who"]) <= {asked.subject}:
        return True  # "the loss of the ball would not stop them from playing"
    if asked.of_ability and not asked.words & STAYING and _is_of_the_subject(clause, asked):
        return True  # "nothing would prevent it from walking in", to whether it could enter
    return bool(said & asked.words - {asked.subject}) and said <= asked.words | asked.supposed


def _is_of_the_subject(clause: str, asked: Asked) -> bool:
    """Whether who is not hindered is who was asked about."""
    who = _UNHINDERED.search(clause)
    if _FREE_WAY.search(clause):
        return True  # "nothing would block his view any more"
    return who is not None and content(who["one"] or who["other"]) <= {asked.subject}


def _within(obstacle: re.Match[str]) -> str:
    """Who is kept: "the cat" of "keep the cat from"."""
    return " ".join(obstacle.group().split()[1:-1])


def avails(clause: str, asked: Asked) -> bool | None:
    """Whether a clause says that somebody can do what was asked, or cannot, by what it takes: "he'd be too short"."""
    if NO_DIFFERENCE.search(clause):
        return True if _STILL.search(asked.text) else None
    if not asked.of_ability or asked.negated:
        return None
    if _FORBIDS.search(clause) and not NEGATED.search(clause):
        return False
    if way := _WAY.match(clause):
        return bool(way["clear"]) != bool(NEGATED.search(clause))
    known = asked.words | asked.supposed
    blocks = _BLOCKS.match(clause)
    if blocks and content(blocks["what"]) <= known - {asked.subject} and not NEGATED.search(clause):
        return False  # "the cart would still be in the way"
    measure = _MEASURE.match(clause) if _TOO_OR_ENOUGH.search(clause) else None
    if measure and measure["whom"] and not content(measure["whom"]) <= asked.words:
        return None  # "too heavy for one man", to whether two could lift it
    if measure and content(measure["who"]) <= known and not content(measure["what"]) & asked.words:
        too = measure["what"].lower().startswith("too")
        return None if too and measure["not"] else not too and not measure["not"]
    in_vain = _IN_VAIN.search(clause)
    return False if in_vain and content(clause[: in_vain.start()]) <= known else None


def speaks_past(clause: str, asked: Asked) -> bool:
    """Whether it is asked if something hinders, and a clause tells something else: "they would not get in"."""
    obstacle = _OBSTACLE.search(asked.text)
    return obstacle is not None and not (content(obstacle.group()) - content(_within(obstacle))) & content(clause)


def is_hindered(clause: str, asked: Asked) -> bool:
    """Whether a clause only names what stands in the way: "it would struggle to climb"."""
    obstacle = _OBSTACLE.search(clause)
    return obstacle is not None and not content(obstacle.group()) & asked.words
