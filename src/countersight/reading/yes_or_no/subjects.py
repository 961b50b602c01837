"""Who or what a clause is about, where it does not say so itself."""

import re

from countersight.reading.language.asked import Asked, content
from countersight.reading.language.clauses import MODAL
from countersight.reading.yes_or_no.repetitions import LEADS, PRONOUN

_RANKED = re.compile(r"\b(?:\w{3,}est|first|lead\w*|ahead|most|win(?:s|ner|ning)?)\b", re.IGNORECASE)
_NO_SUBJECT = re.compile(rf"\W*(?:{MODAL})\b", re.IGNORECASE)
_SUBJECT = re.compile(
    rf"{LEADS}(?P<who>it|they|he|she|(?:the|an?|his|her|its|their)(?: [\w'-]+){{1,3}}?)"
    rf"(?:'d| (?:is|are|was|has|have|{MODAL}))\b",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"\binstead\W*$", re.IGNORECASE)


def with_subjects(said: list[str]) -> list[str]:
    """Clauses with the subject they share with the one before: "the lamp is screwed on and would stay there"."""
    whole: list[str] = []
    for clause in said:
        before = _SUBJECT.match(whole[-1]) if whole and _NO_SUBJECT.match(clause) else None
        whole.append(f"{before['who']} {clause}" if before else clause)
    return whole


def takes_up_another(clause: str, before: str, asked: Asked) -> bool:
    """Whether a pronoun stands for another than was asked about: "the cube is bigger, so it would be the largest"."""
    if not _RANKED.search(asked.text) or not PRONOUN.match(clause):
        return False
    subject = _SUBJECT.match(before)
    named = content(subject["who"]) if subject else frozenset[str]()
    return (bool(named) and asked.subject not in named) or bool(_INSTEAD.search(clause))
