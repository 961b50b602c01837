"""Parse the claims of a sentence about a scene: numbers of flowers, dots, circles and polygons."""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import permutations
from typing import Final

import msgspec

from countersight.editing import Drawn
from countersight.english import TENS, UNITS
from countersight.scenes import COLOURS, PLACES, Scene, as_published, facts_by_name
from countersight.worlds import Discs, Supports, World, answered, contacts, is_higher, motion, name_pattern

LONGEST = 20_000
"""Longest prefix that is searched, in characters."""


class Claim(msgspec.Struct, frozen=True):
    """A number claimed about a scene."""

    fact: str
    """The fact's name, as in `facts_by_name`."""
    number: int


_WORDS: Final = (*UNITS, TENS[0])
NUMBER = rf"(?P<n>\d{{1,4}}|no|none|{'|'.join(_WORDS)})"
_N = NUMBER
_C = rf"(?P<c>{'|'.join(COLOURS)})"
_P = rf"(?P<p>{'|'.join(PLACES)})"
_LIST = r"(?P<list>(?:\d{1,4}, ){0,12}\d{1,4} and \d{1,4})"
_OF_THEM = r"(?: of (?:them|these|those|the flowers))?"
_SHAPE = r"(?:polygons?|regions?|shapes?|areas?)"
_LIE = r"(?:(?:that )?(?:are|is|were|lie|lies|can be seen) )?"

_PATTERNS: Final[tuple[tuple[str, str], ...]] = (
    (rf"{_N}(?: flowers?)?{_OF_THEM} {_LIE}(?:inside|within|in) (?:of )?(?:the |all )?{_C} {_SHAPE}", "inside"),
    (rf"{_N}(?: flowers?)?{_OF_THEM} {_LIE}outside (?:of )?(?:the |all )?{_C} {_SHAPE}", "outside"),
    (rf"{_N}(?: flowers?)?{_OF_THEM} {_LIE}(?:inside no {_SHAPE}|outside (?:of )?(?:all|both|any) {_SHAPE})", "free"),
    (rf"{_N} flowers? {_LIE}where the (?:two |\w+ and the \w+ )?{_SHAPE} overlap", "both"),
    (rf"{_N}(?: flowers?)?{_OF_THEM} {_LIE}(?:inside|in) both {_SHAPE}", "both"),
    (rf"so (?:the other )?{_N} {_LIE}(?P<side>outside|inside)\b(?! (?:of )?(?:the|all|both|any|no)\b)", "rest"),
    (rf"(?:{_N} flowers?|of {_N.replace('<n>', '<m>')}) (?:in|on) the (?:picture|image)", "flowers"),
    (rf"{_N} flowers? (?:in total|altogether|overall|in all)\b", "flowers"),
    (rf"{_LIST} dots in the circles of the (?P<row>top|bottom) row(?:, {_N} together)?", "row"),
    (rf"{_LIST} dots in the circles, row by row(?:, {_N} together|, and the most is (?P<most>\d{{1,4}}))?", "all"),
    (rf"{_N} dots? {_LIE}in the {_P} circle", "circle"),
    (rf"{_N} dots? {_LIE}in the (?P<row>top|bottom) row", "one row"),
    (rf"{_N} dots? (?:in (?:all|total)|altogether|overall|together)\b", "dots"),
    (rf"(?:the most|the largest number|at most) (?:is|are|dots? is)?\s?{_N}", "most"),
    (rf"(?:counted|see|are|has|with) {_N} circles?\b", "circles"),
)
_READ: Final = tuple((re.compile(rf"\b{pattern}"), topic) for pattern, topic in _PATTERNS)


def claims(text: str) -> tuple[Claim, ...]:
    """Return the numbers that a text claims about a scene, in order, each once. Unknown words claim nothing."""
    plain = " ".join(text[:LONGEST].casefold().split())
    found: list[tuple[int, Claim]] = []
    for pattern, topic in _READ:
        for match in pattern.finditer(plain):
            found += [(match.start(), claim) for claim in _TOPICS[topic](match, plain)]
    ordered = [claim for _, claim in sorted(found, key=lambda each: each[0])]
    return tuple(dict.fromkeys(ordered))


def number_said(word: str) -> int:
    """Return the number that a word or digits express."""
    if word in ("no", "none"):
        return 0
    return _WORDS.index(word) if word in _WORDS else int(word)


def _numbers(match: re.Match[str]) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", match["list"])]


def _counted(fact: str) -> Callable[[re.Match[str], str], list[Claim]]:
    return lambda match, text: [Claim(fact.format(**match.groupdict()), number_said(match["n"]))]


def _rest(match: re.Match[str], text: str) -> list[Claim]:
    """ "… inside the red polygons, so 5 are outside": outside of what was named last."""
    colours = re.findall(rf"\b({'|'.join(COLOURS)}) {_SHAPE}", text[: match.start()])
    return [Claim(f"flowers {match['side']} {colours[-1]}", number_said(match["n"]))] if colours else []


