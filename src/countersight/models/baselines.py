"""Baselines that do not look at the picture; other scores are compared with theirs."""

import hashlib
from typing import Any

from countersight.case import LETTERS
from countersight.models.protocol import Answer, Displayed, ModelSettings, Request

CHANCE_NUMBERS = range(0, 11)
"""The numbers to choose from if a question has no options; they include most answers of C-VQA-Real."""


class Chance(Displayed):
    """Answers at random; the answer depends only on the seed and the question."""

    needs_picture = False

    def __init__(self, name: str, target: str, settings: ModelSettings) -> None:
        self.name = name
        self.settings: dict[str, Any] = {"seed": settings.seed}
        self._seed = settings.seed

    async def reply(self, request: Request) -> Answer:
        possible = _possible(request)
        digest = hashlib.blake2b(f"{self._seed}/{request.key}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return Answer(possible[int.from_bytes(digest) % len(possible)])

    async def close(self) -> None:
        pass


class AlwaysFirst(Displayed):
    """Always answers with the first option; if there are no options, with yes or 1."""

    needs_picture = False

    def __init__(self, name: str, target: str, settings: ModelSettings) -> None:
        self.name = name
        self.settings: dict[str, Any] = {}

    async def reply(self, request: Request) -> Answer:
        return Answer("1" if request.kind == "number" else _possible(request)[0])

    async def close(self) -> None:
        pass


def _possible(request: Request) -> list[str]:
    if request.options:
        return list(LETTERS[: len(request.options)])
    return ["yes", "no"] if request.kind == "boolean" else [str(number) for number in CHANCE_NUMBERS]
