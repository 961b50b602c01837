"""C-VQA-Synthetic: random cases from a seed, with a picture of each world.

A control replaces the change in a case with one that does not affect the answer. A model that follows the change keeps
its answer; a model that only reacts to the word "removed" does not.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec

from countersight import __version__
from countersight.blindness import card_section
from countersight.case import LETTERS, TWO_WORLDS, Case, Change, Option, Question, World
from countersight.dataset import DatasetWriter
from countersight.errors import CountersightError
from countersight.parallel import in_order
from countersight.progress import Progress, silent
from countersight.random_choice import balanced, balanced_answer
from countersight.scenes import (
    NAMED,
    PHRASINGS,
    PLACES,
    SCENES_FILE,
    Edit,
    FlowerRegions,
    Recolour,
    Remove,
    Scene,
    SceneRecord,
    apply,
    distinct_colours,
    dot_scene,
    draw,
    draw_both,
    encode,
    encode_record,
    facts_of,
    flower_scene,
    phrase_question,
)
from countersight.suggestions import unknown
from countersight.suites.cvqa.files import SYNTHETIC_NAME
from countersight.suites.cvqa.templates import (
    CONTROLS,
    TEMPLATES,
    Puzzle,
    Template,
    circles_of,
    flowers_in,
    number_of,
    number_question,
)
from countersight.suites.supposing import as_sentence

WORDINGS = ("eight", "one")
"""Eight phrasings of each question, chosen by the seed, or only the published one."""
USUAL, LEAST_CHANGE = "usual", "least-change"
"""The groups of questions: the six templates, or questions that ask for the smallest change."""
SIZE = 3000
"""The published size: 500 of each template (C-VQA 3.3)."""
MakeAt = Callable[[int], "Iterator[SyntheticMade]"]
"""Makes the case at a position of the dataset, and its control if there are controls."""
CHUNK = 16
"""The number of cases that a worker makes at a time, which takes about 0.2 seconds, so that stopping is quick and
overhead is low."""


class SyntheticMade(msgspec.Struct, frozen=True):
    """A case, the scene shown in its picture, and the scene after its change."""

    case: Case
    record: SceneRecord
    changed: Scene

    def draw(self) -> list[tuple[str, bytes]]:
        """Return the pictures with their names. A control shares the first picture with its case."""
        if self.case.control_of:
            return [(str(self.case.counterfactual_image), encode(draw(self.changed)))]
        names = str(self.case.image), str(self.case.counterfactual_image)
        return list(zip(names, map(encode, draw_both(self.record.scene, self.changed)), strict=True))


def make_synthetic(
    folder: Path,
    *,
    seed: int,
    size: int | None = None,
    controls: bool = False,
    groups: str = USUAL,
    wording: str = "",
    workers: int | None = None,
    progress: Progress = silent,
) -> None:
    """Generate the suite in a new dataset folder, by default as large as the published one; see `make`.

    Pictures are drawn by `workers` processes (default: one per core); the result does not depend on their number.
    """
    size = SIZE if size is None else size
    if size < 1:
        raise CountersightError(f"a dataset must have at least 1 case, not {size}")
    if wording not in ("", *WORDINGS):
        raise CountersightError(unknown("wording of cvqa-synthetic", wording, WORDINGS))
    if groups not in (USUAL, LEAST_CHANGE):
        raise CountersightError(f"cvqa-synthetic has no `groups` {groups}; leave out `groups`, or use {LEAST_CHANGE}")
    if groups != USUAL and (wording or controls):
        raise CountersightError(f"`groups` {groups} does not work with `controls` or `wording`")
    wording = wording or WORDINGS[0]
    provenance: dict[str, str | int] = {"suite": SYNTHETIC_NAME, "size": size, "seed": seed}
    provenance |= {"wording": wording} if groups == USUAL else {"groups": groups}
    if controls:
        provenance["controls"] = size
    if groups == LEAST_CHANGE:
        make_at: MakeAt = partial(_least_changes_at, seed)
    else:
        make_at = partial(_cases_at, size, seed, controls, wording == "eight")
    asked = "six templates of" if groups == USUAL else f"{groups} questions about"
    with (
        DatasetWriter(
            folder,
            name=SYNTHETIC_NAME,
            description=(
                f"Counterfactual counting modelled on C-VQA-Synthetic ({asked} flowers and dots), drawn by "
                "Countersight. Every picture is drawn in the factual and in the counterfactual world."
            ),
            license="CC0-1.0",
            provenance={**provenance, "countersight": __version__},
            sections=(card_section,),
        ) as writer,
        open(writer.staging / SCENES_FILE, "wb") as scenes,
        progress("Drawing", size, "cases") as show,
    ):
        done = 0
        for chunk in in_order(partial(_make_chunk, make_at, size), range(0, size, CHUNK), workers=workers):
            for made, pictures in chunk:
                for name, data in pictures:
                    (writer.staging / name).write_bytes(data)
                writer.add(made.case)
                scenes.write(encode_record(made.record))
                done += not made.case.control_of
            show(done)


def _phrasing(template: Template, seed: int, index: int, world: World, eight: bool) -> int:
    """Return the number of a question's phrasing: 0, the published one, unless `eight` is set."""
    return balanced(range(PHRASINGS), f"{seed}/{template.number}/{world} phrasing", index) if eight else 0


