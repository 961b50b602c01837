"""Words for a state, and which of them shut each other out: what is off is not on."""

import re
from functools import lru_cache
from typing import Final

from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of, listed

_Line = tuple[frozenset[str], ...]


def _lines(name: str) -> tuple[_Line, ...]:
    return tuple(tuple(frozenset(side.split()) for side in line) for line in listed(name))


_SIDES: Final = _lines("states.opposites")
_STEMS: Final = tuple(tuple(frozenset(map(stem, side)) for side in line) for line in (*_SIDES, *_lines("states.sides")))
SIDE_WORDS: Final = frozenset(word for line in _lines("states.sides") for side in line for word in side) | {"left"}
SIDES: Final = frozenset(map(stem, SIDE_WORDS - {"left"}))
"""Where one of several things of a name is: the top shelf, the left door."""
_PARTICLES: Final = listed("states.particles")
_OTHERS = "|".join(sorted({word for line in _SIDES for side in line for word in side} - {*_PARTICLES}))
_ENDS = r"\W*$|[,.;:!?)]"
# "The red ball" names the ball; "the ball is red" tells its state. No noun follows a state, and after "on" and "off"
# nothing at all may: "on the table" is a place.
_TOLD = re.compile(
    rf"(?<!\bno )(?<!\bany )\b(?:(?:{'|'.join(_PARTICLES)})(?={_ENDS}|\s+{any_of('states.goes_on')})"
    rf"|(?:{_OTHERS})(?={_ENDS}|\s+{any_of('states.goes_on', 'states.goes_on_after_others')}))",
    re.IGNORECASE,
)
_MOST = 20  # states of one clause that are looked at


def states(text: str) -> list[re.Match[str]]:
    """The words of a text that tell a state."""
    return list(_TOLD.finditer(text))[:_MOST]


@lru_cache(maxsize=1024)
def same_state(first: str, second: str) -> bool:
    """Whether two words tell one state: "closed" and "shut"."""
    return first == second or any(first in side and second in side for line in _SIDES for side in line)


@lru_cache(maxsize=1024)
def opposed(first: str, second: str) -> bool:
    """Whether what is one of two words cannot be the other."""
    return not same_state(first, second) and any(_holds(line, first, second) for line in _SIDES)


def opposed_stems(first: str, second: str) -> bool:
    """The same of stems, by which counted things are compared, and of where such things are."""
    return second in stems_opposed_to(first)


@lru_cache(maxsize=8192)
def stems_opposed_to(word: str) -> frozenset[str]:
    """The stems that a stem shuts out."""
    lines = [line for line in _STEMS if any(word in side for side in line)]
    return frozenset(
        other
        for line in lines
        for other in frozenset[str]().union(*line).difference(*(side for side in line if word in side))
    )


@lru_cache(maxsize=1024)
def one_or_the_other(first: str, second: str) -> bool:
    """Whether what is not one of two words must be the other: "not off" is on, but "not blue" need not be red."""
    return opposed(first, second) and any(len(line) == 2 and _holds(line, first, second) for line in _SIDES)


def told_of(asked: tuple[str, ...], said: list[str], *, negated: bool) -> bool | None:
    """Whether what is said to be so is what was asked (True), or shuts it out (False); None where it is neither."""
    verdicts = {_told_of_one(state, said, negated=negated) for state in asked}
    told = verdicts - {None}
    # "Bright outside" denies "dark outside", though it is outside.
    return (False if False in told else None if None in verdicts else True) if told else None


def _told_of_one(state: str, said: list[str], *, negated: bool) -> bool | None:
    same = [word for word in said if same_state(word, state)]
    other = [word for word in said if opposed(word, state)]
    if bool(same) == bool(other):
        return None
    if same:
        return not negated
    return (True if all(one_or_the_other(word, state) for word in other) else None) if negated else False


def _holds(line: _Line, *states: str) -> bool:
    return all(any(state in side for side in line) for state in states)
