"""Concepts of explanations about our worlds, by rules: the things that they name, each with an edit that tests it."""

import re
from collections.abc import Iterator
from typing import Final

from countersight.audits.extraction.protocol import Statement
from countersight.editing import Instruction
from countersight.worlds import name_pattern

ELSE: Final = "Leave everything else as it is, but for what must move with it."
_NAME: Final = re.compile(rf"\b{name_pattern('name')}\b")


def world_instructions(statement: Statement) -> Iterator[Instruction]:
    """What an explanation names goes; what the question is about stays in the picture, but elsewhere."""
    asked = {match["name"] for match in _NAME.finditer(statement.question.casefold())}
    there = statement.able.things if statement.able else None
    for match in _NAME.finditer(statement.explanation.casefold()):
        name = match["name"]
        if there is not None and name not in there:
            continue
        if name not in asked:
            words = f"Take the {name} away; what it held up lies on the floor."
            if name.endswith("disc"):
                words = f"Take the {name} away."
            yield Instruction(f"the {name}", "object", "remove", words, ELSE, name)
        elif name.endswith("disc"):
            words = f"Put the {name} its own width farther to the left."
            yield Instruction(f"where the {name} is", "attribute", "move", words, ELSE, name, "left")
        else:
            words = f"Put the {name} on the floor; what it held up lies there too."
            yield Instruction(f"where the {name} is", "attribute", "move", words, ELSE, name, "to the floor")
