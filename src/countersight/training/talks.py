"""Conversations to learn from: a question as people put it, the answer, and often why."""

from collections.abc import Sequence
from random import Random
from typing import Literal

import msgspec

from countersight.case import LETTERS
from countersight.training import foreign, reasons, wordings
from countersight.training.facts import Facts
from countersight.training.questions import Asked, boolean, counterfactual, factual, usual_first

Worlds = Literal["both", "factual"]

GAPS = (*range(-6, 0), *range(1, 7))


class Talk(msgspec.Struct, frozen=True):
    """Two turns, or four where the model is asked why."""

    turns: tuple[str, ...]


def talk(rng: Random, facts: Facts, worlds: Worlds) -> Talk:
    """A conversation about a picture of which these facts are true."""
    if facts.kind == "other":
        question = (
            _strange(rng, worlds) if rng.random() < 0.4 else _known(rng, Facts(rng.choice(("flowers", "dots"))), worlds)
        )
        prompt, _ = _put(rng, question)
        return _told(rng, prompt, foreign.UNKNOWN, foreign.STRANGE)
    if rng.random() < 0.04:
        prompt, _ = _put(rng, _strange(rng, worlds))
        return _told(rng, prompt, foreign.UNKNOWN, foreign.FOREIGN)
    if rng.random() < 0.03:
        about = facts.kind if rng.random() < 0.9 else _other(facts.kind)
        doubted = boolean(rng, facts, about)
        if doubted is not None:
            text, yes, why = doubted
            prompt = wordings.AS_BOOLEAN.format(question=text) if rng.random() < 0.7 else text
            return _told(rng, prompt, reasons.YES if yes else reasons.NO, why)
    asked = _known(rng, facts, worlds)
    prompt, reply = _put(rng, asked)
    because = f"{asked.because} {reasons.LETTERED.format(letter=reply)}" if reply in LETTERS else asked.because
    return _told(rng, prompt, reply, because)


def _known(rng: Random, facts: Facts, worlds: Worlds) -> Asked:
    """A question of a kind the model is to know."""
    while True:
        about = facts.kind if rng.random() < 0.97 else _other(facts.kind)
        ask = counterfactual if worlds == "both" and rng.random() < 0.55 else factual
        asked = ask(rng, facts, about)
        if asked is not None:
            return asked


def _other(kind: str) -> str:
    return "dots" if kind == "flowers" else "flowers"


def _strange(rng: Random, worlds: Worlds) -> Asked:
    """A question about something else; half of its things are words the model never saw."""
    texts: Sequence[str] = foreign.STRANGE_QUESTIONS
    if worlds == "both" and rng.random() < 0.4:
        texts = foreign.STRANGE_SUPPOSITIONS
    text = rng.choice(texts)
    while "{thing}" in text:
        text = text.replace("{thing}", _thing(rng), 1)
    number = rng.randrange(30)
    return Asked(text.replace("{n}", str(number)), number, "")


def _thing(rng: Random) -> str:
    if rng.random() < 0.6:
        return rng.choice(foreign.THINGS)
    return "".join(rng.choice("aaabcdeeefghiiijklmnooprsttuuvwyz") for _ in range(rng.randint(2, 10)))


def _put(rng: Random, asked: Asked) -> tuple[str, str]:
    """The question as it is put, with options or without, and the reply it is to get."""
    chance = rng.random()
    if chance < 0.25:
        return usual_first(rng, wordings.NUMBERS).format(question=asked.text), str(asked.answer)
    numbers = _options(rng, asked.answer)
    letter = LETTERS[numbers.index(asked.answer)]
    named = list(zip(LETTERS, numbers, strict=False))
    slots = {
        "question": asked.text,
        "lines": "\n".join(f"{name}: {number}" for name, number in named),
        "row": "  ".join(f"{name}:{number}" for name, number in named),
        "brackets": "\n".join(f"({name}) {number}" for name, number in named),
    }
    if chance < 0.3:
        return rng.choice(wordings.CHOICES_AS_NUMBERS).format(**slots), str(asked.answer)
    texts = wordings.CHOICES[:1] if rng.random() < 0.5 else wordings.CHOICES
    return rng.choice(texts).format(**slots), letter


def _options(rng: Random, right: int) -> list[int]:
    """Different numbers near the right one, which is among them at any place."""
    wrong = [right + gap for gap in GAPS if right + gap >= 0]
    if rng.random() < 0.1:
        wrong = [number for number in range(50) if number != right]
    count = 4 if rng.random() < 0.85 else rng.randint(2, 6)
    numbers = rng.sample(wrong, count - 1)
    numbers.insert(rng.randrange(count), right)
    return numbers


def _told(rng: Random, prompt: str, reply: str, because: str) -> Talk:
    if rng.random() < 0.3:
        return Talk((prompt, reply, rng.choice(reasons.WHY), because))
    return Talk((prompt, reply))
