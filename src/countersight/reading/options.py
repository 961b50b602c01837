"""Reads which option of a question was chosen, by its letter, its place, its own text or its number."""

import re
from collections.abc import Sequence

from countersight.case import LETTERS
from countersight.reading.clauses import (
    asks_of_now,
    contrasted,
    imagines,
    sentences,
    stated,
    supposes_first,
    tells_of_now,
)
from countersight.reading.counting import count
from countersight.reading.letters import (
    CAPITAL,
    CHOSEN_BEFORE,
    DENIED_BEFORE,
    bare_choice,
    by_letter,
    is_bare,
    opening_mark,
)
from countersight.reading.numerals import canonical
from countersight.reading.option_texts import affirmed, counts_of, number_of, words_of
from countersight.reading.polarity import polarity
from countersight.reading.stems import spelled
from countersight.reading.vocabulary import any_of, found, listed, words

_NONE_OF_THEM = re.compile(rf"{any_of('options.none_of_them')}|\b(?:none|all) of (?:these|those)\W*$", re.IGNORECASE)
_PLACES: dict[str, int] = listed("options.places")
_PLACE = rf"(?P<place>{'|'.join(sorted(_PLACES, key=len, reverse=True))})".replace(" to ", "[ -]to[ -](?:the[ -])?")
_ORDINAL = re.compile(rf"\b{_PLACE}\s+(?:option|choice|answer)\b", re.IGNORECASE)
# "The last one" is an option only where nothing else is said: elsewhere it is a circle, or a dot.
_ORDINAL_ONE = re.compile(
    rf"\W*(?:(?:it is|it's|it would be|i (?:choose|pick)|i'd (?:say|pick))\s+)?(?:the\s+)?{_PLACE}(?:\s+one)?\W*$",
    re.IGNORECASE,
)
_NUMBERED_OPTION = re.compile(r"\b(?:option|choice)\s*#?(\d{1,3})\b", re.IGNORECASE)
_GOOD = re.compile(rf"[✅✔✓☑]|{any_of('options.good')}", re.IGNORECASE)
_BAD = re.compile(rf"[❌✗✘✖❎]|{any_of('options.bad')}", re.IGNORECASE)
_REASON = re.compile(r"\b(?:because|since)\b", re.IGNORECASE)
_IS_SO = re.compile(r"^\W*the (?P<what>[\w ]{1,40}?) (?:is|are|was|were)\b", re.IGNORECASE)
_PALE = words("options.pale")
_DENYING = found("options.denying")
_LONGEST_NAME = 12  # words of a reply that can name an option by one of its words
_NEAR = 60
_MOST = 50  # places of an option's text in a reply that are looked at
_VERDICT = 80  # characters after an option in which it is called right or wrong


def choice(text: str, options: Sequence[str], question: str) -> str | None:
    """The letter of the option a plain text chooses, or None where it chooses none or more than one."""
    letters = LETTERS[: len(options)]
    if is_bare(text):
        return bare_choice(text, len(options))
    exact = [letter for letter, option in zip(letters, options, strict=True) if words_of(option) == words_of(text)]
    if len(exact) == 1:
        return exact[0]
    if _NONE_OF_THEM.search(text):
        return None
    opening = opening_mark(text, options)
    if opening.seen:
        return opening.letter
    judged = _by_verdicts(text, options, letters)
    if judged:
        return judged
    named = by_letter(_without_texts(text, options), options, of_now=asks_of_now(question))
    if named.seen:
        return named.letter
    places = _places(text, options)
    if places:
        place = places.pop()
        return letters[place] if not places and -len(options) <= place < len(options) else None
    return _by_text(text, options, letters, question)


def _by_verdicts(text: str, options: Sequence[str], letters: str) -> str | None:
    """The one option called right, where a reply goes through all of them in order and calls each right or wrong."""
    starts: list[int] = []
    for letter in letters:
        found = re.compile(rf"(?<![\w'])\(?{letter}(?=[\s.:)])").search(text, starts[-1] if starts else 0)
        if not found:
            return None
        starts.append(found.end())
    good: list[str] = []
    for letter, option, start, end in zip(letters, options, starts, [*starts[1:], len(text)], strict=True):
        # What the option says itself ("A: Yes") is no verdict on it.
        verdict = re.sub(rf"^[\s.:)]*{re.escape(option.strip())}(?!\w)", "", text[start:end], flags=re.IGNORECASE)
        verdict = verdict[:_VERDICT]
        if _GOOD.search(verdict) and not _BAD.search(verdict):
            good.append(letter)
        elif not _BAD.search(verdict):
            return None
    return good[0] if len(good) == 1 else None


