"""Boolean structural causal models: simulate a world, intervene in it, and compute counterfactuals.

Gold answers are checked against these models. A variable is true as long as its object is as shown in the
picture. Its mechanism is a truth table over its causes and a background variable: whether anything outside the model
disturbs it. Models of a picture have two to four variables, so every combination of background values is enumerated
and every result is exact.
"""

from collections.abc import Iterator, Mapping
from itertools import product

import msgspec

State = Mapping[str, bool]
"""Values of variables by name."""

Chances = Mapping[str, float]
"""The probability that each variable is left undisturbed, independently of the others."""

_NOTHING: State = {}


class StructuralModel(msgspec.Struct, frozen=True):
    """Variables, their causes and their mechanisms."""

    causes: dict[str, tuple[str, ...]]
    """The causes of every variable; causes come before their effects."""
    tables: dict[str, tuple[bool, ...]]
    """The value of every variable by its inputs read as a binary number: undisturbed is 1, the first cause 2, …"""

    def solve(self, background: State, do: State = _NOTHING) -> dict[str, bool]:
        """Return the world for a background (which variables are left undisturbed) under the intervention `do`."""
        world: dict[str, bool] = {}
        for name, causes in self.causes.items():
            if name in do:
                world[name] = do[name]
            else:
                row, place = int(background[name]), 2
                for cause in causes:
                    row, place = row + place * world[cause], 2 * place
                world[name] = self.tables[name][row]
        return world

    def backgrounds(self) -> Iterator[dict[str, bool]]:
        """Return every combination of disturbed and undisturbed variables."""
        for values in product((True, False), repeat=len(self.causes)):
            yield dict(zip(self.causes, values, strict=True))


def every_cause_needed(causes: dict[str, tuple[str, ...]]) -> StructuralModel:
    """Return the model behind the gold answers: a thing stays if all its causes stay and nothing disturbs it."""
    tables = {name: (*(False,) * (2 ** (len(of) + 1) - 1), True) for name, of in causes.items()}
    return StructuralModel(causes, tables)


def probability(
    model: StructuralModel, chances: Chances, event: State, *, given: State = _NOTHING, do: State = _NOTHING
) -> float:
    """Return the probability of an event given the evidence, under an intervention."""
    likely = possible = 0.0
    for background in model.backgrounds():
        world = model.solve(background, do)
        if _agrees(world, given):
            weight = _weight(chances, background)
            possible += weight
            likely += weight * _agrees(world, event)
    return likely / possible if possible else float("nan")


def counterfactual_value(model: StructuralModel, asked: str, do: State, seen: State) -> bool | None:
    """Return the counterfactual value of a variable under `do`, given `seen`: abduction, action, prediction.

    None if `seen` does not determine the value.

    """
    found = {
        model.solve(background, do)[asked]
        for background in model.backgrounds()
        if _agrees(model.solve(background), seen)
    }
    return found.pop() if len(found) == 1 else None


def controlled_direct_effect(model: StructuralModel, chances: Chances, cause: str, effect: str, held: State) -> float:
    """Return the effect of the cause while the other variables in `held` are set to their given values."""
    kept = _mean(model, chances, effect, {**held, cause: True}, ())
    return kept - _mean(model, chances, effect, {**held, cause: False}, ())


def natural_direct_effect(
    model: StructuralModel, chances: Chances, cause: str, effect: str, mediators: tuple[str, ...]
) -> float:
    """Return the effect lost when the cause is removed and the mediators keep their values."""
    kept = _mean(model, chances, effect, {cause: True}, ())
    return kept - _mean(model, chances, effect, {cause: False}, mediators, {cause: True})


def natural_indirect_effect(
    model: StructuralModel, chances: Chances, cause: str, effect: str, mediators: tuple[str, ...]
) -> float:
    """Return the effect lost when the cause is kept and the mediators change as they would without it."""
    kept = _mean(model, chances, effect, {cause: True}, ())
    return kept - _mean(model, chances, effect, {cause: True}, mediators, {cause: False})


def is_sufficient(model: StructuralModel, cause: str, effect: str) -> bool:
    """Return whether the effect is certain if the cause is kept and nothing disturbs the effect itself."""
    kept = (background for background in model.backgrounds() if background[effect])
    return all(model.solve(background, {cause: True})[effect] for background in kept)


def is_necessary(model: StructuralModel, cause: str, effect: str) -> bool:
    """Return whether the effect is lost only if the cause is lost, when nothing disturbs the effect itself."""
    worlds = (model.solve(background) for background in model.backgrounds() if background[effect])
    return not any(world[cause] for world in worlds if not world[effect])


def adjusted_probability(
    model: StructuralModel, chances: Chances, cause: str, effect: str, value: bool, controlled: tuple[str, ...]
) -> float:
    """Return the probability of the effect by the adjustment formula: its probability given that value of the cause in
    each stratum of the controlled variables, weighted by the probability of the stratum. There is no intervention."""
    total = 0.0
    for values in product((True, False), repeat=len(controlled)):
        stratum = dict(zip(controlled, values, strict=True))
        share = probability(model, chances, stratum)
        if share:
            total += share * probability(model, chances, {effect: True}, given={**stratum, cause: value})
    return total


def association(model: StructuralModel, chances: Chances, one: str, other: str, given: State = _NOTHING) -> float:
    """Return how much more likely two variables are both true, given the evidence, than if they were independent; zero
    if one reveals nothing about the other."""
    together = probability(model, chances, {one: True, other: True}, given=given)
    alone = (probability(model, chances, {name: True}, given=given) for name in (one, other))
    return together - next(alone) * next(alone)


def _mean(
    model: StructuralModel, chances: Chances, effect: str, do: State, fixed: tuple[str, ...], fixing: State = _NOTHING
) -> float:
    """Return the probability of the effect under an intervention, with some variables set as under a second
    intervention."""
    total = 0.0
    for background in model.backgrounds():
        elsewhere = model.solve(background, fixing) if fixed else {}
        world = model.solve(background, {**{name: elsewhere[name] for name in fixed}, **do})
        total += _weight(chances, background) * world[effect]
    return total


def _weight(chances: Chances, background: State) -> float:
    weight = 1.0
    for name, undisturbed in background.items():
        weight *= chances[name] if undisturbed else 1 - chances[name]
    return weight


def _agrees(world: State, part: State) -> bool:
    return all(world[name] == value for name, value in part.items())
