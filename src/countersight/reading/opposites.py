"""Words for a state, and which of them shut each other out: what is off is not on."""

import re
from typing import Final

# Each line is one thing that can only be one way at a time; words of one sense stand together.
_STATES: Final = (
    ("on", "off"),
    ("open opened", "closed shut"),
    ("full", "empty"),
    ("occupied crowded busy", "empty deserted vacant"),
    ("wet", "dry"),
    ("asleep sleeping", "awake"),
    ("standing", "sitting seated", "lying"),
    ("clean", "dirty"),
    ("hot warm", "cold"),
    ("day daytime", "night nighttime"),
    ("bright", "dark"),
    ("visible", "hidden invisible"),
    ("alive", "dead"),
    ("present", "absent missing gone"),
    ("same", "different"),
    ("moving", "still stationary parked"),
    ("broken", "intact"),
    ("lit", "unlit"),
    ("inside indoors", "outside outdoors"),
    ("happy", "sad"),
    ("young", "old"),
    ("tall long", "short"),
    ("big large", "small"),
    ("high", "low"),
    ("loud", "quiet silent"),
    ("raw", "cooked"),
    ("frozen", "melted"),
    ("possible", "impossible"),
    ("red", "blue", "green", "yellow", "black", "white", "orange", "purple", "pink", "brown", "grey"),
)
_PARTICLES: Final = ("on", "off")
_SIDES: Final = tuple(tuple(frozenset(side.split()) for side in line) for line in _STATES)
_OTHERS = "|".join(sorted({word for line in _SIDES for side in line for word in side} - {*_PARTICLES}))
_GOES_ON = (
    r"if|when|because|and|or|but|thanks|without|after|due|since|as|while|now|again|anymore|still|then|too|instead"
    r"|either|regardless|even|though|although|rather"
)
# "The red ball" names the ball; "the ball is red" tells its state. No noun follows a state, and after "on" and "off"
# nothing at all may: "on the table" is a place.
_TOLD = re.compile(
    rf"\b(?:(?:on|off)(?=\W*$|[,.;:!?)]|\s+(?:{_GOES_ON})\b)"
    rf"|(?:{_OTHERS})(?=\W*$|[,.;:!?)]|\s+(?:{_GOES_ON}|of|in|on|at|with|to|from|under|inside|by|for|than)\b))",
    re.IGNORECASE,
)


def states(text: str) -> list[re.Match[str]]:
    """The words of a text that tell a state."""
    return list(_TOLD.finditer(text))[:20]


def same_state(first: str, second: str) -> bool:
    """Whether two words tell one state: "closed" and "shut"."""
    return first == second or any(first in side and second in side for line in _SIDES for side in line)


def opposed(first: str, second: str) -> bool:
    """Whether what is one of two words cannot be the other."""
    return not same_state(first, second) and any(
        any(first in side for side in line) and any(second in side for side in line) for line in _SIDES
    )


def one_or_the_other(first: str, second: str) -> bool:
    """Whether what is not one of two words must be the other: "not off" is on, but "not blue" need not be red."""
    return opposed(first, second) and any(
        len(line) == 2 and any(first in side for side in line) and any(second in side for side in line)
        for line in _SIDES
    )
