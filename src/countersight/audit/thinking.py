"""A model's own explanation with one concept changed, to be put back into its mouth (RFEval's idea, in words of ours).

No model rewrites it: a number that was counted becomes another, or sentences that cite the concept are taken out and
one that says the contrary stands first. So anybody can make the same thought again.
"""

import re
from collections.abc import Iterator

from countersight.audit.claims import claims
from countersight.audit.extraction.protocol import Statement
from countersight.audit.probes import Thought
from countersight.audit.truth import asked_fact
from countersight.editing import Instruction
from countersight.text import TENS, UNITS

_SENTENCE = re.compile(r"[^.!?\n]+[.!?\n]*\s*")
_WORD = re.compile(r"[^\W_]+")
_NUMBERS = (*UNITS, TENS[0])


def changed_thought(statement: Statement, instruction: Instruction) -> Thought:
    """The explanation as it would be if the concept were otherwise, and the answer that follows from it if known."""
    counted = _recounted(statement)
    if counted is not None:
        text, expected = counted
        return Thought(instruction, text, expected)
    contrary = _contrary(instruction)
    if not contrary:
        return Thought(instruction, "", reason=f"what is contrary to “{instruction.action}” has no sentence")
    kept = [each.strip() for each in _SENTENCE.findall(statement.explanation) if not _cites(each, instruction)]
    return Thought(instruction, " ".join([contrary, *kept]))


def _recounted(statement: Statement) -> tuple[str, str] | None:
    """The explanation with another number in the place of the one that is the answer; None where it counts nothing."""
    claimed = {claim.fact: claim.number for claim in claims(statement.explanation)}
    number = claimed.get(asked_fact(statement.question) or "")
    if number is None:
        return None
    other = number - 1 if number > 1 else number + 2
    words = [str(number), *([_NUMBERS[number]] if number < len(_NUMBERS) else [])]
    pattern = re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)
    text, changed = pattern.subn(str(other), statement.explanation)
    return (text, str(other)) if changed else None


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
    said = {word.casefold().removesuffix("s") for word in _WORD.findall(sentence)}
    return any(part <= said for part in _parts(instruction))


def _parts(instruction: Instruction) -> Iterator[set[str]]:
    for words in (instruction.concept, instruction.target):
        part = {word.casefold().removesuffix("s") for word in _WORD.findall(words)} - {"a", "an", "the"}
        if part:
            yield part
