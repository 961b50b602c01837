"""Test questions with right answers, in wordings and about pictures that were held out of training."""

from pathlib import Path
from random import Random

import msgspec

from countersight.scenes import COLOURS, Facts, Scene, facts_of
from tools.embedded import wordings
from tools.embedded.grammar import filled, tidied
from tools.embedded.pictures import random_scene
from tools.embedded.questions import USUAL, Slots, count, count_after, slots_for


class HeldOut(msgspec.Struct, frozen=True):
    """Wordings that were held out of training, by what they ask for."""

    factual: dict[str, list[str]]
    counterfactual: dict[str, list[str]]
    """By topic and change: "inside, take from colour"."""
    controls: dict[str, list[str]]
    """The same for changes that do not affect the answer."""
    near_misses: dict[str, list[str]]
    """By the kind of picture, with "_supposed" added for questions with a supposition."""
    openings: dict[str, list[str]]
    """Words around a question (`frames`), and ways to ask why (`whys`)."""


class Examined(msgspec.Struct, frozen=True):
    """A test question, its scene and its right answer."""

    part: str
    """factual, counterfactual, controls, near_misses, near_misses_supposed or openings."""
    wording: str
    text: str
    scene: Scene
    answer: int | None
    """None if the right reply is that the model does not know."""


def read_held_out(path: Path) -> HeldOut:
    """Read the held-out wordings from a file."""
    return msgspec.toml.decode(path.read_bytes(), type=HeldOut)


def examination(held_out: HeldOut, seed: int, each: int) -> list[Examined]:
    """Return questions in every wording, each about several pictures."""
    rng = Random(f"{seed}/examination")
    asked: list[Examined] = []
    for _ in range(each):
        for topic, texts in held_out.factual.items():
            asked += [_factual(rng, topic, text) for text in texts]
        for part, by_change in (("counterfactual", held_out.counterfactual), ("controls", held_out.controls)):
            for key, texts in by_change.items():
                topic, _, change = key.partition(", ")
                asked += [_counterfactual(rng, part, topic, change, text) for text in texts]
        for key, texts in held_out.near_misses.items():
            kind, supposed, _ = key.partition("_supposed")
            asked += [_near_miss(rng, kind, f"near_misses{supposed}", text) for text in texts]
        asked += [_opening(rng, frame) for frame in held_out.openings["frames"]]
    return asked


def _factual(rng: Random, topic: str, text: str) -> Examined:
    while True:
        scene = random_scene(rng)
        true = facts_of(scene)
        slots = slots_for(rng, true)
        answer = count(topic, true, slots)
        if answer is not None and _fits(topic, true):
            return Examined("factual", text, _asked(text, slots), scene, answer)


def _counterfactual(rng: Random, part: str, topic: str, change: str, text: str) -> Examined:
    while True:
        scene = random_scene(rng)
        true = facts_of(scene)
        slots = slots_for(rng, true)
        answer = count_after(rng, topic, change, true, slots)
        if answer is not None and _fits(topic, true) and _whole(true):
            return Examined(part, text, _asked(text, slots), scene, answer)


def _near_miss(rng: Random, kind: str, part: str, text: str) -> Examined:
    while True:
        scene = random_scene(rng)
        true = facts_of(scene)
        if true.kind == kind:
            slots = slots_for(rng, true)
            slots["x"] = rng.choice([colour for colour in COLOURS if colour not in true.colours])
            slots["big"] = max(true.flowers, true.dots) + rng.randint(1, 9)
            slots["n"] = rng.randint(1, 9)
            return Examined(part, text, _asked(text, slots), scene, None)


def _opening(rng: Random, frame: str) -> Examined:
    topic = rng.choice([*USUAL["flowers"], *USUAL["dots"]])
    asked = _factual(rng, topic, wordings.usual(topic)[0])
    return msgspec.structs.replace(asked, part="openings", wording=frame, text=filled(frame, {"question": asked.text}))


def _fits(topic: str, true: Facts) -> bool:
    """Return whether a picture is of the kind that the topic is about."""
    return true.kind == (
        "flowers" if topic in ("inside", "outside", "flowers", "both", "both_named", "free") else "dots"
    )


def _whole(true: Facts) -> bool:
    """Return whether a picture has polygons of two colours or all circles; otherwise some wordings make no sense."""
    return len(set(true.colours)) == 2 or None not in true.circles


def _asked(text: str, slots: Slots) -> str:
    return tidied(filled(text, {**slots, "p": f"{slots['v']} {slots['h']}"}))
