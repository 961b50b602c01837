"""Features of answers that can be computed without the picture, for each probe.

The probe `elsewhere` uses the answers to other questions: if every name is right as often as it is wrong, one that was
right in the other questions is probably wrong in this one. Answers are ranked by how often they were right in the other
folds, and training questions without the test fold as well: otherwise the balance of that fold would reverse the rank.
A yes/no question can be asked in two directions ("still there", "no longer there"), so answers are also counted as
reversed by a word of the question.

The probe `knowledge` uses counts of which thing keeps which in place in other pictures. It learns only how the counts
relate to the answers of a group: which of two counts must be larger for "yes", or which rank is right.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, combinations, pairwise, permutations
from typing import NamedTuple

from countersight.blindness.classifier import FOLDS, Ints, Table
from countersight.blindness.questions import BlindQuestion, words
from countersight.case import Case
from countersight.causal import Knowledge, compare_counts

Features = Callable[[Sequence[BlindQuestion], Sequence[str], Ints], Sequence[Table]]
"""Takes all questions, their templates and folds, and returns a table of features for every test fold."""

_RARE_WORD = "_"
"""Replaces a rare word in a template."""
_TEMPLATE_WORD_SHARE = 0.02
"""Words in at least this share of a group's questions belong to the template."""
_MAX_NUMBER_DIFFERENCE = 6
"""Larger differences between numbers count as this."""
_OVERLAP = 4
_COMMON_WORD_SHARE = 0.2
"""Words in a larger share of a group's questions are not names of things."""
_EITHER = 0.1
"""A word in about half of a group's questions, within this share, may reverse yes and no."""
_NAMED = 3
"""The number of names in a question that are compared with each other by counts."""


def templates(questions: Sequence[BlindQuestion]) -> list[str]:
    """Return the template of each question: its words without those that are rare in its group."""
    counts: dict[str, Counter[str]] = {}
    sizes = Counter(question.group for question in questions)
    for question in questions:
        counts.setdefault(question.group, Counter()).update(set(words(question.text)))
    found = []
    for question in questions:
        often, least = counts[question.group], max(2.0, _TEMPLATE_WORD_SHARE * sizes[question.group])
        kept_words = (
            word if often[word] >= least and not word.isdigit() else _RARE_WORD for word in words(question.text)
        )
        found.append(" ".join(kept_words))
    return found


def _majority(question: BlindQuestion, template: str) -> list[list[str]]:
    """Return the position of each option, or each answer if none are listed, combined with the template."""
    named = (f"letter {place + 1}" for place in range(len(question.answers))) if question.offered else question.answers
    return [[name, f"{name} after “{template}”"] for name in named]


def _form(question: BlindQuestion, _template: str) -> list[list[str]]:
    """Return the length of each option, the gaps between its number and the others, and how near it is to the mean of
    the options; for words, how much it resembles the others."""
    if not question.offered:
        return [[] for _ in question.answers]
    numbers = _numbers(question)
    by_name: dict[str, list[float]] = {
        "length": [len(answer) for answer in question.answers],
        "words": [len(answer.split()) for answer in question.answers],
    }
    if numbers:
        mean = sum(numbers) / len(numbers)
        by_name |= {"number": numbers, "distance from the mean": [abs(number - mean) for number in numbers]}
    else:
        bags = [set(words(answer)) for answer in question.answers]
        by_name["likeness"] = [sum(len(bag & other) / (len(bag | other) or 1) for other in bags) for bag in bags]
    found: list[list[str]] = [[] for _ in question.answers]
    for name, figures in by_name.items():
        for names, own in zip(found, figures, strict=True):
            names.append(f"{name} rank {sum(other < own for other in figures)}")
    for number, names in zip(numbers, found, strict=False):
        below = [number - other for other in numbers if other < number]
        above = [other - number for other in numbers if other > number]
        names += [
            f"gap below {min(_MAX_NUMBER_DIFFERENCE, min(below))}" if below else "no gap below",
            f"gap above {min(_MAX_NUMBER_DIFFERENCE, min(above))}" if above else "no gap above",
        ]
    return found


def _words(question: BlindQuestion, template: str) -> list[list[str]]:
    """Return the words of each option, and the words of the question combined with each answer."""
    kept_words, known = words(question.text), set(template.split())
    usual = [word for word in dict.fromkeys(kept_words) if word in known or word.isdigit()]
    if not question.offered:
        asked = dict.fromkeys([*usual, *(f"{one} {two}" for one, two in pairwise(template.split()))])
        leanings = [[f"“{word}” → {answer}" for word in asked] for answer in question.answers]
        # For yes/no questions, evidence for one answer is evidence against the other.
        return [leanings[0], []] if len(leanings) == 2 else leanings
    numbers = [int(word) for word in kept_words if word.isdecimal() and len(word) < 6]
    found = []
    for answer in question.answers:
        own = words(answer)
        names = [f"option “{answer.casefold()}”", *(f"option word “{word}”" for word in dict.fromkeys(own))]
        names.append(f"shares {min(_OVERLAP, len({*own} & {*kept_words}))} words with the question")
        names += [f"“{word}” → “{one}”" for word in usual for one in own[:1] if word != one]
        if numbers and answer.isdecimal() and len(answer) < 6:
            names.append(f"adds up to {int(answer) + numbers[0]} with {numbers[0]}")
        found.append(names)
    return found


