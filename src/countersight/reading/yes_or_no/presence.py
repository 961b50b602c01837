"""Whether a clause says that what was asked for is there, in other words: "the bench would be empty", "two remain"."""

import re

from countersight.reading.language.asked import CONTRARY, Asked, content
from countersight.reading.language.clauses import MODAL
from countersight.reading.language.stems import stem
from countersight.reading.yes_or_no.repetitions import LEADS

EMPTINESS = frozenset({"empty", "deserted", "vacant"})
_BUSTLE = frozenset({"busy", "crowded", "occupied"})
_NO_ONE_THERE = re.compile(
    r"^\W*(?:there(?:'s| is| are| would be|(?= isn't| wouldn't)) ?)?"
    r"(?:(?:not|isn't|wouldn't be) a (?:soul|single person)|nobody|no one|nothing)\b",
    re.IGNORECASE,
)
_EMPTY_PLACE = re.compile(
    r"^\W*(?:then |so )?(?P<what>it|the \w+(?: \w+)?)(?:'s| is| was|'d be| would(?: then| probably| just)?"
    r"(?P<not>n't| not)? (?:be|look))"
    r" (?:\w+ly )?(?:empty|bare|deserted|vacant)\b",
    re.IGNORECASE,
)
_NONE_IN_IT = re.compile(
    r"^\W*there (?:is|are|would be) no \w+(?: left| remaining)? (?:in|inside|on) (?P<where>it|the \w+)\W*$",
    re.IGNORECASE,
)
_SOMEBODY = r"(?P<who>(?!nobody|nothing|none|no )\w+(?: \w+){0,3}?)"
_STAYS = r"(?:remain|stay|be left(?! with\b)|be (?:sitting |standing |lying )?there|be (?:sitting|standing|lying))\b"
_REMAINS = re.compile(
    rf"{LEADS}{_SOMEBODY} {MODAL}(?: (?:still|then|both|all|\w+ly))* {_STAYS}",
    re.IGNORECASE,
)
_PRONOUNS = frozenset({"it", "he", "she", "they"})
_ASKS_OF_HAVING = re.compile(
    r"^\W*(?:does|do|is|are) (?P<who>.+?) (?:have|wearing|holding|carrying) (?P<what>.+)", re.IGNORECASE
)
_HAS = re.compile(
    r"^\W*(?P<who>it|he|she|they|the [\w ]{1,30}?) (?:has|have|holds?|carr(?:y|ies)|(?:is|are) (?:holding|carrying))"
    r" (?!no\b|n[eo]\w+\b)(?P<what>.+)",
    re.IGNORECASE,
)
_WEARING = re.compile(r"\bwearing\b", re.IGNORECASE)  # a hat in the hand is not worn
_THERE = re.compile(r"^\W*there(?:'s| is| are) (?P<no>no\b)?(?P<what>.+)", re.IGNORECASE)
_ASKS_WHAT_IS_HELD = re.compile(r"\b(?:holding|carrying)\b", re.IGNORECASE)
_EMPTY_HANDED = re.compile(
    r"^\W*(?:(?:both(?: of)? )?(?P<his>his|her|their) hands (?:are|would be) (?:both |completely )?(?:empty|free)"
    r"|(?P<who>he|she|they|the \w+) (?:is|are|would be) empty-handed)\W*$",
    re.IGNORECASE,
)
_WHOSE = {"his": "he", "her": "she"}


def is_there(clause: str, asked: Asked, *, negated: bool) -> bool | None:
    """Whether something is there, or had, that was asked for; None where a clause does not tell."""
    states = {*asked.states} & (EMPTINESS | _BUSTLE if asked.of_now else EMPTINESS)
    nobody = _NO_ONE_THERE.match(clause) if states else None
    if nobody and content(clause[nobody.end() :]) - {stem("left")} <= asked.words:
        return bool(states & EMPTINESS)  # "there's not a soul on it", to whether the beach is empty
    none_in_it = _NONE_IN_IT.match(clause) if states & EMPTINESS else None
    if none_in_it and content(none_in_it["where"]) <= asked.words:
        return True  # "there is no milk left in the glass", to whether it is empty
    if asked.of_being or asked.of_anyone:
        place = _EMPTY_PLACE.match(clause)
        if place and content(place["what"]) <= asked.words:
            return bool(place["not"])
        return True if not negated and _remains(clause, asked) else None
    if _ASKS_WHAT_IS_HELD.search(asked.text) and (hands := _EMPTY_HANDED.match(clause)):
        whose = _WHOSE.get((hands["his"] or "").lower(), "")
        of_them = not asked.people or whose in asked.people | {""}
        return False if of_them and content(hands["who"] or "") <= {asked.subject} else None
    having, there = _ASKS_OF_HAVING.match(asked.text), _THERE.match(clause)
    if having and there and content(having["what"]) and content(having["what"]) <= content(there["what"]):
        return not there["no"]  # "there are no glasses on his face", to whether he is wearing glasses
    has = _HAS.match(clause) if having and not negated and not _WEARING.search(asked.text) else None
    if having and has and content(has["who"]) <= asked.words and content(having["what"]):
        return True if content(having["what"]) <= content(CONTRARY.split(has["what"])[0]) else None
    return None


def _remains(clause: str, asked: Asked) -> bool:
    """Whether somebody else than who leaves is said to stay: "the girl would remain", to whether anyone would."""
    told = _REMAINS.match(clause)
    return told is not None and told["who"].lower() not in _PRONOUNS and not content(told["who"]) <= asked.supposed