def _counterfactual_text(puzzle: Puzzle, presupposition: str, phrasing: int) -> str:
    """Return the question about the changed scene."""
    return phrase_question(puzzle.question, phrasing, presupposition, f"{puzzle.if_question} if {presupposition}?")


def make_case(template: Template, seed: int, index: int, number: int, *, eight: bool = False) -> SyntheticMade:
    """Return one case without its pictures: the `index`-th of its template, the `number`-th of its dataset.

    With `eight`, its questions have one of eight phrasings, chosen by the seed.
    """
    solved = template.solved(seed, index)
    puzzle = solved.puzzle
    key = f"{seed}/{template.number}"
    rng = Random(f"{key}/{index}/options")

    def question(world: World, text: str, right: int, wrong: Sequence[int]) -> Question:
        return number_question(text, right, wrong, balanced_answer("ABCD", f"{key}/{world} letter", index), rng)

    nth, other = (_phrasing(template, seed, index, world, eight) for world in TWO_WORLDS)
    factual = question(
        "factual", phrase_question(puzzle.question, nth), solved.answer, [before for before, _ in solved.others]
    )
    wondered = _counterfactual_text(puzzle, puzzle.presupposition, other)
    counterfactual = question("counterfactual", wondered, solved.new_answer, [after for _, after in solved.others])
    name = f"{SYNTHETIC_NAME}-{number:06d}"
    case = Case(
        id=name,
        image=f"images/{number:06d}.png",
        suite=SYNTHETIC_NAME,
        group=template.group,
        factual=factual,
        change=Change(as_sentence(puzzle.presupposition), template.kinds),
        counterfactual=counterfactual,
        counterfactual_image=f"images/{number:06d}-counterfactual.png",
        shown=msgspec.structs.replace(counterfactual, text=puzzle.changed_question or puzzle.question),
        provenance={"type": template.published_type, "seed": seed, "index": index},
    )
    return SyntheticMade(case, SceneRecord(name, puzzle.scene, puzzle.edits), solved.changed)


def make_control(template: Template, seed: int, index: int, number: int, *, eight: bool = False) -> SyntheticMade:
    """Return the control of a case: the same scene and question, with a change that does not affect the answer."""
    solved = template.solved(seed, index)
    puzzle, case = solved.puzzle, make_case(template, seed, index, number, eight=eight).case
    rng = Random(f"{seed}/{template.number}/{index}/control")
    edit, presupposition = CONTROLS[template.number](rng, puzzle.scene, solved.colour)
    changed = apply(puzzle.scene, (edit,))
    right = puzzle.count(changed)
    assert right == solved.answer, "a control must not change the answer"
    wrong = [before for before, _ in solved.others]
    letter = balanced_answer("ABCD", f"{seed}/{template.number}/control letter", index)
    text = _counterfactual_text(puzzle, presupposition, _phrasing(template, seed, index, "counterfactual", eight))
    counterfactual = number_question(text, right, wrong, letter, rng)
    control = msgspec.structs.replace(
        case,
        id=f"{case.id}-control",
        change=Change(as_sentence(presupposition), ("recolour" if isinstance(edit, Recolour) else "remove",)),
        counterfactual=counterfactual,
        counterfactual_image=f"images/{number:06d}-control.png",
        shown=msgspec.structs.replace(counterfactual, text=puzzle.question),
        control_of=case.id,
    )
    return SyntheticMade(control, SceneRecord(control.id, puzzle.scene, (edit,)), changed)


def _make_chunk(make_at: MakeAt, size: int, start: int) -> list[tuple[SyntheticMade, list[tuple[str, bytes]]]]:
    positions = range(start, min(start + CHUNK, size))
    return [(made, made.draw()) for position in positions for made in make_at(position)]


def _cases_at(size: int, seed: int, controls: bool, eight: bool, position: int) -> Iterator[SyntheticMade]:
    """Yield the case of the templates at a position of the dataset, and its control if there are controls."""
    template, index = _template_at(position, size)
    yield make_case(template, seed, index, position + 1, eight=eight)
    if controls:
        yield make_control(template, seed, index, position + 1, eight=eight)


