"""What becomes of a contest where a clause tells how the other side fares: if the blue team loses, the red one wins."""

import re
from typing import Literal

from countersight.reading.language.asked import Asked, content
from countersight.reading.yes_or_no.negation import NEGATED
from countersight.reading.yes_or_no.repetitions import LEADS

_CONTEST = r"(?: the (?:game|match|race|contest|bet|tournament|duel))?"
_ASKS_WHO_WINS = re.compile(rf"\b(?:(?P<win>win|be ahead)|lose){_CONTEST}\W*$", re.IGNORECASE)
_FARES = re.compile(
    rf"{LEADS}(?P<who>the (?:\w+ ){{1,3}}?)(?:would|will|wouldn't)\b[^,]*?\b(?:(?P<win>win|be ahead)|lose)\b"
    rf"{_CONTEST}(?: instead| anyway| then)?\W*$",
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
