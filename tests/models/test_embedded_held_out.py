"""The shipped model on wordings that it was not trained on; the figures of its card must hold."""

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from countersight.models.embedded import UNKNOWN, Embedded, weights_folder
from countersight.models.protocol import ModelSettings, Request, Turn
from countersight.picture.checking import Picture, check_picture
from countersight.scenes import draw, encode
from tools.embedded import wordings
from tools.embedded.batches import vocabulary
from tools.embedded.examination import Examined, examination, read_held_out

HELD_OUT = Path(__file__).parent.parent / "data/embedded/held_out.toml"


@pytest.fixture(scope="module")
def asked() -> list[tuple[Examined, Picture]]:
    """Every wording, each with its own picture."""
    chosen = examination(read_held_out(HELD_OUT), seed=1, each=1)
    return [(one, check_picture(encode(draw(one.scene)))) for one in chosen]


def outcomes(name: str, asked: list[tuple[Examined, Picture]]) -> dict[str, dict[str, float]]:
    """Return the shares of right and of wrong answers for each part of the file."""

    async def ask() -> list[str]:
        model = Embedded(name, ModelSettings())
        try:
            turns = [Turn("user", f"{one.text}\nAnswer with a single number.", picture) for one, picture in asked]
            answers = await asyncio.gather(*(model.reply(Request("", (turn,), "number")) for turn in turns))
            return [answer.text for answer in answers]
        finally:
            await model.close()

    counts: dict[str, Counter[str]] = {}
    for (one, _), text in zip(asked, asyncio.run(ask()), strict=True):
        right = UNKNOWN if one.answer is None else str(one.answer)
        found = "right" if text == right else "unknown" if text == UNKNOWN else "wrong"
        counts.setdefault(one.part, Counter())[found] += 1
    return {part: {kind: found[kind] / found.total() for kind in ("right", "wrong")} for part, found in counts.items()}


@pytest.mark.slow
def test_unseen_wordings_are_answered_correctly_or_with_unknown(asked) -> None:
    found = outcomes("embedded", asked)
    assert found["factual"]["right"] > 0.7
    assert found["counterfactual"]["right"] > 0.85
    assert found["controls"]["right"] > 0.8
    assert max(found["factual"]["wrong"], found["counterfactual"]["wrong"]) < 0.16
    assert found["near_misses"]["right"] > 0.85
    assert found["openings"]["right"] > 0.75


@pytest.mark.slow
def test_the_factual_checkpoint_answers_unknown_to_counterfactual_questions(asked) -> None:
    seen = [(one, picture) for one, picture in asked if not wordings.SUPPOSING.search(one.text)]
    found = outcomes("embedded:factual", [each for each in seen if each[0].part in ("factual", "near_misses")])
    assert found["factual"]["right"] > 0.65
    assert found["near_misses"]["right"] > 0.85


def test_the_shipped_vocabulary_matches_the_wordings() -> None:
    words = json.loads((weights_folder() / "vocabulary.json").read_bytes())
    assert tuple(words) == vocabulary(wordings.said(), wordings.heard())
