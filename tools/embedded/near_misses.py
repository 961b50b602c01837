"""Questions that look like known ones but cannot be answered, so that the model learns to say that it does not know."""

from random import Random

from countersight.scenes import COLOURS, Facts
from tools.embedded import wordings
from tools.embedded.grammar import drawn, filled
from tools.embedded.questions import (
    USUAL,
    USUAL_CHANGES,
    Slots,
    anything,
    count,
    in_words,
    slots_for,
    worded,
    worded_supposed,
)
from tools.embedded.wordings import Worlds

ABSENT = 0.3
"""Share of near misses that are known questions about an absent colour or suppositions with too large a number."""


def near_miss(rng: Random, facts: Facts, worlds: Worlds) -> str:
    """Return a question about flowers or dots that the model cannot answer."""
    supposed = worlds == "both" and rng.random() < 0.45
    if rng.random() < ABSENT:
        return _absent_supposed(rng, facts) if supposed else _absent(rng, facts, worlds)
    slots = in_words(rng, _slots(rng, facts))
    if not supposed:
        return _with_things(rng, filled(drawn(rng, wordings.near_miss(facts.kind)), slots))
    topic = rng.choice(USUAL[facts.kind])
    changes = tuple(change for about, change in USUAL_CHANGES[facts.kind] if about == topic)
    return _with_things(rng, filled(drawn(rng, wordings.near_miss_supposed(facts.kind, topic, changes)), slots))


def off_topic(rng: Random, worlds: Worlds) -> str:
    """Return a question about something else, often with words that the model has never seen."""
    supposed = worlds == "both" and rng.random() < 0.4
    text = drawn(rng, wordings.off_topic("suppositions" if supposed else "questions"))
    return _with_things(rng, filled(text, {"n": rng.randrange(30), "thing": "{thing}", "name": anything(rng)}))


def _absent(rng: Random, facts: Facts, worlds: Worlds) -> str:
    slots = _slots(rng, facts)
    if facts.kind == "dots":  # dots have no colours, so ask about a circle that was removed
        gone = [place for place, number in enumerate(facts.circles) if number is None]
        if not gone or rng.random() < 0.5:
            return _with_things(rng, filled(drawn(rng, wordings.near_miss("dots")), slots))
        return worded(rng, "circle", slots_for(rng, facts, rng.choice(gone)), worlds)
    slots["c"] = slots["x"]
    return worded(rng, rng.choice(("inside", "outside")), slots, worlds)


def _absent_supposed(rng: Random, facts: Facts) -> str:
    """Return a question with an absent colour, an impossible or vague number, or a change with an unknown effect."""
    slots = _slots(rng, facts)
    chance = rng.random()
    if chance < 0.35:
        topic, change = rng.choice(wordings.open_pairs()[facts.kind])
        return worded_supposed(rng, topic, change, slots)
    if facts.kind == "dots" or chance < 0.65:
        topic, change = ("dots", "take dots") if facts.kind == "dots" else ("inside", "take from colour")
        vague = rng.random() < 0.5
        slots["n"] = drawn(rng, wordings.vague()) if vague else slots["many"]
        return worded_supposed(rng, topic, change, slots)
    slots["c" if rng.random() < 0.6 else "o"] = slots["x"]
    of_one = ("take from colour", "empty colour", "take outside", "empty outside")
    change = "empty colour" if slots["o"] == slots["x"] else rng.choice(of_one)
    return worded_supposed(rng, "inside", change, slots)


def _slots(rng: Random, facts: Facts) -> Slots:
    slots = slots_for(rng, facts)
    absent = [colour for colour in COLOURS if colour not in facts.colours]
    slots["x"] = rng.choice(absent)
    if rng.random() < 0.3:
        slots["x"] = drawn(rng, wordings.off_topic("colours")) if rng.random() < 0.7 else anything(rng)
    there = count("inside", facts, slots) if facts.kind == "flowers" else facts.dots
    slots["many"] = min(99, (there or 0) + rng.randint(1, 30))
    slots["n"] = rng.randint(1, 9)
    slots["thing"] = "{thing}"
    return slots


def _with_things(rng: Random, text: str) -> str:
    """Replace every {thing} in the text by a thing that is in none of our pictures."""
    while "{thing}" in text:
        thing = drawn(rng, wordings.off_topic("things")) if rng.random() < 0.6 else anything(rng)
        text = text.replace("{thing}", thing, 1)
    return text
