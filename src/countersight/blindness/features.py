"""Features of answers that can be computed without the picture.

Text: the position, length and words of an answer, the words of its question, and the answers to other questions. If
every name is right as often as it is wrong, one that was right in the other questions is probably wrong in this one.
Answers are ranked by how often they were right in the other folds. The ranks for training also leave out the test fold,
because its balance would otherwise reverse them. A yes/no question can be asked in two directions ("still there", "no
longer there"), so answers are also counted with yes and no exchanged if a certain word occurs in the question.

Common knowledge: how often one thing keeps another in place in other pictures. The classifier learns only how the
counts relate to the answers of a group: which of two counts must be larger for "yes", or which rank is right.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise, permutations, product
from typing import NamedTuple, Self

import msgspec
import numpy as np
import numpy.typing as npt

from countersight.case import LETTERS, TWO_WORLDS, Case, Question, World
from countersight.causal import Knowledge, compare_counts

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

Features = Iterable[Sequence[Sequence[str]]]
"""The names of the features of each answer, for each question."""

Answered = Mapping[tuple[str, World], bool]
"""Whether each question, by case and world, was answered correctly."""

FOLDS = 5
"""The number of folds into which the pictures are divided; each is the test fold once."""
_USUAL_ANSWERS = 12
"""The number of candidate answers to an open question: the most frequent ones of its group."""
_RARE_WORD = "_"
"""Replaces a rare word in a template."""
_TEMPLATE_WORD_SHARE = 0.02
"""The minimum share of a group's questions in which a word must occur to belong to the template."""
_MAX_NUMBER_DIFFERENCE = 6
"""The maximum difference between numbers; larger ones are reduced to this."""
_OVERLAP = 4
_COMMON_WORD_SHARE = 0.2
"""The share of a group's questions above which a word that occurs in them is not a name of a thing."""
_EITHER = 0.1
"""A word may reverse yes and no if its share of a group's questions differs from a half by less than this."""
_NAMED = 3
"""The number of names in a question whose counts are compared."""
_WORD = re.compile(r"\d+|[^\W\d_]+(?:'[^\W\d_]+)?")


class FeatureColumns(NamedTuple):
    """The features of answers in columns: one row per answer and feature that it has, in the order of the answers."""

    answers: Ints
    """The number of answers of each question."""
    answer: Ints
    feature: Ints
    names: Sequence[str]
    """The name of each feature."""

    @classmethod
    def of(cls, features: Features) -> Self:
        """Return the columns for lists of names."""
        ids: dict[str, int] = {}
        answers, sizes, found = [], [], []
        for question in features:
            answers.append(len(question))
            for names in question:
                sizes.append(len(names))
                found += [ids.setdefault(name, len(ids)) for name in names]
        return cls(_ints(answers), np.repeat(np.arange(len(sizes)), _ints(sizes)), _ints(found), list(ids))


def _ints(numbers: Sequence[int]) -> Ints:
    return np.array(numbers, np.int64)


class BlindQuestion(msgspec.Struct, frozen=True):
    """A question without its picture."""

    case: str
    world: World
    group: str
    block: str
    """Questions with the same block, such as the same picture, are never split between training and test folds."""
    picture: str
    """The id of its picture in the causal graphs."""
    text: str
    answers: tuple[str, ...]
    """The candidate answers: the options, yes and no, or the usual answers of the group."""
    right: int
    """The position of the right answer among them, or -1 if it is missing."""
    offered: bool
    """Whether the question lists its answers, so that their positions can carry information."""
    chance: float | None
    """The accuracy of guessing; None for open questions."""


def blind_questions(cases: Iterable[Case]) -> list[BlindQuestion]:
    """Return every question of the cases, in both worlds."""
    found: list[tuple[Case, World, Question]] = []
    usual: dict[tuple[str, World], Counter[str]] = {}
    for case in cases:
        for world in TWO_WORLDS:
            question = case.question(world)
            if question and not question.hidden:
                found.append((case, world, question))
                if question.kind in ("number", "open"):
                    usual.setdefault((case.group, world), Counter())[question.answer] += 1
    return [_without_picture(*each, usual.get((each[0].group, each[1]), Counter())) for each in found]


