"""Questions by chance about what is true of a picture, with the answer and why it is so."""

from collections.abc import Sequence
from random import Random

import msgspec

from countersight.models.embedded import CIRCLES, COLOURS, LARGEST
from countersight.training import reasons, wordings
from countersight.training.facts import Facts

USUAL = {"flowers": ("inside", "outside"), "dots": ("dots", "top", "most")}
FURTHER = {"flowers": ("flowers", "both", "free"), "dots": ("bottom", "circle", "circles")}
USUAL_CHANGES = {
    "flowers": (("outside", "all one colour"), ("inside", "take from colour"), ("inside", "empty colour")),
    "dots": (("dots", "take dots"), ("top", "take right"), ("most", "take fullest")),
}
FURTHER_CHANGES = {
    "flowers": (
        ("inside", "all one colour"),
        ("inside", "give to colour"),
        ("flowers", "empty colour"),
        ("flowers", "take flowers"),
        ("flowers", "give flowers"),
    ),
    "dots": (
        ("dots", "give dots"),
        ("top", "take left"),
        ("bottom", "take right"),
        ("dots", "take right"),
        ("dots", "take fullest"),
    ),
}


class Asked(msgspec.Struct, frozen=True):
    """A question with a number for an answer, and the reason in words."""

    text: str
    answer: int
    because: str


def factual(rng: Random, facts: Facts, about: str, topic: str | None = None) -> Asked | None:
    """A question about the picture as it is, of flowers or of dots; None where it makes no sense."""
    topic = topic or rng.choice(USUAL[about] if rng.random() < 0.75 else FURTHER[about])
    slots = _slots(rng, facts)
    answer = _count(topic, facts, slots)
    if answer is None:
        return None
    text = usual_first(rng, wordings.FACTUAL[topic]).format(**slots)
    return Asked(text, answer, _because(topic, slots, answer))


def counterfactual(rng: Random, facts: Facts, about: str) -> Asked | None:
    """A question about the picture under a change; None where the change makes no sense in it."""
    topic, change = rng.choice(USUAL_CHANGES[about] if rng.random() < 0.75 else FURTHER_CHANGES[about])
    slots = _slots(rng, facts)
    answer = _count_after(rng, topic, change, facts, slots)
    if answer is None or not 0 <= answer <= LARGEST:
        return None
    stem = usual_first(rng, wordings.SUPPOSED[topic]).format(**slots)
    clause = usual_first(rng, wordings.CHANGES[change]).format(**slots)
    if slots.get("n") == 1:
        clause = clause.replace("1 flowers", "1 flower").replace("1 dots", "1 dot")
    first = rng.random() < 0.12
    text = f"If {clause}, {stem[0].lower()}{stem[1:]}?" if first else f"{stem} if {clause}?"
    return Asked(text, answer, _because(f"{topic}, {change}", slots, answer))


def boolean(rng: Random, facts: Facts, about: str) -> tuple[str, bool, str] | None:
    """A question with yes or no for an answer, whether it is yes, and the reason."""
    text, topic = rng.choice([(text, topic) for text, topic in wordings.BOOLEANS if topic in _TOPICS[about]])
    slots = _slots(rng, facts)
    count = _count(topic, facts, slots)
    if count is None:
        return None
    slots["n"] = max(0, count + rng.randint(-4, 3))
    return text.format(**slots), count > int(slots["n"]), _because(topic, slots, count)


def usual_first(rng: Random, texts: Sequence[str]) -> str:
    """One of the texts: half of the time the first or second, which are those of the suites."""
    return rng.choice(texts[:2] if rng.random() < 0.5 else texts)


_TOPICS = {about: USUAL[about] + FURTHER[about] for about in USUAL}

Slots = dict[str, str | int]


def _slots(rng: Random, facts: Facts) -> Slots:
    """What the wordings may name: colours and a place by chance, and what was counted."""
    there = sorted(set(facts.colours))
    colour = rng.choice(there) if there and rng.random() < 0.93 else rng.choice(COLOURS)
    others = [other for other in there if other != colour]
    other = rng.choice(others) if others and rng.random() < 0.95 else rng.choice([x for x in COLOURS if x != colour])
    numbers = [0 if number is None else number for number in facts.circles]
    present = [number for number in facts.circles if number is not None]
    return {
        "c": colour,
        "o": other,
        "p": rng.choice(CIRCLES),
        "flowers": facts.flowers,
        "free": facts.outside,
        "inside": facts.inside[COLOURS.index(colour)],
        "dots": facts.dots,
        "most": max(present, default=0),
        "row": _listed(numbers),
        "upper": _listed(numbers[:3]),
        "lower": _listed(numbers[3:]),
    }


def _listed(numbers: Sequence[int]) -> str:
    return f"{', '.join(str(number) for number in numbers[:-1])} and {numbers[-1]}"


def _because(name: str, slots: Slots, answer: int) -> str:
    return reasons.BECAUSE[name].format(**slots, x=answer)


def _count(topic: str, facts: Facts, slots: Slots) -> int | None:
    inside = int(slots["inside"])
    present = [number for number in facts.circles if number is not None]
    match topic:
        case "inside":
            return inside
        case "outside":
            return facts.flowers - inside
        case "flowers":
            return facts.flowers
        case "both":
            return facts.both
        case "free":
            return facts.outside
        case "dots":
            return facts.dots
        case "top":
            return facts.top
        case "bottom":
            return facts.bottom
        case "most":
            return max(present, default=None)
        case "circle":
            return facts.circles[CIRCLES.index(str(slots["p"]))]
        case "circles":
            return len(present)
        case _:
            raise ValueError(topic)


def _count_after(rng: Random, topic: str, change: str, facts: Facts, slots: Slots) -> int | None:
    before = _count(topic, facts, slots)
    if before is None:
        return None
    match change:
        case "all one colour":
            return facts.outside if topic == "outside" else facts.flowers - facts.outside
        case "take from colour" | "take flowers" | "take dots":
            if before < 1:
                return None
            taken = rng.randint(1, before)
            slots["n"] = taken
            return before - taken
        case "give to colour" | "give flowers" | "give dots":
            given = rng.randint(1, 12)
            slots["n"] = given
            return before + given
        case "empty colour":
            return _without_colour(topic, facts, slots)
        case "take right" | "take left":
            return _without_column(topic, facts, 2 if change == "take right" else 0)
        case "take fullest":
            present = sorted(number for number in facts.circles if number is not None)
            if len(present) < 2:
                return None
            return present[-2] if topic == "most" else before - present[-1]
        case _:
            raise ValueError(change)


def _without_colour(topic: str, facts: Facts, slots: Slots) -> int:
    colour, other = COLOURS.index(str(slots["c"])), COLOURS.index(str(slots["o"]))
    if topic == "flowers":
        slots["gone"] = facts.inside[other]
        return facts.flowers - facts.inside[other]
    # There are two polygons: a flower inside both colours is one inside both polygons.
    gone = facts.inside[colour] - facts.alone[colour] if facts.inside[other] else 0
    slots["gone"] = gone
    return facts.inside[colour] - gone


def _without_column(topic: str, facts: Facts, column: int) -> int | None:
    if None in facts.circles:
        return None  # with circles missing it is not plain which two are meant
    left = [number or 0 for place, number in enumerate(facts.circles) if place % 3 != column]
    return {"top": sum(left[:2]), "bottom": sum(left[2:]), "dots": sum(left)}[topic]
