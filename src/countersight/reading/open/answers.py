"""Reads the answer to a question that any words may answer: the words of a reply that the question did not have."""

import re
from typing import Final

from countersight.reading.choices.texts import written_out
from countersight.reading.language.asked import asked_by, content
from countersight.reading.language.clauses import MODAL, MODAL_AT, contrasted, imagines, sentences, stated
from countersight.reading.language.languages import language_of
from countersight.reading.language.said_around import bare
from countersight.reading.language.statements import without_refusal, without_side_remarks
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of
from countersight.reading.open.deeds import asks_for_a_deed, deed
from countersight.reading.open.new_words import QUOTED, RATHER_THAN, answering, is_told_of_now, is_vague
from countersight.reading.open.outright import concluded_outright, told_outright
from countersight.reading.open.parts import ASIDE, COLOUR_ASKED, IS_SENTENCE, LEAD, PALE, is_of_another, named_first
from countersight.reading.yes_or_no.repetitions import PRONOUN

_FURTHER = re.compile(
    r", (?:while|whereas|which|who|whose|because|since|as|and the|but the)\b(?!.*, (?:is|are|was|were|has|have)\b).*",
    re.IGNORECASE,
)
_PREFACE = re.compile(rf"^\W*{any_of('open.prefaces')}[,:]?\s+(?=\w)", re.IGNORECASE)
_OPENER = re.compile(rf"^\W*{any_of('open.openers')}(?:[.!:]|,(?! \w+[.!]?$)|\.\.\.)\s+(?=\S)", re.IGNORECASE)
_IS_NO_MORE = re.compile(
    rf"\W*(?:(?:{any_of('open.openers')}|it|this|that|they|he|she|we|there|the)\W*)+", re.IGNORECASE
)
_DOES_WHAT = re.compile(r"(?:\b(?:is|are|was|were|be)|'s|'re) (?P<verb>\w+ing)$", re.IGNORECASE)  # "he is holding"
_NOT_THIS = re.compile(r"^\W*not [^,.;]{1,40},? but (?=\w)", re.IGNORECASE)  # "Not the waiter, but the boy."
_SURELY = re.compile(
    r"(?<=\bis) (?:actually|clearly|obviously|probably|definitely|evidently|most likely)(?= \w)", re.IGNORECASE
)
_LAST = r"[^.,;]*(?=[.!]?\s*$)"
_JUDGING = re.compile(rf"(?<=\w)(?:, (?:judging|going) (?:by|from)| while \w+ing)\b{_LAST}", re.IGNORECASE)
# "…, and a tree stands behind it."
_BESIDE = re.compile(
    rf", and (?:an?|the|some|many) (?:\w+ ){{1,3}}?(?:stands?|is|are|hangs?|lies?|sits?)\b{_LAST}", re.IGNORECASE
)
_MOST = 3  # openings of one reply
_SEEMS = re.compile(
    r"\b(?:seem|appear)s? to be\b|(?<=\bthey )look like\b"
    r"|(?:(?<=\bit )|(?<=\bthis )|(?<=\bthat ))looks like(?= an? (?:\w+ )?\w+\W*$)",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r",? \b(?:most likely|very likely|probably|i think|i guess|i believe|i suppose|of course)(?=\W*$)", re.IGNORECASE
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|has|have|had|does|do|did|can|let|i|he|she|it|they|we)\b|'s\b|'re\b", re.IGNORECASE
)
_IS_ROUNDABOUT = re.compile(rf"{MODAL}|\b(?:rather than|instead of)\b|, not\b|\"", re.IGNORECASE)
_SENTENCE = re.compile(r"\W*(?:he|she|it|they|we|i|the|this|that|there|if|with)\b|.*[,;:]", re.IGNORECASE)
_SO_MUCH_OF = re.compile(
    r"\W*(?:an?|two|three|some) \w+ of (?:\w+ )?\w+[.!]$", re.IGNORECASE
)  # "A pair of fuzzy dice."
_RULED_OUT = re.compile(r"\W*(?:\w+ly |of course )?not\b", re.IGNORECASE)  # "Certainly not juice!"
_DENIED = re.compile(
    r"\W*(?:it|this|that|these|they|he|she) (?:is|are|was|were|would|does|do|did|has|have|can|could)(?:n't| not)\b",
    re.IGNORECASE,
)
_ASKING = frozenset(
    map(stem, ("what", "who", "where", "which", "whose", "when", "kind", "color", "colour", "time", "sort", "type"))
)
# "I can't see a door": what the model does not see is no answer.
_UNSEEN = re.compile(
    rf"\b(?:i|we)(?: am| are)? (?:\w+ly )?{any_of('statements.cannot')} (?:\w+ly )?{any_of('open.seeing')}",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:happen(?! to be)|why|how|describe|explain|(?<!^what )(?<!^who )(?<!^which )do|doing|say about|difference)\b",
    re.IGNORECASE,
)
# "Red. Like blood": few words and then more. "U.S.", "St. Louis" and "dr. pepper" are one answer.
_GOES_ON = re.compile(r"(?<!\bmrs)(?<!\bave)(?<=\w\w\w)\. *\S|[!?] *\S", re.IGNORECASE)
# A sentence with its full stop, as models write: "it is cloudy" without one is what people answer, and stays.
_SAID_OF = re.compile(
    r"(?:it|this|that|they|these|those|he|she|(?:the|this|that|these|those) (?P<subject>\w+))"
    r"(?: |(?='))(?P<verb>is|are|was|were|'s|'re|\w+s?) (?P<answer>[\w$€£][\w':$ -]*?)[.!]",
    re.IGNORECASE,
)
_BEING: Final = frozenset({"is", "are", "was", "were", "'s", "'re", "shows", "show", "reads", "says"})
_MAY: Final = re.compile(r"\W*May\W*")  # the month
_WORD = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*")
_PARTICIPLE = re.compile(r"\w \w{3,}ed$", re.IGNORECASE)
_FEW = 4  # words that are an answer by themselves
_SHORT = 8  # words of a reply that is left as it is where nothing in it can be told from the question


