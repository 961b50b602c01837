"""What a reply to "how many would be" says of others that stay as they are: "on the lawn there are still five"."""

import re

from countersight.reading.counts.by_place import place_asked_by, places_in
from countersight.reading.counts.question import Counted
from countersight.reading.language.clauses import sentences
from countersight.reading.language.numerals import numerals
from countersight.reading.language.stems import stem
from countersight.text import UNITS

_STILL = re.compile(r"\b(?:still|unchanged|unaffected|not (?:affected|change))\b", re.IGNORECASE)
_THE_SO_MANY = re.compile(rf"\W*the (?:{'|'.join(UNITS)}|\d+)\b[^,;:]*\b(?:remain|stay)s?\W*$", re.IGNORECASE)
_LABEL = re.compile(r"\W*(?:on|in|at|under|behind) the [a-z ]+: \w+\W*$", re.IGNORECASE)
_ONLY_IF = re.compile(r"\b(?:only|just|if|after|then)\b", re.IGNORECASE)
_WHILE = re.compile(r", (?:while|whereas|and) (?=(?:the|on|in|at)\b[^,]*$)", re.IGNORECASE)
_NUMBER_OF_OTHERS = re.compile(
    r"\W*the (?:number|count) of (?P<what>[a-z ]+?) (?:would |will )?(?:still )?(?:stay|remain|not change)s?\b",
    re.IGNORECASE,
)


def without_the_unchanged(text: str, asked: Counted) -> str:
    """The text without sentences that only say how many others stay elsewhere, or with somebody else."""
    wanted = place_asked_by(asked)
    kept = [part for piece in sentences(text) for part in _WHILE.split(piece)]
    others = [part for part in kept if _is_of_other_things(part, asked) or (wanted and _is_elsewhere(part, wanted))]
    rest = [part for part in kept if part not in others]
    if not others or not any(numerals(part) for part in rest):
        return text
    return "\n".join(part if part[-1] in ".!?:" else f"{part}." for part in rest)


def _is_of_other_things(part: str, asked: Counted) -> bool:
    told = _NUMBER_OF_OTHERS.match(part)
    return told is not None and not asked.words.intersection(map(stem, told["what"].lower().split()))


def _is_elsewhere(part: str, wanted: frozenset[str]) -> bool:
    """Whether a sentence says of another place, or of somebody else, that there is still so much."""
    where = places_in(part)
    stays = _STILL.search(part) or _THE_SO_MANY.match(part) or _LABEL.match(part)
    return bool(where and stays) and not _ONLY_IF.search(part) and len(numerals(part)) == 1 and not wanted <= where
