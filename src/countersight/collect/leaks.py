"""Does a counterfactual question give its answer away without the picture ("If I painted this bus blue", CFMM 3.3)?"""

import re

from countersight.english import NUMBER_WORDS
from countersight.suites import supposed

_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_LITTLE = frozenset(re.findall(r"\w+", "a an the of in on at to is are was were be it its and or no yes not would"))
_COME_OR_GO = re.compile(
    r"\b(?:more|another|extra|fewer|less|away|off|out|add(?:s|ed)?|join(?:s|ed)?|c[ao]me|arrived?|appeared|put|gone|went"
    r"|left|leaves?|remove[ds]?|take[ns]?|took|eaten|ate|f[ae]ll|fallen|sold|stolen|lost|br[eo]ken?|vanished|disappeared)\b",
    re.IGNORECASE,
)
_STAY = re.compile(
    r"\b(?:only|just|exactly|all but|except|kept|remain(?:s|ed)?|stay(?:s|ed)?|(?:is|are|was|were) left)\b", re.I
)


def leak(question: str, right: str, wrong: str) -> str:
    """A sentence that says what gives the right option away, or nothing.

    The words of the right option stand in the if-clause, and those of the wrong one do not. Options of little words
    only ("yes", "no") cannot be found in a clause and are left to the second person; so is the number of things that
    come or go, since "if two dogs ran away" does not say how many stay.
    """
    clause = supposed(question)
    if clause is None:
        return ""
    said = _words(clause.text)
    telling = _words(right) - _words(wrong)
    if _is_number(right) and _COME_OR_GO.search(clause.text) and not _STAY.search(clause.text):
        return ""
    if telling and telling <= said and not _words(wrong) <= said:
        named = " ".join(word for word in right.split())
        return f"The if-clause names the answer (“{named}”): it can be answered without looking."
    return ""


def _is_number(text: str) -> bool:
    return text.strip().casefold() in NUMBER_WORDS or text.strip().isdigit()


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold())) - _LITTLE
