"""Make datasets of worlds: plan units of cases, turn drafts into cases, draw the pictures, and write the card."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from countersight import __version__
from countersight.blindness import card_section
from countersight.case import LETTERS, Case, Change, Option, Question
from countersight.dataset import DatasetWriter
from countersight.errors import CountersightError
from countersight.parallel import in_order
from countersight.progress import Progress
from countersight.random_choice import balanced, balanced_answer
from countersight.scenes import encode
from countersight.suggestions import unknown
from countersight.suites.cello.making import PER_TASK
from countersight.suites.generated import GROUPS, WORDINGS, division_table, split_of
from countersight.suites.supposing import as_sentence
from countersight.suites.worlds.causal_questions import CAUSES
from countersight.suites.worlds.disc_questions import DISCS
from countersight.suites.worlds.drafts import WorldDraft, WorldQuestion, WorldSuite
from countersight.suites.worlds.least_change_questions import DISCS_LEAST, SUPPORTS_LEAST
from countersight.suites.worlds.several_changes_questions import DISCS_SEVERAL, SUPPORTS_SEVERAL
from countersight.suites.worlds.support_questions import SUPPORTS
from countersight.suites.worlds.units import draft_unit
from countersight.worlds import WORLDS_FILE, Difficulty, WorldRecord, encode_world

SUITES = {
    SUPPORTS.name: msgspec.structs.replace(
        SUPPORTS, optional_groups={"least-change": (SUPPORTS_LEAST,), "several-changes": SUPPORTS_SEVERAL}
    ),
    DISCS.name: msgspec.structs.replace(
        DISCS, optional_groups={"least-change": (DISCS_LEAST,), "several-changes": DISCS_SEVERAL}
    ),
    CAUSES.name: CAUSES,
}
VERSION = "3.0"
"""The version of the suite: within a version, the same seed gives the same cases."""
SIZE = 2000
_REASONS = {
    "margin": "a margin of less than 6 pixels, or 20 % more or less friction, decided what falls",
    "radius": (
        "discs hit or missed each other or a wall by less than 6 pixels (the outcome changes with radii 3 px larger or "
        "smaller)"
    ),
    "bank": "a disc hit another one after bouncing off a wall, which cannot be judged by eye (allowed in hard cases)",
    "jitter": "one of 16 slightly different worlds (positions ±1 px; weight, friction, speed ±2 %) had another outcome",
    "model": "the world did not follow the structural model of its causal graph under every intervention",
    "floor": "the floor had no room for the fallen objects",
}
"""The reasons for dropping a candidate, as worded on the card."""


class _Unit(msgspec.Struct, frozen=True):
    """A unit to make: its group, its number, and the numbers of its cases."""

    group: int
    unit: int
    numbers: tuple[int, ...]


class _Plan(msgspec.Struct, frozen=True):
    """Settings shared by all units of a dataset; the suite is given by name, so that other processes can look it up."""

    suite: str
    seed: int
    difficulty: Difficulty | None = None
    reworded: bool = False
    groups: str = GROUPS[0]

    def requested_suite(self) -> WorldSuite:
        """Return the suite with the requested groups."""
        suite = SUITES[self.suite]
        groups = suite.optional_groups.get(self.groups, suite.groups)
        return msgspec.structs.replace(suite, groups=groups)


def _make(
    suite: WorldSuite,
    usual: int,
    folder: Path,
    *,
    size: int | None,
    seed: int,
    workers: int | None,
    progress: Progress,
    difficulty: Difficulty | None = None,
    wording: str = WORDINGS[0],
    groups: str = GROUPS[0],
) -> None:
    """Generate a suite into a new dataset folder, with all difficulties equally frequent unless one is given.

    The second `wording` asks the same about the same pictures in other words, with the options in another order
    (CELLO's test of robustness).
    """
    size = usual if size is None else size
    if size < 1:
        raise CountersightError(f"a dataset must have at least 1 case, not {size}")
    levels = (*suite.levels, *suite.optional_levels)
    if difficulty is not None and difficulty not in levels:
        raise CountersightError(f"the difficulty of {suite.name} is {' or '.join(levels)}, not {difficulty}")
    if wording not in WORDINGS:
        raise CountersightError(unknown(f"wording of {suite.name}", wording, WORDINGS))
    if groups not in (GROUPS[0], *suite.optional_groups):
        raise CountersightError(unknown("groups", groups, (GROUPS[0], *suite.optional_groups)))
    plan = _Plan(suite.name, seed, difficulty, wording == WORDINGS[1], groups)
    dropped = Counter[str]()
    writer = DatasetWriter(
        folder,
        name=suite.name,
        description=suite.description,
        license="CC0-1.0",
        provenance={
            "suite": suite.name,
            "version": VERSION,
            "size": size,
            "seed": seed,
            "difficulty": difficulty or "all",
            **({"wording": wording} if wording != WORDINGS[0] else {}),
            **({"groups": groups} if groups != GROUPS[0] else {}),
            "countersight": __version__,
        },
        sections=(
            _divisions,
            partial(_exclusions, dropped),
            card_section,
            partial(_attribution, suite.follows if groups == GROUPS[0] else ""),
        ),
    )
    rows: list[tuple[Case, WorldRecord]] = []
    with writer, progress("Building", size, "cases") as done, open(writer.staging / WORLDS_FILE, "wb") as worlds:
        units = list(_units(plan.requested_suite(), size, seed))
        for made, dropped_here in in_order(partial(_make_unit, plan), units, workers=workers):
            for case, record, pictures in made:
                for name, data in pictures:
                    (writer.staging / name).write_bytes(data)
                rows.append((case, record))
            dropped.update(dropped_here)
            done(len(rows))
        for case, record in sorted(rows, key=lambda row: row[0].id):
            writer.add(case)
            worlds.write(encode_world(record))


def _divisions(folder: Path) -> str:
    """Return the part of the card with cases by split, difficulty and group, and instructions for checking them."""
    return f"""## Splits and difficulty

{division_table(folder, "group", lambda case: case.group)}

Splits are by picture: no picture is in two splits, and cases that were made together (with the same group and
`unit`) are in the same split. Difficulty depends on the number of objects. All three are stored in
`provenance`. To have people check cases: `countersight collect new NAME --flow verify --from THIS_FOLDER`.
"""


def _exclusions(dropped: Counter[str], folder: Path) -> str:
    """Return the part of the card about excluded cases and citing."""
    reasons = "\n".join(
        f"- {dropped[reason]:,} because {words}" for reason, words in _REASONS.items() if dropped[reason]
    )
    return f"""
## Excluded cases

Every outcome is computed exactly, not simulated. A candidate was dropped if a viewer could not be sure of
its outcome:

{reasons}

## Citing

Name everything listed under “How it was made”; together, these settings determine every pixel.
Models may have been trained on the public set; for your own test, make a dataset with a new seed.
"""


def _attribution(follows: str, folder: Path) -> str:
    """Return the part of the card about the licence and the work that the suite follows."""
    return f"""## Licence and attribution

CC0-1.0: worlds, pictures, questions and answers are generated by Countersight from a seed and contain no third-party
data.
{follows}"""


make_supports = partial(_make, SUITES[SUPPORTS.name], SIZE)
make_discs = partial(_make, SUITES[DISCS.name], SIZE)
make_causal = partial(_make, CAUSES, PER_TASK * len(CAUSES.groups))


def _units(suite: WorldSuite, size: int, seed: int) -> Iterator[_Unit]:
    """Yield the units of all groups. Cases are shuffled within a group, so that none reveals the answer of the next."""
    each, over = divmod(size, len(suite.groups))
    first = 1
    for nth, group in enumerate(suite.groups):
        numbers = list(range(first, first + each + (nth < over)))
        first += len(numbers)
        Random(f"{suite.name}/{seed}/{group.name}/order").shuffle(numbers)
        for unit, start in enumerate(range(0, len(numbers), len(group.targets))):
            yield _Unit(nth, unit, tuple(numbers[start : start + len(group.targets)]))


def drafts_with_cases(
    suite: WorldSuite, *, size: int, seed: int, reworded: bool = False
) -> Iterator[tuple[WorldDraft, Case]]:
    """Return the cases of a suite without their pictures, each with its draft."""
    plan = _Plan(suite.name, seed, reworded=reworded)
    return (found for unit in _units(suite, size, seed) for found in _cases(suite, plan, unit, Counter()))


_CaseWithPictures = tuple[Case, WorldRecord, tuple[tuple[str, bytes], ...]]
"""A case, the world shown in its pictures, and the pictures by name."""


def _make_unit(plan: _Plan, unit: _Unit) -> tuple[list[_CaseWithPictures], dict[str, int]]:
    suite, dropped = plan.requested_suite(), Counter[str]()
    made = [_draw(suite, draft, case) for draft, case in _cases(suite, plan, unit, dropped)]
    return made, dict(dropped)


def _cases(suite: WorldSuite, plan: _Plan, order: _Unit, dropped: Counter[str]) -> Iterator[tuple[WorldDraft, Case]]:
    """Yield the cases of a unit in random order, each with the draft it was made from."""
    group = suite.groups[order.group]
    key = f"{suite.name}/{plan.seed}/{group.name}"
    asked = plan.difficulty
    level = balanced(suite.levels, f"{key}/difficulty", order.unit) if asked is None else asked
    unit = draft_unit(suite, group, level, f"{key}/{level}/{order.unit}", dropped)
    made = {"difficulty": level, "unit": order.unit, "split": split_of(f"{key}/{order.unit}")}
    drafts = Random(f"{key}/{order.unit}").sample(unit, len(order.numbers))
    first = order.unit * len(group.targets)
    places = _option_places(drafts, first, f"{key}/letter", plan.reworded)
    for nth, draft in enumerate(drafts):
        ordered = _ordered(draft, *places[nth], Random(f"{key}/{first + nth}/options"))
        number = f"{order.numbers[nth]:06d}"
        yield draft, _case(ordered, suite.name, group.name, number, plan.reworded, {**made, **draft.extra_provenance})


def _option_places(drafts: list[WorldDraft], first: int, key: str, reworded: bool) -> list[tuple[int, int]]:
    """Return for each draft the places of two options: the right one, and the one that is right without the change.

    Both are balanced over the letters: the second is at the place where the next case has its right option.
    """
    numbers = range(first, first + len(drafts))
    places = [(LETTERS.index(balanced_answer("ABCD", key, number)) + reworded) % 4 for number in numbers]
    unlike = [
        nth for nth, each in enumerate(drafts) if each.factual and each.factual.answer != each.counterfactual.answer
    ]
    following = dict(zip(unlike, [*unlike[1:], *unlike[:1]], strict=True))
    found = []
    for nth, place in enumerate(places):
        other = places[following.get(nth, nth)]
        found.append((place, (place + 1 + numbers[nth] // 4 % 3) % 4 if other == place else other))
    return found


def _case(draft: WorldDraft, suite: str, group: str, number: str, reworded: bool, provenance: dict[str, Any]) -> Case:
    """Return the case of a draft whose options are in order."""
    worded_change = draft.worded_change if draft.shown and draft.says_change else None
    change = None
    if worded_change:  # the words follow "if" in the question; as a sentence, "were" becomes "was"
        change = Change(as_sentence(worded_change.words.replace(" were ", " was ")), (worded_change.kind,))
    asked = draft.second_wording if reworded and draft.second_wording else draft.counterfactual
    return Case(
        id=f"{suite}-{number}",
        image=f"images/{number}.png",
        suite=suite,
        group=group,
        factual=_question(draft, draft.factual) if draft.factual else None,
        change=change,
        counterfactual=_question(draft, asked),
        counterfactual_image=f"images/{number}-counterfactual.png" if draft.shown else None,
        shown=_question(draft, draft.shown) if draft.shown else None,
        graph=draft.graph,
        provenance=provenance,
    )


def _ordered(draft: WorldDraft, place: int, other: int, rng: Random) -> WorldDraft:
    """Return the draft with its options in random order, but with the right option at `place` and the option that is
    right without the change, if it is a different one, at `other`. Both are balanced over the letters."""
    if not draft.options:
        return draft
    placed = {draft.counterfactual.answer: place}
    if draft.factual:
        placed.setdefault(draft.factual.answer, other)
    rest = rng.sample([option for option in draft.options if option.text not in placed], 4 - len(placed))
    free = (nth for nth in range(4) if nth not in placed.values())
    places = {option.text: nth for option, nth in zip(rest, free, strict=True)} | placed
    return msgspec.structs.replace(draft, options=tuple(sorted(draft.options, key=lambda each: places[each.text])))


def _question(draft: WorldDraft, asked: WorldQuestion) -> Question:
    """Return a question with the options of the draft, each with its role in this question."""
    answer, options = asked.answer, list[Option]()
    for letter, option in zip(LETTERS, draft.options, strict=False):
        if option.text == asked.answer:
            answer, role = letter, "answer"
        else:  # the right option under the change may be wrong without it
            role = "image" if option.role == "answer" else option.role
        options.append(Option(option.text, role))
    return Question(asked.text, answer, draft.kind, tuple(options))


def _draw(suite: WorldSuite, draft: WorldDraft, case: Case) -> _CaseWithPictures:
    """Return a case with its pictures and the worlds that they show."""
    pictures = [(str(case.image), encode(suite.draw(draft.world)))]
    if case.counterfactual_image and draft.after:
        pictures.append((case.counterfactual_image, encode((draft.show or suite.show)(draft.after))))
    change = draft.worded_change.change if draft.worded_change and draft.after is not draft.world else None
    return case, WorldRecord(case.id, draft.world, change, draft.second_change), tuple(pictures)