def _numbers(question: BlindQuestion) -> list[float]:
    """Return the options as numbers; empty if one of them is not a number."""
    try:
        return [float(answer) for answer in question.answers]
    except ValueError:
        return []


def _each(*parts: Callable[[BlindQuestion, str], list[list[str]]]) -> Features:
    """Return a function for features that depend only on the question and are the same for every test fold."""

    def features(questions: Sequence[BlindQuestion], named: Sequence[str], _folds: Ints) -> Sequence[Table]:
        found = (
            [list(chain(*names)) for names in zip(*(part(question, template) for part in parts), strict=True)]
            for question, template in zip(questions, named, strict=True)
        )
        return [Table(questions, found)] * FOLDS

    return features


class _Wording(NamedTuple):
    """The common wording of the questions of a group."""

    usual: frozenset[str]
    """Words that do not name things."""
    turning: tuple[str, ...]
    """Words that may reverse yes and no; an empty string stands for the unchanged answer."""


def _wordings(questions: Sequence[BlindQuestion]) -> dict[str, _Wording]:
    """Return the common wording of the questions in each group."""
    found: dict[str, dict[str, set[int]]] = {}
    sizes: Counter[str] = Counter()
    for question in questions:
        for word in set(words(question.text)):
            found.setdefault(question.group, {}).setdefault(word, set()).add(sizes[question.group])
        sizes[question.group] += 1
    wordings = {}
    for group, size in sizes.items():
        places = found.get(group, {})
        turning: dict[frozenset[int], str] = {}  # only one of several words that occur in the same questions
        for word, own in sorted(places.items()):
            if abs(len(own) / size - 0.5) < _EITHER:
                turning.setdefault(frozenset(own if 0 in own else set(range(size)) - own), word)
        usual = frozenset(word for word, own in places.items() if len(own) >= _COMMON_WORD_SHARE * size)
        wordings[group] = _Wording(usual, ("", *turning.values()))
    return wordings


_Kind = tuple[str, ...]
"""A group, and the counted item in it: an option, or an answer with a name."""


def _elsewhere(questions: Sequence[BlindQuestion], _named: Sequence[str], folds: Ints) -> Sequence[Table]:
    """Return how often each answer was right, and was offered, outside the test fold and the question's own fold."""
    common = _wordings(questions)
    kinds = [_kinds(question, common[question.group]) for question in questions]
    right: Counter[tuple[_Kind, int | None]] = Counter()
    shown: Counter[tuple[_Kind, int | None]] = Counter()
    for question, own, fold in zip(questions, kinds, folds.tolist(), strict=True):
        for place, ways in enumerate(own):
            for kind in (kind for listed in ways.values() for kind in listed):
                for key in ((kind, fold), (kind, None)):  # None counts all folds
                    shown[key] += 1
                    right[key] += place == question.right

    def outside(counts: Counter[tuple[_Kind, int | None]], kind: _Kind, unseen: set[int]) -> int:
        return counts[kind, None] - sum(counts[kind, fold] for fold in unseen)

    def figures(ways: dict[str, list[_Kind]], unseen: set[int]) -> dict[str, float]:
        found: dict[str, float] = {}
        for turn, listed in ways.items():
            often = [outside(right, kind, unseen) for kind in listed]
            seen = [outside(shown, kind, unseen) for kind in listed]
            named = f" (turned by “{turn}”)" if turn else ""
            found[f"right{named}"] = sum(often)
            found[f"shown{named}"] = sum(seen)
            found[f"right of those shown{named}"] = sum(
                one / (both or 1) for one, both in zip(often, seen, strict=True)
            )
        return found

    return [
        Table(
            questions,
            [
                _ranked([figures(ways, {fold, tested}) for ways in own])
                for own, fold in zip(kinds, folds.tolist(), strict=True)
            ],
        )
        for tested in range(FOLDS)
    ]


