"""What the terminal and the figure both show of a dataset's statistics."""

from typing import Final

import msgspec

from countersight.description.counted import OTHER, Counted, GroupStatistics, WorldStatistics

_ANSWERS_SHOWN = 40
_GROUPS_SHOWN = 24
_SELDOM = 0.005
CONTROLLED: Final = "the change does not touch what is asked, and the answer must stay"


class Bar(msgspec.Struct, frozen=True):
    """One category and its share of the questions of each world, factual first."""

    label: str
    shares: tuple[float, float]


class Balance(msgspec.Struct, frozen=True):
    """How the right answers of a group's closed questions are spread over letters, or over yes and no."""

    group: str
    world: str
    parts: tuple[tuple[str, float], ...]


def frequent_answers(world: WorldStatistics) -> list[tuple[str, int]]:
    """The answers that are right often enough to be told of: of sentences written for one case each there are none."""
    return [(answer, n) for answer, n in world.answers if n >= _SELDOM * world.questions]


def answer_bars(group: GroupStatistics) -> list[Bar]:
    """The share of each right answer: words by frequency, then numbers in their order; none where none is frequent."""
    if not any(frequent_answers(world) for world in group.worlds):
        return []
    factual, counterfactual = (dict(world.answers) for world in group.worlds)
    both = sorted(
        {*factual, *counterfactual} - {OTHER}, key=lambda x: (-factual.get(x, 0) - counterfactual.get(x, 0), x)
    )
    kept = both[:_ANSWERS_SHOWN]
    kept.sort(key=lambda answer: (_is_number(answer), float(answer) if _is_number(answer) else 0.0))
    bars = [Bar(answer, _shares(group, factual.get(answer, 0), counterfactual.get(answer, 0))) for answer in kept]
    rest = [sum(n for answer, n in world.answers if answer not in kept) for world in group.worlds]
    return [*bars, Bar(OTHER, _shares(group, *rest))] if any(rest) else bars


def length_bars(group: GroupStatistics, most: int = 40) -> list[Bar]:
    """The share of questions of each length in words, in steps wide enough for at most so many bars."""
    lengths = [length for world in group.worlds for length, _ in world.words]
    if not lengths:
        return []
    low, high = min(lengths), max(lengths)
    step = -(-(high - low + 1) // most)
    bars = []
    for start in range(low, high + 1, step):
        inside = [sum(n for length, n in world.words if start <= length < start + step) for world in group.worlds]
        bars.append(Bar(str(start) if step == 1 else f"{start}–{start + step - 1}", _shares(group, *inside)))
    return bars


def balances(statistics: Counted) -> list[Balance]:
    """The balance of every group, where there are not too many, and of all."""
    groups = statistics.groups if 1 < len(statistics.groups) <= _GROUPS_SHOWN else ()
    return [
        Balance(group.group, world.world, parts)
        for group in (*groups, statistics.total)
        for world in group.worlds
        if (parts := _parts(world))
    ]


def _parts(world: WorldStatistics) -> tuple[tuple[str, float], ...]:
    counts = list(world.letters)
    if world.yes or world.no:
        counts += [("yes", world.yes), ("no", world.no)]
    total = sum(n for _, n in counts)
    return tuple((label, n / total) for label, n in counts) if total else ()


def _shares(group: GroupStatistics, factual: int, counterfactual: int) -> tuple[float, float]:
    return factual / (group.factual.questions or 1), counterfactual / (group.counterfactual.questions or 1)


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False
