"""A puzzle of C-VQA-Synthetic: a scene, a question about it, a supposed change, and the wrong options.

Both answers of a puzzle come from the same count, of the scene and of the scene after the change.

The options must not reveal the right one to a model that does not look. In the published set, wrong options differ from
the right one by one of 11 gaps, so that the right one is most often in the middle: "the option nearest to the mean of
the options" answers more than half of the questions blind. Our options are the answers of four similar scenes; one of
these scenes is shown.
"""

from collections.abc import Callable, Sequence
from random import Random

import msgspec

from countersight.case import LETTERS, Option, Question
from countersight.random_choice import balanced
from countersight.scenes import NAMED, Edit, Scene, apply

NUMBER = 4
"""The number of options."""
SPREAD = 11
"""The largest difference between options, as in the published set."""

Numbers = tuple[int, ...]
"""Flowers in the named polygon only, in the other only, in both, in neither; or dots in six circles, row by row."""

_TRIES = 100
"""Attempts to draw four scenes before the number of removed items changes: 21 of 23 flowers leave too few answers."""


class Puzzle(msgspec.Struct, frozen=True):
    """A scene, a question about it, and a supposed change."""

    scene: Scene
    edits: tuple[Edit, ...]
    question: str
    """The question about the scene."""
    if_question: str
    """The question about the changed scene, up to its "if"."""
    presupposition: str
    """What follows the "if"."""
    count: Callable[[Scene], int]
    repeat: Callable[[Scene], tuple[Edit, ...] | None]
    """Returns the same change applied to the changed scene; None if its items no longer exist."""
    changed_question: str = ""
    """The question about a picture of the changed scene, if it differs from the original one."""
    changed_if_question: str = ""
    """The "if" question about the changed picture, if it differs from `if_question`."""
    provenance: dict[str, str] = {}
    """Further facts recorded in the case's provenance."""

    def repeated_answer(self, changed: Scene) -> int | None:
        """Return the answer after making the change once more; None if that is impossible."""
        edits = self.repeat(changed)
        return None if edits is None else self.count(apply(changed, edits))


class Amounts(msgspec.Struct, frozen=True):
    """The numbers that determine the answers: items in each place, and items removed by the change."""

    numbers: Numbers
    removed: int = 0
    circles: tuple[int, ...] = ()
    """The circles that the question names, by their number."""


class Solved(msgspec.Struct, frozen=True):
    """A puzzle, the scene after its change, and the number in each."""

    puzzle: Puzzle
    changed: Scene
    answer: int
    new_answer: int
    others: tuple[tuple[int, int], ...]
    """Wrong answers before and after the change."""
    colour: str
    """The colour of the polygons in the question, if there are polygons."""


class Template(msgspec.Struct, frozen=True):
    """One of the six kinds of puzzle, with the range of its answers in the published set."""

    number: int
    group: str
    kinds: tuple[str, ...]
    answers: range
    new_answers: range
    draw_numbers: Callable[[Random], Numbers]
    answers_of: Callable[[Amounts], tuple[int, int]]
    """Returns the answers before and after the change, from the amounts alone."""
    make_puzzle: Callable[[Random, str, Amounts], Puzzle]
    """Returns a random puzzle with these amounts, about polygons of a colour if there are polygons."""
    says_how_many: bool = False
    """Whether the question says how many of the counted items are removed."""

    @property
    def published_type(self) -> str:
        """The name of the type in the published file."""
        return f"abs_counting_{self.number}"

    def solved(self, seed: int, index: int) -> Solved:
        """Return the puzzle with this number and its answers; they depend on the seed and the number only."""
        rng = Random(f"{seed}/{self.number}/{index}")
        colour = balanced(tuple(NAMED), f"{seed}/{self.number}/colour", index)
        amounts, *others = self._draw_similar(rng)
        puzzle = self.make_puzzle(rng, colour, amounts)
        changed = apply(puzzle.scene, puzzle.edits)
        answer, new = puzzle.count(puzzle.scene), puzzle.count(changed)
        return Solved(puzzle, changed, answer, new, self._wrong(amounts, others), colour)

    def random_puzzle(self, rng: Random, colour: str) -> Puzzle:
        """Return a random puzzle, about polygons of a colour if there are polygons."""
        return self.make_puzzle(rng, colour, self._draw_amounts(rng))

    def _draw_similar(self, rng: Random) -> list[Amounts]:
        """Draw the amounts of several interchangeable scenes with different answers that are near each other: what the
        question says about one holds for all."""
        while True:
            like = self._draw_amounts(rng)
            for _ in range(_TRIES):
                drawn = [self._draw_amounts(rng, like) for _ in range(NUMBER)]
                worlds = zip(self.answers_of(drawn[0]), *self._wrong(drawn[0], drawn[1:]), strict=True)
                if all(len(set(world)) == NUMBER and max(world) - min(world) <= SPREAD for world in worlds):
                    return drawn

    def _wrong(self, amounts: Amounts, others: Sequence[Amounts]) -> tuple[tuple[int, int], ...]:
        """Return the wrong answers in both worlds: the right answers of similar scenes."""
        return tuple(map(self.answers_of, others))

    def _draw_amounts(self, rng: Random, like: Amounts | None = None) -> Amounts:
        """Draw random amounts with answers in the published range; the question can be the same as for `like`."""
        while True:
            numbers, removed = self.draw_numbers(rng), like.removed if like else 0
            if like is None and self.says_how_many:
                removed = rng.randint(1, self.answers_of(Amounts(numbers))[0])
            amounts = Amounts(numbers, removed)
            if self._fits(amounts):
                return amounts

    def _fits(self, amounts: Amounts) -> bool:
        answer, new = self.answers_of(amounts)
        return answer in self.answers and new in self.new_answers and answer != new


def number_question(text: str, right: int, wrong: Sequence[int], letter: str, rng: Random) -> Question:
    """Return a question with numbers as options, the right one at the letter and the others in random order."""
    numbers = rng.sample(wrong, len(wrong))
    numbers.insert(LETTERS.index(letter), right)
    return Question(text, letter, "choice", tuple(Option(str(number)) for number in numbers))


def near(right: int, rng: Random) -> list[int]:
    """Return wrong options near the right one, whose rank is random; no option is negative."""
    while True:
        numbers = rng.sample(range(SPREAD + 1), NUMBER)
        wrong = [right + other - numbers[0] for other in numbers[1:]]
        if min(wrong) >= 0:
            return wrong
