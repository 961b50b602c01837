"""The names of things in questions: "the red block"."""

from collections.abc import Iterable
from typing import Final, TypeVar

from countersight.errors import Unclear
from countersight.worlds.colours import COLOURS
from countersight.worlds.discs import Disc
from countersight.worlds.things import WorldThing

Named = TypeVar("Named", WorldThing, Disc)
COLOUR: Final = "|".join(COLOURS)


def name_pattern(group: str, kinds: str = "block|plank|cup|ball|disc") -> str:
    """Return a pattern for the name of a thing; its group is the name without the article."""
    return rf"(?:the |an? )?(?P<{group}>(?:{COLOUR}) (?:{kinds}))"


def called(things: Iterable[Named], name: str) -> Named:
    """Return the only thing of this name; raises Unclear if there is none, or more than one."""
    found = [thing for thing in things if thing.name == name]
    if len(found) != 1:
        raise Unclear(f"there is no {name} in the picture" if not found else f"there is more than one {name}")
    return found[0]
