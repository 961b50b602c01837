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
from itertools import combinations, pairwise, permutations
from typing import NamedTuple

import msgspec

from countersight.case import LETTERS, TWO_WORLDS, Case, Question, World
from countersight.causal import Knowledge, compare_counts

Features = list[list[list[str]]]
"""The names of the features of each answer, for each question."""

Answered = Mapping[tuple[str, World], bool]
"""Whether each question, by case and world, was answered correctly."""

FOLDS = 5
"""The number of parts of the pictures; each part is the test fold once."""
_USUAL_ANSWERS = 12
"""The number of candidate answers to an open question: the most frequent ones of its group."""
_RARE_WORD = "_"
"""Replaces a rare word in a template."""
_TEMPLATE_WORD_SHARE = 0.02
"""Words in at least this share of a group's questions belong to the template."""
_MAX_NUMBER_DIFFERENCE = 6
"""The maximum difference between numbers; larger ones are reduced to this."""
_OVERLAP = 4
_COMMON_WORD_SHARE = 0.2
"""Words in a larger share of a group's questions are not names of things."""
_EITHER = 0.1
"""A word may reverse yes and no if its share of a group's questions differs from a half by less than this."""
_NAMED = 3
"""The number of names in a question whose counts are compared."""
_WORD = re.compile(r"\d+|[^\W\d_]+(?:'[^\W\d_]+)?")


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


def text_features(questions: Sequence[BlindQuestion], folds: Sequence[int]) -> Iterator[Features]:
    """Yield the features of the text for every test fold; counts in other questions depend on the fold."""
    wordings = _wordings(questions)
    own: list[list[list[str]]] = []
    for question in questions:
        template = wordings[question.group].template_of(question.text)
        parts = (_position(question, template), _form(question), _content(question, template))
        own.append([[*position, *form, *content] for position, form, content in zip(*parts, strict=True)])
    kinds = [_kinds(question, wordings[question.group]) for question in questions]
    right: Counter[tuple[_Kind, int]] = Counter()
    shown: Counter[tuple[_Kind, int]] = Counter()
    for question, answers, fold in zip(questions, kinds, folds, strict=True):
        for place, ways in enumerate(answers):
            for kind in (kind for listed in ways.values() for kind in listed):
                shown[kind, fold] += 1
                right[kind, fold] += place == question.right
    for tested in range(FOLDS):
        yield [
            [[*names, *others] for names, others in zip(mine, _elsewhere(answers, right, shown, seen), strict=True)]
            for mine, answers, fold in zip(own, kinds, folds, strict=True)
            for seen in [[other for other in range(FOLDS) if other not in (tested, fold)]]
        ]


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
_Counts = Mapping[tuple[_Kind, int], int]
"""A count for each kind and fold: how often it was right, or a candidate."""


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


def _elsewhere(
    answers: list[dict[str, list[_Kind]]], right: _Counts, shown: _Counts, seen: list[int]
) -> list[list[str]]:
    """Return the ranks of each answer by how often it was right, or a candidate, in the folds `seen`."""
    figures = []
    for ways in answers:
        found: dict[str, float] = {}
        for turn, kinds in ways.items():
            often = [sum(right[kind, fold] for fold in seen) for kind in kinds]
            offered = [sum(shown[kind, fold] for fold in seen) for kind in kinds]
            turned = f" (reversed by “{turn}”)" if turn else ""
            found[f"times right{turned}"] = sum(often)
            found[f"times shown{turned}"] = sum(offered)
            found[f"share right{turned}"] = sum(a / (b or 1) for a, b in zip(often, offered, strict=True))
        figures.append(found)
    return _ranked(figures)


def _ranked(figures: list[dict[str, float]]) -> list[list[str]]:
    """Return the rank of each answer for each of its figures."""

    def ranks(own: dict[str, float]) -> Iterator[str]:
        for name, number in own.items():
            below = sum(other[name] < number for other in figures)
            above = sum(other[name] > number for other in figures)
            yield f"{name} in other cases: higher than {below} of the answers, lower than {above}"

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


def knowledge_features(questions: Sequence[BlindQuestion], known: Knowledge) -> Features:
    """Return the features of common knowledge."""
    wordings, found = _wordings(questions), []
    for question in questions:
        wording = wordings[question.group]
        names = [name for name in known.names_in(question.text) if name not in wording.usual]
        if question.offered:
            found.append(_ranked([_counts(known, question.picture, answer, names) for answer in question.answers]))
        else:
            found.append(_yes_or_no(known, question, names[:_NAMED], wording))
    return found


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