def _template_at(position: int, size: int) -> tuple[Template, int]:
    """Return the template at a position and the index of its case; cases are spread evenly over the templates."""
    for nth, template in enumerate(TEMPLATES):
        count = size // len(TEMPLATES) + (nth < size % len(TEMPLATES))
        if position < count:
            return template, position
        position -= count
    raise IndexError(position)


# ---- reverse questions: which is the smallest change that reaches a goal? -------------------------------------------


class Goal(NamedTuple):
    """A scene, a goal, and the offered changes, of which the first is right."""

    scene: Scene
    words: str
    options: list[str]
    edit: Edit
    """The right change."""
    counting_question: str
    """A question that is asked about both pictures."""
    count: Callable[[Scene], int]
    """Returns its answer."""


def _remove_a_circle(rng: Random) -> Goal:
    """Ask which circle to remove so that a given number of dots remains. No other circle has as many dots."""
    emptier = rng.randrange(4)  # how many of the three wrong circles have fewer dots than the right one
    fuller = 3 - emptier
    while True:
        numbers = circles_of(rng)
        right = rng.randrange(len(numbers))
        with_fewer = [circle for circle, dots in enumerate(numbers) if dots < numbers[right]]
        with_more = [circle for circle, dots in enumerate(numbers) if dots > numbers[right]]
        is_unique = numbers.count(numbers[right]) == 1
        if is_unique and len(with_fewer) >= emptier and len(with_more) >= fuller:
            break
    offered = [right, *rng.sample(with_fewer, emptier), *rng.sample(with_more, fuller)]
    scene = dot_scene(rng, numbers)
    return Goal(
        scene,
        f"exactly {number_of(sum(numbers) - numbers[right], 'dot')} are left",
        [f"the {PLACES[circle]} circle is taken away with its dots" for circle in offered],
        Remove((scene.circles[right].id,)),
        "How many dots are there in all the circles together?",
        lambda scene: facts_of(scene).dots,
    )


def _remove_flowers(rng: Random) -> Goal:
    """Ask how many flowers to remove, and from which side, so that equally many are inside and outside."""
    colour = rng.choice(list(NAMED))
    more_inside, least = rng.choice((True, False)), rng.randint(1, 3)
    difference = least + rng.randint(0, 1)
    while True:
        regions = [rng.randint(1, 8) for _ in range(4)]
        inside, outside = regions[0] + regions[2], regions[1] + regions[3]
        if inside - outside == (difference if more_inside else -difference):
            break
    offered = [(within, number) for within in (True, False) for number in (least, least + 1)]
    offered.sort(key=lambda change: change != (more_inside, difference))
    scene = flower_scene(rng, (colour, rng.choice(distinct_colours(colour))), FlowerRegions(*regions))
    within = [flower.id for flower in flowers_in(scene, colour)]
    removable = within if more_inside else [flower.id for flower in scene.flowers if flower.id not in within]
    return Goal(
        scene,
        f"as many flowers are inside the {colour} polygon as outside it",
        [
            f"{number_of(number, 'flower')} {'inside' if within else 'outside'} the {colour} polygon "
            f"{'is' if number == 1 else 'are'} taken away"
            for within, number in offered
        ],
        Remove(tuple(rng.sample(removable, difference))),
        f"How many flowers are inside the {colour} polygon?",
        lambda scene: len(flowers_in(scene, colour)),
    )


def _least_changes_at(seed: int, index: int) -> Iterator[SyntheticMade]:
    """Yield a case that asks for the smallest change; it depends only on the seed and the index."""
    key = f"{seed}/least-change"
    goal = (_remove_a_circle, _remove_flowers)[index % 2](Random(f"{key}/{index}"))
    letter = balanced_answer("ABCD", f"{key}/letter", index)
    options = Random(f"{key}/{index}/options").sample(goal.options[1:], len(goal.options) - 1)
    options.insert(LETTERS.index(letter), goal.options[0])
    text = f"What is the smallest change after which {goal.words}?"
    before, after = goal.count(goal.scene), goal.count(apply(goal.scene, (goal.edit,)))
    case = Case(
        id=f"{SYNTHETIC_NAME}-{index + 1:06d}",
        image=f"images/{index + 1:06d}.png",
        suite=SYNTHETIC_NAME,
        group="least-change",
        factual=Question(goal.counting_question, str(before), "number"),
        counterfactual=Question(text, letter, "choice", tuple(map(Option, options))),
        counterfactual_image=f"images/{index + 1:06d}-counterfactual.png",
        shown=Question(goal.counting_question, str(after), "number"),
        provenance={"seed": seed, "index": index},
    )
    yield SyntheticMade(case, SceneRecord(case.id, goal.scene, (goal.edit,)), apply(goal.scene, (goal.edit,)))