def _without_picture(case: Case, world: World, question: Question, usual: Counter[str]) -> BlindQuestion:
    text = question.text if question.text or not case.change else case.change.text
    if case.context and world == "counterfactual":
        text = f"{text} {case.context}"
    if case.change and case.change.text not in text and world == "counterfactual":
        text = f"{text} {case.change.text}"
    chance: float | None = None
    if question.kind == "choice":
        answers = tuple(option.text for option in question.options)
        right, chance = LETTERS.index(question.answer), 1 / len(answers)
    elif question.kind == "boolean":
        answers, right, chance = ("yes", "no"), int(question.answer == "no"), 0.5
    else:
        answers = tuple(answer for answer, _ in usual.most_common(_USUAL_ANSWERS))
        right = answers.index(question.answer) if question.answer in answers else -1
    block = case.image or str(case.provenance.get("img_id") or case.id)
    if "unit" in case.provenance:  # in a unit all answers are equally frequent: the others reveal the last
        block = f"{case.group}/{case.provenance['unit']}"
    group = f"{case.group}, control" if case.control_of else case.group
    picture = str(case.provenance.get("img_id") or block)
    return BlindQuestion(case.id, world, group, block, picture, text, answers, right, question.kind == "choice", chance)


class _Wording(NamedTuple):
    """The common wording of the questions of a group."""

    template: frozenset[str]
    """Words that are not rare."""
    usual: frozenset[str]
    """Words that do not name things."""
    turning: tuple[str, ...]
    """Words that may reverse yes and no; an empty string stands for the unchanged answer."""

    def template_of(self, text: str) -> str:
        """Return the words of a question, without those that are rare in its group."""
        return " ".join(word if word in self.template else _RARE_WORD for word in _words(text))


def _words(text: str) -> list[str]:
    """Return the words and numbers of a text, in lower case."""
    return _WORD.findall(text.casefold())


def _wordings(questions: Sequence[BlindQuestion]) -> dict[str, _Wording]:
    """Return the common wording of the questions in each group."""
    found: dict[str, dict[str, set[int]]] = {}
    sizes: Counter[str] = Counter()
    for question in questions:
        for word in set(_words(question.text)):
            found.setdefault(question.group, {}).setdefault(word, set()).add(sizes[question.group])
        sizes[question.group] += 1
    wordings = {}
    for group, size in sizes.items():
        places = found.get(group, {})
        turning: dict[frozenset[int], str] = {}  # only one of several words that occur in the same questions
        for word, own in sorted(places.items()):
            if abs(len(own) / size - 0.5) < _EITHER:
                turning.setdefault(frozenset(own if 0 in own else set(range(size)) - own), word)
        least = max(2.0, _TEMPLATE_WORD_SHARE * size)
        template = frozenset(word for word, own in places.items() if len(own) >= least and not word.isdigit())
        usual = frozenset(word for word, own in places.items() if len(own) >= _COMMON_WORD_SHARE * size)
        wordings[group] = _Wording(template, usual, ("", *turning.values()))
    return wordings


def text_features(questions: Sequence[BlindQuestion], folds: Ints) -> Iterator[FeatureColumns]:
    """Yield the features of the text for every test fold; counts in other questions depend on the fold."""
    wordings = _wordings(questions)
    own = FeatureColumns.of(_own_features(question, wordings[question.group]) for question in questions)
    others = _OtherQuestions(questions, folds, wordings)
    order = np.argsort(np.concatenate([own.answer, others.answer]), kind="stable")
    answer = np.concatenate([own.answer, others.answer])[order]
    names = [*own.names, *others.names()]
    for tested in range(FOLDS):
        feature = np.concatenate([own.feature, len(own.names) + others.features(tested)])
        yield FeatureColumns(own.answers, answer, feature[order], names)


def _own_features(question: BlindQuestion, wording: _Wording) -> list[list[str]]:
    """Return the features of each answer that depend on its own question only."""
    template = wording.template_of(question.text)
    parts = (_position(question, template), _form(question), _content(question, template))
    return [[*position, *form, *content] for position, form, content in zip(*parts, strict=True)]


def _position(question: BlindQuestion, template: str) -> list[list[str]]:
    """Return the position of each option (or the answer itself if none are listed), alone and with the template."""
    named = (f"letter {place + 1}" for place in range(len(question.answers))) if question.offered else question.answers
    return [[name, f"{name} after “{template}”"] for name in named]


def _form(question: BlindQuestion) -> list[list[str]]:
    """Return the rank of each option by length; for numbers, also the gaps to the others and the distance from the
    mean; for words, also the overlap with the others."""
    if not question.offered:
        return [[] for _ in question.answers]
    numbers = _numbers(question)
    by_name: dict[str, list[float]] = {"length": [len(answer) for answer in question.answers]}
    if numbers:
        mean = sum(numbers) / len(numbers)
        by_name |= {"number": numbers, "distance from the mean": [abs(number - mean) for number in numbers]}
    else:
        bags = [set(_words(answer)) for answer in question.answers]
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


