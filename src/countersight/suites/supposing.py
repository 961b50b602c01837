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

_PLURAL = r"(?:and|or|that|which|who|half|third|quarter|dozen|hundred|thousand|million)\b"
_SINGULAR = re.compile(
    rf"^((?:one|1|another|it|he|she|this|the (?:top|bottom) \w+ circle)(?: (?!{_PLURAL})[\w'’-]+){{0,8}}?) were\b", re.I
)
"""The beginning of a clause whose subject is one thing, without any word that could make the subject plural."""


def supposed(question: str) -> Change | None:
    """Return the supposition of a question as a sentence, or None if it has no if-clause or "suppose"."""
    words = " ".join(question.split())
    if found := _SUPPOSE.match(words):
        return Change(_stated(found["clause"]))
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
    return Change(_stated(clause)) if clause else None


def as_sentence(clause: str) -> str:
    """Return an if-clause of a generated question as a sentence."""
    for now, then in ((", unless it is ", ", unless it was "), (", unless it has ", ", unless it had ")):
        clause = clause.replace(now, then)
    return _stated(clause)


def _stated(clause: str) -> str:
    """Return an if-clause as a sentence; "were" in a supposition becomes "was" in a statement about one thing."""
    clause = _SINGULAR.sub(r"\1 was", clause)
    return f"{clause[:1].upper()}{clause[1:]}."
