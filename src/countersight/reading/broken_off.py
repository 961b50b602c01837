"""What a reply had said before it broke off: what it announced or opened with, not what it was working out."""

import re

from countersight.case import LETTERS, Question
from countersight.reading.choices.texts import words_of
from countersight.reading.language.clauses import (
    MODAL_AT,
    asks_of_now,
    imagines,
    sentences,
    stated,
    supposed,
    supposes_first,
)
from countersight.reading.language.statements import announced
from countersight.reading.language.stems import counted_words
from countersight.reading.language.vocabulary import any_of, found
from countersight.reading.open.answers import takes_up

# "B -- since …", "3 because …": what gives its reasons has been said.
# "3 - 1 =" is a sum that was going to be told, and no reason.
_REASON = re.compile(
    r"\s+--?\s+(?!\d)|,? (?:because|since)\b|, as (?=(?:the|it|they|there|he|she|can|we|you|this)\b)"
    r"|(?-i:(?<=^[A-Z]) (?=[A-Z][a-z]))",
    re.IGNORECASE,
)
# "Three cats, and they are all …", "three cats, one of which …"
_GOES_ON_OF_THEM = re.compile(
    r",? (?=and (?:they|these|those) (?:are|all|both|each)\b)|,(?= \w+ of (?:which|them|whom)\b)", re.IGNORECASE
)
# "Left: 1", and more to come
_LABEL = re.compile(r"\W*(?P<label>[^:.]{1,60}):\s*\S")
_TOTAL = found("counts.totals")
_CALLED_RIGHT = (
    rf"(?:(?:most|only|best|right|correct|final|clearly) )?{any_of('options.verdicts')}"
    r"(?: (?:answer|choice|option|one|here))?"
)
_VERDICT = re.compile(
    r"\W*(?:(?:option|choice|answer|letter)\W+)?(?P<letter>(?-i:[A-Z]))\b\W*"
    rf"(?:is|would be|must be|seems) (?:the |my )?{_CALLED_RIGHT}\W*$",
    re.IGNORECASE,
)
# "3 flags on it: a red one …"
# "3 lamps hang there, arranged in a row"
_LISTS_THEM = re.compile(
    r":\s+(?=(?:an?|one|two|the)\b)|,(?= each (?:with|in|of)\b)"
    r"|,(?= (?:all )?(?!(?:exclud|count|includ|assum|consider|need)(?:ed|ing))[a-z]+(?:ed|ing)"
    r" (?:in|on|at|over|above|along|by|up)\b)",
    re.IGNORECASE,
)
_FIRST_WORD = re.compile(r"\W*(?:yes|no)(?=[,:;])", re.IGNORECASE)
_EXPLAINS = re.compile(rf"\W*{any_of('statements.reasons_follow')}", re.IGNORECASE)
# What was said first is not the end of it: "8. If he took three …", "4. But behind the tree …".
_TURNS = re.compile(r"\W*(?:but|however|yet|though|although|then|now|next|wait|or)\b", re.IGNORECASE)
_COUNTS_ON = re.compile(r"^\W*if\b|\b(?:another|one more)\b", re.IGNORECASE)
_MAYBE = re.compile(r"\b(?:could|might|may|maybe|perhaps)\b", re.IGNORECASE)
_FILLER = re.compile(rf"\W*{any_of('yes_no.fillers')}\W*", re.IGNORECASE)
_LETTER = re.compile(r"\W*(?:(?:option|choice|answer)\W+)?(?P<letter>[A-Z])\b\W*", re.IGNORECASE)
_LISTED = re.compile(r"(?<![\w'])\(?[A-Z][.:)](?=\s)")
_CALLED_WRONG = re.compile(
    rf"\W*(?:this|that|it|which)(?:'s| is| would be| seems| looks)?(?: \w+)? {any_of('options.wrong', 'options.bad')}",
    re.IGNORECASE,
)
_COURTESY = re.compile(rf"\W*{any_of('rewordings.agreeing_to_help')}\W*", re.IGNORECASE)
_LEADS_IN = re.compile(rf"\W*{any_of('rewordings.before_an_answer')}", re.IGNORECASE)
_SUBJECT = re.compile(rf"\W*(?:{any_of('worlds.subjects')}|in|on|if|i)\b", re.IGNORECASE)
_IT_WOULD_BE = re.compile(r"\W*(?:i think |i believe )?(?:it|that)(?: would|'d) be\b", re.IGNORECASE)
_FEW = 2  # words of an answer that is nothing else