def _content(question: BlindQuestion, template: str) -> list[list[str]]:
    """Return the words of each option, and the words of the question combined with each answer."""
    asked, known = _words(question.text), set(template.split())
    usual = [word for word in dict.fromkeys(asked) if word in known or word.isdigit()]
    if not question.offered:
        parts = dict.fromkeys([*usual, *(f"{one} {two}" for one, two in pairwise(template.split()))])
        leanings = [[f"“{part}” → {answer}" for part in parts] for answer in question.answers]
        # For yes/no questions, evidence for one answer is evidence against the other.
        return [leanings[0], []] if len(leanings) == 2 else leanings
    found = []
    for answer in question.answers:
        own = _words(answer)
        names = [f"option “{answer.casefold()}”", *(f"option word “{word}”" for word in dict.fromkeys(own))]
        names.append(f"shares {min(_OVERLAP, len({*own} & {*asked}))} words with the question")
        names += [f"“{word}” → “{one}”" for word in usual for one in own[:1] if word != one]
        found.append(names)
    return found


def _numbers(question: BlindQuestion) -> list[float]:
    """Return the options as numbers; empty if one of them is not a number."""
    try:
        return [float(answer) for answer in question.answers]
    except ValueError:
        return []


_Kind = tuple[str, ...]
"""A group, and the counted item in it: an option, or an answer with a name."""


def _kinds(question: BlindQuestion, wording: _Wording) -> list[dict[str, list[_Kind]]]:
    """Return, for each answer and reversing word, what is counted in other questions: the option, or the answer
    together with each name in the question."""
    if question.offered:
        return [{"": [(question.group, answer.casefold())]} for answer in question.answers]
    asked = _words(question.text)
    named = [(str(place), word) for place, word in enumerate(word for word in asked if word not in wording.usual)]
    turning = wording.turning if len(question.answers) == 2 else ("",)
    return [
        {
            turn: [(question.group, turn, other if turn in asked else answer, *name) for name in named]
            for turn in turning
        }
        for answer, other in zip(question.answers, reversed(question.answers), strict=True)
    ]


class _OtherQuestions:
    """How often each answer was right, or a candidate, in the questions of other folds: its ranks among the answers.

    An entry is an answer with one of the reversing words. It has a row for each kind that is counted for it.
    """

    _FIGURES = ("times right", "times shown", "share right")

    def __init__(self, questions: Sequence[BlindQuestion], folds: Ints, wordings: Mapping[str, _Wording]) -> None:
        ids: dict[_Kind, int] = {}
        turns: dict[str, int] = {}
        answer, turn, sizes, kinds = [], [], [], []
        places = [place for question in questions for place in range(len(question.answers))]
        of = np.repeat(np.arange(len(questions)), [len(question.answers) for question in questions])
        counted = (ways for question in questions for ways in _kinds(question, wordings[question.group]))
        for nth, ways in enumerate(counted):
            for word, listed in ways.items():
                answer.append(nth)
                turn.append(turns.setdefault(word, len(turns)))
                sizes.append(len(listed))
                kinds += [ids.setdefault(kind, len(ids)) for kind in listed]
        self._turns = list(turns)
        self._turn, entry_answer = _ints(turn), _ints(answer)
        self.answer = np.repeat(entry_answer, len(self._FIGURES))
        """The answer of each feature."""
        self._entry, self._kind = np.repeat(np.arange(len(sizes)), _ints(sizes)), _ints(kinds)
        self._fold = folds[of][entry_answer][self._entry]
        right = np.array([question.right for question in questions])[of] == _ints(places)
        where, size = self._kind * FOLDS + self._fold, len(ids) * FOLDS
        self._right = np.bincount(where, right[entry_answer][self._entry], size).reshape(-1, FOLDS)
        self._shown = np.bincount(where, minlength=size).reshape(-1, FOLDS)
        # For each number of answers: the entries of one question and reversing word in a row.
        order = np.lexsort((self._turn, of[entry_answer]))
        rivals = np.bincount(of)[of[entry_answer]][order]
        self._rivals = [order[rivals == number].reshape(-1, number) for number in np.unique(rivals)]
        self._most = max((rows.shape[1] for rows in self._rivals), default=0)

    def names(self) -> Iterator[str]:
        """Yield the names of the features."""
        turned = [f" (reversed by “{turn}”)" if turn else "" for turn in self._turns]
        ranks = range(self._most)
        for turn, figure, below, above in product(turned, self._FIGURES, ranks, ranks):
            yield _rank_name(f"{figure}{turn}", below, above)

    def features(self, tested: int) -> Ints:
        """Return the features if this fold is tested; the fold of a question is not counted for itself either."""
        often, offered = (self._elsewhere(counts, tested) for counts in (self._right, self._shown))
        figures = (often, offered, often / np.maximum(offered, 1))
        found = np.zeros((len(self._turn), len(figures)), np.int64)
        for nth, by_row in enumerate(figures):
            values = np.bincount(self._entry, by_row, len(self._turn))
            for rows in self._rivals:
                own = values[rows]
                below, above = (compare(own[:, None, :], own[:, :, None]).sum(2) for compare in (np.less, np.greater))
                first = (self._turn[rows] * len(figures) + nth) * self._most
                found[rows, nth] = (first + below) * self._most + above
        return found.ravel()

    def _elsewhere(self, counts: Floats | Ints, tested: int) -> Floats | Ints:
        """Return the counts for each row, without those in the tested fold and in its own."""
        own = np.where(self._fold == tested, 0, counts[self._kind, self._fold])
        found: Floats | Ints = counts.sum(1)[self._kind] - counts[self._kind, tested] - own
        return found


