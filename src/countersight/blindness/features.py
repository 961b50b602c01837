"""Features of answers that can be computed without the picture; each probe has one function."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise

from countersight.blindness.asked import BlindQuestion, words

Noticed = Callable[[BlindQuestion, str], list[list[str]]]
"""Takes a question and its template, and returns the names of the features of each answer."""

REST = "_"
"""Replaces a rare word in a template."""
_FREQUENT = 0.02
"""Words in at least this share of a group's questions belong to the template."""
_FAR = 6
"""Larger differences between numbers count as this."""
_OVERLAP = 4


def templates(questions: list[BlindQuestion]) -> list[str]:
    """Return the template of each question: its words without those that are rare in its group."""
    said = [words(question.text) for question in questions]
    counts: dict[tuple[str, str], Counter[str]] = {}
    sizes: Counter[tuple[str, str]] = Counter()
    for question, found in zip(questions, said, strict=True):
        key = question.group, question.world
        counts.setdefault(key, Counter()).update(set(found))
        sizes[key] += 1
    return [
        _template(found, counts[q.group, q.world], sizes[q.group, q.world])
        for q, found in zip(questions, said, strict=True)
    ]


def _template(found: list[str], counts: Counter[str], size: int) -> str:
    least = max(2.0, _FREQUENT * size)
    return " ".join(word if counts[word] >= least and not word.isdigit() else REST for word in found)


def majority(question: BlindQuestion, template: str) -> list[list[str]]:
    """Return the position of each option, or each answer if none are listed, combined with the template."""
    named = (f"letter {place + 1}" for place in range(len(question.answers))) if question.offered else question.answers
    return [[name, f"{name} after “{template}”"] for name in named]


def form(question: BlindQuestion, _template: str) -> list[list[str]]:
    """Return the length of each option, and how its number compares with the others: rank, gaps, parity."""
    if not question.offered:
        return [[] for _ in question.answers]
    lengths = [len(answer) for answer in question.answers]
    counted = [len(answer.split()) for answer in question.answers]
    found = [
        [f"length rank {sum(other < own for other in lengths)}", f"words rank {sum(other < many for other in counted)}"]
        for own, many in zip(lengths, counted, strict=True)
    ]
    numbers = _numbers(question)
    if numbers:
        for place, number in enumerate(numbers):
            found[place] += _among(number, numbers)
    return found


def _among(number: float, numbers: list[float]) -> Iterator[str]:
    """How a number stands among others."""
    others = [other for other in numbers if other != number]
    below = [number - other for other in others if other < number]
    above = [other - number for other in others if other > number]
    yield f"number rank {len(below)}"
    yield f"gap below {min(_FAR, min(below))}" if below else "no gap below"
    yield f"gap above {min(_FAR, min(above))}" if above else "no gap above"
    yield f"parity of {sum(other % 2 == number % 2 for other in others)} others"


def nearest(question: BlindQuestion, _template: str) -> list[list[str]]:
    """Return which option is nearest to the mean of the options; for words, the one most similar to the others."""
    if not question.offered:
        return [[] for _ in question.answers]
    numbers = _numbers(question)
    if numbers:
        mean = sum(numbers) / len(numbers)
        far = [abs(number - mean) for number in numbers]
    else:
        bags = [set(words(answer)) for answer in question.answers]
        far = [-sum(len(bag & other) / (len(bag | other) or 1) for other in bags) for bag in bags]
    return [[f"nearest {sum(other < own for other in far)}"] for own in far]


def option_words(question: BlindQuestion, _template: str) -> list[list[str]]:
    """Return the words of each option, and the option as a whole."""
    if not question.offered:
        return [[f"answer “{answer}”"] for answer in question.answers]
    return [
        [f"option “{answer.casefold()}”", *(f"option word “{word}”" for word in dict.fromkeys(words(answer)))]
        for answer in question.answers
    ]


def all_words(question: BlindQuestion, template: str) -> list[list[str]]:
    """Return the words of the question combined with each answer: both words, shared words, differences of numbers."""
    if not question.offered:
        return _leanings(question, template)
    said = words(question.text)
    usual = _usual(said, template)
    numbers = [int(word) for word in said if word.isdecimal() and len(word) < 6]
    found = option_words(question, template)
    for place, answer in enumerate(question.answers):
        own = words(answer)
        found[place].append(f"shares {min(_OVERLAP, len({*own} & {*said}))} words with the question")
        found[place] += [f"“{word}” → “{one}”" for word in usual for one in own[:1] if word != one]
        if numbers and answer.isdecimal() and len(answer) < 6:
            found[place].append(f"adds up to {int(answer) + numbers[0]} with {numbers[0]}")
    return found


def _leanings(question: BlindQuestion, template: str) -> list[list[str]]:
    """The words, and two words on end, of a question that lists no answers, with each of its usual answers."""
    asked = [*_usual(words(question.text), template), *(f"{one} {two}" for one, two in pairwise(template.split()))]
    found: list[list[str]] = [[f"“{word}” → {answer}" for word in dict.fromkeys(asked)] for answer in question.answers]
    # Where it is yes or no, what speaks for the one speaks against the other.
    return [found[0], []] if len(found) == 2 else found


def _usual(said: list[str], template: str) -> list[str]:
    """The words of a question that others of its group have as well, and its numbers."""
    known = set(template.split())
    return [word for word in dict.fromkeys(said) if word in known or word.isdigit()]


def _numbers(question: BlindQuestion) -> list[float]:
    """The options as numbers, or nothing where one is none."""
    try:
        return [float(answer) for answer in question.answers]
    except ValueError:
        return []