def _flowers(match: re.Match[str], text: str) -> list[Claim]:
    number = match.groupdict().get("n") or match.groupdict().get("m")
    return [Claim("flowers", number_said(number))] if number else []


def _row(match: re.Match[str], text: str) -> list[Claim]:
    numbers = _numbers(match)
    places = PLACES[:3] if match["row"] == "top" else PLACES[3:]
    listed = [Claim(f"dots in the {place} circle", number) for place, number in zip(places, numbers, strict=False)]
    total = [Claim(f"dots in the {match['row']} row", number_said(match["n"]))] if match["n"] else []
    return (listed if len(numbers) == len(places) else []) + total


def _all(match: re.Match[str], text: str) -> list[Claim]:
    numbers = _numbers(match)
    listed = [Claim(f"dots in the {place} circle", number) for place, number in zip(PLACES, numbers, strict=False)]
    found = listed if len(numbers) == len(PLACES) else []
    if match["n"]:
        found.append(Claim("dots", number_said(match["n"])))
    if match["most"]:
        found.append(Claim("most dots in a circle", int(match["most"])))
    return found


_TOPICS: Final[dict[str, Callable[[re.Match[str], str], list[Claim]]]] = {
    "inside": _counted("flowers inside {c}"),
    "outside": _counted("flowers outside {c}"),
    "free": _counted("flowers inside no polygon"),
    "both": _counted("flowers where polygons overlap"),
    "rest": _rest,
    "flowers": _flowers,
    "row": _row,
    "all": _all,
    "circle": _counted("dots in the {p} circle"),
    "one row": _counted("dots in the {row} row"),
    "dots": _counted("dots"),
    "most": _counted("most dots in a circle"),
    "circles": _counted("circles"),
}


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
    """Return the facts and counts of a world, by name; missing ones are false, or 0."""
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
    """Return the claims of a text about a world, in order, each once. Unknown words claim nothing."""
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


def facts_of_drawn(drawn: Drawn) -> dict[str, int]:
    """Return the facts of a scene or a world, by name; missing ones are false, or 0."""
    return facts_by_name(drawn) if isinstance(drawn, Scene) else world_facts(drawn)


def claims_of(text: str, drawn: Drawn) -> tuple[Claim, ...]:
    """Return the claims of a text about a scene or a world, in order."""
    return claims(text) if isinstance(drawn, Scene) else world_claims(text)


def moved_facts(old: Mapping[str, int], new: Mapping[str, int]) -> set[str]:
    """Return the names of the facts that differ."""
    return {name for name in (*old, *new) if old.get(name, 0) != new.get(name, 0)}


def is_statement(fact: str) -> bool:
    """Whether a fact is true or false rather than a count."""
    return fact.startswith("the ")


_COLOUR = "|".join(COLOURS)
_ASKED = (
    (
        rf"flowers (?:are|do you see|can you see|lie) (inside|outside|in)(?: of)? (?:the |all )?({_COLOUR}) polygons?",
        lambda found: f"flowers {'outside' if found[1] == 'outside' else 'inside'} {found[2]}",
    ),
    (
        r"flowers are (?:outside (?:of )?(?:all|both|the) polygons|inside no polygon|in no polygon)",
        lambda found: "flowers inside no polygon",
    ),
    (
        r"flowers (?:are|lie) (?:inside|in) both polygons|flowers are where the (?:two )?polygons overlap",
        lambda found: "flowers where polygons overlap",
    ),
    (r"(flowers|polygons|circles)(?: are there)?(?: (?:in|on) the (?:picture|image))?", lambda found: found[1]),
    (
        r"dots (?:are|does|do) ?(?:there )?(?:in )?the (\w+ \w+) circle(?: contain)?",
        lambda f: f"dots in the {f[1]} circle",
    ),
    (
        r"dots are (?:there )?in the (top|bottom) (?:row(?: of circles)?|three circles)(?: together)?",
        lambda found: f"dots in the {found[1]} row",
    ),
    (r"dots (?:does|do) (?:a|one|any) circle contain at most", lambda found: "most dots in a circle"),
    (
        r"dots are there(?: in (?:all|all the|all of the|the) circles)?(?: together| in all| in the picture)?",
        lambda found: "dots",
    ),
)
_QUESTIONS = tuple((re.compile(f"how many {pattern}"), fact) for pattern, fact in _ASKED)


def asked_fact(question: str) -> str | None:
    """Return the name of the fact that a question asks for, or None if its meaning is unknown."""
    text = as_published(" ".join(question.split())).casefold().rstrip("?. ")
    for pattern, fact in _QUESTIONS:
        found = pattern.fullmatch(text)
        if found:
            return fact(found)
    return None


def right_answer(question: str, scene: Drawn) -> str | None:
    """Return the right answer to a question about a scene or a world, or None if its meaning is unknown."""
    if not isinstance(scene, Scene):
        return answered(question, scene)
    name = asked_fact(question)
    number = facts_by_name(scene).get(name) if name else None
    return None if number is None else str(number)
