"""Planning on a table: which disc must be removed so that another does not reach a wall?"""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from random import Random

from countersight.case import Option
from countersight.suites.worlds.disc_questions import RULE, SHOWN, reaches
from countersight.suites.worlds.drafts import Told, WorldDraft, WorldQuestion, worded
from countersight.worlds import CLEARLY, Disc, Discs, Motion, Take, changed_discs, motion

_OPTIONS = 4


def planning(world: Discs, kind: str, rng: Random, dropped: Counter[str]) -> Iterator[WorldDraft]:
    """Return drafts that ask which of four discs must go so that a fifth does not reach the wall it reaches now."""
    now = motion(world)
    for disc in rng.sample(world.discs, len(world.discs)):
        if not now.reaches_wall(disc.id):
            continue
        others = [other for other in rng.sample(world.discs, len(world.discs)) if other is not disc]
        needed = [other for other in others if not motion(_without(world, other)).reaches_wall(disc.id)]
        spared = [other for other in others if other not in needed]
        chosen = [*needed[:1], *spared[: _OPTIONS - 1]]
        if len(chosen) == _OPTIONS and needed and _leftmost(chosen):
            yield _planned(world, now, disc, chosen)


def _planned(world: Discs, now: Motion, disc: Disc, chosen: list[Disc]) -> WorldDraft:
    right, *wrong = chosen
    met = now.hit_by(disc.id)
    options = [Option(f"the {right.name}", "answer")]
    options += [Option(f"the {other.name}", "graph" if other.id in met else "image") for other in wrong]
    return WorldDraft(
        skeleton="",
        target=None,
        kind="choice",
        factual=WorldQuestion("Which of these is farthest to the left?", f"the {_leftmost(chosen)}"),
        counterfactual=WorldQuestion(
            f"{RULE} Which of these would have to be taken away so that the {disc.name} does not reach a wall?",
            options[0].text,
        ),
        shown=WorldQuestion(f"{SHOWN} Which of these is not in the pictures?", options[0].text),
        world=world,
        told=Told(Take(right.id), worded("{X} were taken away", X=right), right, "remove"),
        after=_without(world, right),
        options=tuple(options),
        fact=partial(reaches, disc.id),
        rivals=tuple(other.id for other in wrong),
        says_change=False,
    )


def _without(world: Discs, disc: Disc) -> Discs:
    return changed_discs(world, Take(disc.id))


def _leftmost(chosen: list[Disc]) -> str:
    """The name of the disc farthest to the left, where that can be seen; nothing where it cannot."""
    first, second, *_ = sorted(chosen, key=lambda disc: disc.x)
    return first.name if second.x - first.x >= CLEARLY else ""
