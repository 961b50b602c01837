"""Questions for training by reward and for testing, each with what the encoder sees in its picture."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import torch
from PIL import Image

from countersight.case import VARIANTS, Question, QuestionVariant
from countersight.exchange import NamedQuestion
from countersight.models.embedded import shrink
from countersight.parallel import in_order
from countersight.suites.cvqa import TEMPLATES
from tools.embedded.shipped import shipped_encoder

CHUNK = 20
TRAINED = 1
"""The template that is trained on: all polygons of one colour."""


class Asked(msgspec.Struct, frozen=True):
    """A question, and what the encoder sees in its picture."""

    template: int
    index: int
    asking: QuestionVariant
    control: bool
    words: str
    question: Question
    values: tuple[float, ...]


def asked(file: Path, templates: range, seed: int, count: int) -> list[Asked]:
    """Return all questions of the first cases of some templates and of their controls; cached in a file."""
    if not file.exists():
        parts = [(template, start) for template in templates for start in range(0, count, CHUNK)]
        found = [each for part in in_order(partial(_asked, seed, count), parts) for each in part]
        file.write_bytes(msgspec.json.encode(found))
    return msgspec.json.decode(file.read_bytes(), type=list[Asked])


def _asked(seed: int, count: int, part: tuple[int, int]) -> list[Asked]:
    template, start = part
    return list(_questions(template, seed, range(start, min(start + CHUNK, count))))


def _questions(template: int, seed: int, indices: range) -> Iterator[Asked]:
    from countersight.scenes import draw  # needs Skia, which cached questions do not need
    from countersight.suites.cvqa.synthetic import make_case, make_control

    see = shipped_encoder()
    for index in indices:
        for make in (make_case, make_control):
            made = make(TEMPLATES[template - 1], seed, index, index + 1)
            scenes = np.stack([shrink(Image.fromarray(draw(each))) for each in (made.record.scene, made.changed)])
            before, after = map(tuple, see(torch.from_numpy(scenes)).tolist())
            for asking in VARIANTS:
                question: Question = getattr(made.case, asking)
                words = NamedQuestion(0, made.case, asking, question).words
                seen = after if asking == "shown" else before
                yield Asked(template, index, asking, bool(made.case.control_of), words, question, seen)
