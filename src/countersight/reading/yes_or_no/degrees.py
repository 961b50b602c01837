"""What a clause says to whether something is so to another degree: "just as safe", to whether it would be less safe."""

import re

from countersight.reading.language.asked import Asked, content
from countersight.reading.yes_or_no.negation import NEGATED
from countersight.reading.yes_or_no.repetitions import HELPING_VERB

_ASKED = re.compile(
    r"\b(?:(?P<less>less)|more) (?P<what>(?!than\b)[a-z]+)(?! than \w+ \w+ing\b)|\b(?P<er>[a-z]{3,}er) than\b"
    r"|\b(?P<last>[a-z]{3,}er)\W*$",
    re.IGNORECASE,
)
_AS = re.compile(
    r"(?:\b(?P<short>twice|half|times|not|nearly|almost|least|never|quite) )?\bas (?P<what>[a-z]+)\b",
    re.IGNORECASE,
)
_LESS = re.compile(r"\b(?P<less>less|more) (?P<what>[a-z]+)", re.IGNORECASE)
_WHOLLY = re.compile(r"\b(?:entirely|completely|fully|totally|wholly)\b", re.IGNORECASE)
_PARTLY = re.compile(r"\b(?:mostly|partly|partially|largely|mainly|only half)\b", re.IGNORECASE)
_TOO = re.compile(r"\btoo \w+(?! to\b)", re.IGNORECASE)
_NOT_TOO = re.compile(r"(?:\bnot|n't)(?: be)? too\b(?! \w+ (?:to|for)\b)", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+")


def in_degree(clause: str, asked: Asked) -> str | None:
    """Yes or no, "open" where a clause says only that it is so, and None where another rule may read it."""
    if _WHOLLY.search(asked.text) and _PARTLY.search(clause):
        return "open" if NEGATED.search(clause) or not content(clause) & asked.words - {asked.subject} else "no"
    if _TOO.search(asked.text) and _NOT_TOO.search(clause) and content(clause) & asked.words - {asked.subject}:
        return "no"  # "bright, but not too bright"
    degree = _ASKED.search(asked.text)
    if not degree:
        return None
    verb = HELPING_VERB.search(clause)
    if not verb or not content(clause[: verb.start()]) <= asked.words:
        return None
    told, what = _AS.search(clause, verb.start()), (degree["what"] or degree["er"] or degree["last"]).lower()
    if told and what in (told["what"].lower(), *_forms(told["what"].lower())):
        return "open" if told["short"] or NEGATED.search(clause) else "no"
    if not degree["less"]:
        return None
    said = _LESS.search(clause)
    if said and said["what"].lower() == what:
        return "yes" if (said["less"].lower() == "less") != bool(NEGATED.search(clause)) else "no"
    if _forms(what) & {*_WORD.findall(clause.lower())}:
        return None if NEGATED.search(clause) else "no"
    return "open" if content(clause) - {asked.subject} else None


def _forms(word: str) -> frozenset[str]:
    """The ways in which its comparative may be spelled: "dark", "large", "busy" and "big"."""
    return frozenset((f"{word}er", f"{word}r", f"{word[:-1]}ier", f"{word}{word[-1]}er"))