def _kinds(question: BlindQuestion, wording: _Wording) -> list[dict[str, list[_Kind]]]:
    """Return the features that other questions may share, for each answer and reversing word: the option, or yes or
    no together with each name in the question."""
    if question.offered:
        return [{"": [(question.group, answer.casefold())]} for answer in question.answers]
    kept_words = words(question.text)
    named = [(str(place), word) for place, word in enumerate(word for word in kept_words if word not in wording.usual)]
    turning = wording.turning if len(question.answers) == 2 else ("",)
    return [
        {
            turn: [(question.group, turn, other if turn in kept_words else answer, *name) for name in named]
            for turn in turning
        }
        for answer, other in zip(question.answers, reversed(question.answers), strict=True)
    ]


def _ranked(figures: list[dict[str, float]]) -> list[list[str]]:
    """Return the ranks of each answer by each of its figures."""

    def ranks(own: dict[str, float]) -> Iterator[str]:
        for name, number in own.items():
            below = sum(other[name] < number for other in figures)
            above = sum(other[name] > number for other in figures)
            yield f"{name} elsewhere: more often than {below} others, less often than {above}"

    return [list(ranks(own)) for own in figures]


PROBES: dict[str, tuple[str, Features]] = {
    "majority": ("the answer, or the letter, most often right for the template", _each(_majority)),
    "form": ("lengths and numbers of the options, and how much an option resembles the others", _each(_form)),
    "words": (
        "the words of the question and of the options, and the cues of the other two",
        _each(_majority, _form, _words),
    ),
    "elsewhere": ("how often an answer is right, or offered, in the other questions", _elsewhere),
}
"""For each probe, a description and the function that computes its features."""


def count_knowledge(cases: Iterable[Case]) -> Knowledge:
    """Count the edges of the cases' causal graphs."""
    found = Knowledge()
    for case in cases:
        nodes, edges = ((case.graph or {}).get(part) or () for part in ("nodes", "edges"))
        names = {str(node.get("id")): str(node.get("obj_name", "")) for node in nodes if isinstance(node, dict)}
        for edge in edges:
            ends = [names.get(str(edge.get(end)), "") for end in ("source", "target")] if isinstance(edge, dict) else []
            if len(ends) == 2 and all(ends):
                found.add(ends[0], ends[1], str(case.provenance.get("img_id") or case.image or case.id))
    return found


def knowledge_features(known: Knowledge) -> Features:
    """Return the features of the knowledge probe."""

    def features(questions: Sequence[BlindQuestion], named: Sequence[str], _folds: Ints) -> Sequence[Table]:
        common, found = _wordings(questions), []
        for question, template in zip(questions, named, strict=True):
            wording = common[question.group]
            names = [name for name in known.names_in(question.text) if name not in wording.usual]
            if question.offered:
                found.append(_ranked([_counts(known, question.picture, answer, names) for answer in question.answers]))
            else:
                found.append(_yes_or_no(known, question, names[:_NAMED], template, wording))
        return [Table(questions, found)] * FOLDS

    return features


def _counts(known: Knowledge, picture: str, answer: str, asked: list[str]) -> dict[str, float]:
    """Return how often the names of an option support those of the question, or each other, or are supported by
    them."""
    offered = known.names_in(answer)
    both = [(one, other) for one in offered for other in asked if one != other]
    return {
        "supports what is asked about": sum(known.keeps(one, other, picture) for one, other in both),
        "is supported by what is asked about": sum(known.keeps(other, one, picture) for one, other in both),
        "supports it through another thing": sum(known.through(one, other, picture) for one, other in both),
        "is supported by it through another thing": sum(known.through(other, one, picture) for one, other in both),
        "support each other": sum(known.keeps(one, other, picture) for one, other in permutations(offered, 2)),
    }


def _yes_or_no(
    known: Knowledge, question: BlindQuestion, names: list[str], template: str, wording: _Wording
) -> list[list[str]]:
    """Return which names of the question support which more often, combined with its template and its reversing
    words."""
    found = []
    for one, other in combinations(range(len(names)), 2):
        forth, back = (known.keeps(names[a], names[b], question.picture) for a, b in ((one, other), (other, one)))
        found.append(f"{one + 1} supports {other + 1}: {compare_counts(forth, back)}")
        found.append(f"{one + 1} supports {other + 1}: {forth > 0}, {back > 0}")
    if len(names) == _NAMED:
        for last in range(_NAMED):
            pair = [place for place in range(_NAMED) if place != last]
            counts = [known.keeps(names[place], names[last], question.picture) for place in pair]
            found.append(
                f"{pair[0] + 1} supports {last + 1} more often than {pair[1] + 1} does: {compare_counts(*counts)}"
            )
    kept_words = set(question.text.casefold().replace(",", " ").replace("?", " ").split())
    ways = [template, *(f"{'with' if word in kept_words else 'without'} “{word}”" for word in wording.turning if word)]
    return [[f"{what}, {way}" for what in found for way in ways], *([] for _ in question.answers[1:])]