def _rank_name(figure: str, below: int, above: int) -> str:
    return f"{figure} in other cases: higher than {below} of the answers, lower than {above}"


def _ranked(figures: list[dict[str, float]]) -> list[list[str]]:
    """Return the rank of each answer for each of its figures."""

    def ranks(own: dict[str, float]) -> Iterator[str]:
        for name, number in own.items():
            below = sum(other[name] < number for other in figures)
            above = sum(other[name] > number for other in figures)
            yield _rank_name(name, below, above)

    return [list(ranks(own)) for own in figures]


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


def knowledge_features(questions: Sequence[BlindQuestion], known: Knowledge) -> FeatureColumns:
    """Return the features of common knowledge."""
    wordings, found = _wordings(questions), []
    for question in questions:
        wording = wordings[question.group]
        names = [name for name in known.names_in(question.text) if name not in wording.usual]
        if question.offered:
            found.append(_ranked([_counts(known, question.picture, answer, names) for answer in question.answers]))
        else:
            found.append(_yes_or_no(known, question, names[:_NAMED], wording))
    return FeatureColumns.of(found)


def _counts(known: Knowledge, picture: str, answer: str, asked: list[str]) -> dict[str, float]:
    """Return how often the things in an option support those in the question or each other, or are supported by those
    in the question."""
    offered = known.names_in(answer)
    both = [(one, other) for one in offered for other in asked if one != other]
    return {
        "support for the question": sum(known.keeps(one, other, picture) for one, other in both),
        "support from the question": sum(known.keeps(other, one, picture) for one, other in both),
        "indirect support for the question": sum(known.through(one, other, picture) for one, other in both),
        "indirect support from the question": sum(known.through(other, one, picture) for one, other in both),
        "support within the option": sum(known.keeps(one, other, picture) for one, other in permutations(offered, 2)),
    }


def _yes_or_no(known: Knowledge, question: BlindQuestion, names: list[str], wording: _Wording) -> list[list[str]]:
    """Return which of the things in a question support others more often, combined with the question's template and its
    reversing words."""
    found = []
    for one, other in combinations(range(len(names)), 2):
        forth, back = (known.keeps(names[a], names[b], question.picture) for a, b in ((one, other), (other, one)))
        found.append(f"{one + 1} supports {other + 1}: {compare_counts(forth, back)}")
        found.append(f"{one + 1} supports {other + 1}: {forth > 0}, {back > 0}")
    if len(names) == _NAMED:
        for last in range(_NAMED):
            one, other = (place for place in range(_NAMED) if place != last)
            counts = (known.keeps(names[place], names[last], question.picture) for place in (one, other))
            found.append(f"{one + 1} supports {last + 1} more often than {other + 1} does: {compare_counts(*counts)}")
    asked = set(_words(question.text))
    ways = [f"{'with' if word in asked else 'without'} “{word}”" for word in wording.turning if word]
    ways.append(wording.template_of(question.text))
    return [[f"{what}, {way}" for what in found for way in ways], *([] for _ in question.answers[1:])]
