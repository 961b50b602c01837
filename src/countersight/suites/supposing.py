"""The supposition in a counterfactual question: what its if-clause says is different."""

import re

from countersight.case import Change

# "As if" compares and "tell if" asks whether: neither supposes anything.
_IF = re.compile(r"(?<!\bas )(?<!\btell )(?<!\bknow )(?<!\bsure )\bif\s+", re.IGNORECASE)
_ASKED = re.compile(
    r"[,;]\s*(?:then,?\s+)?(?:(?:in|on|at|to|for|from|with|of)\s+)?(?:how|what|which|who|whom|whose|where|when|why"
    r"|would|could|should|will|can|may|might|must|do|does|did|is|are|was|were|has|have|had)\b",
    re.IGNORECASE,
)


def supposed(question: str) -> Change | None:
    """The if-clause of a question as a sentence of its own, or None where no such clause is found."""
    words = " ".join(question.split())
    begins = _IF.search(words)
    if begins is None:
        return None
    clause = words[begins.end() :]
    before = words[: begins.start()].rstrip()
    if not before or before[-1] in ",;:.":  # the clause comes first, and what is asked after it
        asked = _ASKED.search(clause)
        if asked is None:
            return None
        clause = clause[: asked.start()]
    clause = clause.rstrip(" ?.!")
    return Change(f"{clause[:1].upper()}{clause[1:]}.") if clause else None


def as_sentence(clause: str) -> str:
    """An if-clause as a sentence of its own; what "were" in a supposition is "was" in a statement."""
    if clause.startswith("one "):
        clause = clause.replace(" were ", " was ")
    return f"{clause[:1].upper()}{clause[1:]}."