def open_answer(text: str, question: str) -> str | None:
    """The words that answer, or None where a longer reply does not tell them from the rest.

    What happens, and why, is answered by whole sentences: these are left as they are.
    """
    said = _SEEMS.sub("is", _HEDGED.sub("", bare(without_side_remarks(text.strip()).strip())))
    said = _SURELY.sub("", _BESIDE.sub("", _JUDGING.sub("", _to_the_point(said))))
    is_no_more = _IS_NO_MORE.fullmatch(said) and not text.strip().isalpha()  # "hello" may stand on the sign
    if is_no_more or _stops_before_it(said, question):
        return None
    if all(_is_refused(part) for piece in sentences(said) for part in contrasted(piece)):
        return None
    if language_of(said) == "other" and (len(said.split()) > _FEW or said.endswith((".", "!"))):
        return None  # few words that are no sentence may be a name: Los Angeles
    if said.endswith((".", "!")) and asks_for_a_deed(question) and _is_sentence(said):
        return deed(said, question)
    if _TELLS.search(question) or not question.strip(" ?") or _MAY.fullmatch(said):
        return said
    if outright := concluded_outright(said, question) or told_outright(said, question):
        return outright
    quoted = QUOTED.findall(said)
    if len(quoted) == 1 and not imagines(said) and len(QUOTED.sub("", said).split()) <= _FEW:
        return str(quoted[0]).strip(" .,!")  # The sign says "STOP".
    is_short = len(written_out(said).split()) <= _FEW or _is_caption(said)
    if is_short and not _IS_ROUNDABOUT.search(said) and not _GOES_ON.search(said):
        # "do not enter", "cloudy": few words answer as they stand
        if _says_nothing(said, question) or is_of_another(said, question):
            return None
        answer = named_first(said) or _without_subject(said, question)
        if answer != said or not (said.endswith(".") and _is_sentence(said)):
            return answer
    answer = _of_sentences(said, question)
    if answer and (_is_only_mentioned(answer, said, question) or _breaks_off(answer, said)):
        return None
    return answer


def _to_the_point(text: str) -> str:
    """The text without what it opens with before it answers: "Great question! Looking at the picture, …"."""
    text = text.strip()
    for _ in range(_MOST):
        text = _NOT_THIS.sub("", _PREFACE.sub("", _OPENER.sub("", text)))
    return text


def _stops_before_it(said: str, question: str) -> bool:
    """Whether a reply ends in the question's own verb, before it says what: "The man is holding"."""
    does = _DOES_WHAT.search(said)
    return does is not None and stem(does["verb"].lower()) in content(question) and content(said) <= content(question)


def _is_only_mentioned(answer: str, said: str, question: str) -> bool:
    """Whether a reply that sets out with a description comes to something else than this part of it."""
    first, *later = sentences(said) or [said]
    only_would = imagines(question) and MODAL_AT.search(first) and not any(map(imagines, later))
    if takes_up(first, question) or only_would:
        return False
    return bool(later) and len(first.split()) > _FEW and answer.lower() not in later[-1].lower()


