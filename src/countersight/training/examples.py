"""Training examples of a matcher: questions with options, from datasets or from VCR's published files."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from countersight.case import LETTERS, TWO_WORLDS, WORLDS
from countersight.dataset import Dataset
from countersight.engine import prompt_context
from countersight.errors import CountersightError
from countersight.files import bounded_lines
from countersight.models import Parts

MOST_LINE = 1 << 20


class Example(msgspec.Struct, frozen=True):
    """One question with its options and the index of the right one."""

    key: str
    picture: str
    """The file name or another id of the picture; examples of one picture are never split across folds."""
    parts: Parts
    options: tuple[str, ...]
    right: int
    world: str = ""


def read_examples(dataset: Dataset) -> list[Example]:
    """Return all questions of a dataset that have options, in both worlds; changes are described in words."""
    found = []
    for _, case in dataset.cases():
        for world, telling in (WORLDS[asking] for asking in TWO_WORLDS):
            question = case.question(world, telling)
            if question is None or question.kind != "choice":
                continue
            context = prompt_context(case, world, "told")
            found.append(
                Example(
                    f"{case.id}/{world}",
                    str(case.image or case.provenance.get("img_path") or case.id),
                    Parts(question.text, context.context, context.change),
                    tuple(option.text for option in question.options),
                    LETTERS.index(question.answer),
                    world,
                )
            )
    if not found:
        raise CountersightError(f"{dataset.path} has no questions with options to learn from")
    return found


def read_vcr(path: Path) -> list[Example]:
    """Read VCR's published annotations (JSONL): questions with four answers, which refer to objects by number."""
    found = []
    with open(path, "rb") as file:
        for number, line in enumerate(bounded_lines(file, MOST_LINE), 1):
            try:
                row = msgspec.json.decode(line)
                names = row["objects"]
                options = tuple(_in_words(one, names) for one in row["answer_choices"])
                found.append(
                    Example(
                        f"vcr-{number}",
                        str(row["img_fn"]),
                        Parts(_in_words(row["question"], names)),
                        options,
                        range(len(options)).index(row["answer_label"]),
                    )
                )
            except (msgspec.DecodeError, KeyError, TypeError, ValueError, IndexError) as error:
                raise CountersightError(f"{path} line {number} is not a VCR annotation ({error!r:.80})") from None
    if not found:
        raise CountersightError(f"{path} is empty")
    return found


def _in_words(tokens: Sequence[Any], names: Sequence[str]) -> str:
    """Replace VCR's lists of object numbers with names: [0, 2] is "person and dog"."""
    words = [" and ".join(names[thing] for thing in token) if isinstance(token, list) else token for token in tokens]
    return " ".join(words)


def folds(examples: Sequence[Example], count: int, seed: int) -> list[list[Example]]:
    """Split the examples into `count` parts of nearly equal size; examples of one picture stay together."""
    by_picture: dict[str, list[Example]] = {}
    for example in examples:
        by_picture.setdefault(example.picture, []).append(example)
    if len(by_picture) < count:
        raise CountersightError(f"{len(by_picture)} pictures cannot be divided into {count} parts")
    pictures = sorted(by_picture)
    Random(f"{seed}/folds").shuffle(pictures)
    parts: list[list[Example]] = [[] for _ in range(count)]
    for picture in pictures:
        min(parts, key=len).extend(by_picture[picture])
    return parts
