"""What a reply had said before it broke off: what it announced or opened with, not what it was working out."""

import re

from countersight.case import LETTERS, Question
from countersight.reading.choices.texts import words_of
from countersight.reading.language.clauses import MODAL_AT, imagines, sentences, supposes_first
from countersight.reading.language.statements import announced
from countersight.reading.language.stems import counted_words
from countersight.reading.language.vocabulary import any_of

# "B -- since …", "3 because …": what gives its reasons has been said.
_REASON = re.compile(r"\s+--?\s+|,? (?:because|since)\b|(?-i:(?<=^[A-Z]) (?=[A-Z][a-z]))", re.IGNORECASE)
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
_FEW = 2  # words of an answer that is nothing else


def announced_before(said: str) -> str | None:
    """What an unfinished reply announced as its answer and had ended, or given a reason for; None where it did not."""
    for region in announced(said):
        first, *others = sentences(region)
        piece, *reason = _REASON.split(first, maxsplit=1)
        if reason or others or first.endswith("."):
            return piece
    return None


def opened_with(said: str, question: Question) -> str | None:
    """What an unfinished reply answered before anything else, and went on from."""
    if question.kind == "boolean" and (word := _FIRST_WORD.match(said)):
        return word.group()
    first, *others = sentences(said) or [""]
    whole, *listed = _LISTS_THEM.split(first, maxsplit=1) if question.kind == "number" else [first]
    if listed and not _COUNTS_ON.search(" ".join((*listed, *others))) and _answers_the_whole(whole, question):
        return whole
    piece = _REASON.split(first, maxsplit=1)[0]
    follows = " ".join((first[len(piece) :], *others)).strip()
    if _COURTESY.fullmatch(piece) and _LEADS_IN.match(follows):
        return None  # "Sure! Here is my answer:"
    if not follows or _TURNS.match(follows) or (question.kind == "number" and _COUNTS_ON.search(follows)):
        return None
    if _is_nothing_else(piece, question):
        return None if question.kind == "choice" and _goes_through_a_list(follows) else piece
    explained = others and _EXPLAINS.match(others[0]) and question.kind != "open"
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


def _answers_the_whole(first: str, question: Question) -> bool:
    """Whether a first sentence takes up what was asked and nothing else, so that it counts no part of it."""
    if question.kind == "open" or supposes_first(first) or (question.kind != "boolean" and _MAYBE.search(first)):
        return False
    said, asked = {*counted_words(first)}, {*counted_words(question.text)}
    if imagines(question.text):
        return bool(MODAL_AT.search(first)) and (question.kind != "number" or said <= asked)
    return said - {word for option in question.options for word in counted_words(option.text)} <= asked <= said
