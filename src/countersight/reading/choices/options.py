"""Reads which option of a question was chosen, by its letter, its place, its own text or its number."""

import re
from collections.abc import Sequence

from countersight.case import LETTERS, Question
from countersight.reading.choices.amounts import are_ranges, both_of_two, by_amount, by_range
from countersight.reading.choices.asides import is_passed_over, without_asides
from countersight.reading.choices.conclusions import (
    REMAINS,
    concluded,
    concluded_alone,
    left_over,
    named_alone,
    remaining,
)
from countersight.reading.choices.letters import CAPITAL, bare_choice, by_letter, is_bare, none_of_them, opening_mark
from countersight.reading.choices.names import takes_up_a_denial
from countersight.reading.choices.nothing import (
    cannot_be_done,
    denied_alone,
    nothing_at_all,
    opens_with_nothing,
    tells_what_cannot_be_done,
)
from countersight.reading.choices.parts import by_part
from countersight.reading.choices.places import NUMBERED_OPTION, of_two, places, ranked_first
from countersight.reading.choices.senses import by_sense
from countersight.reading.choices.texts import counts_of, name_of, number_of, words_of
from countersight.reading.choices.to_the_point import (
    REASON,
    claims,
    of_what_is,
    of_what_would_be,
    reasoned,
    to_the_point,
    without_contrasts,
    without_others,
    without_questions,
)
from countersight.reading.choices.verdicts import by_verdicts
from countersight.reading.choices.wordings import WHAT_IS_DONE, by_elimination, by_wording
from countersight.reading.counts.counting import count
from countersight.reading.language.clauses import HOW_MANY, asks_of_now, imagines, sentences, stated, supposes_first
from countersight.reading.language.numerals import numerals
from countersight.reading.language.prepositions import is_placed_otherwise
from countersight.reading.language.statements import without_refusal
from countersight.reading.language.vocabulary import any_of
from countersight.reading.yes_or_no.polarity import polarity
from countersight.reading.yes_or_no.yes_words import opening_polarity

_PLACE_ALONE = re.compile(r"\W*(\d)\W*$")
_TICKED = re.compile(r"^[^\w\n]*?(?:[✅✔☑]|\[x\])\s*([^\n✅✔☑]+)$", re.IGNORECASE | re.MULTILINE)
_EITHER = re.compile(r"\W*either\b.*\bor\b", re.IGNORECASE)
# "If it rained, A; otherwise B."
_OR_ELSE = re.compile(r"\bif\b[^.;]*[.;,]\s*(?:otherwise|if not|else)\b", re.IGNORECASE)
_REASON_FOLLOWS = re.compile(r",? (?:because|since|as|so)\b", re.IGNORECASE)
_ASKED_BACK = re.compile(r"\b([A-Z])\? (yes|no)\b", re.IGNORECASE)  # "B? No. C? Yes."
_AS_WELL = re.compile(
    r"\bso (?:do|does|did|is|are|was|were|has|have|can|could|would|will) (?:the|an?|his|her)\b"
    r"|\bbut (?:the|an?|his|her) (?:\w+ ){1,3}(?:would|could|might|may) (?:also|be (?:better|just as|as)|do as well)\b",
    re.IGNORECASE,
)  # "but so does the cow"
_ASKS_FOR_THE_FIRST = re.compile(r"\bfirst\b", re.IGNORECASE)
_AND_THEN = re.compile(r",? (?:and )?then\b[^.;]*", re.IGNORECASE)
_ASKS_FOR_WHAT_IS_NOT = re.compile(r"\b(?:which|what|who)\b.*(?:\bnot\b|n't\b|\bno longer\b)", re.IGNORECASE)
_ALL_CONSIDERED = re.compile(rf"\W*{any_of('options.all_considered')}", re.IGNORECASE)
_LETTER_THOUGH = re.compile(r"\W*([A-Z]), (?:although|though|even though|even if)\b")  # "B, though D is possible"


def choice(text: str, options: Sequence[str], question: str) -> str | None:
    """The letter of the option a plain text chooses, or None where it chooses none or more than one."""
    letters = LETTERS[: len(options)]
    if _OR_ELSE.search(text):
        return None
    text = _ASKED_BACK.sub(_answered, text)
    if first := ranked_first(text, question):
        return choice(first, options, question)
    if is_bare(text):
        return bare_choice(text, len(options))
    if (alone := _PLACE_ALONE.match(text)) and not any(map(numerals, options)):
        return letters[int(alone[1]) - 1] if 0 < int(alone[1]) <= len(letters) else None
    exact = [letter for letter, option in zip(letters, options, strict=True) if _is_alike(option, text)]
    if len(exact) == 1:
        return exact[0]
    if tells_what_cannot_be_done(text, question) and not CAPITAL.search(text):
        return cannot_be_done(text, options, letters)
    if denied_alike := takes_up_a_denial(text, tuple(options), question):
        return denied_alike
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
    text = _without_labels(without_asides(text, question, options), options, letters)
    if judged := by_verdicts(text, options, letters):
        return judged
    chosen = _by_letter_place_or_text(text, options, letters, question)
    passed = chosen is not None and not opens_with_nothing(text) and is_passed_over(chosen, text, options, letters)
    if left := left_over(text, options, letters):
        return left if passed or chosen in (None, left) else None
    return None if passed and chosen != named_alone(text, options, letters) else chosen


def _by_letter_place_or_text(text: str, options: Sequence[str], letters: str, question: str) -> str | None:
    named = by_letter(_without_texts(text, options, question), options, of_now=asks_of_now(question))
    if named.seen:
        return _unless_worded_otherwise(named.letter, text, options, question)
    if named_places := places(text, options):
        place = named_places.pop()
        return letters[place] if not named_places and -len(options) <= place < len(options) else None
    if (pointed := of_two(text, options)) is not None:
        return letters[pointed]
    told = _by_text(text, options, letters, question)
    elsewhere = told is not None and is_placed_otherwise(options[letters.index(told)], text, question)
    return None if elsewhere else told


