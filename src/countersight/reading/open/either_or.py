"""Open questions that name the two answers they expect: "Would the glass be full or empty?"."""

import re

from msgspec.structs import replace

from countersight.case import Option, Question

_NAME = r"(?:(?:an?|the|in|on|at|to the) )?[\w-]+"
_ENDS = r"(?=\s*(?:\?|,|$)| (?:if|when|after|once|now|then|in the (?:image|picture|photo))\b)"
_ASKED = re.compile(
    r"(?:^|,)\W*(?:then )?(?:is|are|was|were|would|will|does|do|did|could|can|has|have)\b[^,?]*?"
    rf" (?P<one>{_NAME}) or (?P<other>{_NAME}){_ENDS}",
    re.IGNORECASE,
)


def of_two(question: Question) -> Question | None:
    """The question as one between the two that it names, or None where it names none; "or not" names only one."""
    found = _ASKED.search(question.text)
    if found is None or found["other"].lower() in ("not", "no", "nothing", "more"):
        return None
    return replace(question, kind="choice", options=(Option(found["one"]), Option(found["other"])))
