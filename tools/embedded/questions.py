"""Random questions about the facts of a picture, with answers and reasons."""

from random import Random

import msgspec

from countersight.english import UNITS
from countersight.models.embedded import LARGEST
from countersight.scenes import COLOURS, PLACES, Facts
from tools.embedded import reasons, wordings
from tools.embedded.grammar import drawn, filled
from tools.embedded.wordings import Worlds

Changes = dict[str, tuple[tuple[str, str], ...]]
"""By the kind of picture: pairs of a topic (what is counted) and a supposed change."""
USUAL = {"flowers": ("inside", "outside"), "dots": ("dots", "top", "most")}
FURTHER = {"flowers": ("flowers", "both", "both_named", "free"), "dots": ("bottom", "circle", "circles")}
USUAL_CHANGES: Changes = {
    "flowers": (("outside", "all one colour"), ("inside", "take from colour"), ("inside", "empty colour")),
    "dots": (("dots", "take dots"), ("top", "take right"), ("most", "take fullest")),
}
FURTHER_CHANGES: Changes = {
    "flowers": (
        ("inside", "all one colour"),
        ("inside", "give to colour"),
        ("flowers", "empty colour"),
        ("flowers", "take flowers"),
        ("flowers", "give flowers"),
        ("outside", "take outside"),
        ("outside", "empty colour"),
        ("flowers", "empty outside"),
    ),
    "dots": (
        ("dots", "give dots"),
        ("top", "take left"),
        ("bottom", "take right"),
        ("dots", "take right"),
        ("dots", "take fullest"),
        ("dots", "take emptiest"),
        ("dots", "empty bottom"),
        ("dots", "empty top"),
        ("top", "take top"),
        ("bottom", "take bottom"),
    ),
}
IRRELEVANT: Changes = {
    "flowers": (
        ("outside", "take from colour"),
        ("inside", "take outside"),
        ("inside", "empty outside"),
        ("flowers", "all one colour"),
    ),
    "dots": (
        ("dots", "recolour dots"),
        ("top", "empty bottom"),
        ("most", "take emptiest"),
        ("top", "recolour dots"),
        ("most", "recolour dots"),
        ("bottom", "empty top"),
        ("top", "take bottom"),
        ("bottom", "take top"),
    ),
}
"""Changes that do not affect the answer."""
IN_THE_SUITES = 0.35
"""Share of questions in the exact words of the suites."""
IN_WORDS = 0.12
"""Share of questions that spell out their number."""

Slots = dict[str, str | int]
_LETTERS = "aaabcdeeefghiiijklmnooprsttuuvwyz"


class Asked(msgspec.Struct, frozen=True):
    """A question with a numeric answer, and the data for its reason."""

    text: str
    answer: int
    reason: str = ""
    """The key of its reason in `reasons`."""
    slots: Slots = {}
    facts: Facts | None = None

    def because(self) -> str:
        """Return the reason in words."""
        return "" if self.facts is None else reasons.because(self.reason, self.slots, self.facts, self.answer)


def factual(
    rng: Random, facts: Facts, about: str, worlds: Worlds = "factual", topic: str | None = None
) -> Asked | None:
    """Return a question about flowers or dots in the original picture; None if it makes no sense."""
    topic = topic or rng.choice(USUAL[about] if rng.random() < 0.75 else FURTHER[about])
    slots = slots_for(rng, facts)
    answer = count(topic, facts, slots)
    if answer is None:
        return None
    return Asked(worded(rng, topic, slots, worlds), answer, topic, slots, facts)


def worded(rng: Random, topic: str, slots: Slots, worlds: Worlds) -> str:
    """Return a question for a topic, in the wording of the suites or in another."""
    if rng.random() < IN_THE_SUITES:
        return filled(rng.choice(wordings.usual(topic)), slots)
    return filled(drawn(rng, wordings.factual(topic, worlds)), slots)


def counterfactual(rng: Random, facts: Facts, about: str) -> Asked | None:
    """Return a question about the picture under a change; None if the change makes no sense."""
    topic, change = rng.choice(_changes(rng.random())[about])
    slots = slots_for(rng, facts)
    answer = count_after(rng, topic, change, facts, slots)
    if answer is None or not 0 <= answer <= LARGEST:
        return None
    return Asked(worded_supposed(rng, topic, change, slots), answer, f"{topic}, {change}", slots, facts)


def _changes(chance: float) -> Changes:
    return USUAL_CHANGES if chance < 0.5 else IRRELEVANT if chance < 0.78 else FURTHER_CHANGES


def worded_supposed(rng: Random, topic: str, change: str, slots: Slots) -> str:
    """Return a question for a topic under a change, in the wording of the suites or in another."""
    in_suites = rng.random() < IN_THE_SUITES
    return filled(drawn(rng, wordings.supposed(topic, change, usual_only=in_suites)), in_words(rng, slots))


def in_words(rng: Random, slots: Slots) -> Slots:
    """Return the slots, sometimes with the number spelled out."""
    number = slots.get("n")
    if isinstance(number, int) and number < len(UNITS) and rng.random() < IN_WORDS:
        return {**slots, "n": UNITS[number]}
    return slots


def boolean(rng: Random, facts: Facts, about: str) -> tuple[str, bool, str] | None:
    """Return a yes/no question, whether its answer is yes, and the reason."""
    topic = rng.choice([topic for topic in wordings.yes_no() if topic in _TOPICS[about]])
    slots = slots_for(rng, facts)
    number = count(topic, facts, slots)
    if number is None:
        return None
    slots["n"] = max(0, number + rng.randint(-4, 3))
    text = filled(rng.choice(wordings.yes_no()[topic]), slots)
    return text, number > int(slots["n"]), reasons.because(topic, slots, facts, number)


