"""Reads which option of a question was chosen, by its letter, its place, its own text or its number."""

import re
from collections.abc import Sequence

from countersight.case import LETTERS
from countersight.reading.clauses import (
    asks_of_now,
    sentences,
    supposes_first,
)
from countersight.reading.counting import count
from countersight.reading.letters import (
    CAPITAL,
    DENIED_AFTER,
    DENIED_BEFORE,
    NEAR,
    bare_choice,
    by_letter,
    is_bare,
    none_of_them,
    opening_mark,
)
from countersight.reading.numerals import canonical, numerals
from countersight.reading.option_texts import counts_of, name_of, number_of, words_of
from countersight.reading.polarity import opening_polarity, polarity
from countersight.reading.statements import without_refusal
from countersight.reading.to_the_point import (
    GOOD,
    REASON,
    claims,
    of_what_is,
    of_what_would_be,
    to_the_point,
    without_questions,
)
from countersight.reading.vocabulary import any_of, listed, words
from countersight.reading.wordings import by_wording
from countersight.text import NUMBER_WORDS

_PLACES: dict[str, int] = listed("options.places")
_PLACE = rf"(?P<place>{'|'.join(sorted(_PLACES, key=len, reverse=True))})".replace(" to ", "[ -]to[ -](?:the[ -])?")
_ORDINAL = re.compile(rf"\b{_PLACE}\s+(?:option|choice|answer)\b", re.IGNORECASE)
# "The last one" is an option only where nothing else is said: elsewhere it is a circle, or a dot.
_ORDINAL_ONE = re.compile(
    rf"\W*(?:(?:it is|it's|it would be|i (?:choose|pick)|i'd (?:say|pick))\s+)?(?:the\s+)?{_PLACE}(?:\s+one)?\W*$",
    re.IGNORECASE,
)
_PLACE_ALONE = re.compile(r"\W*(\d)\W*$")
_NUMBERED_OPTION = re.compile(
    rf"\b(?:option|choice)\s*#?(\d{{1,3}}|{'|'.join(list(NUMBER_WORDS)[1:10])})\b", re.IGNORECASE
)
_BAD = re.compile(rf"[❌✗✘✖❎]|{any_of('options.bad')}", re.IGNORECASE)
_TICKED = re.compile(r"^[^\w\n]*?(?:[✅✔☑]|\[x\])\s*([^\n✅✔☑]+)$", re.IGNORECASE | re.MULTILINE)
_EITHER = re.compile(r"\W*either\b.*\bor\b", re.IGNORECASE)
# "If it rained, A; otherwise B."
_OR_ELSE = re.compile(r"\bif\b[^.;]*[.;,]\s*(?:otherwise|if not|else)\b", re.IGNORECASE)
_REASON_FOLLOWS = re.compile(r",? (?:because|since|as|so)\b", re.IGNORECASE)
_ASKED_BACK = re.compile(r"\b([A-Z])\? (yes|no)\b", re.IGNORECASE)  # "B? No. C? Yes."
_FIRST_PIECE = re.compile(r"\W*(?P<what>[^.!?,;:\n]{1,60}?)\s*(?:[.!]\s|\n|--|, (?:as|since|because)\b)")
_LAST_PIECE = re.compile(r"(?::|--)\s+(?P<what>[^.!?,;:\n]{1,60}?)[.!]?\s*$")
_IT_IS = re.compile(r"(?:^|[.,;:] )(?:so )?(?P<what>[^.!?,;:\n]{1,40}?) it is[.!]?\s*$", re.IGNORECASE)
_RATHER_THAN = re.compile(
    r",? \b(?:rather than|instead of|as opposed to|followed by|ahead of)\b[^,.;:]*", re.IGNORECASE
)
_THEN_ANOTHER = re.compile(
    r"^(\W*(?:(?:to|in|on|at) )?(?:the |an? )?(?!if\b)\w+(?: \w+)?), (?:and )?then .*", re.IGNORECASE
)  # "A, then B"
_REMAINS = re.compile(
    r"\W*(?:so |therefore,? )?(?:what(?:'s| is| would be)? (?:left|remains)|that leaves|which leaves|this leaves)\b",
    re.IGNORECASE,
)
_NOTHING = words("options.nothing")
_IS_EMPTY = re.compile(r"(?:\bbe|\bis|\bare|'s|\bstay|\blook)(?: (?:then|\w+ly))? (?:empty|bare)\b", re.IGNORECASE)
_ALL_CONSIDERED = re.compile(rf"\W*{any_of('options.all_considered')}", re.IGNORECASE)
_CONCLUDES = re.compile(
    r"\W*(?:so|therefore|thus|hence|that leaves|leaving),? (?:it(?:'s| is|'d be| would be| must be) )?"
    r"(?:the |an? )?\w+(?: \w+){0,2}\W*$",
    re.IGNORECASE,
)
_LETTER_THOUGH = re.compile(r"\W*([A-Z]), (?:although|though|even though|even if)\b")  # "B, though D is possible"
_VERDICT = 80  # characters after an option in which it is called right or wrong


