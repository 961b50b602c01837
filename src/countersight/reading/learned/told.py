"""A reply taken apart once: its words by clause and sentence, and where it speaks of what is and of what would be."""

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import Final, NamedTuple

from countersight.reading.language.clauses import IF_AT, MODAL_AT, NOW_AT
from countersight.reading.language.opposites import stems_opposed_to
from countersight.reading.language.stems import is_empty, stem
from countersight.reading.language.vocabulary import found
from countersight.text import NUMBER_WORDS

_SENTENCE_END = re.compile(r"[.!?](?=\s|$|[\"')])|\n+|;")
_END = re.compile(r"[.!?)\]}\"'`]\s*$")
_JOINT = re.compile(
    r"[,:()]|\s--\s|\s-\s|\b(?:but|while|whereas|though|although|and|so|because|since|leaving|which|who|with|if|when"
    r"|after|once|or|that|as)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\d[\d,]*(?:\.\d+)?|[a-z]+(?:'[a-z]+)?|[^\sa-z\d]", re.IGNORECASE)

Evidence = dict[str, float]
"""What is to be said of one candidate for the answer, by name; what is not named is nought."""

CUES: Final = {
    "would": MODAL_AT,
    "if": re.compile(rf"{IF_AT.pattern}|\b(?:once|after|when|had|without|suppos\w+|imagin\w+)\b", re.IGNORECASE),
    "now": re.compile(
        rf"{NOW_AT.pattern}|\b(?:there (?:are|is)|shows?|see|visible|to begin with|starts?|existing)\b", re.IGNORECASE
    ),
    "so": re.compile(
        r"\b(?:so|therefore|thus|hence|leav(?:es|ing)|mak(?:es|ing)|giv(?:es|ing)|answer|result|remain\w*|left|means|count"
        r"|final|ends? up|then|brings?|becomes?|equals|still)\b|=",
        re.IGNORECASE,
    ),
    "whole": found("counts.totals"),
    "taken back": re.compile(
        rf"{found('statements.retractions').pattern}|\b(?:actually|oops|sorry|instead|rather|recount\w*|mistake)\b",
        re.IGNORECASE,
    ),
    "but": re.compile(r"\b(?:but|however|though|although|except|yet|while|whereas|despite)\b", re.IGNORECASE),
    "only": re.compile(r"\b(?:only|just|exactly|merely)\b", re.IGNORECASE),
    "not": re.compile(
        r"\b(?:no|not|none|never|neither|nor|without|nobody|nothing|cannot|doubt\w*|hardly)\b|n't\b", re.IGNORECASE
    ),
    "open": re.compile(
        r"\b(?:about|around|over|under|more than|less than|approximately"
        r"|roughly|at (?:least|most)|maybe|perhaps|possibly|or|either|between|depends?"
        r"|unclear|unsure|hard|difficult|might|may|probably|likely|almost|nearly|up to|can't|cannot)\b",
        re.IGNORECASE,
    ),
    "of them": re.compile(
        r"\b(?:of (?:them|which|whom|these|those|the)|out of|among|including|each|per)\b", re.IGNORECASE
    ),
    "other": re.compile(r"\b(?:others?|another|rest|remaining|else|more|extra|additional)\b", re.IGNORECASE),
    "thought": re.compile(
        r"\b(?:thought|seem\w*|appear\w*|glance|tempt\w*|looks? like|assum\w*|guess|first)\b", re.IGNORECASE
    ),
    "wrong": re.compile(
        r"\b(?:rul(?:e|es|ed|ing) out|eliminat\w*|exclud\w*|wrong|incorrect|false|unlikely"
        r"|instead of|rather than|unlike)\b",
        re.IGNORECASE,
    ),
    "chosen": re.compile(
        r"\b(?:answer|option|choice|choose|pick|select|correct|go(?:ing)? with|best|right|most likely)\b", re.IGNORECASE
    ),
    "all but": re.compile(
        r"\b(?:(?:all|every\w*|each|any\w*|none|nothing) (?:of \w+ )?(?:but|except|save)|except|but for|apart from"
        r"|other than|twice|double|half)\b",
        re.IGNORECASE,
    ),
    "he or it": re.compile(r"\b(?:it|its|he|his|she|her|they|their|them|this|that|these|those)\b", re.IGNORECASE),
    "asks": re.compile(r"\?"),
}


class Word(NamedTuple):
    """A word, a number or a sign, and where it stands."""

    text: str
    stem: str
    start: int
    end: int

    @property
    def tells(self) -> bool:
        """Whether it says something by itself, unlike "the" and a comma."""
        return self.stem.isdigit() or (self.stem.isalpha() and not is_empty(self.text))


class Told:
    """A plain text, by its words, clauses and sentences."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = [Word(w, _stem(w), *m.span()) for m in _WORD.finditer(text) for w in [m.group().lower()]]
        self.sentences = _spans(text, [m.end() for m in _SENTENCE_END.finditer(text)])
        ends = {end for _, end in self.sentences}
        self.clauses = _spans(text, sorted({m.start() for m in _JOINT.finditer(text)} | ends))
        self._starts = [word.start for word in self.words]

    @cached_property
    def cues(self) -> dict[str, list[int]]:
        return {name: [m.start() for m in cue.finditer(self.text)] for name, cue in CUES.items()}

    def sentence_at(self, place: int) -> int:
        return _holding(self.sentences, place)

    def clause_at(self, place: int) -> int:
        return _holding(self.clauses, place)

    def between(self, start: int, end: int) -> list[Word]:
        return self.words[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def said(self, start: int, end: int) -> set[str]:
        """The stems of the words of a stretch that tell something."""
        return {word.stem for word in self.between(start, end) if word.tells}

    def opposed_to(self, asked: frozenset[str]) -> set[str]:
        """Those of its stems that shut out one of the asked ones: "right" to the left car."""
        return self.all_said & frozenset[str]().union(*map(stems_opposed_to, asked))

    def has(self, cue: str, start: int, end: int) -> bool:
        places = self.cues[cue]
        return bisect_left(places, start) < bisect_left(places, end)

    @property
    def is_ended(self) -> bool:
        return bool(_END.search(self.text))

    @cached_property
    def all_said(self) -> set[str]:
        return self.said(0, len(self.text))


def beside_others(own: Evidence, others: list[Evidence], names: tuple[str, ...]) -> Evidence:
    """How a candidate's evidence of these names differs from the most that any other has."""
    evidence: Evidence = {}
    for name in names:
        most = max((other.get(name, 0.0) for other in others), default=0.0)
        evidence[f"others: {name}"] = most
        evidence[f"more: {name}"] = own.get(name, 0.0) - most
    return evidence


def _stem(word: str) -> str:
    return str(NUMBER_WORDS[word]) if word in NUMBER_WORDS else stem(word.replace(",", ""))


def _spans(text: str, ends: list[int]) -> list[tuple[int, int]]:
    spans, start = [], 0
    for end in [*ends, len(text)]:
        if text[start:end].strip():
            spans.append((start, end))
            start = end
    return spans or [(0, len(text))]


def _holding(spans: list[tuple[int, int]], place: int) -> int:
    return max(0, bisect_right(spans, (place, len(spans) and spans[-1][1] + 1)) - 1)
