"""Facts about generated scenes: what a question asks for, its right answer, and how an edit changes the numbers."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from countersight.editing import EditRequest, Instruction
from countersight.editing.exact import changed_scene
from countersight.errors import EditFailed
from countersight.picture import Picture
from countersight.scenes import COLOURS, SCENES_FILE, Scene, SceneRecord, as_published, facts_by_name


def find_moved_facts(old: Mapping[str, int], new: Mapping[str, int]) -> set[str]:
    """Return the names of the facts that differ."""
    return {name for name in (*old, *new) if old.get(name, 0) != new.get(name, 0)}


_COLOUR = "|".join(COLOURS)
_ASKED: Final[tuple[tuple[str, Callable[[re.Match[str]], str]], ...]] = (
    (
        rf"flowers (?:are|do you see|can you see|lie) (inside|outside|in)(?: of)? (?:the |all )?({_COLOUR}) polygons?",
        lambda found: f"flowers {'outside' if found[1] == 'outside' else 'inside'} {found[2]}",
    ),
    (
        r"dots are (?:there )?in the (top|bottom) (?:row(?: of circles)?|three circles)(?: together)?",
        lambda found: f"dots in the {found[1]} row",
    ),
    (r"dots (?:does|do) (?:a|one|any) circle contain at most", lambda found: "most dots in a circle"),
    (
        r"dots are there(?: in (?:all|all the|all of the|the) circles)?(?: together| in all| in the picture)?",
        lambda found: "dots",
    ),
)
"""The questions of generated drawings, without “How many”, and the fact that each asks for."""
_QUESTIONS = tuple((re.compile(f"how many {pattern}"), fact) for pattern, fact in _ASKED)


def asked_fact(question: str) -> str | None:
    """Return the name of the fact that a question asks for, or None if the question is not understood."""
    text = as_published(" ".join(question.split())).casefold().rstrip("?. ")
    for pattern, fact in _QUESTIONS:
        found = pattern.fullmatch(text)
        if found:
            return fact(found)
    return None


def right_answer(question: str, scene: Scene) -> str | None:
    """Return the right answer to a question about a scene, or None if the question is not understood."""
    name = asked_fact(question)
    number = facts_by_name(scene).get(name) if name else None
    return None if number is None else str(number)


_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class _Id(msgspec.Struct):
    id: str


class SceneIndex:
    """The scenes of a generated dataset; empty for other datasets. A case with an unreadable scene has none."""

    def __init__(self, dataset: Path) -> None:
        self._lines: dict[str, bytes] = {}
        decoder = msgspec.json.Decoder(_Id)
        with suppress(FileNotFoundError), open(dataset / SCENES_FILE, "rb") as lines:
            for line in lines:
                with suppress(*_UNREADABLE):
                    self._lines[decoder.decode(line).id] = line

    def scene(self, case: str) -> Scene | None:
        """Return the scene in a case's picture, or None if unknown."""
        with suppress(*_UNREADABLE):
            return msgspec.json.decode(self._lines.get(case, b""), type=SceneRecord).scene
        return None


def effect_of(scene: Scene, picture: Picture, seed: int, instruction: Instruction) -> dict[str, int]:
    """Return how much an edit changes each number of a scene; empty if the editor `exact` cannot make the edit."""
    try:
        changed, _ = changed_scene(scene, EditRequest(picture, instruction, seed, scene=scene))
    except (EditFailed, ValueError):
        return {}
    assert isinstance(changed, Scene)
    before, after = facts_by_name(scene), facts_by_name(changed)
    return {fact: after.get(fact, 0) - before.get(fact, 0) for fact in (*before, *after)}