_TOPICS = {about: USUAL[about] + FURTHER[about] for about in USUAL}


def slots_for(rng: Random, facts: Facts, place: int | None = None) -> Slots:
    """Return values for the slots of wordings: colours, a place (random unless given), and an unknown word."""
    there = sorted(set(facts.colours))
    colour = rng.choice(there or COLOURS)
    other = rng.choice([each for each in there if each != colour] or [each for each in COLOURS if each != colour])
    place = rng.randrange(len(PLACES)) if place is None else place
    return {"c": colour, "o": other, **_place_slots(rng, place), "k": rng.choice(COLOURS), "name": anything(rng)}


def _place_slots(rng: Random, place: int) -> Slots:
    row, column = divmod(place, 3)
    across = ("left", rng.choice(("middle", "middle", "center", "centre", "central")), "right")[column]
    return {
        "p": PLACES[place],
        "v": rng.choice((("top", "top", "upper"), ("bottom", "bottom", "lower"))[row]),
        "h": across,
        "nth": ("first", "second", rng.choice(("third", "last")))[column],
    }


def anything(rng: Random) -> str:
    """Return a word of random letters, but never one that introduces a supposition."""
    while wordings.SUPPOSING.search(word := "".join(rng.choices(_LETTERS, k=rng.randint(3, 10)))):
        pass
    return word


def count(topic: str, facts: Facts, slots: Slots) -> int | None:
    """Return the count of a topic in a picture; None if what it presupposes is absent."""
    colour = str(slots["c"])
    present = [number for number in facts.circles if number is not None]
    match topic:
        case "inside" | "outside":
            inside = facts.inside[COLOURS.index(colour)]
            counted = inside if topic == "inside" else facts.flowers - inside
            return counted if colour in facts.colours else None
        case "flowers":
            return facts.flowers
        case "both" | "both_named":
            there = len(set(facts.colours)) == 2 if topic == "both_named" else bool(facts.colours)
            return facts.both if there else None
        case "free":
            return facts.outside if facts.colours else None
        case "dots":
            return facts.dots
        case "top":
            return facts.top if present else None
        case "bottom":
            return facts.bottom if present else None
        case "most":
            return max(present, default=None)
        case "circle":
            return facts.circles[PLACES.index(str(slots["p"]))]
        case "circles":
            return len(present)
        case _:
            raise ValueError(topic)


def count_after(rng: Random, topic: str, change: str, facts: Facts, slots: Slots) -> int | None:
    """Return a topic's count after a change, and put the change's number into the slots; None if it makes no sense."""
    before = count(topic, facts, slots)
    if before is None:
        return None
    about = _TAKEN_FROM.get(change)
    if about is not None:
        there = count(about, facts, slots)
        if not there:
            return None
        taken = rng.randint(1, there)
        slots["n"] = taken
        return before - taken if topic == about else before
    match change:
        case "all one colour":
            return {"outside": facts.outside, "flowers": before}.get(topic, facts.flowers - facts.outside)
        case "give to colour" | "give flowers" | "give dots":
            given = rng.randint(1, 12)
            slots["n"] = given
            return before + given
        case "empty colour":
            return _without_colour(topic, facts, slots)
        case "empty outside":
            return count("inside", facts, slots)
        case "empty bottom" | "empty top":
            return facts.top if change == "empty bottom" else facts.bottom
        case "recolour dots":
            return before
        case "take emptiest":
            present = [number for number in facts.circles if number is not None]
            return None if len(present) < 2 else before - min(present) * (topic == "dots")
        case "take right" | "take left":
            return _without_column(topic, facts, 2 if change == "take right" else 0)
        case "take fullest":
            present = sorted(number for number in facts.circles if number is not None)
            if len(present) < 2:
                return None
            return present[-2] if topic == "most" else before - present[-1]
        case _:
            raise ValueError(change)


_TAKEN_FROM = {
    "take from colour": "inside",
    "take outside": "outside",
    "take flowers": "flowers",
    "take dots": "dots",
    "take bottom": "bottom",
    "take top": "top",
}
"""The topic from which a change removes things; the counts of other topics stay the same."""


def _without_colour(topic: str, facts: Facts, slots: Slots) -> int | None:
    colour, other = COLOURS.index(str(slots["c"])), COLOURS.index(str(slots["o"]))
    if COLOURS[other] not in facts.colours:
        return None
    # There are two polygons: a flower inside both colours is one inside both polygons.
    before = {"flowers": facts.flowers, "inside": facts.inside[colour], "outside": facts.flowers - facts.inside[colour]}
    lost = {"flowers": facts.inside, "inside": _less(facts.inside, facts.alone), "outside": facts.alone}
    gone = lost[topic][colour if topic == "inside" else other]
    slots["gone"] = gone
    return before[topic] - gone


def _less(numbers: tuple[int, ...], others: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(number - other for number, other in zip(numbers, others, strict=True))


def _without_column(topic: str, facts: Facts, column: int) -> int | None:
    if None in facts.circles:
        return None  # if circles are missing, it is unclear which two are meant
    left = [number or 0 for place, number in enumerate(facts.circles) if place % 3 != column]
    return {"top": sum(left[:2]), "bottom": sum(left[2:]), "dots": sum(left)}[topic]
