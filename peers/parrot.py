"""A model that answers by the words of the question alone, so that two tools that ask the same get the same answers."""

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
"""Where the files of these checks are."""


def say(question: str) -> tuple[str, str]:
    """What it says, and why it stopped: mostly an option, now and then nothing that can be read, or half a sentence."""
    drawn = int(hashlib.sha256(question.encode()).hexdigest(), 16)
    options = re.findall(r"^([A-Z])[:.] ", question, re.MULTILINE)
    fate, drawn = drawn % 12, drawn // 12
    if fate == 0:
        return "That is hard to say.", "stop"
    if fate == 1:
        return "Let me count them: the first", "length"
    return f"The answer is {options[drawn % len(options)]}." if options else str(drawn % 12), "stop"


class Parrot:
    """The same as a model of ours."""

    name = "parrot"
    settings: Mapping[str, Any] = {}
    needs_picture = False
    uncut = False

    async def reply(self, request: cs.Request) -> cs.Answer:
        """Say the next turn."""
        text, finish = say(request.turns[-1].text)
        return cs.Answer(text, finish="" if self.uncut else finish)

    async def close(self) -> None:
        """Nothing is held."""


def hand_over(name: str, source: Path, out: Path) -> int:
    """Export, and print how much; the table of all peers has it."""
    shutil.rmtree(out, ignore_errors=True)
    written = export_to(name, Export(source, out))
    print(f"exported {several(written.count, written.noun)}".replace(",", ""))
    return written.count


def exported(name: str) -> Path:
    """The dataset in a format for training."""
    hand_over(name, flowers(), WORK / name)
    return WORK / name


def tiny_model() -> Path:
    """A LLaVA of a few thousand weights, made once: the one of our tests, which are on the path."""
    folder = WORK / "tiny-model"
    if not folder.exists():
        from models.local import tiny

        folder.mkdir(parents=True)
        tiny.FAMILIES["llava"](folder)
    return folder


def flowers(size: int = 120) -> Path:
    """A dataset to hand over, made once."""
    folder = WORK / f"flowers-{size}"
    if not folder.exists():
        cs.make("cvqa-synthetic", folder, size=size, seed=7)
    return folder


def our_run(folder: Path, *, uncut: bool = False) -> cs.Run:
    """Our own run of the parrot; `uncut` where the other tool does not know why a model stopped."""
    name = f"run-{folder.name}" + ("-uncut" if uncut else "")
    parrot = Parrot()
    parrot.uncut = uncut
    return cs.run(folder, parrot, out=WORK / name, shown=True)


def hold(what: str, ours: Mapping[str, float], theirs: Mapping[str, float]) -> None:
    """Print both tools' figures, and fail where they differ."""
    for name, value in ours.items():
        print(f"{what:<12} {name:<22} ours {value:9.6f}   theirs {theirs[name]:9.6f}")
    differing = [name for name, value in ours.items() if abs(theirs[name] - value) > 1e-6]
    if differing:
        raise CountersightError(f"{what}: the figures differ: {', '.join(differing)}")
