"""What stands in the way of what was asked: to deny it is to affirm that, and to name it affirms nothing."""

import re

from countersight.reading.language.asked import Asked, content
from countersight.reading.language.clauses import MODAL
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import found
from countersight.reading.yes_or_no.negation import NEGATED, without_negation
from countersight.reading.yes_or_no.repetitions import GONE

STAYING = frozenset(map(stem, ("remain", "left", "exist", "stay")))
"""To stay as one is may be hindered by nothing that hinders a change."""
_OBSTACLE = found("yes_no.obstacles")
_HOLDS_IN = re.compile(r" in(?:side)?$", re.IGNORECASE)
_NO_BEFORE = re.compile(r"\bno (?:\w+ )?$", re.IGNORECASE)
_THE_SUBJECT = re.compile(r"\b(?:the|his|her|its|their) \w+\b", re.IGNORECASE)
_PREVENTED = re.compile(
    r"\b(?:prevent|stop|block|hinder|keep|hold|imped|trouble|difficult|problem)\w*"
    r" (?:it|him|her|them|that|this|\w+ing)\b",
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
    r"\b(?:his|her|its|their|the(?: [\w-]+'s)?|your) (?:view|way|path|passage|access|exit|line of sight)\b",
    re.IGNORECASE,
)
_NOTHING = rf"(?:there (?:is|would be) )?(?:nothing|nobody|no \w+)(?: (?:that|who))? (?:{MODAL}|to)"
_UNHINDERED = re.compile(
    rf"^\W*{_NOTHING}(?: \w+ly)? (?:prevent|stop|keep|hinder) (?P<one>{_ONE}) from \w+ing\b"
    rf"|^\W*(?P<other>{_ONE}) {MODAL}(?: \w+ly)? have (?:no|little) (?:trouble|difficulty|problems?) \w+ing\b",
    re.IGNORECASE,
)
_ASKS_FOR_A_HINDRANCE = re.compile(
    r"\W*(?:is|are|would) there (?:be )?(?:any|some)(?:thing|body|one) (?:that (?:is|would be) )?"
    r"(?:keeping|stopping|preventing|blocking|hindering)\b",
    re.IGNORECASE,
)
_SOMETHING_DOES = re.compile(r"\b(?:keep|stop|prevent|block|hinder)(?:s|ing)?\b", re.IGNORECASE)
_NOTHING_DOES = re.compile(r"\W*(?:there (?:is|would be) )?(?:nothing|nobody|no one)\b", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:no|not|never|nothing|nobody|would|could|if|once|used to)\b|n't\b", re.IGNORECASE)


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
    if said - GONE <= asked.supposed and not asked.words & STAYING and _STOPS_IT.search(clause):
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


def speaks_past(clause: str, asked: Asked) -> bool:
    """Whether it is asked if something hinders, and a clause tells something else: "they would not get in"."""
    obstacle = _OBSTACLE.search(asked.text)
    return obstacle is not None and not (content(obstacle.group()) - content(_within(obstacle))) & content(clause)


def is_hindered(clause: str, asked: Asked) -> bool:
    """Whether a clause only names what stands in the way: "it would struggle to climb"."""
    obstacle = _OBSTACLE.search(clause)
    return obstacle is not None and not content(obstacle.group()) & asked.words


def named_hindrance(text: str, question: str) -> str | None:
    """Whether a reply names what keeps somebody from something, where it was asked if there is anything that does."""
    if not _ASKS_FOR_A_HINDRANCE.match(question):
        return None
    if _NOTHING_DOES.match(text):
        return "no"
    return "yes" if _SOMETHING_DOES.search(text) and not _DENIED.search(text) else None
