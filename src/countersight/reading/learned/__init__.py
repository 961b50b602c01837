"""A last look, learned from replies whose readings were fixed by hand.

It weighs every number of a reply, or every option, against the others and against "none of them". What the rules read
is left unread where it finds that unlikely, and what they leave unread is read where it finds one answer very likely.
It knows nothing of what the rules made of the reply, so that both seldom err alike; where they disagree, nothing is
read.
"""

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from countersight.case import LETTERS, AnswerKind, Question
from countersight.reading.choices.texts import name_of
from countersight.reading.counts.as_counts import without_what_is_written
from countersight.reading.counts.fitting import speaks_of_him_or_her
from countersight.reading.counts.question import counted_by
from countersight.reading.language.corrections import corrected
from countersight.reading.language.numerals import numerals
from countersight.reading.language.prepositions import is_placed_otherwise
from countersight.reading.language.stems import counted_words, stem
from countersight.reading.learned.counts import count_evidence
from countersight.reading.learned.options import option_evidence
from countersight.reading.learned.told import Evidence

if TYPE_CHECKING:
    from countersight.reading.learned.trees import Trees

FILES: Final[dict[AnswerKind, str]] = {"number": "counts.npz", "choice": "options.npz"}
"""The kinds of questions that it reads replies to, and the trees it does it with."""

_LIKELY: Final[dict[AnswerKind, float]] = {"number": 0.5, "choice": 0.4}  # enough for what the rules read
_LIKELY_IN_FEW: Final = 0.2  # and for what they read in a few words, which give little evidence
_CERTAIN: Final = 0.85  # enough for what they do not
_CERTAIN_IN_FEW: Final = 0.9
_FEW: Final[dict[AnswerKind, int]] = {"number": 5, "choice": 8}  # words that give an answer, and hardly anything else
_SHORTEST: Final = 4  # words of a reply in which a count is read that the rules do not read
_IN_DOUBT: Final = frozenset(
    f"{cue} {where}" for cue in ("not", "wrong", "asks") for where in ("before in clause", "in its clause")
) | {"asks after in clause", "supposed"}
_CALLED_WRONG: Final = re.compile(
    r"\b(?:is|are|be|seems?|'s) (?:wrong|incorrect|false|a mistake)\b"
    r"|\b(?:some|many|others|people) (?:\w+ )?(?:say|think|claim|argue)|\bfirst (?:choice|thought|guess|impression)\b",
    re.IGNORECASE,
)
_OPENING: Final = re.compile(r"\W*(?:(?:option|the|an?) )?", re.IGNORECASE)
_STOPS: Final = re.compile(r"\W*[.:;)]|\W*\s(?:because|since|as|so|for|given)\b")
_OF_EACH: Final = re.compile(r"\b(?:each|every|per|apiece)\b", re.IGNORECASE)
_IS_NOT_SO: Final = re.compile(
    r"(?:^|(?<=[.;,] ))(?P<number>[\w-]+)(?: [a-z]+)? (?:is|are|do|does|has|have)(?:n't| not)\b(?P<so>[^.,;]*)",
    re.IGNORECASE,
)
# "One can only guess": nobody in particular
_ANYONE_DOES: Final = re.compile(
    r" (?:can(?:'t|not)?|could|might|may|must|should|would (?:have|need) to)\b(?! (?:\w+ )?be\b)", re.IGNORECASE
)
_NUMBERED: Final = re.compile(r"\b([a-z]+) #?(\d+)\b", re.IGNORECASE)
LARGEST: Final = 30.0  # score, so that no exponential overflows


def last_look(answer: str | None, text: str, question: Question) -> str | None:
    """The answer in a plain text once it is weighed: what the rules read if that is likely, or what is very likely.

    What cannot be weighed stays as the rules have it: a sum that is not told, a few words. Beyond the rules nothing is
    read that is short, denied, asked back or only supposed.
    """
    words = len(text.split())
    few = words <= _FEW[question.kind]
    if few and question.kind == "choice":
        return answer
    if answer is not None and _opens_with(answer, text, question):
        return answer
    candidates = evidence(text, question)
    likely = likelihoods(candidates, question.kind)
    best = max(likely, key=likely.__getitem__, default=None)
    if answer is not None and answer not in likely:
        return answer if best is None or likely[best] < _CERTAIN else None
    if answer is not None:
        return answer if likely[answer] >= (_LIKELY_IN_FEW if few else _LIKELY[question.kind]) else None
    if best is None or likely[best] < (_CERTAIN_IN_FEW if few else _CERTAIN) or words < _SHORTEST:
        return None
    said = [each for value, each in candidates if value == best]
    return None if any(map(_is_in_doubt, said)) or _is_of_something_else(best, text, question) else best


def _opens_with(answer: str, text: str, question: Question) -> bool:
    """Whether a reply says its option at once and goes on after a stop: "B, because …", "Blue, since …"."""
    if question.kind != "choice":
        return False
    own = question.options[LETTERS.index(answer)].text
    opening = _OPENING.match(text)
    rest = text[opening.end() :].casefold() if opening else ""
    return any(rest.startswith(name) and _STOPS.match(rest, len(name)) for name in (answer.casefold(), name_of(own)))


def _is_in_doubt(said: Evidence) -> bool:
    return any(said.get(piece) for piece in _IN_DOUBT)


def _is_of_something_else(value: str, text: str, question: Question) -> bool:
    """Whether a text calls something wrong, an option is elsewhere, or a number another's or a name: "player 23"."""
    if _OF_EACH.search(text) or _CALLED_WRONG.search(text):
        return True
    if question.kind == "choice":
        return is_placed_otherwise(question.options[LETTERS.index(value)].text, text, question.text)
    asked, taken_back = counted_by(question.text), corrected(text)
    if taken_back and value not in {n.value for n in numerals(taken_back.after)}:
        return True
    ones = [text[n.end :] for n in numerals(text) if n.value == value == "1"]
    if asked.difference or (ones and all(map(_ANYONE_DOES.match, ones))):
        return True  # the rules know what is called one
    for denied in _IS_NOT_SO.finditer(text):  # "I see 7 men. Two aren't."
        if numerals(denied["number"]) and not asked.negated and asked.qualities.issuperset(counted_words(denied["so"])):
            return True
    named = {stem(word.lower()) for word, number in _NUMBERED.findall(text) if number == value}
    return bool(named & asked.nouns) or speaks_of_him_or_her(text, asked)


def likelihoods(candidates: list[tuple[str, Evidence]], kind: AnswerKind) -> dict[str, float]:
    """How likely each candidate of a text is its answer; what is left to one is that it has none."""
    if not candidates:
        return {}
    import numpy as np  # only where something is weighed: who asks models needs none

    scores = _trees(kind).scores([each for _, each in candidates])
    weights = np.exp(np.clip(scores, -LARGEST, LARGEST))
    likely: dict[str, float] = {}
    for (each, _), share in zip(candidates, weights / (1 + weights.sum()), strict=True):
        likely[each] = likely.get(each, 0.0) + float(share)
    return likely


def evidence(text: str, question: Question) -> list[tuple[str, Evidence]]:
    """The candidates of a text, and what is to be said of each."""
    if question.kind == "choice":
        return option_evidence(text, question.text, [option.text for option in question.options])
    return count_evidence(without_what_is_written(text, question.text), question.text)


@cache
def _trees(kind: AnswerKind) -> "Trees":
    from countersight.reading.learned.trees import Trees

    return Trees.load(Path(__file__).parent / FILES[kind])
