"""Training conversations: a question in everyday wording, the answer, and often the reason."""

from collections.abc import Callable
from random import Random

import msgspec

from countersight.case import LETTERS
from countersight.models.embedded import UNKNOWN
from countersight.scenes import COLOURS, Facts
from tools.embedded import reasons, wordings
from tools.embedded.casual import casual
from tools.embedded.grammar import drawn, filled, tidied
from tools.embedded.near_misses import near_miss, off_topic
from tools.embedded.options import options
from tools.embedded.questions import Asked, anything, boolean, counterfactual, factual
from tools.embedded.wordings import Worlds

SUPPOSED = 0.58
"""Share of questions about a change, for the checkpoint of both worlds."""
NEAR, OFF, DOUBTED = 0.18, 0.03, 0.03
"""Shares of near misses, of off-topic questions, and of yes/no questions."""
FRAMED = 0.3
"""Share of questions with additional words before or after."""
CASUAL = 0.5
"""Share of questions in casual style."""
UNMARKED = 0.08
"""Share of questions without closing punctuation."""
AGAIN = 0.1
"""Share of conversations that continue with a second question."""


class Conversation(msgspec.Struct, frozen=True):
    """The turns of a conversation, alternating between the user and the model."""

    turns: tuple[str, ...]


def conversation(rng: Random, facts: Facts, worlds: Worlds) -> Conversation:
    """Return a random conversation about a picture with these facts."""
    turns = _exchange(rng, facts, worlds)
    if len(turns) == 2 and rng.random() < AGAIN:
        turns += _exchange(rng, facts, worlds)
    return Conversation(tuple(text if nth % 2 else tidied(text) for nth, text in enumerate(turns)))


def _exchange(rng: Random, facts: Facts, worlds: Worlds) -> tuple[str, ...]:
    if facts.kind == "other":
        return _about_another_picture(rng, worlds)
    chance = rng.random()
    if chance < NEAR:
        return _unknown(rng, near_miss(rng, facts, worlds), worlds, reasons.NEAR)
    if chance < NEAR + OFF:
        return _unknown(rng, off_topic(rng, worlds), worlds, reasons.OFF_TOPIC)
    if chance < NEAR + OFF + DOUBTED:
        doubted = boolean(rng, facts, facts.kind)
        if doubted is not None:
            text, yes, why = doubted
            prompt = filled(drawn(rng, wordings.frames("booleans", worlds)), {"question": text})
            return _told(rng, prompt, reasons.YES if yes else reasons.NO, lambda: why)
    asked = _known(rng, facts, worlds)
    prompt, reply = _put(rng, asked, worlds)
    letter = reasons.LETTERED.format(letter=reply) if reply in LETTERS else ""
    return _told(rng, prompt, reply, lambda: f"{asked.because()} {letter}".strip())


def _about_another_picture(rng: Random, worlds: Worlds) -> tuple[str, ...]:
    """Return turns with a question about a picture of another kind, which the model cannot answer."""
    text = off_topic(rng, worlds) if rng.random() < 0.4 else _known(rng, _made_up(rng), worlds).text
    return _unknown(rng, text, worlds, reasons.OTHER_PICTURE)


def _made_up(rng: Random) -> Facts:
    """Return made-up facts, as something to ask about."""
    if rng.random() < 0.5:
        return Facts("dots", circles=tuple(rng.randint(1, 8) for _ in range(6)))
    colours = rng.sample(COLOURS, 2)
    inside = tuple(rng.randint(2, 12) if colour in colours else 0 for colour in COLOURS)
    alone = tuple(min(number, 1) for number in inside)
    return Facts("flowers", flowers=30, outside=5, both=5, inside=inside, alone=alone, colours=tuple(colours))


def _known(rng: Random, facts: Facts, worlds: Worlds) -> Asked:
    """Return a question that the model should be able to answer."""
    while True:
        about = facts.kind if rng.random() < 0.97 else _other(facts.kind)
        if worlds == "both" and rng.random() < SUPPOSED:
            asked = counterfactual(rng, facts, about)
        else:
            asked = factual(rng, facts, about, worlds)
        if asked is not None:
            return asked


def _other(kind: str) -> str:
    return "dots" if kind == "flowers" else "flowers"


def _unknown(rng: Random, text: str, worlds: Worlds, because: str) -> tuple[str, ...]:
    prompt, _ = _put(rng, Asked(text, rng.randrange(30)), worlds)
    return _told(rng, prompt, UNKNOWN, lambda: because)


def _put(rng: Random, asked: Asked, worlds: Worlds) -> tuple[str, str]:
    """Return the prompt of a question, with or without options, and the expected reply."""
    chance = rng.random()
    text = _framed(rng, casual(rng, asked.text) if rng.random() < CASUAL else asked.text, worlds)
    if chance < 0.3:
        return filled(drawn(rng, wordings.frames("numbers", worlds)), {"question": text}), str(asked.answer)
    numbers = options(rng, asked.answer)
    letter = LETTERS[numbers.index(asked.answer)]
    named = list(zip(LETTERS, numbers, strict=False))
    slots = {
        "question": text,
        "lines": "\n".join(f"{name}: {number}" for name, number in named),
        "row": "  ".join(f"{name}:{number}" for name, number in named),
        "brackets": "\n".join(f"({name}) {number}" for name, number in named),
    }
    if chance < 0.35:
        return filled(drawn(rng, wordings.frames("choices_as_numbers", worlds)), slots), str(asked.answer)
    if rng.random() < 0.45:
        return filled(wordings.USUAL_CHOICE, slots), letter
    return filled(drawn(rng, wordings.frames("choices", worlds)), slots), letter


def _framed(rng: Random, text: str, worlds: Worlds) -> str:
    """Return the question, often with additional words before or after it, or without closing punctuation."""
    if rng.random() < UNMARKED:
        text = text.rstrip("?.")
    if rng.random() >= FRAMED:
        return text
    frame = drawn(rng, wordings.frames("before", worlds))
    while "{name}" in frame:
        frame = frame.replace("{name}", anything(rng), 1)
    return filled(frame, {"question": text})


def _told(rng: Random, prompt: str, reply: str, because: Callable[[], str]) -> tuple[str, ...]:
    if rng.random() >= 0.3:
        return prompt, reply
    why = drawn(rng, wordings.whys("short" if rng.random() < 0.45 else "long"))
    return prompt, reply, why, because()