def takes_up(sentence: str, question: str) -> bool:
    """Whether a sentence has all that was asked of, the subject as a pronoun perhaps: "He is holding a kite."."""
    asked = asked_by(question)
    missing = asked.words - content(sentence) - _ASKING
    return bool(asked.words - _ASKING) and (not missing or (len(missing) == 1 and bool(PRONOUN.match(sentence))))


def _breaks_off(answer: str, said: str) -> bool:
    """Whether an answer ends in what goes on behind it: "snake wrapped", of a snake wrapped around a dagger."""
    return bool(_PARTICIPLE.search(answer)) and f"{answer} " in said


def _of_sentences(said: str, question: str) -> str | None:
    every = sentences(said)
    pieces = [piece for piece in every if not _RULED_OUT.match(piece)]
    pieces = [piece for piece in pieces if not _DENIED.match(piece)] or pieces  # "It would not be red."
    pieces = [piece for piece in pieces if len(pieces) == 1 or not _says_nothing(piece, question)]
    if not pieces:
        return None
    named = named_first(pieces[0])
    if named and not any(MODAL_AT.search(piece) for piece in pieces[1:]):
        return named
    short = stated(_FURTHER.sub("", RATHER_THAN.sub("", pieces[0])))
    is_no_name = is_of_another(pieces[0], question) or MODAL_AT.search(pieces[0])
    is_rest = " and " in short and not pieces[0].startswith(short)  # "From the left we see Ann, Bea and Cleo."
    if _is_few(short) and not is_no_name and not is_rest:
        return said if every == [short] else short.strip(" .!,=")
    parts = [part for piece in pieces for part in contrasted(LEAD.sub("", piece))]
    parts = [part for part in parts if not _is_refused(part) and not ASIDE.match(part)]
    answer = answering(parts, question)
    if answer is not None:
        return answer
    is_left = len(said.split()) <= _SHORT and not _is_sentence(said) and not said.endswith((".", "!"))
    return said if is_left and not _says_nothing(said, question) else None


def _says_nothing(piece: str, question: str) -> bool:
    """Whether a short reply tells what is, where it was asked what would be, or only points: "the one behind it"."""
    return is_vague(piece, question) or (imagines(question) and is_told_of_now(piece, question))


def _without_subject(said: str, question: str) -> str | None:
    """What is said of what the question names, without naming it again: "It is blue.", "The car is blue." say blue."""
    ended = f"{said.rstrip('.!')}." if COLOUR_ASKED.search(question) else said  # nobody is asked for "it is red"
    found = _SAID_OF.fullmatch(ended)
    if found is None:
        return said
    known = {stem(word.lower()) for word in _WORD.findall(question)}
    named = [word.lower() for word in _WORD.findall(found["subject"] or "")]
    does = found["verb"].lower()
    if not (does in _BEING or stem(does) in known):
        return said
    if not all(word in PALE or stem(word) in known for word in named):
        return None if COLOUR_ASKED.search(question) else said  # "The house is red.", to the colour of the car
    words = found["answer"].split()
    return " ".join(words[next((i for i, word in enumerate(words) if stem(word.lower()) not in known), 0) :])


def _is_refused(part: str) -> bool:
    """Whether a part of a reply says only what the model cannot tell, or does not see."""
    return without_refusal(part) is None or bool(_UNSEEN.search(written_out(part)))


def _is_caption(said: str) -> bool:
    """Whether a text is words in a row and no sentence about something: "in front of the fire hydrant"."""
    ends = said.endswith((".", "!", "?")) and not _SO_MUCH_OF.match(said)
    return len(said.split()) <= _SHORT and not _SENTENCE.match(said) and not ends


def _is_few(piece: str) -> bool:
    return 0 < len(piece.split()) <= _FEW and not _is_sentence(piece) and not piece.endswith("?")


def _is_sentence(piece: str) -> bool:
    """Whether a piece has a verb that helps: "it would be", "there is"."""
    return bool(MODAL_AT.search(piece) or _VERB.search(written_out(piece)) or IS_SENTENCE.match(piece))


def announced_answer(region: str, question: str) -> str:
    """What was announced as the answer, without what the sentence and the reply go on to say."""
    first = bare(without_side_remarks(region.split("\n")[0].strip()).strip())
    if outright := told_outright(first, question):
        return outright
    is_told = _is_sentence(first) or (COLOUR_ASKED.search(question) and len(first.split()) > _FEW)
    if first.endswith((".", "!")) and is_told and not _TELLS.search(question):
        return open_answer(first, question) or first  # "The answer is that he is holding a kite."
    short = _FURTHER.sub("", RATHER_THAN.sub("", (sentences(first) or [first])[0]))
    return short.strip() if 0 < len(short.split()) <= _SHORT else first
