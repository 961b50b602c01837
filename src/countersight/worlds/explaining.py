"""Explain the answer to a question about a world, in sentences about visible facts.

Each sentence is in words that audits understand, so that it can be put to the test: what it names is changed, and the
question is asked again.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from countersight.errors import Unclear
from countersight.text import several
from countersight.worlds.answering import answered, moving
from countersight.worlds.discs import Disc, Discs
from countersight.worlds.naming import called, name_pattern
from countersight.worlds.records import World
from countersight.worlds.things import Supports, WorldThing
from countersight.worlds.touching import Contact, contacts

WORDINGS: Final = 2
_NAME: Final = re.compile(rf"\b{name_pattern('name')}\b")
_FIRST: Final = ("I looked at the picture. {said}", "What decides it is this. {said} That is all that matters here.")


def explained(question: str, world: World, wording: int = 0) -> str | None:
    """Return the visible facts that decide the answer; None if they are not known. `wording` is 0 or 1."""
    said = answered(question, world)
    if said is None:
        return None
    text = question.casefold()
    named = [match["name"] for match in _NAME.finditer(text)]
    try:
        if isinstance(world, Supports):
            sentences = [*_of_supports(text, named, said, world)]
        else:
            sentences = [*_of_discs(text, named, said, world)]
    except Unclear:
        return None
    return _FIRST[wording].format(said=" ".join(sentences)) if sentences else None


def _of_supports(text: str, named: list[str], said: str, world: Supports) -> Iterator[str]:
    things = [called(world.things, name) for name in named]
    if not named:
        yield f"{several(int(said), 'thing')} {'lies' if said == '1' else 'lie'} on the floor."
        yield from (f"The {thing.name} lies on the floor." for thing in world.things if thing.lies)
        return
    no = "" if said == "yes" else "not "
    if "higher" in text:
        yield f"The {named[0]} is {no}higher than the {named[1]}."
    elif "touch" in text:
        touches = answered(f"Does the {named[0]} touch the {named[1]}?", world)
        yield f"The {named[0]} {_does('touch', touches or 'no')} the {named[1]}."
    else:
        yield f"The {named[0]} {_does('lie', said)} on the floor."
    for thing in things:
        yield from _held(thing, world)


def _held(thing: WorldThing, world: Supports) -> Iterator[str]:
    """Where a thing is, and by what."""
    if thing.lies:
        yield f"The {thing.name} lies on the floor."
    here = {each.id: each for each in world.things}
    under = dict.fromkeys((contact.lower, _how(contact)) for contact in contacts(world) if contact.upper == thing.id)
    for lower, how in under:
        yield f"The {thing.name} {how} the {here[lower].name if lower else 'table'}."


def _how(contact: Contact) -> str:
    return "rests on" if contact.has_friction else "hangs from"


def _of_discs(text: str, named: list[str], said: str, world: Discs) -> Iterator[str]:
    discs = [called(world.discs, name) for name in named]
    happens = moving(world)
    moved = happens.moved()
    if not named:
        yield f"{several(int(said), 'disc')} will move."
        discs = [disc for disc in world.discs if disc.id in moved]
    elif "touch" in text:
        word = "will" if said == "yes" else "will never"
        yield f"The {named[0]} and the {named[1]} {word} touch each other."
    elif "wall" in text:
        yield f"The {named[0]} {_will('reach', said)} a wall."
    for disc in discs:
        yield f"The {disc.name} {'moves' if disc.id in moved else 'does not move'}."
        yield from (f"The {disc.name} will hit the {other.name}." for other in _met(disc, world, happens.hit_by))


def _met(disc: Disc, world: Discs, hit_by: Callable[[str], list[str]]) -> list[Disc]:
    return [world.disc(name) for name in dict.fromkeys(hit_by(disc.id))]


def _does(verb: str, said: str) -> str:
    return f"{verb}{'es' if verb.endswith('ch') else 's'}" if said == "yes" else f"does not {verb}"


def _will(verb: str, said: str) -> str:
    return f"will {verb}" if said == "yes" else f"will not {verb}"
