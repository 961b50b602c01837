"""What speaks for and against each number of a reply being the count that was asked for."""

import re
from collections import Counter
from itertools import combinations

from countersight.reading.counts.question import Counted, counted_by
from countersight.reading.language.numerals import Numeral, numerals
from countersight.reading.language.stems import stem
from countersight.reading.learned.told import CUES, Evidence, Told, beside_others

_ARTICLES = frozenset({"a", "an", "single", "lone", "sole", "another", "only"})
_ONE = re.compile(rf"\b(?:{'|'.join(sorted(_ARTICLES))})(?= ([a-z]+))", re.IGNORECASE)
_MOST = 40  # numbers of a reply that are weighed; who names more gives a table, or raves
_NEAR = 6  # characters
_OPERATOR = frozenset("+-*/=")
_ALL_OF_THEM = re.compile(r"\b(?:every|each|any)\s$", re.IGNORECASE)  # every "one" of them
_ANNOUNCED = re.compile(r"\b(?:answer|count|total)\b[^.\n]{0,20}$", re.IGNORECASE)
_FROM_QUESTION = {
    "left": re.compile(r"\b(?:left|remain\w*|still|stay)\b", re.IGNORECASE),
    "total": re.compile(r"\b(?:total|in all|altogether|combined|together)\b", re.IGNORECASE),
    "others": re.compile(r"\b(?:others?|else|another|besides)\b", re.IGNORECASE),
    "more": re.compile(r"\b(?:more|fewer|less)\b", re.IGNORECASE),
}


def count_evidence(text: str, question: str) -> list[tuple[str, Evidence]]:
    """Each number of a plain text, in order, with what is to be said of it."""
    told, asked = Told(text), counted_by(question)
    found = _mentions(text, asked)
    if len(found) > _MOST or not asked.nouns | asked.qualities:  # "How many?" names nothing to weigh a number by
        return []
    values = [_value(mention) for mention in found if mention.word not in _ARTICLES]
    shared = _of_all(told, asked, question, found, values)
    opposed = told.opposed_to(asked.words)
    own = [
        (
            _value(mention),
            {
                **_of_one(place, mention, found, values, told, asked, opposed),
                "stands in the question": _with_next(mention, told) in question.lower(),
            },
        )
        for place, mention in enumerate(found)
    ]
    return [
        (value, {**shared, **evidence, **(beside_others(evidence, others, _COMPARED) if others else {})})
        for value, evidence in own
        for others in [[each for other, each in own if other != value]]
    ]


_COMPARED = (
    "clause: noun", "clause: qualities", "clause: opposed", "clause: asked unsaid", "clause: others", "clause: owner",
    "clause: doing", "clause: places", "sentence: qualities", "followed by the noun", "followed by the asked",
    "followed by another", "words to the noun", "would before in clause", "so before in clause",
    "whole before in clause", "now before in clause", "if before in clause", "other after in clause",
    "not before in clause", "announced", "sentence: noun", "sentence: asked unsaid", "sentence: others",
    "rest of clause: qualities", "stands in the question", "taken back in sentence", "clause opens with the asked",
    "clause opens with another",
)  # fmt: skip


def _with_next(mention: Numeral, told: Told) -> str:
    """A number and the word behind it, as they are written."""
    after = told.between(mention.end, mention.end + 30)[:1]
    return told.text[mention.start : after[0].end].lower() if after and after[0].tells else "?" * 9


def _mentions(text: str, asked: Counted) -> list[Numeral]:
    """The numbers, and "a cow" where cows were asked for."""
    every = [each for each in numerals(text) if each.value]
    found = [each for each in every if not _ALL_OF_THEM.search(text, max(0, each.start - _NEAR), each.start)]
    taken = {each.start for each in found}
    ones = [
        Numeral("1", one.start(), one.end(), word=one.group().lower())
        for one in _ONE.finditer(text)
        if one.start() not in taken and stem(one[1].lower()) in asked.nouns
    ]
    return sorted([*found, *ones], key=lambda each: each.start)


def _value(mention: Numeral) -> str:
    return mention.value or ""


def _of_all(told: Told, asked: Counted, question: str, found: list[Numeral], values: list[str]) -> Evidence:
    evidence: Evidence = {
        "sentences": len(told.sentences),
        "words": len(told.words),
        "numbers": len(found),
        "different numbers": len(set(values)),
        "ended": told.is_ended,
        "asked: imagined": asked.imagined,
        "asked: now": asked.of_now,
        "asked: not": asked.negated,
        "asked: difference": asked.difference,
        "asked: qualities": len(asked.qualities),
        "asked: noun known": bool(asked.nouns),
        "asked said": _share(asked.qualities | asked.nouns, told.all_said),
    }
    evidence.update({f"asked: {name}": bool(pattern.search(question)) for name, pattern in _FROM_QUESTION.items()})
    evidence.update({f"anywhere: {name}": bool(places) for name, places in told.cues.items()})
    return evidence


