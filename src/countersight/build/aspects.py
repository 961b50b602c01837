"""CFMM's six aspects: which of them a question is about, by its words."""

import re

from countersight.build.vocabulary import ASPECTS


def aspect(question: str, group: str) -> str:
    """The aspect of a question: count, color, direction, size, shape, or common for what needs common sense."""
    if group == "direct":
        return "count"
    words = set(re.findall(r"[a-z]+", question.casefold()))
    return next((name for name, telling in ASPECTS.items() if words & telling), "common")
