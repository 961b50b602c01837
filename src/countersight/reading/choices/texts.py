"""What the texts of options say: their numbers, their words, and where a reply repeats them."""

import re
from collections.abc import Sequence
from functools import lru_cache

from countersight.case import LETTERS
from countersight.reading.language.clauses import every_clause
from countersight.reading.language.numerals import canonical, numerals
from countersight.reading.language.ranks import Rank, ranks_in
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of, found

_ENDS = r"[\s.!)\"']*(?:$|\n|[,;])"
_OWN_TEXT_ENDS = rf"(?:\s+[a-z]+){{0,3}}{_ENDS}"
_HOW_MANY = found("questions.how_many")
_DENIED = re.compile(
    rf"{any_of('yes_no.auxiliaries')}(?:\s+{any_of('yes_no.adverbs')})?\s+not\b(?! (?:only|just)\b)"
    rf"|{any_of('options.denied_clauses')}",
    re.IGNORECASE,
)
_NONE_OF_THESE = re.compile(
    r"\W*(?:not|neither)\b(?! (?:only|just)\b)[^,;:]*", re.IGNORECASE
)  # "not a school or a shop"
# Where a clause that denies something goes on to say what holds: "not blue, it's red".
_STOPS = re.compile(r"stop", re.IGNORECASE)
_GOES_ON = re.compile(
    r",\s+(?=(?:so|because|since|it|they|he|she|there|that|leaving|which leaves)\b)|\binstead\b(?! of)", re.IGNORECASE
)
_IRREGULAR_NOT = re.compile(r"\b(?:won't|can't|cannot)(?!\w)", re.IGNORECASE)
_SHORT_NOT = re.compile(r"(?<=\w)n't\b", re.IGNORECASE)
_SHORT_IS = re.compile(r"(?:(?<=\bhe)|(?<=\bshe)|(?<=\bit)|(?<=\bthat))'s\b", re.IGNORECASE)
_SHORT_AM = re.compile(r"(?<=\bi)'m\b", re.IGNORECASE)
_SHORT_HAVE = re.compile(r"(?<=\w)'ve\b", re.IGNORECASE)
_SHORT_WOULD = re.compile(r"(?<=\w)'d\b", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|an?|his|her|its|their) (?=\w)")
_SPACE = re.compile(r"[\W_]+")


def words_of(text: str) -> str:
    """A text in small letters without its punctuation."""
    return _SPACE.sub(" ", text).strip().casefold()


def name_of(text: str) -> str:
    """A name without its article."""
    return _ARTICLE.sub("", words_of(text))


def written_out(text: str) -> str:
    """The text with "would not" for "wouldn't", "he is" for "he's" and "I am" for "I'm"."""
    text = _IRREGULAR_NOT.sub(lambda found: "will not" if found.group().lower() == "won't" else "can not", text)
    text = _SHORT_WOULD.sub(" would", _SHORT_HAVE.sub(" have", _SHORT_AM.sub(" am", text)))
    return _SHORT_IS.sub(" is", _SHORT_NOT.sub(" not", text))


def affirmed(text: str) -> str:
    """The text with every clause that denies something blanked: "the man would not leave" chooses no man's leaving."""
    for clause in every_clause(text):
        if listed := _NONE_OF_THESE.match(clause):
            text = text.replace(listed.group(), " " * len(listed.group()), 1)
        elif denial := _DENIED.search(clause):
            turn = _GOES_ON.search(clause, denial.end())
            denied = clause[: turn.start()] if turn else clause
            if _STOPS.match(denial.group()):
                denied = denial.group()  # "it would stop sleeping and eat"
            text = text.replace(denied, " " * len(denied), 1)
    return text


def without_listing(text: str, options: Sequence[str]) -> str:
    """The text without a repetition of the whole list of options, where every letter is named and none is chosen."""
    letters = LETTERS[: len(options)]
    if not all(letter in text for letter in letters):
        return text
    listed = r"[\s,;|]*".join(
        rf"\(?{letter}\s*[.:)]*\s*{re.escape(option.strip())}[.,;]?"
        for letter, option in zip(letters, options, strict=True)
    )
    return re.sub(rf"(?<!\w){listed}", " ", text).strip() or text


def contradicted(letter: str, rest: str, options: Sequence[str]) -> bool:
    """Whether a letter goes with another option's text: in "B: 18", where 18 is A, nobody can tell which was meant."""
    counts = counts_of(tuple(options)) or (None,) * len(options)
    for other, option, number in zip(LETTERS, options, counts, strict=False):
        if option.strip().lower() not in rest.lower() and not (number and number in rest):
            continue
        text = re.escape(option.strip()) + rf"(?!\w){_OWN_TEXT_ENDS}"
        if number:  # "B: 18", where A is "18 cows"
            thing = re.escape(option[numerals(option)[0].end :].strip())
            text += rf"|{re.escape(number)}(?:\s+{thing})?(?!\w){_ENDS}"
        if other != letter and re.match(rf"[\s:.,)\]=(\"'-]*(?:{text})", rest, re.IGNORECASE):
            return True
    return False


def number_of(option: str) -> str | None:
    """The number that an option is, and nothing else."""
    found = numerals(option)
    if len(found) != 1 or found[0].value is None:
        return None
    return canonical(found[0].value) if words_of(option) == words_of(option[found[0].start : found[0].end]) else None


@lru_cache(maxsize=256)
def counts_of(options: tuple[str, ...], question: str = "") -> tuple[str, ...] | None:
    """The numbers of options that are counts of one thing ("1 cow", "Four cows", "none"), or None for any others."""
    values: list[str] = []
    things: set[tuple[str, str]] = set()
    for option in options:
        found = numerals(option)
        # "Room 3", "3 pm", "more than 3" and "3 more" are no counts: in a reply their numbers would be passed over.
        ranked = ranks_in(option, first=False, last=False).numbers
        if len(found) != 1 or len(ranked) != 1 or ranked[0].rank < Rank.STATED or not ranked[0].value:
            return None
        values.append(canonical(ranked[0].value))
        thing = (_stems(option[: found[0].start]), _stems(option[found[0].end :]))
        if any(thing):
            things.add(thing)
    if len(things) != 1:
        return None
    # "Bus 3" is the name of a bus, unless a number was asked for.
    named = not things.pop()[1] and not _HOW_MANY.search(question)
    return None if named else tuple(values)


def _stems(text: str) -> str:
    return " ".join("is" if word == "are" else stem(word) for word in words_of(text).split())
