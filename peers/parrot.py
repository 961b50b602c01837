"""A model whose answers depend only on the words of the question, so that all tools get the same answers."""

import hashlib
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import countersight as cs
from countersight.errors import CountersightError
from countersight.exchange import Export, export_to
from countersight.text import several

WORK = Path(__file__).parents[1] / ".peers" / "work"
"""The folder for the files of these checks."""


def say(question: str) -> tuple[str, str]:
    """Return a reply and its stop reason: usually an option, sometimes an unreadable or truncated reply."""
    drawn = int(hashlib.sha256(question.encode()).hexdigest(), 16)
    options = re.findall(r"^([A-Z])[:.] ", question, re.MULTILINE)
    fate, drawn = drawn % 12, drawn // 12
    if fate == 0:
        return "That is hard to say.", "stop"
    if fate == 1:
        return "Let me count them: the first", "length"
    return f"The answer is {options[drawn % len(options)]}." if options else str(drawn % 12), "stop"


class Parrot:
    """The same answers, as a Countersight model."""

    name = "parrot"
    settings: Mapping[str, Any] = {}
    needs_picture = False
    uncut = False

    async def reply(self, request: cs.Request) -> cs.Answer:
        """Return the next reply."""
        text, finish = say(request.turns[-1].text)
        return cs.Answer(text, finish="" if self.uncut else finish)

    async def close(self) -> None:
        """Do nothing: the model holds no resources."""


def hand_over(name: str, source: Path, out: Path) -> int:
    """Export, and print the number of questions for the final table."""
    shutil.rmtree(out, ignore_errors=True)
    written = export_to(name, Export(source, out))
    print(f"exported {several(written.count, written.noun)}".replace(",", ""))
    return written.count


def exported(name: str) -> Path:
    """Export the dataset in a training format, and return its path."""
    hand_over(name, flowers(), WORK / name)
    return WORK / name


def tiny_model() -> Path:
    """Return the folder of a LLaVA with a few thousand weights, created once by our tests, which are on the path."""
    folder = WORK / "tiny-model"
    if not folder.exists():
        from models.local import tiny

        folder.mkdir(parents=True)
        tiny.FAMILIES["llava"](folder)
    return folder


def flowers(size: int = 120) -> Path:
    """Return a dataset to export, made once."""
    folder = WORK / f"flowers-{size}"
    if not folder.exists():
        cs.make("cvqa-synthetic", folder, size=size, seed=7)
    return folder


def our_run(folder: Path, *, uncut: bool = False) -> cs.Run:
    """Return our own run of the parrot; with `uncut`, stop reasons are omitted, for tools that do not record them."""
    name = f"run-{folder.name}" + ("-uncut" if uncut else "")
    parrot = Parrot()
    parrot.uncut = uncut
    return cs.run(folder, parrot, out=WORK / name, shown=True)


def hold(what: str, ours: Mapping[str, float], theirs: Mapping[str, float]) -> None:
    """Print the figures of both tools, and raise an error if they differ."""
    for name, value in ours.items():
        print(f"{what:<12} {name:<22} ours {value:9.6f}   theirs {theirs[name]:9.6f}")
    differing = [name for name, value in ours.items() if abs(theirs[name] - value) > 1e-6]
    if differing:
        raise CountersightError(f"{what}: the figures differ: {', '.join(differing)}")