def choice(text: str, options: Sequence[str], question: str) -> str | None:
    """The letter of the option a plain text chooses, or None where it chooses none or more than one."""
    letters = LETTERS[: len(options)]
    if _OR_ELSE.search(text):
        return None
    text = _ASKED_BACK.sub(_answered, text)
    if is_bare(text):
        return bare_choice(text, len(options))
    if (alone := _PLACE_ALONE.match(text)) and not any(map(numerals, options)):
        return letters[int(alone[1]) - 1] if 0 < int(alone[1]) <= len(letters) else None
    exact = [letter for letter, option in zip(letters, options, strict=True) if words_of(option) == words_of(text)]
    if len(exact) == 1:
        return exact[0]
    none = none_of_them(text, options)
    if none.seen:
        return none.letter
    if ticked := _TICKED.findall(text):
        return choice(ticked[0], options, question) if len(ticked) == 1 else None
    if begun := _begun(text, options, letters):
        return begun
    if first := _first_line(text, len(options)):
        return first
    if (though := _LETTER_THOUGH.match(text)) and though[1] in letters:
        return though[1]
    opening = opening_mark(text, options)
    if opening.seen:
        return opening.letter
    if _names_the_wrong_letter(text, options, letters):
        return None
    text = _without_labels(text, options, letters)
    judged = _by_verdicts(text, options, letters)
    if judged:
        return judged
    named = by_letter(_without_texts(text, options), options, of_now=asks_of_now(question))
    if named.seen:
        return _unless_worded_otherwise(named.letter, text, options, question)
    places = _places(text, options)
    if places:
        place = places.pop()
        return letters[place] if not places and -len(options) <= place < len(options) else None
    return _by_text(text, options, letters, question)


def _answered(asked: re.Match[str]) -> str:
    return f"{asked[1]} is {'right' if asked[2].lower() == 'yes' else 'wrong'}"


def _begun(text: str, options: Sequence[str], letters: str) -> str | None:
    """The only option of which a reply repeats all but the reason: "she would let go", of "… because it is cold"."""
    said = words_of(text)
    begun = [
        x for x, option in zip(letters, options, strict=True) if words_of(_REASON_FOLLOWS.split(option)[0]) == said
    ]
    return begun[0] if len(begun) == 1 else None


def _first_line(text: str, options: int) -> str | None:
    """The letter that is a whole first line, where no other line is one: "C", and then the reasons."""
    first, _, rest = text.strip().partition("\n")
    if not rest or any(is_bare(line) for line in rest.split("\n")):
        return None
    return bare_choice(first, options)


def _unless_worded_otherwise(letter: str | None, text: str, options: Sequence[str], question: str) -> str | None:
    """The letter, unless the last sentence names another option in words: "B is out. What remains is the ferry."."""
    last = (sentences(text) or [""])[-1]
    if CAPITAL.search(_without_texts(last, options)):
        return letter
    worded = by_wording(last, options, LETTERS[: len(options)], question)
    if letter is None and len(place := _places(last, options)) == 1:
        return LETTERS[: len(options)][place.pop()]
    if letter is None:
        return worded if _REMAINS.match(last) or _ALL_CONSIDERED.match(last) else None
    return letter if worded in (None, letter) else None


def _named_alone(text: str, options: Sequence[str], letters: str) -> str | None:
    """The option that is all of the first sentence, or all that follows the last colon: "Circle. The star is …"."""
    pieces = [_FIRST_PIECE.match(text), _LAST_PIECE.search(text), _IT_IS.search(text)]
    said = [name_of(piece["what"]) for piece in pieces if piece]
    found = {letter for letter, option in zip(letters, options, strict=True) if name_of(option) in said}
    return found.pop() if len(found) == 1 else None


