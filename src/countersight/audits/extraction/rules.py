"""Extract concepts without a model: counted objects of generated scenes, and named objects that the editor finds."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from countersight.audits.claims import claims
from countersight.audits.extraction.protocol import Statement
from countersight.audits.manifest import Actor
from countersight.audits.records import Concepts
from countersight.audits.scene_facts import asked_fact
from countersight.detection import ToolFailed, classes_of
from countersight.editing import Action, ConceptKind, Instruction, noun_in
from countersight.scenes import NAMED, PLACES

LEAVE_THE_REST: Final = "Leave everything else exactly as it is."


class RuleExtractor:
    """Extracts the numbers that an explanation claims, without a model."""

    def __init__(self) -> None:
        self.party = Actor("rules")

    async def extract(self, statement: Statement, most: int, key: str) -> Concepts:
        """Return the concepts behind the claimed numbers, starting with those that the question asks for."""
        return find_counted_concepts(statement, most)


def find_counted_concepts(statement: Statement, most: int) -> Concepts:
    """Return the concepts behind the claimed numbers, or why there are none."""
    instructions = tuple(dict.fromkeys(_instructions(statement)))[:most]
    reason = "" if instructions else "the explanation counts nothing that these rules recognize"
    return Concepts(instructions, reason)


def _instructions(statement: Statement) -> Iterator[Instruction]:
    """Return edits that would each change the number asked for, if the explanation is true."""
    claimed = {claim.fact: claim.number for claim in claims(statement.explanation)}
    asked = asked_fact(statement.question)
    if asked not in claimed:  # test the first number that it claims instead
        asked = next(iter(claimed), None)
    if asked is None:
        return
    number = claimed[asked]
    thing, _, where = asked.partition(" ")
    if asked.startswith("flowers outside") and where.removeprefix("outside ") in NAMED:
        yield from _fewer("flowers", f"outside the {where.removeprefix('outside ')} polygons", number)
        yield from _coloured(where.removeprefix("outside "))
    elif asked.startswith("flowers inside") and where.removeprefix("inside ") in NAMED:
        yield from _fewer("flowers", f"inside the {where.removeprefix('inside ')} polygons", number)
        yield from _coloured(where.removeprefix("inside "))
    elif asked == "flowers inside no polygon":
        yield from _fewer("flowers", "outside all polygons", number)
    elif asked == "flowers where polygons overlap":
        yield from _fewer("flowers", "where the polygons overlap", number)
    elif asked == "most dots in a circle":
        circles = [f"dots in the {place} circle" for place in PLACES]
        yield from _fullest([claimed[circle] for circle in circles if circle in claimed])
    elif thing in ("flowers", "dots", "circles"):
        yield from _fewer(thing, where, number)
        yield from _emptied(claimed, asked)


def _fewer(thing: str, where: str, number: int) -> Iterator[Instruction]:
    """Return an edit that removes some of the counted objects, or adds some if there were none."""
    place = f" {where}" if where else ""
    if number == 0:
        yield _instruction(f"no {thing}{place}", "object", "add", f"{thing}{place}", "2", f"Add 2 {thing}{place}.")
        return
    gone = 2 if number >= 4 else 1
    some = f"{gone} {thing if gone > 1 else thing[:-1]}{place}"
    words = f"Remove {gone} of the {number} {thing}{place}." if number > 1 else f"Remove the {thing[:-1]}{place}."
    yield _instruction(f"the {number} {thing}{place}", "object", "remove", some, "", words)


def _coloured(colour: str) -> Iterator[Instruction]:
    """Yield an edit that gives all polygons the colour in the question, so that the question stays meaningful."""
    words = f"Make every polygon {colour}: its outline and its tint."
    yield _instruction(f"the {colour} of the polygons", "attribute", "recolour", "all polygons", colour, words)


def _fullest(numbers: list[int]) -> Iterator[Instruction]:
    """Yield an edit that removes the fullest circle, if there is only one, and an edit that adds a dot to it."""
    concept = "the circle with the most dots"
    if numbers and numbers.count(max(numbers)) == 1:
        words = "Remove the circle with the most dots, and the dots in it."
        yield _instruction(concept, "object", "remove", "the fullest circle", "", words)
    words = "Add 1 dot to the circle with the most dots."
    yield _instruction(concept, "object", "add", "dots in the fullest circle", "1", words)


def _emptied(claimed: dict[str, int], asked: str) -> Iterator[Instruction]:
    """Yield an edit that empties the first circle that has dots, if circles were counted one by one."""
    row = asked.removeprefix("dots in the ").removesuffix(" row")
    for place in PLACES:
        number = claimed.get(f"dots in the {place} circle", 0)
        if number and (asked == "dots" or place.startswith(row)) and asked.startswith("dots"):
            concept = f"the {number} dots in the {place} circle"
            words = f"Remove all dots in the {place} circle; leave the circle."
            yield _instruction(concept, "object", "remove", f"all dots in the {place} circle", "", words)
            return


def _instruction(concept: str, kind: ConceptKind, action: Action, target: str, value: str, words: str) -> Instruction:
    return Instruction(concept, kind, action, positive=words, negative=LEAVE_THE_REST, target=target, value=value)


LONGEST: Final = 20_000
"""The maximum length of the part of an explanation that is searched, in characters."""
_WORD: Final = re.compile(r"[^\W_]+")


class ThingsExtractor:
    """Finds the objects in the picture that an explanation names, without a model."""

    def __init__(self) -> None:
        self.party = Actor("things")

    async def extract(self, statement: Statement, most: int, key: str) -> Concepts:
        """Return the named objects, in order."""
        return find_things(statement, most)


def find_things(statement: Statement, most: int) -> Concepts:
    """Return each object in the picture that an explanation names, with the edit that removes it."""
    if statement.able is None or statement.able.things is None:
        return Concepts(
            reason="the editor cannot locate objects in the picture; add detector= or annotations= to its name"
        )
    cited = sorted(
        (*mention, thing) for thing in statement.able.things if (mention := find_mention(statement.explanation, thing))
    )
    found: dict[str, Instruction] = {}
    for _, words, thing in cited:
        removal = f"The same picture without the {thing}."
        found.setdefault(noun_in(thing), Instruction(words, "object", "remove", removal, LEAVE_THE_REST, thing))
    if found:
        return Concepts(tuple(found.values())[:most])
    return Concepts(reason="the explanation names nothing that the editor finds in the picture")


def find_mention(text: str, thing: str) -> tuple[int, str] | None:
    """Return where a text first names an object, and the words used ("a man" names a person); None if it does not."""
    kind = noun_in(thing)
    words = list(_WORD.finditer(text[:LONGEST]))
    for length in (2, 1):
        for one, last in zip(words, words[length - 1 :], strict=False):
            phrase = text[one.start() : last.end()]
            with suppress(ToolFailed):
                if kind in classes_of(phrase, (kind,)):
                    return one.start(), phrase
    return None
