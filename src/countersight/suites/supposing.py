"""Find the supposition in a counterfactual question: the change that it describes."""

import re

from countersight.case import Change

# "As if" compares and "tell if" means "whether": neither begins a supposition.
_IF = re.compile(r"(?<!\bas )(?<!\btell )(?<!\bknow )(?<!\bsure )\bif\s+", re.IGNORECASE)
_ASKS = (
    r"(?:then,?\s+)?(?:(?:in|on|at|to|for|from|with|of)\s+)?(?:how|what|which|who|whom|whose|where|when|why"
    r"|would|could|should|will|can|may|might|must|do|does|did|is|are|was|were|has|have|had)\b"
)
_ASKED = re.compile(rf"[,;]\s*{_ASKS}", re.IGNORECASE)
_SUPPOSE = re.compile(rf"(?:suppose|imagine|assume)\s+(?:that\s+)?(?P<clause>.+?)[.,;]\s*{_ASKS}", re.IGNORECASE)

_SINGULAR = re.compile(r"^((?:one|1|the (?:top|bottom) \w+ circle)\b.*?) were ")


def supposed(question: str) -> Change | None:
    """Return the supposition of a question as a sentence, or None if it has no if-clause or "suppose"."""
    words = " ".join(question.split())
    if found := _SUPPOSE.match(words):
        return Change(f"{found['clause'][:1].upper()}{found['clause'][1:]}.")
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
    """Return an if-clause as a sentence; "were" in a supposition becomes "was" in a statement."""
    clause = _SINGULAR.sub(r"\1 was ", clause)
    for now, then in ((", unless it is ", ", unless it was "), (", unless it has ", ", unless it had ")):
        clause = clause.replace(now, then)
    return f"{clause[:1].upper()}{clause[1:]}."
