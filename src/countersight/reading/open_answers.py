"""Reads the answer to a question that any words may answer: the words of a reply that the question did not have."""

import re
from typing import Final

from countersight.reading.clauses import MODAL, MODAL_AT, asks_of_now, contrasted, sentences, stated
from countersight.reading.languages import language_of
from countersight.reading.option_texts import written_out
from countersight.reading.statements import without_refusal
from countersight.reading.stems import stem
from countersight.reading.vocabulary import any_of, found, words

_QUOTED = re.compile(r'"([^"\n]{1,60})"')
_WORD = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*|\d+")
_RATHER_THAN = re.compile(r",? \b(?:rather than|instead of|as opposed to|and not|but not)\b.*|, not\b.*", re.IGNORECASE)
_HEDGED = re.compile(
    r",? \b(?:most likely|very likely|probably|i think|i guess|i believe|of course)\W*$", re.IGNORECASE
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|has|have|had|does|do|did|can|let|i|he|she|it|they|we)\b|'s\b|'re\b", re.IGNORECASE
)
_IS_ROUNDABOUT = re.compile(rf"{MODAL}|\b(?:rather than|instead of)\b|, not\b|\"", re.IGNORECASE)
_SENTENCE = re.compile(r"\W*(?:he|she|it|they|we|i|the|this|that|there|if|with)\b|.*[,;:]", re.IGNORECASE)
_CONCLUSION = found("yes_no.conclusions")
# "I can't see a door": what the model does not see is no answer.
_UNSEEN = re.compile(
    rf"\b(?:i|we)(?: am| are)? (?:\w+ly )?{any_of('statements.cannot')} (?:\w+ly )?{any_of('open.seeing')}",
    re.IGNORECASE,
)
_TELLS = re.compile(r"\b(?:happen|why|how|describe|explain|do|doing|say about|difference)\b", re.IGNORECASE)
# "Red. Like blood": few words and then more. "U.S.", "St. Louis" and "dr. pepper" are one answer.
_GOES_ON = re.compile(r"(?<!\bmrs)(?<!\bave)(?<=\w\w\w)\. *\S|[!?] *\S", re.IGNORECASE)
# A sentence with its full stop, as models write: "it is cloudy" without one is what people answer, and stays.
_SAID_OF = re.compile(
    r"(?:it|this|that|they|these|those|(?:the|this|that|these|those) (?P<subject>\w+))"
    r"(?: is| are| was| were|'s|'re) (?P<answer>\w[\w' -]*?)[.!]",
    re.IGNORECASE,
)
_COLOUR_ASKED = re.compile(r"\bwhat colou?r\b", re.IGNORECASE)
_PALE: Final = words("questions.empty") | words("options.pale") | words("open.passing")
_JOINING: Final = frozenset({"of", "and", "or", "the", "a", "an", "in", "on", "to", "with", "for"})
_FEW = 4  # words that are an answer by themselves
_LONGEST = 5  # words of an answer within a sentence
_SHORT = 8  # words of a reply that is left as it is where nothing in it can be told from the question


def open_answer(text: str, question: str) -> str | None:
    """The words that answer, or None where a longer reply does not tell them from the rest.

    What happens, and why, is answered by whole sentences: these are left as they are.
    """
    said = _HEDGED.sub("", text.strip())
    if all(_is_refused(part) for piece in sentences(said) for part in contrasted(piece)):
        return None
    if _TELLS.search(question) or not question.strip(" ?") or language_of(said) != "english":
        return said
    is_short = len(written_out(said).split()) <= _FEW or _is_caption(said)
    if is_short and not _IS_ROUNDABOUT.search(said) and not _GOES_ON.search(said):
        return _without_subject(said, question)  # "do not enter", "cloudy": few words answer as they stand
    pieces = sentences(said)
    short = _RATHER_THAN.sub("", pieces[0])
    if _is_few(pieces[0]):
        return said if pieces == [short] else short.strip(" .!,")
    answers = {answer for piece in _to_the_point(pieces, question) if (answer := _of_sentence(piece, question))}
    if len(answers) == 1:
        return answers.pop()
    return said if not answers and len(said.split()) <= _SHORT and not _is_sentence(said) else None


def _without_subject(said: str, question: str) -> str:
    """What is said of what the question names, without naming it again: "It is blue.", "The car is blue." say blue."""
    ended = f"{said.rstrip('.!')}." if _COLOUR_ASKED.search(question) else said  # nobody is asked for "it is red"
    found = _SAID_OF.fullmatch(ended)
    if found is None:
        return said
    known = {stem(word.lower()) for word in _WORD.findall(question)}
    named = [word.lower() for word in _WORD.findall(found["subject"] or "")]
    return found["answer"] if all(word in _PALE or stem(word) in known for word in named) else said


def _is_refused(part: str) -> bool:
    """Whether a part of a reply says only what the model cannot tell, or does not see."""
    return without_refusal(part) is None or bool(_UNSEEN.search(written_out(part)))


def _is_caption(said: str) -> bool:
    """Whether a text is words in a row and no sentence about something: "in front of the fire hydrant"."""
    return len(said.split()) <= _SHORT and not _SENTENCE.match(said) and not said.endswith((".", "!", "?"))


def _is_few(piece: str) -> bool:
    return len(_RATHER_THAN.sub("", piece).split()) <= _FEW and not _is_sentence(piece) and not piece.endswith("?")


def _is_sentence(piece: str) -> bool:
    """Whether a piece has a verb that helps: "it would be", "there is"."""
    return bool(MODAL_AT.search(piece) or _VERB.search(written_out(piece)))


def _to_the_point(pieces: list[str], question: str) -> list[str]:
    """The sentences, or parts of them, that speak of the world that was asked about."""
    parts = [part for piece in pieces for part in contrasted(piece)]
    if asks_of_now(question):
        return parts[:1]
    imagined = [part for part in parts if MODAL_AT.search(stated(part))]
    return imagined[-1:] or parts[-1:]


def _of_sentence(piece: str, question: str) -> str | None:
    """The one run of words in a sentence that the question does not have."""
    quoted = _QUOTED.findall(piece)
    if len(quoted) == 1:
        return str(quoted[0]).strip(" .,!")
    main = _RATHER_THAN.sub("", _CONCLUSION.split(stated(piece))[-1])
    known = {stem(word.lower()) for word in _WORD.findall(question)}
    tokens = list(_WORD.finditer(main))
    new = [i for i, token in enumerate(tokens) if _is_new(token.group().lower(), known)]
    if _is_refused(piece) or all(tokens[i].group().endswith("n't") for i in new):
        return None
    first, last = new[0], new[-1]
    between = [tokens[i].group().lower() for i in range(first, last + 1) if i not in new]
    if not _JOINING.issuperset(between) or last - first >= _LONGEST:
        return None
    return main[tokens[first].start() : tokens[last].end()]


def _is_new(word: str, known: set[str]) -> bool:
    return word not in _PALE and stem(word) not in known and not word.endswith("ly")
