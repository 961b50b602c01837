"""Does a counterfactual question give its answer away without the picture ("If I painted this bus blue", CFMM 3.3)?"""

import re

from countersight.suites import supposed

_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_LITTLE = frozenset(re.findall(r"\w+", "a an the of in on at to is are was were be it its and or no yes not would"))


def leak(question: str, right: str, wrong: str) -> str:
    """A sentence that says what gives the right option away, or nothing.

    The words of the right option stand in the if-clause, and those of the wrong one do not. Options of little words
    only ("yes", "no") cannot be found in a clause and are left to the second person.
    """
    clause = supposed(question)
    if clause is None:
        return ""
    said = _words(clause.text)
    telling = _words(right) - _words(wrong)
    if telling and telling <= said and not _words(wrong) <= said:
        named = " ".join(word for word in right.split())
        return f"The if-clause names the answer (“{named}”): it can be answered without looking."
    return ""


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold())) - _LITTLE