def _of_one(
    place: int,
    mention: Numeral,
    found: list[Numeral],
    values: list[str],
    told: Told,
    asked: Counted,
    opposed: set[str],
) -> Evidence:
    value = _value(mention)
    sentence = told.sentence_at(mention.start)
    start, end = told.sentences[sentence]
    clause_start, clause_end = told.clauses[told.clause_at(mention.start)]
    clause_end = max(clause_end, mention.end)
    evidence: Evidence = {
        "value": min(float(value), 50.0),
        "in digits": value.isdigit() and told.text[mention.start : mention.end].strip(" +-").isdigit(),
        "article": mention.word in _ARTICLES,
        "opens": mention.start == 0,
        "sentence": sentence,
        "sentences after": len(told.sentences) - 1 - sentence,
        "number": place,
        "numbers after": len(found) - 1 - place,
        "supposed": value in asked.supposed_numbers,
        "announced": bool(_ANNOUNCED.search(told.text[start : mention.start])),
        **_among_numbers(value, mention, found, values, (start, end)),
        **_by_neighbours(mention, told, asked),
    }
    for name, stretch in {
        "clause": (clause_start, clause_end),
        "rest of clause": (mention.end, clause_end),
        "sentence": (start, end),
        "later": (end, len(told.text)),
    }.items():
        said = told.said(*stretch)
        evidence[f"{name}: noun"] = bool(asked.nouns & said)
        evidence[f"{name}: qualities"] = _share(asked.qualities, said)
        if name in ("clause", "sentence"):
            evidence[f"{name}: kinds"] = _share(asked.kinds, said)
            evidence[f"{name}: doing"] = _share(asked.doing, said)
            evidence[f"{name}: places"] = _share(asked.places, said)
            evidence[f"{name}: owner"] = _share(asked.owner, said)
            evidence[f"{name}: supposition"] = _share(asked.supposition, said)
            evidence[f"{name}: others"] = len(said - asked.words)
            evidence[f"{name}: opposed"] = len(said & opposed)
            evidence[f"{name}: asked unsaid"] = len(asked.qualities | asked.owner) - len(
                (asked.qualities | asked.owner) & said
            )
            first = next((word for word in told.between(*stretch) if word.tells and not word.stem.isdigit()), None)
            evidence[f"{name} opens with the asked"] = first is not None and first.stem in asked.words
            evidence[f"{name} opens with another"] = (
                first is not None and first.stem not in asked.words and first.start < mention.start
            )
    for name in CUES:
        evidence[f"{name} before in clause"] = told.has(name, clause_start, mention.start)
        evidence[f"{name} after in clause"] = told.has(name, mention.end, clause_end)
        evidence[f"{name} in sentence"] = told.has(name, start, end)
        evidence[f"{name} in earlier sentence"] = told.has(name, 0, start)
        evidence[f"{name} in later sentence"] = told.has(name, end, len(told.text))
    return evidence


def _among_numbers(
    value: str, mention: Numeral, found: list[Numeral], values: list[str], sentence: tuple[int, int]
) -> Evidence:
    others = [float(each) for each in values if each != value][:12]
    mine = float(value)
    start, end = sentence
    later = {_value(each) for each in found if each.start >= end} - {value}
    return {
        "said how often": Counter(values)[value],
        "largest": all(mine > other for other in others),
        "smallest": all(mine < other for other in others),
        "first": bool(values) and values[0] == value,
        "last": bool(values) and values[-1] == value,
        "is a sum": any(mine == one + other for one, other in combinations(others, 2)),
        "is a difference": any(mine == abs(one - other) for one, other in combinations(others, 2)),
        "others": len(set(others)),
        "others later": len(later),
        "others before": len({_value(each) for each in found if each.end <= start} - {value}),
        "others in sentence": len({_value(each) for each in found if start <= each.start < end} - {value}),
        "others after in sentence": len({_value(e) for e in found if mention.end <= e.start < end} - {value}),
    }


def _by_neighbours(mention: Numeral, told: Told, asked: Counted) -> Evidence:
    after = told.between(mention.end, mention.end + 60)[:6]
    before = told.between(max(0, mention.start - 30), mention.start)[-2:]
    evidence: Evidence = {}
    for name, word in zip(("next", "next but one"), after, strict=False):
        evidence[f"{name}: {word.text}"] = 1
    for name, word in zip(("before", "before that"), reversed(before), strict=False):
        evidence[f"{name}: {word.text}"] = 1
    if not after:
        evidence["next: end"] = 1
    if not before:
        evidence["before: start"] = 1
    telling = [word.stem for word in after if word.tells and not word.stem.isdigit()]
    stems = [word.stem for word in after]
    evidence["words to the noun"] = min((stems.index(noun) for noun in asked.nouns if noun in stems), default=9)
    evidence["followed by the noun"] = bool(telling) and telling[0] in asked.nouns
    evidence["followed by the asked"] = bool(telling) and telling[0] in asked.qualities
    evidence["followed by another"] = bool(telling) and telling[0] not in asked.words
    evidence["a term"] = bool({word.text for word in [*before[-1:], *after[:1]]} & _OPERATOR - {"="})
    return evidence


def _share(asked: frozenset[str], said: set[str]) -> float:
    return len(asked & said) / len(asked) if asked else -1
