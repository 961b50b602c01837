"""Reads the answer to a how-many question."""

import re

from countersight.reading.clauses import MODAL, asks_of_now, sentences, supposes, supposes_first
from countersight.reading.numerals import numerals
from countersight.reading.ranks import Rank, Ranks, ranks_in

_MODAL = re.compile(rf"(?:\b|(?=')){MODAL}\b", re.IGNORECASE)
_INTERJECTION = re.compile(r"^\W*(?:yes|no|yeah|nope|sure|okay|ok|well|right)\s*[,.!;:-]+\s+(?=\S)", re.IGNORECASE)
_ONLY_NO = re.compile(r"^\W*(?:no|none|nope)\W*$", re.IGNORECASE)
_HOW_MANY = re.compile(
    r"\bhow many (?P<what>[^?.,]{1,60}?)(?=\s+(?:would|will|could|is|are|was|were|do|does|did|can|has|have)\b|[?.,]|$)",
    re.IGNORECASE,
)
_JUST_A = re.compile(
    r"\W*(?:there(?:'s| is|'d be| would(?: still| only| just)? be| will be)\s+)?(?:just |only )?an? (?:\w+ )??"
    r"(?P<noun>\w+)(?: left| remaining| visible)?(?: (?:in|on) the (?:image|picture|photo|scene))?\W*$",
    re.IGNORECASE,
)
# "1 animal now, 3 then"; the other way round, "then" may be what was.
_COUNT = r"(?:\d+|[a-z]+(?:-[a-z]+)?)(?: [a-z]+)?"
_NOW_AND_THEN = re.compile(
    rf"\W*(?:(?:now|currently|at present)[:,]? {_COUNT}|{_COUNT} (?:now|currently|at present))\s*[.,;]?\s+"
    rf"(?:and |but )?(?P<then>(?:then|afterwards?|after that)[:,]? {_COUNT}"
    rf"|{_COUNT} (?:then|afterwards?|after that))\W*$",
    re.IGNORECASE,
)
_PLURALS = {
    **{"person": ("people", "persons"), "man": ("men",), "woman": ("women",), "child": ("children",)},
    **{"knife": ("knives",), "foot": ("feet",), "mouse": ("mice",), "sheep": ("sheep",), "fish": ("fish",)},
}


def count(text: str, question: str) -> str | None:
    """The number a plain text gives as its answer, or None where it gives none or more than one."""
    if _ONLY_NO.match(text):
        return "0"
    if _is_just_one(text, question):
        return "1"
    text = _INTERJECTION.sub("", text)
    both = None if asks_of_now(question) else _NOW_AND_THEN.match(text)
    if both and len(numerals(text)) == 2 and len(found := numerals(both["then"])) == 1:
        return found[0].value
    pieces = sentences(text)
    ranked = [
        (piece, ranks)
        for position, piece in enumerate(pieces)
        if (ranks := ranks_in(piece, first=position == 0, last=position == len(pieces) - 1))
    ]
    return _strongest(_of_now(ranked) if asks_of_now(question) else _of_the_supposed(ranked))


def _strongest(ranked: list[Ranks]) -> str | None:
    if not ranked:
        return None
    best = max(rank for ranks in ranked for rank, _ in ranks)
    chosen = [{value for rank, value in ranks if rank == best} for ranks in ranked]
    chosen = [values for values in chosen if values]
    # A conclusion, or an imagined count, may be corrected by a later one. Plain statements may not: two that
    # differ are about two things, and nothing here says which was asked for.
    values = chosen[-1] if best >= Rank.EXPECTED else set[str | None]().union(*chosen)
    return values.pop() if len(values) == 1 else None


def _is_just_one(text: str, question: str) -> bool:
    """Whether "a cow" is all that a reply says to "how many cows": anywhere else "a" only names a thing."""
    found = _JUST_A.match(text)
    asked = _HOW_MANY.search(question)
    if not found or not asked:
        return False
    noun = found["noun"].lower()
    return any(word in _PLURALS.get(noun, (f"{noun}s", f"{noun}es")) for word in asked["what"].lower().split())


def _of_the_supposed(ranked: list[tuple[str, Ranks]]) -> list[Ranks]:
    """The numbers, with what was concluded before the first supposition taken for the count as it is.

    "There are 11 in total. If 7 left, there would be 4." and "5 + 6 = 11. After 7 leave: 4." both count first.
    """
    supposing = [
        position
        for position, (piece, ranks) in enumerate(ranked)
        if supposes_first(piece) and max(rank for rank, _ in ranks) >= Rank.STATED
    ]
    if not supposing:
        return [ranks for _, ranks in ranked]
    levelled: list[Ranks] = []
    for position, (piece, ranks) in enumerate(ranked):
        if position < supposing[0] and not _MODAL.search(piece):
            ranks = [(min(rank, Rank.ALONE), value) for rank, value in ranks]
        elif position in supposing:
            ranks = [(Rank.EXPECTED if rank in (Rank.STATED, Rank.ALONE) else rank, value) for rank, value in ranks]
        levelled.append(ranks)
    return levelled


def _of_now(ranked: list[tuple[str, Ranks]]) -> list[Ranks]:
    """The numbers, without those of sentences that suppose something, where the question supposes nothing."""
    actual = [ranks for piece, ranks in ranked if not supposes(piece)]
    return actual or [ranks for _, ranks in ranked]
