"""Changed explanations: a model's own explanation, rewritten as if a concept in the picture were different."""

import re
from collections.abc import Callable, Iterable
from typing import Final

from countersight.audits.claims import claims, find_claims, single_spaced
from countersight.audits.extraction.protocol import Statement
from countersight.audits.records import Thought
from countersight.audits.scene_facts import asked_fact
from countersight.editing import Instruction
from countersight.english import NUMBER_WORDS
from countersight.scenes import NAMED, PLACES

_SENTENCE: Final = re.compile(r"[^.!?\n]+[.!?\n]*\s*")
_WORD: Final = re.compile(r"[^\W_]+")
_NUMBER: Final = re.compile(
    r"\b(?:\d+|" + "|".join(NUMBER_WORDS) + r")\b(?! (?:\w+ )?(?:polygon|region|shape|area|circle|row)s?\b)",
    re.IGNORECASE,
)
"""Matches numbers of flowers and dots, but not those of polygons, circles and rows."""
Effect = Callable[[Instruction], dict[str, int]]


def change_thought(
    statement: Statement, instruction: Instruction, others: Iterable[Instruction] = (), effect: Effect | None = None
) -> Thought:
    """Return the explanation rewritten as if the concept were different, and the answer that follows, if known.

    `effect`, if given, returns by how much an edit changes each number of the scene. The text is empty if a
    concept in `others` leads to the same text, because the text would test neither.
    """
    thought = _changed(statement, instruction, effect)
    if thought.text and any(_changed(statement, other, effect).text == thought.text for other in others):
        return Thought(instruction, "", reason="it would be the same edit as for another concept")
    return thought


def _changed(statement: Statement, instruction: Instruction, effect: Effect | None) -> Thought:
    claimed = {claim.fact: claim.number for claim in claims(statement.explanation)}
    asked = asked_fact(statement.question)
    if asked in claimed:
        if _contradictory(claimed):
            return Thought(instruction, "", reason="the explanation contradicts itself")
        by = effect(instruction) if effect else {}
        moved = {fact: number + by.get(fact, 0) for fact, number in claimed.items()}
        text = _rewritten(statement.explanation, claimed, moved)
        if text and moved[asked] != claimed[asked]:
            return Thought(instruction, text, str(moved[asked]))
        why = "its effect on the numbers in the explanation is unknown, or they would contradict each other"
        return Thought(instruction, "", reason=why)
    contrary = _contrary(instruction)
    if not contrary:
        return Thought(instruction, "", reason=f"there is no sentence that contradicts “{instruction.action}”")
    kept = [each.strip() for each in _SENTENCE.findall(statement.explanation) if not _cites(each, instruction)]
    return Thought(instruction, " ".join([contrary, *kept]))


def _contradictory(claimed: dict[str, int]) -> bool:
    """Whether the claimed parts do not add up to the claimed total, or a claimed number is negative."""
    circles = {row: [f"dots in the {place} circle" for place in PLACES if row in place] for row in ("top", "bottom")}
    all_circles = [*circles["top"], *circles["bottom"]]
    wholes = [("flowers", [f"flowers {side} {colour}" for side in ("inside", "outside")]) for colour in NAMED]
    wholes += [(f"dots in the {row} row", parts) for row, parts in circles.items()]
    wholes += [("dots", all_circles), ("dots", [f"dots in the {row} row" for row in circles])]
    sums = {(whole, sum(claimed[part] for part in parts)) for whole, parts in wholes if claimed.keys() >= set(parts)}
    if claimed.keys() >= set(all_circles):
        sums.add(("most dots in a circle", max(claimed[circle] for circle in all_circles)))
    return any(claimed.get(whole, number) != number for whole, number in sums) or min(claimed.values()) < 0


def _rewritten(text: str, claimed: dict[str, int], moved: dict[str, int]) -> str:
    """Return the text with the new numbers; "" if they contradict each other or an old number would be left."""
    made, end, old = "", 0, {number for fact, number in claimed.items() if moved[fact] != number}
    plain = single_spaced(text)
    for claim in sorted(set(find_claims(text))):
        if claim.start < end:
            return ""  # one number is claimed for two facts
        made, end = made + plain[end : claim.start] + str(moved[claim.fact]), claim.end
    made += plain[end:]
    written = {claim.start for claim in find_claims(text)}
    words = [each[0].casefold() for each in _NUMBER.finditer(plain) if each.start() not in written]
    left = {int(word) if word.isdecimal() else NUMBER_WORDS[word] for word in words}
    now = {claim.fact: claim.number for claim in claims(made)}
    return "" if now != moved or _contradictory(moved) or old & left else made


def _contrary(instruction: Instruction) -> str:
    target, value = instruction.target or instruction.concept, instruction.value
    match instruction.action:
        case "remove":
            return f"There is no {target} in the picture."
        case "recolour" | "resize" | "reshape" if value:
            return f"The {target} is {value}."
        case "replace" if value:
            return f"There is no {target} in the picture, but {value} in its place."
        case "add":
            return f"There is {value or target} in the picture."
        case "move" if value:
            return f"The {target} is farther {value}."
    return ""


def _cites(sentence: str, instruction: Instruction) -> bool:
    of_sentence, *of_concept = (
        {word.casefold().removesuffix("s") for word in _WORD.findall(words)} - {"a", "an", "the"}
        for words in (sentence, instruction.concept, instruction.target)
    )
    return any(part and part <= of_sentence for part in of_concept)
