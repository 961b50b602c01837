"""The way from a whole reply to its answer: marks, announcements, corrections, then what its sentences say."""

import re
from typing import Literal

from msgspec.structs import replace

from countersight.case import LETTERS, Question
from countersight.reading.bare import own_words, to_the_answer
from countersight.reading.broken_off import announced_before, opened_with
from countersight.reading.by_kind import asks_yes_or_no, opening, option_texts, prose, said_outright, unrefused
from countersight.reading.choices.letters import CAPITAL, NONE_OF_THEM
from countersight.reading.choices.nothing import tells_what_cannot_be_done
from countersight.reading.choices.options import option_counts
from countersight.reading.choices.remarks import without_remarks
from countersight.reading.choices.undoubted import is_plain
from countersight.reading.counts.by_place import told_by_place
from countersight.reading.counts.question import counted_by
from countersight.reading.counts.second_look import is_of_others
from countersight.reading.counts.undoubted import corrected_to, is_undoubted
from countersight.reading.either_or import may_name_a_third, named_by, of_two
from countersight.reading.endings import marked, passages, tails
from countersight.reading.language.clauses import HOW_MANY, imagines, sentences
from countersight.reading.language.corrections import (
    Correction,
    corrected,
    holds_elsewhere,
    is_cut_off,
    stands_after_all,
)
from countersight.reading.language.languages import eastern, is_strange, language_of
from countersight.reading.language.numerals import canonical, numerals
from countersight.reading.language.plain import plain, spoken
from countersight.reading.language.statements import announced, only_asks, tagged, without_hedges, without_refusal
from countersight.reading.language.two_worlds import of_the_world_asked
from countersight.reading.language.vocabulary import found
from countersight.reading.learned import FILES, last_look
from countersight.reading.of_parts import told_of_parts
from countersight.reading.open.answers import announced_answer, open_answer
from countersight.reading.twice_told import announces_two, tells_two
from countersight.reading.yes_or_no.contradictions import says_yes_and_no
from countersight.reading.yes_or_no.polarity import asks_another

ReadFrom = Literal["whole", "end"]
"""Where the answer may stand: anywhere in a reply, or at its end, after the thinking."""
_DIGITS = re.compile(r"[0-9]{1,9}")
_OPENING_REFUSAL = 200
_MOST_CORRECTIONS = 20  # one within the other; a model that goes on ("no wait no wait …") hangs, and says nothing
_TWO = 2  # options, of which "not this one" chooses none
_DOUBT = found("statements.doubts")


def answer_in(text: str, question: Question, read_from: ReadFrom = "whole", *, finished: bool = True) -> str | None:
    """The answer in a text, in one spelling ("3", "yes", "B", stripped text), or None where it gives none.

    Of a text that is not finished, only what it marks or announces as its answer is one.
    """
    answer = _answer(text, question, read_from, finished)
    # Nobody counts less than nothing: "-3" is a slip of the pen, or the change where the count was asked for.
    uncountable = question.kind == "number" and answer and answer[0] == "-" and HOW_MANY.search(question.text)
    return None if uncountable else answer


def _answer(text: str, question: Question, read_from: ReadFrom, finished: bool) -> str | None:
    short = text.strip()
    # Most replies are one letter or one number: those need no reading.
    if question.kind == "choice" and len(short) == 1 and "A" <= short <= "Z":
        return short if short in LETTERS[: len(question.options)] else None
    if question.kind == "number" and _DIGITS.fullmatch(short) and short.isascii():
        return canonical(short)
    if question.kind == "open" and (two := of_two(question)):
        named = named_by(_answer(text, two, read_from, finished), text, two)
        if named or not may_name_a_third(text):
            return named
    said = spoken(text)
    if said is None or (only_asks(said) and not any("?" in option.text for option in question.options)):
        return None
    bare = own_words(said, question)
    if read_from == "end" and (last := marked(bare)) is not None:
        return _marked(last, question)
    for region in dict.fromkeys(tagged(said)):
        answer = said_outright(plain(region), question)
        if answer is not None:
            return answer
    return _untagged(bare, question, read_from, finished)


