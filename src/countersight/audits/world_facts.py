"""What is true of a world of ours, and what sentences claim of one: each by the same name."""

import re
from collections.abc import Iterator
from itertools import permutations
from typing import Final

from countersight.audits.claims import LONGEST, NUMBER, Claim, number_said
from countersight.worlds import Discs, Supports, World, contacts, is_higher, motion, name_pattern

_A, _B = name_pattern("a"), name_pattern("b")
_SAY: Final = r"(?P<say>[a-z' ]{1,40}?)"
_NOT: Final = re.compile(r"\b(?:not|no longer|never|neither|without)\b|n't\b")
_BETWEEN: Final = (
    (re.compile(r"\b(?:touch|contact|hit|meet|met|collide|bump|strike|struck)"), "touches"),
    (re.compile(r"\b(?:higher|above)\b"), "is higher than"),
    (re.compile(r"\b(?:rest|stand|lie|sit|lean|held|is|are|directly)(?:s|ing)?(?: directly)? (?:up)?on\b"), "rests on"),
)
"""What may be said of two things."""
_ALONE: Final = (
    (re.compile(r"\bfloor\b"), "lies on the floor"),
    (re.compile(r"\bwall\b"), "reaches a wall"),
    (re.compile(r"\b(?:moves?|moving|slides?|is pushed|was pushed)\b"), "moves"),
)
# Looked for from every place on: "the red block and the blue one lie on …" says something of each.
_PAIR: Final = re.compile(rf"\b(?={_A} {_SAY} {_B}\b)")
_TOGETHER: Final = re.compile(rf"\b(?={_A} and {_B} {_SAY}(?: each other\b|[.,;]|$))")
_SINGLE: Final = re.compile(rf"\b(?={_A} (?P<say>[a-z' ]{{0,40}}?(?:floor|wall|moves?|moving|slides?|pushed))\b)")
_NAMED: Final = re.compile(name_pattern("name"))
_THERE: Final = re.compile(rf"\bthere is (?P<no>no |no longer )?{name_pattern('a')}\b")
_DOTS: Final = re.compile(rf"\b{_A} (?:has|shows|with|had) {NUMBER} dots?\b")
_COUNTED: Final = (
    (re.compile(rf"\b{NUMBER} things? (?:that )?(?:lies?|are|is|rests?)?\s?on the floor\b"), "things on the floor"),
    (re.compile(rf"\b{NUMBER} discs? (?:will |would )?(?:move|are moving|moves)\b"), "discs that move"),
)


def world_facts(world: World) -> dict[str, int]:
    """What is true of a world, by name, and how many of something there are; what is not named is not so, or 0."""
    return dict(_of_supports(world) if isinstance(world, Supports) else _of_discs(world))


def _of_supports(world: Supports) -> Iterator[tuple[str, int]]:
    named = {thing.id: thing for thing in world.things if not thing.is_fixed}
    yield "things on the floor", sum(thing.lies for thing in world.things)
    for thing in named.values():
        yield f"the {thing.name} is there", 1
        yield f"dots on the {thing.name}", round(thing.weight)
        yield f"the {thing.name} lies on the floor", int(thing.lies)
    for contact in contacts(world):
        if contact.has_friction and contact.upper in named and contact.lower in named:
            upper, lower = named[contact.upper].name, named[contact.lower].name
            yield f"the {upper} rests on the {lower}", 1
            yield _both(upper, lower), 1
    for one, other in permutations(named.values(), 2):
        if is_higher(one, other) == "yes":
            yield f"the {one.name} is higher than the {other.name}", 1


def _of_discs(world: Discs) -> Iterator[tuple[str, int]]:
    happens = motion(world)
    moved = happens.moved()
    yield "discs that move", len(moved)
    for disc in world.discs:
        yield f"the {disc.name} is there", 1
        yield f"dots on the {disc.name}", round(disc.weight)
        yield f"the {disc.name} moves", int(disc.id in moved)
        yield f"the {disc.name} reaches a wall", int(happens.reaches_wall(disc.id))
        for other in happens.hit_by(disc.id):
            yield _both(disc.name, world.disc(other).name), 1


def _both(one: str, other: str) -> str:
    """That two things touch, whichever is named first."""
    first, second = sorted((one, other))
    return f"the {first} touches the {second}"


def world_claims(text: str) -> tuple[Claim, ...]:
    """What a text claims of a world, in order, each once. Words it does not know claim nothing."""
    plain = " ".join(text[:LONGEST].casefold().split())
    found = sorted(_claimed(plain), key=lambda each: each[0])
    return tuple(dict.fromkeys(claim for _, claim in found))


def _claimed(text: str) -> Iterator[tuple[int, Claim]]:
    for match in _PAIR.finditer(text):
        yield from ((match.start(), claim) for claim in _of_two(match))
    for match in _TOGETHER.finditer(text):
        if _BETWEEN[0][0].search(match["say"]):
            yield match.start(), Claim(_both(match["a"], match["b"]), _holds(match["say"]))
    for match in _SINGLE.finditer(text):
        said = next((words for pattern, words in _ALONE if pattern.search(match["say"])), None)
        if said and not _NAMED.search(match["say"]):
            yield match.start(), Claim(f"the {match['a']} {said}", _holds(match["say"]))
    for match in _THERE.finditer(text):
        yield match.start(), Claim(f"the {match['a']} is there", int(not match["no"]))
    for match in _DOTS.finditer(text):
        yield match.start(), Claim(f"dots on the {match['a']}", number_said(match["n"]))
    for pattern, fact in _COUNTED:
        yield from ((match.start(), Claim(fact, number_said(match["n"]))) for match in pattern.finditer(text))


def _of_two(match: re.Match[str]) -> Iterator[Claim]:
    said = next((words for pattern, words in _BETWEEN if pattern.search(match["say"])), None)
    if said == "touches":
        yield Claim(_both(match["a"], match["b"]), _holds(match["say"]))
    elif said:
        yield Claim(f"the {match['a']} {said} the {match['b']}", _holds(match["say"]))


def _holds(said: str) -> int:
    return int(not _NOT.search(said))
