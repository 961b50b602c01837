"""Where a clause has the question's words, but says them of something else: "past a row of parked cars"."""

import re

from countersight.reading.language.asked import CONTRARY, Asked, content
from countersight.reading.language.prepositions import is_placed_alike
from countersight.reading.language.stems import is_empty, stem

_ASKS_IF_DONE = re.compile(r"\W*(?:is|are) the \w+ (?:still |already )?(?P<state>\w+ed)\W*$", re.IGNORECASE)
_ASKS_OF_A_PLACE = re.compile(
    r"\W*(?:is|are) the \w+(?: \w+)? (?P<place>(?:on|in|inside|under|behind|on top of) the \w+)\W*$", re.IGNORECASE
)
_TOKEN = re.compile(r"[a-z]+|[,.;:!?]", re.IGNORECASE)
_PLACING = r"(?:on|in|at|under|behind|inside|next to|in front of|beside|near|with|against|by)"
_ASKS_OF_DOING_IT_THERE = re.compile(
    rf"\W*(?:is|are|was|were|would) .*?\b\w+(?:ing|ed) {_PLACING} (?P<where>[\w ]+?)\W*$",
    re.IGNORECASE,
)
_THERE = re.compile(
    rf"\b\w+(?:ing|ed) {_PLACING} (?!(?:it|them|him|there|front)\b)[\w ]+",
    re.IGNORECASE,
)


def done_elsewhere(clause: str, asked: Asked) -> str | None:
    """ "No" where what was asked is told of another place and denied of the asked one, "open" where only the former."""
    wanted, contrary = _ASKS_OF_DOING_IT_THERE.match(asked.text), CONTRARY.search(clause)
    told = _THERE.search(clause[: contrary.start()] if contrary else clause) if wanted else None
    if not wanted or not told or content(wanted["where"]) & content(told.group()):
        return None
    return "no" if contrary and content(wanted["where"]) <= content(contrary["denied"]) else "open"


def is_only_named(clause: str, asked: Asked) -> bool:
    """Whether the state asked for is told of another thing, or is a thing itself: "parked cars", "the lock"."""
    state = _ASKS_IF_DONE.match(asked.text)
    if not state:
        return False
    form, said = stem(state["state"].lower()), [word.lower() for word in _TOKEN.findall(clause)]
    places = [n for n, word in enumerate(said) if stem(word) == form]
    return bool(places) and all(
        said[n - 1 : n] == ["the"] or (said[n + 1 : n + 2] and said[n + 1][-1] == "s" and not is_empty(said[n + 1]))
        for n in places
    )


def is_placed_elsewhere(clause: str, asked: Asked) -> bool:
    """Whether the thing by which a place was asked is named behind another preposition: "at the foot of the ladder"."""
    place = _ASKS_OF_A_PLACE.match(asked.text)
    return place is not None and not is_placed_alike(place["place"], clause)
