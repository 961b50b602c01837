"""Reads which option a reply means where it says it in other words: "it would shatter" is "it would break"."""

import re
from collections.abc import Sequence, Set
from functools import cache, lru_cache, reduce
from typing import Final

from countersight.reading.choices.letters import DENIED_BEFORE, NEAR
from countersight.reading.choices.texts import affirmed, written_out
from countersight.reading.choices.wordings import PASSING, not_denied
from countersight.reading.language.asked import content
from countersight.reading.language.clauses import MODAL_AT, every_clause, imagines, stated, supposed
from countersight.reading.language.stems import counted_words
from countersight.reading.language.vocabulary import any_of, either, listed, words

_DENYING = re.compile(rf"{any_of('options.denying')}|\b(?:hardly|barely)\b", re.IGNORECASE)
_HEDGED = re.compile(r"\b(?:might|may|could|perhaps|maybe|possibly|either|or)\b", re.IGNORECASE)
_ANYONE = re.compile(
    r"\W*(?:(?:and|but|so|then|as a result|therefore|thus),? )*"
    rf"(?:(?:it|he|she|they|there|this|that|which|you|we|one|its|his|her|their)\b|{any_of('questions.prepositions')})",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"\W*(?P<what>(?:the|an?|his|her|its|their|this|that) (?:[\w'-]+ ){1,5}?)"
    rf"(?:{any_of('worlds.modals', 'counts.present_verbs')})",
    re.IGNORECASE,
)
_ASKS_WHAT_HAPPENS = re.compile(
    r"\bwhat (?:\w+ )?(?:happen|effect|change)|\bwhat would (?:be the effect|change)\b|^\W*how would\b"
    r"|\b(?:look|be) like\b|\bweather\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_HYPHENED = re.compile(r"\w+-\w+")
_SMALL: Final = PASSING | words("questions.prepositions")
_LONGEST = 600  # signs of a text that is looked at


def by_sense(text: str, options: Sequence[str], letters: str, question: str) -> str | None:
    """The letter of the only option that a text affirms, all of it, in words that mean the same."""
    said = written_out(text)[:_LONGEST]
    every = [clause for clause in every_clause(said) if not imagines(question) or MODAL_AT.search(clause)]
    if not any(_is_of_the_asked(clause, question, options) for clause in every):
        return None
    told = " . ".join(clause for clause in every if not _HEDGED.search(clause))
    meant, spoken = _senses_of(told), not_denied(affirmed(told))
    if not meant:
        return None
    near = [option for option in options if _is_touched(option, options, meant, spoken)]
    if len(near) > 1:
        return None
    known = content(affirmed(said)).union(content(stated(question)), _SMALL, _shared(options))
    full = [o for o in near or options if _is_said_otherwise(o, meant) and _is_covered(o, meant, known)]
    return letters[options.index(full[0])] if len(full) == 1 else None


def _shared(options: Sequence[str]) -> frozenset[str]:
    """What all options say alike tells none from another."""
    return frozenset[str].intersection(*map(content, options))


def _is_touched(option: str, options: Sequence[str], meant: dict[int, str], spoken: set[str]) -> bool:
    """Whether a text says something that only this option says, in its words or in others."""
    others = [other for other in options if other is not option]
    senses = _senses_of(written_out(option)).keys() - {s for other in others for s in _senses_of(written_out(other))}
    return bool(senses & meant.keys()) or bool(content(option) - content(" ".join(others)) & spoken)


def _is_said_otherwise(option: str, meant: dict[int, str]) -> bool:
    """Whether a text says it in other words: what it has in the option's own was looked at before."""
    return any(meant.get(place, told) != told for place, told in _senses_of(written_out(option)).items())


@cache
def _senses() -> tuple[re.Pattern[str], ...]:
    """The senses of the vocabulary; made when the first reply needs them, for they take a moment."""
    return tuple(re.compile(either(phrases), re.IGNORECASE) for phrases in listed("options.senses"))


@cache
def _by_first_word() -> dict[str, set[int]]:
    """Which senses have a phrase that begins with a word ("fall") or with its beginning ("scare*")."""
    senses: dict[str, set[int]] = {}
    for place, phrases in enumerate(listed("options.senses")):
        for word in {word for phrase in phrases for word in phrase.split(",")[0].split()[0].split("/")}:
            senses.setdefault(word, set()).add(place)
    return senses


@lru_cache(maxsize=1024)
def _senses_of(text: str) -> dict[int, str]:
    """The senses that a text tells and does not deny, by their place in the list, and the words it has for each."""
    plain = affirmed(text)
    spelled = {*_WORD.findall(text.lower()), *_HYPHENED.findall(text.lower())}
    begun = {f"{word[:length]}*" for word in spelled for length in range(1, len(word) + 1)}
    places = sorted({place for word in spelled | begun for place in _by_first_word().get(word, ())})
    return {place: told for place in places if (told := _told(_senses()[place], text, plain))}


def _told(sense: re.Pattern[str], text: str, plain: str) -> str:
    for place in sense.finditer(text):
        # What denies something itself ("would not move") stands where it is denied.
        denied = plain[place.start() : place.end()] != place.group() or DENIED_BEFORE.search(
            text[max(0, place.start() - NEAR) : place.start()]
        )
        if not denied or _DENYING.search(place.group()):
            return " ".join(sorted(content(place.group()))) or place.group().lower()
    return ""


def _is_covered(option: str, meant: dict[int, str], known: Set[str]) -> bool:
    """Whether a reply says all of an option: what it does not say in other words, it says in the option's own."""
    rest = reduce(lambda left, place: _senses()[place].sub(" ", left), meant, written_out(option))
    return content(rest) <= known and not _DENYING.search(rest)


def _is_of_the_asked(clause: str, question: str, options: Sequence[str]) -> bool:
    """Whether a clause speaks of what the question or the options speak of: it names that, or has a pronoun for it."""
    own = frozenset[str]().union(*map(content, options))
    asked, subject = content(stated(question)), _SUBJECT.match(clause)
    thing = set(counted_words(subject["what"])[-1:]) if subject else set()
    if asked - PASSING and thing & {*counted_words(supposed(question))[:1]} - asked - own:
        return False  # what the rope would do, to what would happen to the boat if it were cut
    if _ASKS_WHAT_HAPPENS.search(question) or _ANYONE.match(clause):
        return True
    return bool((own | asked) & thing) if subject else not (own | content(question)).isdisjoint(counted_words(clause))
