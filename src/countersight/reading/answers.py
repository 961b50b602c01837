"""Extracts the answer from a reply: from marks, announcements, the beginning, conclusions, or plain statements."""

from typing import Literal

from countersight.case import LETTERS, Question
from countersight.reading import choices, counts, open_answers, yes_no
from countersight.reading.languages import SIDES
from countersight.reading.marks import BOLD, announcements, marked
from countersight.reading.numbers import canonical
from countersight.reading.plain import any_case, lazy, on_lines, plain, spoken
from countersight.reading.sentences import content, last_correction, refuses, sentences, without_refusal

ReadFrom = Literal["whole", "end"]
"""Where the answer may be: anywhere in a reply, or at its end, after the reasoning."""
_DIGITS = lazy(r"[0-9]{1,9}")
_MOST_CORRECTIONS = 3
_MOST_MARKS = 8  # only the last marks of a reply are read
_MOST_CALLED = 2  # a reply that announces three answers discusses the options one by one
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
    said = spoken(SIDES.get(short, text))
    if said is None or not said.strip():
        return None
    return _Reader(question, whole=read_from == "whole").read(said, finished=finished)


class _Reader:
    """Reads replies to one question."""

    def __init__(self, question: Question, *, whole: bool) -> None:
        self.kind = question.kind
        self.text = on_lines(question.text)
        self.whole = whole
        self.options = choices.prepared(tuple(option.text for option in question.options))

    def read(self, said: str, *, finished: bool) -> str | None:
        text = plain(said)
        if self.kind == "choice" and (answer := choices.exactly(text, self.options)):
            return answer
        for region in reversed(regions := marked(said)[-_MOST_MARKS:]):
            if (answer := self._direct(plain(region))) is not None:
                # A reply with "The answer is (B)" and another option's text in a box is ambiguous.
                called = self._announced_answers(text) if self.kind == "choice" and len(region.strip()) > 1 else ()
                return answer or None if not called or called[-1] == answer else None
        if regions and self.kind == "choice":
            return (self._announced_answers(text) or [""])[-1] or None
        if text[:_ECHO] in self.text and text.startswith(asked := plain(self.text)):
            text = text[len(asked) :]
        if '"' in text:
            known = content(self.text)
            text = _QUOTED.sub(lambda quote: " " if content(quote[0]) <= known else quote[0], text)
        if turn := _NEXT_TURN.search(text, 1):
            text = text[: turn.start()]
        if self.kind == "choice":
            text = choices.without_list(text, self.options)
        return self._corrected(text, said, finished=finished, corrections=_MOST_CORRECTIONS)

    def _corrected(self, text: str, said: str, *, finished: bool, corrections: int) -> str | None:
        correction = last_correction(text, no_corrects=self.kind != "boolean") if corrections else None
        if correction is None:
            return self._plain(text, said, finished=finished)
        before, after, only_checks, confirms = correction
        answer = self._plain(after, "", finished=finished)
        if answer is not None and (self.kind == "boolean" or not confirms):
            return answer
        if only_checks or confirms:
            return self._corrected(before, "", finished=True, corrections=corrections - 1)
        return None

    def _plain(self, text: str, said: str, *, finished: bool) -> str | None:
        cut = not finished or (len(text.split()) > _LONG and not _is_ended(text))
        called = self._announced_answers(text, near=_NEAR if cut else len(text))
        if called:
            opened = self._opening(text) if self.whole and self.kind != "open" else None
            return None if len({*called}) > _MOST_CALLED or (opened and opened not in called) else called[-1] or None
        if self.kind == "open":
            return open_answers.prose(text, self.text, whole=self.whole) if finished else None
        if self.whole and (answer := self._opening(text)) is not None:
            return answer or None
        if cut:
            return None
        rest = text if any(map(refuses, self.options.texts)) else without_refusal(text)
        if rest is None:
            return None
        if not self.whole and (last := self._direct((sentences(rest) or [""])[-1])):
            return last
        if (answer := self._bold(said)) is not None:
            return answer
        if self.kind == "choice":
            return choices.prose(rest, self.options, self.text)
        return (counts.prose if self.kind == "number" else yes_no.prose)(rest, self.text)

    def _announced_answers(self, text: str, near: int = 1 << 30) -> list[str]:
        """Return the labelled or announced answers within `near` characters of the beginning or end of a text."""
        regions = announcements(text)[-_MOST_MARKS:]
        regions = [(at, region) for at, region in regions if at < near or at > len(text) - near]
        return [answer for _, region in regions if (answer := self._direct(region)) is not None]

    def _direct(self, region: str) -> str | None:
        if self.kind == "choice":
            return choices.direct(region, self.options)
        if self.kind == "number":
            return counts.direct(region, self.text)
        return yes_no.direct(region, self.text) if self.kind == "boolean" else open_answers.direct(region)

    def _opening(self, text: str) -> str | None:
        if self.kind == "choice":
            return choices.opening(text, self.options)
        return counts.opening(text, self.text) if self.kind == "number" else yes_no.opening(text)

    def _bold(self, said: str) -> str | None:
        """Return the only answer in bold type."""
        if self.kind == "boolean":
            return None
        texts = [plain(match[1] or match[2] or match[3]) for match in BOLD.finditer(said)]
        if self.kind == "number":
            found = {counts.lone(text, self.text) for text in texts}
        else:
            found = {choices.letter_first(text, self.options) for text in texts}
        found.discard(None)
        return found.pop() if len(found) == 1 else None


def _is_ended(text: str) -> bool:
    last = text.rstrip().rpartition("\n")[2].strip()
    return bool(_ENDS.search(last)) or len(last.split()) <= (4 if last.isalpha() else 1)
