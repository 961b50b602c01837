"""What becomes of a contest where a clause tells how the other side fares: if the blue team loses, the red one wins."""

import re
from typing import Literal

from countersight.reading.language.asked import Asked, content
from countersight.reading.language.vocabulary import any_of
from countersight.reading.yes_or_no.negation import NEGATED
from countersight.reading.yes_or_no.repetitions import LEADS, PRONOUN

_CONTEST = r"(?: the (?:game|match|race|contest|bet|tournament|duel))?"
_ASKS_WHO_WINS = re.compile(rf"\b(?:(?P<win>win|be ahead)|lose){_CONTEST}\W*$", re.IGNORECASE)
_FARES = re.compile(
    rf"{LEADS}(?P<who>the (?:\w+ ){{1,3}}?)(?:would|will|wouldn't)\b[^,]*?\b(?:(?P<win>win|be ahead)|lose)\b"
    rf"{_CONTEST}(?: instead| anyway| then)?\W*$",
    re.IGNORECASE,
)
_STRONG = any_of("yes_no.strengths")
_ASKS_WHO_BESTS = re.compile(
    rf"^\W*\w+ (?P<one>the .+?) (?:be able to |still |easily |ever )*{any_of('yes_no.besting')}"
    r" (?P<other>(?:the|an?|his|her) .+?)(?: (?:to|at) the .+| in an? .+)?\W*$",
    re.IGNORECASE,
)
_WHO_IS = rf"{LEADS}(?P<who>[\w' -]+?)(?:'s|'d| is| are| would| will| could| does)(?P<denied>n't| not)?"
_FOR_WHOM = r"(?: (?:for|against))?(?P<whom> (?:the|it|him|her|his|them)\b[\w' -]*)?\W*$"
_MATCHED = re.compile(
    rf"{_WHO_IS}(?: still| simply)?(?: be| have| stand| do not have)? (?:no match for|(?P<chance>no|an?|any) chance"
    rf"|(?P<too>too) {_STRONG}|(?P<enough>{_STRONG} enough)|too {any_of('yes_no.weaknesses')}){_FOR_WHOM}",
    re.IGNORECASE,
)


def won_by_another(clause: str, asked: Asked) -> bool | Literal["open"] | None:
    """Whether the asked side fares as was asked, by how one fares that the question supposes something of.

    "open" where that leaves it open: who does not win may have tied, and of several racers one who loses is but one.
    """
    wanted, told = _ASKS_WHO_WINS.search(asked.text), _FARES.match(clause)
    who = content(told["who"]) if told else frozenset[str]()
    if not wanted or not told or not who - asked.words or not who - asked.words <= asked.supposed:
        return None
    of_two = bool(who & asked.words)  # "the blue team", to the red one
    if NEGATED.search(clause) or not (of_two or (told["win"] and wanted["win"])):
        return "open"
    return bool(told["win"]) != bool(wanted["win"])


def bested(clause: str, asked: Asked) -> bool | Literal["open"] | None:
    """Whether the asked one beats, catches or outruns the other, by who is no match for whom, or too fast for it."""
    wanted, told = _ASKS_WHO_BESTS.match(asked.text), _MATCHED.match(clause)
    if not wanted or not told:
        return None
    one, other = content(wanted["one"]), content(wanted["other"])
    who, whom = content(told["who"]), content(told["whom"] or "")
    first, second = bool(who & one - other or PRONOUN.match(told["who"])), bool(who & other - one)
    wins = _fares_well(told)
    if wins is None or first == second or (whom and not whom & (other - one if first else one - other)):
        return "open"
    return "open" if told["enough"] and second else wins == first


def _fares_well(told: re.Match[str]) -> bool | None:
    if told["chance"]:
        return False if told["chance"].lower() in ("no", "any") or told["denied"] else None
    if told["enough"]:
        return not told["denied"]
    # "Too fast" by itself may be meant of a corner.
    return None if told["denied"] or (told["too"] and not told["whom"]) else bool(told["too"])