def _concluded_alone(text: str, options: Sequence[str], letters: str, question: str) -> str | None:
    """The option that a last, short sentence concludes: "… So the blue one."."""
    *others, last = sentences(text) or [""]
    return by_wording(last, options, letters, question) if others and _CONCLUDES.match(last) else None


def _names_the_wrong_letter(text: str, options: Sequence[str], letters: str) -> bool:
    """Whether a letter in brackets follows another option's text: "green (A)", where A is red."""
    return "(" in text and any(
        found[1].upper() != letter
        for letter, option in zip(letters, options, strict=True)
        for found in re.finditer(
            rf"(?<!\w){re.escape(option.strip(' .'))}\s*\((?:option )?([A-Za-z])\)", text, re.IGNORECASE
        )
    )


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
        if GOOD.search(verdict) and not _BAD.search(verdict):
            good.append(letter)
        elif not _BAD.search(verdict):
            return None
    return good[0] if len(good) == 1 else None


def _places(text: str, options: Sequence[str]) -> set[int]:
    """The places in the list that a reply names: "the last option", "option 2"."""
    alone = _ORDINAL_ONE.match(text)
    places = [alone["place"]] if alone else [found["place"] for found in _ORDINAL.finditer(text)]
    named = {_PLACES[re.sub(r"[ -]+", " ", place.lower()).replace("the ", "")] for place in places}
    for mention in _NUMBERED_OPTION.finditer(text):
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


def _without_labels(text: str, options: Sequence[str], letters: str) -> str:
    """The text without letters in brackets behind their own options, where several have one: they only name these."""
    if "(" not in text:
        return text
    labels = [
        re.compile(rf"({re.escape(name_of(option))})\s*\({letter}\)", re.IGNORECASE)
        for letter, option in zip(letters, options, strict=True)
    ]
    labelled = [label for label in labels if label.search(text)]
    for label in labelled if len(labelled) > 1 else ():
        text = label.sub(r"\1", text)
    return text


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
    untold = [x for x, option in zip(letters, options, strict=True) if without_refusal(option) is None]
    if without_refusal(text) is None:
        return untold[0] if len(untold) == 1 else None
    if {words_of(option) for x, option in zip(letters, options, strict=True) if x not in untold} == {"yes", "no"}:
        answer = polarity(text, question)
        return next((x for x, option in zip(letters, options, strict=True) if words_of(option) == answer), None)
    if _EITHER.match((sentences(text) or [""])[-1]):
        return None
    if alone := _named_alone(text, options, letters) or _concluded_alone(text, options, letters, question):
        return alone
    text = without_questions(_RATHER_THAN.sub(" ", _THEN_ANOTHER.sub(r"\1", text)))
    opened = _by_opening(text, options, letters)
    if opened is not None:
        return opened or None
    text = of_what_is(text) if asks_of_now(question) else of_what_would_be(text, question)
    if found := _nothing_at_all(text, options, letters):
        return found
    text = to_the_point(text, question, options)
    partly = any(map(supposes_first, sentences(text))) or REASON.search(text)
    whole = None if partly else by_wording(text, options, letters, question)
    return whole or by_wording(claims(text), options, letters, question)


def _nothing_at_all(text: str, options: Sequence[str], letters: str) -> str | None:
    """The one option that says "nothing", where a reply says that it is empty: "The cup would be empty."."""
    nothing = [letter for letter, option in zip(letters, options, strict=True) if words_of(option) in _NOTHING]
    others = [option for option in options if words_of(option) not in _NOTHING]
    named = any(name_of(option) in words_of(text) for option in others)
    return nothing[0] if len(nothing) == 1 and _IS_EMPTY.search(text) and not named else None


def _by_opening(text: str, options: Sequence[str], letters: str) -> str | None:
    """The letter of the only option that opens with the yes or no of the reply; "" where two do, None where none does.

    What the reply says beyond the word must not be another option's text.
    """
    said = opening_polarity(text)
    opened = [letter for letter, option in zip(letters, options, strict=True) if opening_polarity(option) == said]
    if not said or not opened:
        return None
    named = by_wording(text, options, letters, "")
    return (opened[0] if named in (None, opened[0]) else "") if len(opened) == 1 else (named or "")