def _untagged(bare: str, question: Question, read_from: ReadFrom, finished: bool) -> str | None:
    language = language_of(bare, " ".join((question.text, *option_texts(question))))
    if language == "other" and question.kind != "open":
        return None
    if language == "eastern":
        return eastern(bare, question) if finished else None
    said = to_the_answer(bare if question.kind == "open" else without_hedges(bare), question)
    if question.kind == "number" and is_strange(said, question.text):
        return None
    if not finished or is_cut_off(said):
        return _before_it_broke_off(said, question) if read_from == "whole" else None
    if read_from == "whole" and (parted := told_of_parts(without_hedges(bare), question)):
        return parted.value
    read = _chosen if question.kind == "choice" else _finished
    if question.kind == "boolean" or read_from == "end" or corrected(said):
        return read(said, question, read_from)
    if tells_two(part := of_the_world_asked(said, question.text), question):
        return None
    told = _answer(part, question, read_from, finished) if part != said else None
    is_all = part != said and not imagines(question.text)  # of now nothing else is told
    return told if told or is_all else read(said, question, read_from)


def _chosen(said: str, question: Question, read_from: ReadFrom) -> str | None:
    """The option that a reply chooses, aside from what it only says of the others; or the last that it leaves."""
    texts = option_texts(question)
    if tells_what_cannot_be_done(said, question.text):
        return _finished(said, question, read_from)
    choosing, rejected = without_remarks(said, texts, question.text)
    told = _in_rules(choosing, question, read_from) if choosing else None
    # The last look reads nothing by itself in a part of a reply.
    answer = _weighed(told, choosing, question, read_from) if told else None
    if answer is None and (whole := _finished(said, question, read_from)) and told in (None, whole):
        answer = whole
    if answer is not None and answer not in rejected:
        return answer
    left = set(LETTERS[: len(texts)]) - rejected
    return left.pop() if not choosing and len(left) == 1 and len(texts) > _TWO else None


def _finished(said: str, question: Question, read_from: ReadFrom) -> str | None:
    correction = corrected(said)
    answer = _in_rules(said, question, read_from)
    if correction is None or correction.confirms:
        return _weighed(answer, said, question, read_from)
    # What was taken back counts for nothing, however plainly it was said.
    holds = correction.after_its_no
    told = corrected_to(holds, question.text) if question.kind == "number" else None
    return told or _weighed(answer, holds, question, read_from) or _weighed(answer, said, question, read_from)


def _in_rules(said: str, question: Question, read_from: ReadFrom) -> str | None:
    return _of_passages(said, question) if read_from == "end" else _anywhere(said, question)


def _weighed(answer: str | None, said: str, question: Question, read_from: ReadFrom) -> str | None:
    if read_from == "end" or question.kind not in FILES or any(announced(said)) or unrefused(said, question) is None:
        return answer  # what is called the answer needs no second opinion, and a refusal gets none
    if question.kind == "number" and not corrected(said) and (told := told_by_place(said, question.text)):
        return told.value
    if question.kind == "number" and answer is not None and is_undoubted(answer, said, question.text):
        return answer
    if question.kind == "choice" and answer and is_plain(answer, said, option_texts(question), question.text):
        return answer
    by_letter = re.search(rf"\b{answer}\b", said) if answer else CAPITAL.search(said) or NONE_OF_THEM.search(said)
    if question.kind == "choice" and not by_letter and (counts := option_counts(question)):
        number = _finished(said, replace(question, kind="number", options=()), "whole")
        if number is not None:  # where options are counts, a reply that tells one is read as any count is
            letter = LETTERS[counts.index(number)] if counts.count(number) == 1 else None
            return letter if answer in (None, letter) else None
    looked = last_look(answer, said, question)
    by_itself = question.kind == "number" and answer is None and looked is not None
    return None if by_itself and is_of_others(looked or "", said, counted_by(question.text)) else looked