def _is_alike(option: str, text: str) -> bool:
    return words_of(option).removeprefix("because ") == words_of(text).removeprefix("because ")


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
    if CAPITAL.search(_without_texts(last, options, question)):
        return letter
    worded = by_wording(last, options, LETTERS[: len(options)], question)
    if letter is None and len(place := places(last, options)) == 1:
        return LETTERS[: len(options)][place.pop()]
    if letter is None:
        return worded if REMAINS.match(last) or _ALL_CONSIDERED.match(last) else None
    return letter if worded in (None, letter) else None


def _names_the_wrong_letter(text: str, options: Sequence[str], letters: str) -> bool:
    """Whether a letter in brackets follows another option's text: "green (A)", where A is red."""
    return "(" in text and any(
        found[1].upper() != letter
        for letter, option in zip(letters, options, strict=True)
        for found in re.finditer(
            rf"(?<!\w){re.escape(option.strip(' .'))}\s*\((?:option )?([A-Za-z])\)", text, re.IGNORECASE
        )
    )


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


def _without_texts(text: str, options: Sequence[str], question: str) -> str:
    """The text with every option's wording blanked where that holds a lone capital: "vitamin C" is not option C.

    Nor is a letter that the question itself speaks of: "if the S were missing".
    """
    for letter in {*CAPITAL.findall(question)}.difference(LETTERS[: len(options)], "I"):
        text = re.sub(rf"(?<![\w']){letter}(?![\w'])", "_", text)
    for option in options:
        if len(option.strip()) > 1 and CAPITAL.search(option):
            text = re.sub(re.escape(option.strip()), "_", text, flags=re.IGNORECASE)
    return text


def _by_text(text: str, options: Sequence[str], letters: str, question: str) -> str | None:
    if values := _counts(options, question):
        number = count(NUMBERED_OPTION.sub(" ", text), question)
        return letters[values.index(number)] if number and values.count(number) == 1 else None
    if are_ranges(options):
        return by_range(text, options, letters, question)
    untold = [x for x, option in zip(letters, options, strict=True) if without_refusal(option) is None]
    if without_refusal(text) is None:
        return untold[0] if len(untold) == 1 else None
    if {words_of(option) for x, option in zip(letters, options, strict=True) if x not in untold} == {"yes", "no"}:
        answer = polarity(text, question)
        return next((x for x, option in zip(letters, options, strict=True) if words_of(option) == answer), None)
    both = both_of_two(text, options, letters)
    return both or _by_words(text, options, letters, question) or _by_polarity(text, options, letters, question)


def option_counts(question: Question) -> list[str]:
    """The numbers that the options of a question are, if each is one and the question asks for a count."""
    return (
        _counts([option.text for option in question.options], question.text) if HOW_MANY.search(question.text) else []
    )


def _counts(options: Sequence[str], question: str) -> list[str]:
    values = [number_of(option) for option in options]
    if not all(values):
        values = list(counts_of(tuple(options), question) or values)
    return [value for value in values if value] if all(values) else []


def _by_polarity(text: str, options: Sequence[str], letters: str, question: str) -> str | None:
    """The option that opens with the yes or no that a reply comes to: "it would not break" is "no, it would hold"."""
    opened = {opening_polarity(option): letter for letter, option in zip(letters, options, strict=True)}
    return (
        opened.get(polarity(text, question)) if opened.keys() == {"yes", "no"} and len(options) == len(opened) else None
    )


def _by_words(text: str, options: Sequence[str], letters: str, question: str) -> str | None:
    last = (sentences(text) or [""])[-1]
    if _EITHER.match(last) or _AS_WELL.search(last):
        return None
    if opens_with_nothing(text) and (nothing := nothing_at_all(text, options, letters)):
        return nothing
    if alone := named_alone(text, options, letters) or concluded_alone(text, options, letters, question):
        return alone
    if left := remaining(text, options, letters, question):
        return left
    told = _by_what_is_told(text, options, letters, question)
    if told is None and not _ASKS_FOR_WHAT_IS_NOT.search(stated(question)):
        main = without_others(text, question, options)
        return concluded(main, options, letters, question) or by_part(main, options, letters, question)
    return told


def _by_what_is_told(reply: str, options: Sequence[str], letters: str, question: str) -> str | None:
    """The option that the sentences of a reply affirm, so far as they speak of what was asked."""
    if _ASKS_FOR_THE_FIRST.search(question):
        reply = _AND_THEN.sub("", reply)
    if (main := without_contrasts(reply)) != reply and (told := _by_what_is_told(main, options, letters, question)):
        return told
    text = without_questions(without_others(reply, question, options))
    opened = _by_opening(text, options, letters)
    if opened is not None:
        return opened or None
    if _ASKS_FOR_WHAT_IS_NOT.search(stated(question)) and not WHAT_IS_DONE.search(question):
        return denied_alone(text, options, letters)
    text = of_what_is(text) if not imagines(question) else of_what_would_be(text, question)
    every, text = text, to_the_point(text, question, options)
    if told := nothing_at_all(text, options, letters) or by_amount(claims(every), options, letters, question):
        return told
    partly = any(map(supposes_first, sentences(text))) or REASON.search(text)
    whole = None if partly else by_wording(text, options, letters, question)
    return (
        whole
        or by_wording(claims(text), options, letters, question)
        or by_sense(claims(every), options, letters, question)
        or by_wording(reasoned(reply, question), options, letters, question)
        or by_elimination(every, options, letters)
    )


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
