"""Reads which option a reply names by where it stands: in the list, in what the reply said before, or in a ranking."""

import re
from collections.abc import Sequence

from countersight.reading.choices.letters import DENIED_AFTER, DENIED_BEFORE, NEAR
from countersight.reading.choices.texts import name_of, number_of, words_of
from countersight.reading.language.clauses import sentences
from countersight.reading.language.numerals import canonical
from countersight.reading.language.vocabulary import listed
from countersight.text import NUMBER_WORDS

_PLACES: dict[str, int] = listed("options.places")
_PLACE = rf"(?P<place>{'|'.join(sorted(_PLACES, key=len, reverse=True))})".replace(" to ", "[ -]to[ -](?:the[ -])?")
_ORDINAL = re.compile(
    rf"\b{_PLACE}\s+(?:(?:option|choice|answer)\b|(?:one )?(?:on|in|of) (?:the|this|your) list\b)", re.IGNORECASE
)
# "The last one" is an option only where nothing but a reason is said: elsewhere it is a circle, or a dot.
_ORDINAL_ONE = re.compile(
    rf"\W*(?:(?:it is|it's|it would be|i (?:choose|pick)|i'd (?:say|pick))\s+)?(?:the\s+)?{_PLACE}(?:\s+one)?"
    r"(?:\W*$|,? (?:because|since)\b)",
    re.IGNORECASE,
)
_OF_THEM = re.compile(rf"\bthe {_PLACE} of (?:the|these|those) (?P<many>two|three|four|five)\b", re.IGNORECASE)
NUMBERED_OPTION = re.compile(
    rf"\b(?:option|choice)\s*#?(\d{{1,3}}|{'|'.join(list(NUMBER_WORDS)[1:10])})\b", re.IGNORECASE
)
_OF_TWO = re.compile(r"\bthe (?P<which>former|latter)\b", re.IGNORECASE)
_MOST_TO_LEAST = r"from (?:the )?most (?:\w+ )?to (?:the )?least(?: \w+)?"
_FIRST = r"(?:\(?1[.)]\s*)?(?P<first>[^,;>=\n]{1,80}?)\s*(?:,|;|>|=|\n|\(?\b2[.)]|$)"
_RANKED = re.compile(
    rf"\b(?:rank(?:ing|ed|s)?|in (?:descending )?order of \w+|{_MOST_TO_LEAST})\b[^:\n]{{0,40}}:\s*{_FIRST}",
    re.IGNORECASE,
)
_LIKELY = re.compile(r"likel|probab|plausib", re.IGNORECASE)
LEAST_ASKED = re.compile(r"\b(?:last|least|lowest|slowest)\b", re.IGNORECASE)


def ranked_first(text: str, question: str) -> str | None:
    """What a reply puts first in a ranking; None where it ranks nothing, or it was asked for what comes last."""
    ranked = _RANKED.search(text)
    by_chance = ranked and _LIKELY.search(ranked.group())  # and not, it may be, by how fast they are
    return ranked["first"] if ranked and (by_chance or not LEAST_ASKED.search(question)) else None


def places(text: str, options: Sequence[str]) -> set[int]:
    """The places in the list that a reply names: "the last option", "option 2", "the first of the three"."""
    alone = _ORDINAL_ONE.match(text)
    every = [alone["place"]] if alone else [found["place"] for found in _ORDINAL.finditer(text)]
    # "The last of the four", where three were named, is the fourth that was not.
    every += [
        found["place"]
        for found in _OF_THEM.finditer(text)
        if NUMBER_WORDS[found["many"].lower()] == len(options)
        and name_of(options[_PLACES[found["place"].lower()] % len(options)]) not in words_of(text)
    ]
    named = {_PLACES[re.sub(r"[ -]+", " ", place.lower()).replace("the ", "")] for place in every}
    for mention in NUMBERED_OPTION.finditer(text):
        before, after = text[max(0, mention.start() - NEAR) : mention.start()], text[mention.end() :]
        if DENIED_BEFORE.search(before) or DENIED_AFTER.match(after):
            continue
        number = mention[1]
        # "Option 3" may as well be the option that says 3, unless that is the third.
        number = canonical(str(NUMBER_WORDS.get(number.lower(), number)))
        place = int(number) - 1
        if all(at == place or number_of(option) != number for at, option in enumerate(options)):
            named.add(place)
    return named


def of_two(text: str, options: Sequence[str]) -> int | None:
    """The place of the option that a last sentence calls the former or the latter of just two that were named."""
    last = (sentences(text) or [""])[-1]
    pointed = list(_OF_TWO.finditer(last))
    if len({found["which"].lower() for found in pointed}) != 1:
        return None
    before = text[: text.rfind(last)] + last[: pointed[0].start()]
    if DENIED_BEFORE.search(before[-NEAR:]) or DENIED_AFTER.match(last[pointed[0].end() :]):
        return None
    named = [(words_of(before).find(name_of(option)), place) for place, option in enumerate(options)]
    order = [place for at, place in sorted(named) if at >= 0]
    return (order[0] if pointed[0]["which"].lower() == "former" else order[1]) if len(order) == 2 else None
