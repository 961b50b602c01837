"""Which of the counts that stand beside labels was asked for: "With gloves: 6. Without gloves: 3."."""

import re

from countersight.reading.counts.accounts import PARTS_OF_NAMES
from countersight.reading.counts.company import names_several
from countersight.reading.counts.other_counts import GENERAL, SOME_PEOPLE
from countersight.reading.counts.places_told import ROOMY
from countersight.reading.counts.question import Counted
from countersight.reading.counts.tallies import GRAMMAR, Entry
from countersight.reading.language.asked import CALLED
from countersight.reading.language.opposites import opposed_stems
from countersight.reading.language.stems import spelled, stem
from countersight.reading.language.vocabulary import any_of, words
from countersight.reading.language.whereabouts import is_elsewhere

_REMAINING = re.compile(r"\b(?:are|is|be) left\b|\bremain", re.IGNORECASE)
_LEFT_OVER = re.compile(r"\W*(?:the left|remaining|left over)\W*$", re.IGNORECASE)
_PLACED = re.compile(rf"\W*{any_of('questions.prepositions')}", re.IGNORECASE)
_ONE_OF_A_ROW = re.compile(
    r"\d|\b(?:first|second|third|fourth|fifth|sixth|last|the left|right|top|bottom|middle|front|back|upper|lower)\b",
    re.IGNORECASE,
)
_WHERE = re.compile(
    r"\b(?:in|on|at|by|inside|outside|under|behind|near|aboard|along|across|around|over|above|below|beside|between|from)"
    r" (?:(?:the|an?|his|her|its|their|this) )?(?:\w+'s )?(\w+)",
    re.IGNORECASE,
)
_LIGHT = frozenset(map(stem, words("counts.having_verbs")))
_MERELY_THERE = frozenset(map(stem, words("counts.being_there")))
_NOTHING: frozenset[str] = frozenset()


def best_of(entries: list[Entry], asked: Counted, mentioned: frozenset[str]) -> str | None:
    """The count whose label has what was asked as no other has it; a whole where no label parts off what was asked.

    `mentioned` are the words of the whole reply.
    """
    if _REMAINING.search(asked.text) and (left := [entry for entry in entries if _LEFT_OVER.match(entry.label)]):
        return _only(left)
    wanted = asked.nouns | asked.qualities | asked.owner
    places = asked.places | frozenset(stem(place.lower()) for place in _WHERE.findall(asked.text))
    rest = [entry for entry in entries if not _is_contrary(entry, asked)]
    parts = [entry for entry in rest if not entry.is_total]
    shared = frozenset.intersection(*(entry.words for entry in parts)) if len(parts) > 1 else _NOTHING
    own = {entry: _denied(entry, asked) | (entry.words & wanted) - shared for entry in rest}
    telling = _telling(asked, shared) - places
    if len(rest) == len(entries) and not telling & mentioned:
        telling -= _MERELY_THERE | (asked.kinds & PARTS_OF_NAMES)
    fitting = [entry for entry in rest if own[entry] & telling] if telling else _by_name(own, wanted)
    if asked.negated:
        fitting = [entry for entry in fitting if entry.negated or _denied(entry, asked)]
    for tier in (telling, places, asked.nouns):
        told = [entry for entry in fitting if own[entry] & tier] or fitting
        fitting = [entry for entry in told if all(own[entry] & tier >= own[other] & tier for other in told)]
        if told and not fitting:
            return None
    if fitting:
        return _sum(fitting) or _only([entry for entry in fitting if not (entry.aside - entry.words) & wanted])
    whole = [entry for entry in rest if entry.is_total and entry.words <= wanted | GENERAL | shared]
    named = asked.nouns & (mentioned | (GENERAL - SOME_PEOPLE)) or not any(map(_names_things, parts))
    elsewhere = any(_PLACED.match(entry.label) and not entry.words & wanted for entry in parts) and asked.places - ROOMY
    parted_off = len(rest) < len(entries) and not _telling(asked, _NOTHING) & shared
    if parted_off or elsewhere or any(own[entry] for entry in parts) or not named:
        return None
    return _only(whole) if telling <= mentioned or _are_of_the_asked(parts, asked) else None


def _telling(asked: Counted, shared: frozenset[str]) -> frozenset[str]:
    """The words that tell what was asked from other things of its name; a house has windows as any thing has parts."""
    owner = asked.owner if any(asked.owner & who for who in CALLED.values()) else _NOTHING
    telling = (asked.qualities | owner) - GRAMMAR
    return (telling - _LIGHT or telling) - shared


def _are_of_the_asked(parts: list[Entry], asked: Counted) -> bool:
    """Whether bare counts by row or by place ("Row 1: 4") leave it to the question what they count."""
    return all(_ONE_OF_A_ROW.search(entry.label) and not entry.words & asked.nouns for entry in parts)


def _by_name(own: dict[Entry, frozenset[str]], wanted: frozenset[str]) -> list[Entry]:
    """The entries that have a word of the question; before others those that say no more than that."""
    named = [entry for entry in own if own[entry]]
    bare = [entry for entry in own if entry.words <= wanted and not entry.is_total and not _PLACED.match(entry.label)]
    return [entry for entry in named if entry.words <= wanted] or named or ([] if len(bare) > 1 else bare)


def _names_things(entry: Entry) -> bool:
    """Whether a label says of what things it counts: the shelves of "near the shelves" are none."""
    return not _PLACED.match(entry.label) and any(map(names_several, spelled(entry.label)))


def _sum(entries: list[Entry]) -> str | None:
    """The total of several entries that stands among them: "Top lit: 3. Bottom lit: 2. Total lit: 5."."""
    totals = [entry for entry in entries if entry.is_total]
    others = [int(entry.value) for entry in entries if entry.value and entry.value.isdigit() and not entry.is_total]
    return totals[0].value if len(totals) == 1 and str(sum(others)) == totals[0].value else None


def _only(entries: list[Entry]) -> str | None:
    """The one count of several entries."""
    values = {entry.value for entry in entries}
    return values.pop() if len(values) == 1 else None


def _denied(entry: Entry, asked: Counted) -> frozenset[str]:
    """What was asked not to be so, and a label says by another word, or by none: "unlit", "without"."""
    if not asked.negated:
        return _NOTHING
    if entry.negated and not entry.words:
        return asked.qualities
    return frozenset(word for word in asked.qualities if any(opposed_stems(word, other) for other in entry.words))


def _is_contrary(entry: Entry, asked: Counted) -> bool:
    """Whether a label is of what is not so, or of what shuts out what was asked: "without gloves", to who has some."""
    others = entry.unit and entry.unit not in asked.words | GENERAL and not asked.nouns & GENERAL
    if others or is_elsewhere(entry.label, asked.text):
        return True
    matched = entry.words & asked.qualities
    if any(opposed_stems(word, other) for other in asked.qualities - matched for word in entry.words - matched):
        return not asked.negated
    return entry.negated != asked.negated and bool(matched or (entry.negated and not entry.words))
