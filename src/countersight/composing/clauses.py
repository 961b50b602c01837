"""Takes a counterfactual question apart: what is asked, what is supposed, and the events the supposition tells."""

import re

from countersight.composing.words import COLOURS

_SPACE = re.compile(r"\s+")
_OPENING = re.compile(
    r"\b(?:(?:what|even|only|and|but) if|if|(?:suppos|imagin|assum)(?:e|ing)(?: that)?|provided(?: that)?|given that"
    r"|in case|after|once|when)\s+",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"(?:[,;.]\s*(?:then,?\s+)?|\s+)(?:and\s+|so\s+)?"
    r"(?=how (?:many|much)\b|what (?:would|will|is) (?:be )?the (?:total )?(?:number|count)\b)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"(?:how many|the (?:total )?(?:number|count) of)\s+(?P<thing>.+?)"
    r"(?=\s+(?:would|will|could|can|should|might|do|does|did|is|are|was|were|be|has|have|had|there|in|on|at|of the"
    r"|left|remain)\b|[?,.]|$)",
    re.IGNORECASE,
)
# Where one event ends and the next begins. "And" between two nouns ("2 cats and dogs left") is no such place: what
# follows must begin like an event, with a quantity or a subject of its own, or be a bare predicate.
_BETWEEN = re.compile(
    r"\s*(?:;|,?\s+(?:and|(?<!all )but)\s+(?:then\s+)?|,\s*(?:then\s+)?|\s+then\s+|\s+before\s+)\s*", re.IGNORECASE
)


def supposition(question: str) -> tuple[str, str] | None:
    """What is asked and what is supposed, or None where nothing is supposed."""
    text = _SPACE.sub(" ", question).strip(" ?.!")
    opening = _OPENING.search(text)
    if opening is None:
        return _with_or_without(text)
    before, after = text[: opening.start()].strip(" ,;:."), text[opening.end() :]
    if re.search(r"\bhow (?:many|much)\b|\bnumber of\b|\bcount of\b", before, re.IGNORECASE):
        return before, after.strip(" ,;:.")
    asked = _ASKED.search(after)
    if asked is None:
        return None
    return after[asked.end() :].strip(), after[: asked.start()].strip(" ,;:.")


def _with_or_without(text: str) -> tuple[str, str] | None:
    """The same without an if: "without two of the dogs", "with another dog"."""
    found = re.search(r"\s(?P<gone>without|with)\s+(?P<things>.+)", text, re.IGNORECASE)
    if found is None or not re.search(r"\bhow many\b", text[: found.start()], re.IGNORECASE):
        return None
    if found["gone"].casefold() == "without":
        return text[: found.start()], f"{found['things']} were removed"
    return text[: found.start()], found["things"]


def counted_thing(asked: str) -> str:
    """The words for what is counted: "cows" in "how many cows would you see"."""
    found = _SUBJECT.search(asked)
    return found.group("thing").casefold() if found else ""


def events(supposed: str) -> list[str]:
    """The events of a supposition in the order they happen."""
    pieces = _BETWEEN.split(re.sub(r"\bnumber and \w+\b", "number", supposed.casefold()))
    return [piece.strip() for piece in pieces if piece.strip()]


def same_colours(asked: str, supposed: str) -> bool:
    """Whether both may speak of the same things: a flower in a blue polygon is not in a red one."""
    here, there = (COLOURS.intersection(re.findall(r"[a-z]+", clause.casefold())) for clause in (asked, supposed))
    return not here or not there or bool(here & there)
