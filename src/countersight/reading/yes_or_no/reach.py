"""Whether somebody can reach something, whichever of the two a question or a reply tells it of."""

import re

from countersight.reading.language.asked import content
from countersight.reading.language.clauses import asks_of_now

_THING = r"(?:it|they|(?:the|an?|his|her|its|their) (?:[\w-]+ ){0,2}?[\w-]+)"
_OUT = r"(?:(?P<out>out of|beyond|outside|too far for)|within|in)"
_REACH = r"(?:the )?(?:(?P<whose>(?:the )?[\w ]+?'s|his|her|its|their) reach|reach(?: (?:of|for) (?P<of>the [\w ]+?))?)"
_ASKS_WHERE = re.compile(
    rf"^\W*(?:is|are|would|will) (?P<what>{_THING})(?: (?:still|then|now|be))* {_OUT} {_REACH}"
    r"(?P<rest>(?:,? if .*)?)\W*$",
    re.IGNORECASE,
)
_ASKS_WHO = re.compile(
    r"^\W*(?:can|could|would|will) (?P<who>the (?:\w+ )??\w+|he|she|it) (?:still |be able to |easily )*"
    rf"reach (?P<what>{_THING})(?= if\b| without\b|\W*$)",
    re.IGNORECASE,
)
_IS = (
    r"(?:'s|'d be| is| are| hangs| lies| sits| stands"
    r"|(?:'d| would| will)(?: still| then)?(?: (?P<nor>not|no longer))?(?: still)? be)"
)
_PLACED = r"(?P<not>n't| not| no longer)?(?: still| well| far| just| \w+ly| placed| put| hanging| hung)*"
_IS_WHERE = re.compile(
    rf"(?P<what>\b{_THING}){_IS}{_PLACED} {_OUT} {_REACH}(?=\W*(?:$|[.,;]| (?:if|because|since|as|and|so|now|any)\b))",
    re.IGNORECASE,
)
_HIGHER = re.compile(
    rf"(?P<what>\b{_THING}){_IS}{_PLACED} (?:higher|further|farther)(?: (?:up|away|off|back))? than"
    r" (?P<who>he|she|it|the \w+(?: \w+)?) (?:can|could) reach",
    re.IGNORECASE,
)
_SPEAKS_OF_IT = re.compile(r"\b(?:reach|get (?:to|at|hold of)|grab|touch|too)\b", re.IGNORECASE)


def of_reaching(text: str, question: str) -> tuple[str, str]:
    """A text and a question with "she cannot reach it" for "it is out of her reach", where that was asked."""
    where, who = _ASKS_WHERE.match(question), _ASKS_WHO.match(question)
    of_whom = (where["of"] or (where["whose"] or "").removesuffix("'s")) if where else who["who"] if who else ""
    if not of_whom or not content(of_whom):
        return text, question
    can = "can" if asks_of_now(question) else "could"
    text = _IS_WHERE.sub(lambda found: _can_reach(found, of_whom, can), text)
    text = _HIGHER.sub(lambda found: f"{found['who']} {can} {_not(not _is_denied(found))}reach {found['what']}", text)
    if where and _SPEAKS_OF_IT.search(text):
        question = f"{can.capitalize()} {of_whom} {_not(bool(where['out']))}reach {where['what']}{where['rest']}?"
    return text, question


def _can_reach(found: re.Match[str], of_whom: str, can: str) -> str:
    told = found["of"] or (found["whose"] or "").removesuffix("'s")
    who = told if content(told) else of_whom
    return f"{who} {can} {_not(bool(found['out']) != _is_denied(found))}reach {found['what']}"


def _is_denied(found: re.Match[str]) -> bool:
    return bool(found["not"] or found["nor"])


def _not(denied: bool) -> str:
    return "not " if denied else ""