def _before_it_broke_off(said: str, question: Question) -> str | None:
    """The answer of a reply that was not finished: what it announced, gave reasons for, or began with and no more."""
    if question.kind != "open" and corrected(said):
        return None
    announcement = announced_before(said)
    if announcement is not None:
        return said_outright(announcement, question)
    begun = opened_with(said, question)
    return _anywhere(begun, question) if begun else None


def _marked(region: str, question: Question) -> str | None:
    """The answer in what follows its mark, and nowhere else: what was thought before counts for nothing."""
    for inner in tagged(region):
        answer = said_outright(plain(inner), question)
        if answer is not None:
            return answer
    if question.kind == "open":
        return region.split("\n")[0].strip()
    usable = unrefused(to_the_answer(region, question), question)
    if usable is None:
        return None
    return (None if corrected(usable) else opening(usable, question)) or _of_passages(usable, question)


def _of_passages(said: str, question: Question) -> str | None:
    """The answer of the last passage that has one."""
    for passage in passages(said):
        if question.kind == "open":
            return _anywhere(passage.split("\n")[-1], question)
        if unrefused(passage, question) is None:
            return None
        answer = _closing(passage, question)
        if answer is not None:
            return answer
    return None


def _closing(passage: str, question: Question) -> str | None:
    """What a passage comes to: an answer that it opens with, or calls one halfway, may be to a part of the question."""
    last = next(tails(passage), "")
    if any(announced(last)):
        return _anywhere(last, question)
    for part in tails(passage) if question.kind == "boolean" else (passage,):
        answer = _corrected(part, question)
        if answer is not None:
            return answer
    return None


def _anywhere(said: str, question: Question, corrections: int = _MOST_CORRECTIONS) -> str | None:
    if question.kind == "number" and (counts := stands_after_all(said)):
        return next(filter(None, (prose(piece, question) for piece in counts)), None)
    if question.kind == "boolean" and says_yes_and_no(said):
        return None
    if correction := corrected(said):
        return _of_correction(correction, question, corrections - 1) if corrections else None
    if announces_two(said, lambda region: opening(region, question)):
        return None
    for region in announced(said):
        if question.kind == "open":
            return announced_answer(region, question.text)
        usable = unrefused(region, question)
        if usable is None:
            return None
        answer = said_outright(usable, question)
        if answer is not None:
            elsewhere = question.kind != "number" and holds_elsewhere(usable, question.text)
            return None if elsewhere or _is_doubted(answer, usable, question) else answer
    if question.kind == "open":
        return open_answer(said, question.text) if without_refusal(said[:_OPENING_REFUSAL]) is not None else None
    rest = unrefused(said, question)
    return prose(rest, question) if rest else None


def _of_correction(correction: Correction, question: Question, more: int) -> str | None:
    """The answer that a reply comes to once it took one back, or the one before where it only confirms that."""
    to_the_question = asks_yes_or_no(question) and not asks_another(correction.before, question.text)
    after = correction.after if to_the_question else correction.after_its_no
    answer = _anywhere(after, question, more)
    # "Four. I first thought five, but the top one is a badge."
    stands = correction.confirms or (question.kind == "number" and numerals(correction.thought))
    return answer or (_anywhere(correction.before, question, more) if stands else None)


def _is_doubted(answer: str, region: str, question: Question) -> bool:
    """Whether what follows an announced answer speaks of a mistake and says another: nobody can tell which holds."""
    later = " ".join(sentences(region)[1:])
    return bool(_DOUBT.search(later)) and prose(later, question) not in (None, answer)


def _corrected(part: str, question: Question) -> str | None:
    return _anywhere(part, question) if corrected(part) else prose(part, question)