def announced_before(said: str) -> str | None:
    """What an unfinished reply announced as its answer and had ended, or given a reason for; None where it did not."""
    for region in announced(said):
        first, *others = sentences(region)
        piece, *reason = _REASON.split(_GOES_ON_OF_THEM.split(first, maxsplit=1)[0], maxsplit=1)
        if reason or piece != first or others or first.endswith("."):
            return piece
    return None


def opened_with(said: str, question: Question) -> str | None:
    """What an unfinished reply answered before anything else, and went on from."""
    if question.kind == "boolean" and (word := _FIRST_WORD.match(said)):
        return word.group()
    first, *others = sentences(said) or [""]
    if question.kind == "choice" and others and (verdict := _VERDICT.match(first)):
        goes_on = " ".join(others)
        return None if _goes_through_a_list(goes_on) or _TURNS.match(goes_on) else verdict["letter"]
    if question.kind == "number" and _counts_a_part(first, question):
        return None
    whole, *listed = _LISTS_THEM.split(first, maxsplit=1) if question.kind == "number" else [first]
    if listed and not _COUNTS_ON.search(" ".join((*listed, *others))) and _answers_the_whole(whole, question):
        return whole
    piece = _REASON.split(first, maxsplit=1)[0]
    if question.kind == "number" and asks_of_now(question.text):
        piece = _GOES_ON_OF_THEM.split(piece, maxsplit=1)[0]
    follows = " ".join((first[len(piece) :], *others)).strip()
    if _COURTESY.fullmatch(piece) and _LEADS_IN.match(follows):
        return None  # "Sure! Here is my answer:"
    if not follows or _TURNS.match(follows) or (question.kind == "number" and _COUNTS_ON.search(follows)):
        return None
    if _is_nothing_else(piece, question):
        return None if question.kind == "choice" and _goes_through_a_list(follows) else piece
    if question.kind == "open":
        is_said = _SUBJECT.match(piece) and bool(MODAL_AT.search(piece)) == imagines(question.text)
        if not is_said or _MAYBE.search(piece) or not (takes_up(piece, question.text) or _IT_WOULD_BE.match(piece)):
            return None
        return piece if others or piece != first else None
    explained = others and _EXPLAINS.match(others[0])
    if explained or (others and _answers_the_whole(first, question)):
        return first
    return piece if piece != first and _answers_the_whole(piece, question) else None


def _is_nothing_else(piece: str, question: Question) -> bool:
    """Whether a piece of text is nothing but an answer: "B", "Yes.", "3 cats", "(C) wine"."""
    if question.kind != "choice":
        return not _FILLER.fullmatch(piece) and 0 < len(piece.split()) <= _FEW
    letter = _LETTER.match(piece)
    if letter and letter["letter"].upper() in LETTERS[: len(question.options)]:
        own = question.options[LETTERS.index(letter["letter"].upper())].text
        return words_of(piece[letter.end() :]) in ("", words_of(own))
    return any(words_of(option.text) == words_of(piece) for option in question.options)


def _goes_through_a_list(follows: str) -> bool:
    """Whether the first of several options was only looked at: "A. The car stops. This is unlikely. B. …"."""
    return bool(_LISTED.search(follows) or _CALLED_WRONG.match(follows))


def _counts_a_part(first: str, question: Question) -> bool:
    """Whether an opening is the first of several labels, and neither a total nor what was asked for."""
    label = _LABEL.match(first)
    if not label or _TOTAL.search(label["label"]):
        return False
    named = {*counted_words(label["label"])}
    return not named or not named <= {*counted_words(question.text)}


def _answers_the_whole(first: str, question: Question) -> bool:
    """Whether a first sentence takes up what was asked and nothing else, so that it counts no part of it."""
    if question.kind != "boolean" and _MAYBE.search(first):
        return False
    said, asked = {*counted_words(first)}, {*counted_words(question.text)}
    if supposes_first(first):  # "If one left, there would be two."
        if question.kind != "number" or not {*counted_words(supposed(first))} <= asked or not imagines(question.text):
            return False
        said = {*counted_words(stated(first))}
    if imagines(question.text):
        return bool(MODAL_AT.search(first)) and (question.kind != "number" or said <= asked)
    return said - {word for option in question.options for word in counted_words(option.text)} <= asked <= said
