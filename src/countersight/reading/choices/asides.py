"""What a reply says of an option only to pass over it: it concedes it, weighs it, or names it as a place."""

import re
from collections.abc import Sequence

from countersight.reading.choices.amounts import says_none
from countersight.reading.choices.letters import CAPITAL
from countersight.reading.choices.places import places
from countersight.reading.choices.texts import name_of
from countersight.reading.choices.wordings import own_words
from countersight.reading.language.clauses import imagines, sentences
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of, found

# What follows takes nothing back where it denies another, or owns that it is close: "…, but not the tray".
_BUT = re.compile(
    r"(?:^|[\s,;.])(?:but|however|yet)\b(?!,? (?:not|neither|never|nor|no|for|also|only|just)\b)"
    rf"(?![^.;]*{any_of('options.hedging')})",
    re.IGNORECASE,
)
# "Although the man is at the head of the table, it's the woman who …"; what is conceded last stands in `to_the_point`.
_CONCEDED_FIRST = re.compile(
    r"(?:^|(?<=[.!?;]\s)|(?<=\bbut\s)|(?<=\bso\s))\W*(?:even though|although|though|while|whilst|whereas)\b(?!,)"
    r"[^.;]*?,\s+"
    rf"(?={any_of('worlds.subjects', 'worlds.openers')}|(?:one|what|only)\b|(?-i:[A-Z])\b)",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    rf",? {any_of('options.beside')} (?P<what>(?:the|an?|his|her|its|their) [^.,;]{{1,40}})", re.IGNORECASE
)
_ONE = re.compile(r"\b(?:one|ones|other)(?: (?:right|just|directly|standing|sitting|lying))?\W*$", re.IGNORECASE)
_IT_IS = re.compile(r"\W*(?:so )?(?:it|that)(?:'s| is| must be| would be|'d be)\b", re.IGNORECASE)
_POINTS = found("options.pointing")
_TAKES_UP = re.compile(r"\W*(?:it|that|this|he|she|they|which)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")


def without_asides(text: str, question: str, options: Sequence[str]) -> str:
    """The text without what its sentences concede before they state something, and without what only tells a place."""
    main = _CONCEDED_FIRST.sub("", text)
    text = text if imagines(question) and imagines(text) and not imagines(main) else main
    if _BESIDE.search(question):
        return text
    return _BESIDE.sub(lambda place: "" if _is_a_place(place, options) else place.group(), text)


def _is_a_place(place: re.Match[str], options: Sequence[str]) -> bool:
    """Whether an option tells only where another is: "the small one beside the mare", "it's the foal by the mare"."""
    mark = next((option for option in options if name_of(place["what"]).startswith(name_of(option))), None)
    before = sentences(place.string[: place.start()])[-1:]
    if mark is None or not before:
        return False
    others = frozenset[str]().union(*(own for own, x in zip(own_words(options), options, strict=True) if x != mark))
    told = {word for _, word in _stems(before[0])}
    return bool(_ONE.search(before[0])) or bool(_IT_IS.match(before[0]) and not told.isdisjoint(others))


def is_passed_over(letter: str, text: str, options: Sequence[str], letters: str) -> bool:
    """Whether a reply goes on after the last place where it names an option, with a "but" or to another one.

    "So B... but two of them only look on.", "B is steady. Its neighbour is the one to worry about."
    """
    final = sentences(text)[-1]
    pointed = _POINTS.search(final) and not _TAKES_UP.match(final) and not places(final, options)
    goes_on = pointed or says_none(final, options)
    if not goes_on and not _BUT.search(text):
        return False
    own = dict(zip(letters, own_words(options), strict=True))
    named = [(at, x) for at, word in _stems(text) for x in letters if word in own[x]]
    named += [(place.start(), place[1]) for place in CAPITAL.finditer(text) if place[1] in letters]
    last = max((at for at, x in named if x == letter), default=None)
    if last is None:
        return False
    return bool(_BUT.search(text, last)) or bool(goes_on and max(named)[0] < text.rfind(final))


def _stems(text: str) -> list[tuple[int, str]]:
    return [(place.start(), stem(place.group().casefold())) for place in _WORD.finditer(text)]
