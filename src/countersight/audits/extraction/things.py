"""Extract named things that the editor can find in a picture, without a model."""

import re
from contextlib import suppress
from typing import Final

from countersight.audits.extraction.protocol import Extracted, Statement
from countersight.audits.extraction.rules import LEAVE_THE_REST
from countersight.audits.records import Actor, Concepts, Local
from countersight.detection import ToolFailed, classes_of
from countersight.editing import Instruction, noun_in

LONGEST: Final = 20_000
"""Longest prefix of an explanation that is searched, in characters."""
_WORD: Final = re.compile(r"[^\W_]+")


class ThingsExtractor(Local):
    """Finds things of the picture that an explanation names, without a model."""

    def __init__(self) -> None:
        self.party = Actor("things")

    async def extract(self, statement: Statement, most: int, key: str) -> Extracted:
        """Return the named things, in order."""
        return Extracted(find_things(statement, most))


def find_things(statement: Statement, most: int) -> Concepts:
    """Return each thing of the picture that an explanation names, with the edit that removes it."""
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
    """Return where a text first names a thing, and with which words ("a man" names a person); None if it does not."""
    kind = noun_in(thing)
    words = list(_WORD.finditer(text[:LONGEST]))
    for length in (2, 1):
        for one, last in zip(words, words[length - 1 :], strict=False):
            phrase = text[one.start() : last.end()]
            with suppress(ToolFailed):
                if kind in classes_of(phrase, (kind,)):
                    return one.start(), phrase
    return None
