"""Extracts the answer from a reply: from marks, announcements, the beginning, conclusions, or plain statements."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, get_args

import msgspec
from msgspec.structs import replace

from countersight.case import LETTERS, AnswerKind, Option, Question, Reply
from countersight.errors import CountersightError
from countersight.reading import choices, counts, open_answers, yes_no
from countersight.reading.marks import BOLD, SIDES, announcements, marked_regions
from countersight.reading.numbers import canonical
from countersight.reading.plain import any_case, lazy, normalise_lines, strip_markup, strip_reasoning
from countersight.reading.sentences import (
    content_words,
    last_correction,
    refuses,
    sentences,
    without_disbelief,
    without_refusal,
)

ReadFrom = Literal["whole", "end"]
"""Where the answer may be: anywhere in a reply, or at its end, after the reasoning."""
_DIGITS = lazy(r"[0-9]{1,9}")
_MAX_CORRECTIONS = 3
_MAX_MARKS = 8  # only the last marks of a reply are read
_MAX_ANNOUNCED = 2  # a reply that announces three answers discusses the options one by one
_ECHO = 12  # characters of a question that a reply may repeat at its beginning
_NEAR = 240  # characters at the beginning or end of a truncated reply
_LONG = 60  # words; a longer reply that stops in mid-sentence was cut off
_ENDS = lazy(r"[.!?)\]}\"'|>…°%]$|^\W*[A-Z]\W.{0,40}$")
_QUOTED = lazy(r'"(?:[^\s"]+ ){3,}[^"\n]*"')  # four words or more
_NEXT_TURN = any_case(r"\n\s*(?:user|human|question|q|assistant|###\s*(?:instruction|human|user))\s*\d*\s*:")


def answer_in(text: str, question: Question, read_from: ReadFrom = "whole", *, finished: bool = True) -> str | None:
    """Return the answer in a text, in canonical form ("3", "yes", "B", stripped text), or None if it gives none.

    In an unfinished text, only marked, announced or initial answers count.
    """
    short = text.strip()
    # Most replies are a single letter or number.
    if question.kind == "choice" and len(short) == 1 and "A" <= short <= "Z":
        return short if short in LETTERS[: len(question.options)] else None
    if question.kind == "number" and _DIGITS.fullmatch(short):
        return canonical(short)
    said = strip_reasoning(SIDES.get(short, text))
    if said is None or not said.strip():
        return None
    return _Reader(question, whole=read_from == "whole").read(said, finished=finished)


class _Reader:
    """Reads replies to one question."""

    def __init__(self, question: Question, *, whole: bool) -> None:
        self.kind = question.kind
        self.text = normalise_lines(question.text)
        self.whole = whole
        self.options = choices.prepare_options(tuple(option.text for option in question.options))

    def read(self, said: str, *, finished: bool) -> str | None:
        text = strip_markup(said)
        if self.kind == "choice" and (answer := choices.exact_option(text, self.options)):
            return answer
        for region in reversed(regions := marked_regions(said)[-_MAX_MARKS:]):
            if (answer := self._read_marked(strip_markup(region))) is not None:
                # A reply with "The answer is (B)" and another option's text in a box is ambiguous.
                announced = self._announced_answers(text) if self.kind == "choice" and len(region.strip()) > 1 else ()
                return answer or None if not announced or announced[-1] == answer else None
        if regions and self.kind == "choice":
            return (self._announced_answers(text) or [""])[-1] or None
        if text[:_ECHO] in self.text and text.startswith(asked := strip_markup(self.text)):
            text = text[len(asked) :]
        if '"' in text:
            known = content_words(self.text)
            text = _QUOTED.sub(lambda quote: " " if content_words(quote[0]) <= known else quote[0], text)
        if turn := _NEXT_TURN.search(text, 1):
            text = text[: turn.start()]
        if self.kind == "choice":
            text = choices.without_list(text, self.options)
        if self.kind != "boolean":  # for yes or no, "I don't think it would fall" is an answer
            text = without_disbelief(text)
        return self._read_corrected(text, said, finished=finished, corrections=_MAX_CORRECTIONS)

    def _read_corrected(self, text: str, said: str, *, finished: bool, corrections: int) -> str | None:
        options = tuple(map(str.lower, self.options.texts))
        correction = last_correction(text, options, no_corrects=self.kind != "boolean") if corrections else None
        if correction is None:
            return self._read_plain(text, said, finished=finished)
        before, after, only_checks, confirms = correction
        answer = self._read_plain(after, "", finished=finished)
        if answer is not None and (self.kind == "boolean" or not confirms):
            return answer
        if only_checks or confirms:
            return self._read_corrected(before, "", finished=True, corrections=corrections - 1)
        return None

    def _read_plain(self, text: str, said: str, *, finished: bool) -> str | None:
        cut = not finished or (len(text.split()) > _LONG and not _is_ended(text))
        announced = self._announced_answers(text, near=_NEAR if cut else len(text))
        if announced:
            opened = self._read_beginning(text) if self.whole and self.kind != "open" else None
            is_unclear = len({*announced}) > _MAX_ANNOUNCED or (opened and opened not in announced)
            return None if is_unclear else announced[-1] or None
        if self.kind == "open":
            return open_answers.read_sentences(text, self.text, whole=self.whole) if finished else None
        if self.whole and (answer := self._read_beginning(text)) is not None:
            return answer or None
        if cut:
            return None
        rest = text if any(map(refuses, self.options.texts)) else without_refusal(text)
        if rest is None:
            return None
        if not self.whole and (last := self._read_marked((sentences(rest) or [""])[-1])):
            return last
        if (answer := self._read_bold(said)) is not None:
            return answer
        if self.kind == "choice":
            return choices.read_sentences(rest, self.options, self.text)
        return (counts.read_sentences if self.kind == "number" else yes_no.read_sentences)(rest, self.text)

    def _announced_answers(self, text: str, near: int = 1 << 30) -> list[str]:
        """Return the labelled or announced answers within `near` characters of the beginning or end of a text."""
        regions = announcements(text)[-_MAX_MARKS:]
        regions = [(at, region) for at, region in regions if at < near or at > len(text) - near]
        return [answer for _, region in regions if (answer := self._read_marked(region)) is not None]

    def _read_marked(self, region: str) -> str | None:
        if self.kind == "choice":
            return choices.read_marked(region, self.options)
        if self.kind == "number":
            return counts.read_marked(region, self.text)
        return yes_no.read_marked(region, self.text) if self.kind == "boolean" else open_answers.read_marked(region)

    def _read_beginning(self, text: str) -> str | None:
        if self.kind == "choice":
            return choices.read_beginning(text, self.options)
        return counts.read_beginning(text, self.text) if self.kind == "number" else yes_no.read_beginning(text)

    def _read_bold(self, said: str) -> str | None:
        """Return the only answer in bold type."""
        if self.kind == "boolean":
            return None
        texts = [strip_markup(match[1] or match[2] or match[3]) for match in BOLD.finditer(said)]
        texts = [text for text in texts if not text.rstrip().endswith(":")]  # a label: "**If two left:** 3"
        if self.kind == "number":
            found = {counts.single_number(text, self.text) for text in texts}
        else:
            found = {choices.letter_first(text, self.options) for text in texts}
        found.discard(None)
        return found.pop() if len(found) == 1 else None


def _is_ended(text: str) -> bool:
    last = text.rstrip().rpartition("\n")[2].strip()
    return bool(_ENDS.search(last)) or len(last.split()) <= (4 if last.isalpha() else 1)


class Reading(msgspec.Struct, frozen=True):
    """The extracted answer of a reply; None if it gives no answer, or more than one."""

    answer: str | None

    @property
    def unread(self) -> bool:
        return self.answer is None


def read(
    text: str,
    question: str,
    kind: AnswerKind,
    options: Sequence[str] = (),
    *,
    read_from: ReadFrom = "whole",
    finished: bool = True,
) -> Reading:
    """Extract the answer from a reply: "3", "yes", the letter of an option, or the text itself.

    `finished` is False for a reply that the token limit cut off; with `read_from="end"`, the
    answer is expected at the end, after the reasoning.
    """
    if kind not in get_args(AnswerKind):
        raise CountersightError(f"kind must be one of {', '.join(get_args(AnswerKind))}, not {kind!r}")
    if kind == "choice" and not 2 <= len(options) <= len(LETTERS):
        raise CountersightError(f"pass the texts of 2 to {len(LETTERS)} options as options=[…], not {len(options)}")
    asked = Question(question, "", kind, tuple(map(Option, options)))
    return Reading(answer_in(text, asked, read_from, finished=finished))


def read_reply(reply: Reply, question: Question, read_from: ReadFrom = "whole") -> str | None:
    """Return the answer in a reply; if the options were given in several orders, the most frequent answer."""
    if not reply.orders:
        return answer_in(reply.text, question, read_from, finished=not reply.is_cut)
    votes: Counter[int] = Counter()
    for order in reply.orders:
        if sorted(order.places) != list(range(len(question.options))):
            continue  # not an order of these options
        options = tuple(question.options[place] for place in order.places)
        letter = answer_in(order.text, replace(question, options=options), read_from)
        if letter is not None:
            votes[order.places[LETTERS.index(letter)]] += 1
    best = [place for place, count in votes.items() if count == max(votes.values())]
    return LETTERS[best[0]] if len(best) == 1 else None