def _places(text: str, options: Sequence[str]) -> set[int]:
    """The places in the list that a reply names: "the last option", "option 2"."""
    alone = _ORDINAL_ONE.match(text)
    places = [alone["place"]] if alone else [found["place"] for found in _ORDINAL.finditer(text)]
    named = {_PLACES[re.sub(r"[ -]+", " ", place.lower()).replace("the ", "")] for place in places}
    for number in _NUMBERED_OPTION.findall(text):
        # "Option 3" may as well be the option that says 3, unless that is the third.
        place = int(number) - 1
        if all(at == place or number_of(option) != canonical(number) for at, option in enumerate(options)):
            named.add(place)
    return named


def _without_texts(text: str, options: Sequence[str]) -> str:
    """The text with every option's wording blanked where that holds a lone capital: "vitamin C" is not option C."""
    for option in options:
        if len(option.strip()) > 1 and CAPITAL.search(option):
            text = re.sub(re.escape(option.strip()), "_", text, flags=re.IGNORECASE)
    return text


def _by_text(text: str, options: Sequence[str], letters: str, question: str) -> str | None:
    values = [number_of(option) for option in options]
    if not all(values):
        values = list(counts_of(tuple(options), question) or values)
    if all(values):
        number = count(_NUMBERED_OPTION.sub(" ", text), question)
        return letters[values.index(number)] if number and values.count(number) == 1 else None
    if {words_of(option) for option in options} == {"yes", "no"}:
        answer = polarity(text, question)
        return next((x for x, option in zip(letters, options, strict=True) if words_of(option) == answer), None)
    if not asks_of_now(question):
        text = _of_what_would_be(text, question)
    return _by_wording(text, options, letters) or _by_wording(_claims(text), options, letters)


def _of_what_would_be(text: str, question: str) -> str:
    """What a text says of the world that was asked about: all that has a "would", or else all but what is of now."""
    pieces = [part for sentence in sentences(text) for part in contrasted(sentence)]
    imagined = [piece for piece in pieces if imagines(piece)]
    if any(words_of(affirmed(piece)) for piece in imagined):
        return ". ".join(imagined)
    # "The light is green", to what it would be, names what is; "it is green" answers.
    of_now = [piece for piece in pieces if tells_of_now(piece) or _is_of_the_asked(piece, question)]
    if len(of_now) == len(pieces) and not any(map(tells_of_now, pieces)):
        return ""
    return ". ".join(piece for piece in pieces if piece not in of_now) or text


def _is_of_the_asked(piece: str, question: str) -> bool:
    told = _IS_SO.match(piece)
    return told is not None and set(spelled(told["what"])) <= set(spelled(question))


def _claims(text: str) -> str:
    """What a text states, without its reasons: "red, because a green one means go"."""
    mains = (stated(each) if supposes_first(each) else _REASON.split(each)[0].strip() for each in sentences(text))
    return ". ".join(filter(None, mains))


def _by_wording(text: str, options: Sequence[str], letters: str) -> str | None:
    said = affirmed(text)
    spans = [
        (found.start(), found.end(), letter)
        for letter, option in zip(letters, options, strict=True)
        if words_of(option)
        # An option that denies something itself stands where it is denied.
        for found in _standing(option, text if _DENYING.search(option) else said)
        if not DENIED_BEFORE.search(text[max(0, found.start() - _NEAR) : found.start()])
    ]
    # "dark red" is not also "red".
    outer = [s for s in spans if not any(o[0] <= s[0] and s[1] <= o[1] and o[:2] != s[:2] for o in spans)]
    chosen = {x for start, _, x in outer if CHOSEN_BEFORE.search(text[max(0, start - _NEAR) : start])}
    found_letters = chosen or {x for _, _, x in outer} or _by_a_word(said, options, letters)
    return found_letters.pop() if len(found_letters) == 1 else None


def _standing(option: str, text: str) -> list[re.Match[str]]:
    """Where an option's own text stands in a reply."""
    return list(re.finditer(rf"(?<!\w){re.escape(option.strip().rstrip('.'))}(?!\w)", text, re.IGNORECASE))[:_MOST]


def _by_a_word(text: str, options: Sequence[str], letters: str) -> set[str]:
    """The options that a short reply names by a word only they have: "red", of a red and a blue circle."""
    if len(text.split()) > _LONGEST_NAME:
        return set()
    bags = [{word for word in words_of(option).split() if word not in _PALE} for option in options]
    own = {
        word: letter
        for letter, option, bag in zip(letters, options, bags, strict=True)
        if not _DENYING.search(option)
        for word in bag
        if sum(word in other for other in bags) == 1
    }
    return {
        own[word]
        for found in re.finditer(r"\w+", text)
        if (word := found.group().casefold()) in own
        and not DENIED_BEFORE.search(text[max(0, found.start() - _NEAR) : found.start()])
    }
