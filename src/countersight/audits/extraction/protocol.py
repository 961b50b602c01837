"""What an extractor is to the rest of an audit: it is handed an explanation and names what to change (EDCT 3)."""

from typing import Protocol

import msgspec

from countersight.audits.records import Actor, Concepts, RecordedTurn, Usage
from countersight.editing import Abilities
from countersight.errors import ModelError
from countersight.registry import Plug, Registry


class Statement(msgspec.Struct, frozen=True, omit_defaults=True):
    """A model's explanation of a picture, and the edits that are possible."""

    question: str
    answer: str
    explanation: str
    able: Abilities | None = None
    """What the editor can do to this picture; None where it takes any words."""


class Extracted(msgspec.Struct, frozen=True):
    """What was found, and what it took."""

    concepts: Concepts
    spent: Usage = Usage()
    asked: tuple[RecordedTurn, ...] = ()


class Extractor(Protocol):
    """Anything that finds concepts."""

    party: Actor

    async def extract(self, statement: Statement, most: int, key: str) -> Extracted:
        """At most so many concepts, each with an edit that tests it; fails as a `AskedModel` does."""
        ...

    async def close(self) -> None:
        """Let go of connections and memory."""
        ...


EXTRACTORS: Registry[Extractor] = Registry(
    "extractor",
    {
        "rules": Plug(
            "rules",
            "finds the counted objects in explanations of generated scenes, as worded by the embedded model; needs "
            "no model",
            "countersight.audits.extraction.rules:RuleExtractor",
        ),
        "things": Plug(
            "things",
            "finds objects that an explanation names and that the editor can locate in the picture; needs no model",
            "countersight.audits.extraction.things:ThingsExtractor",
        ),
    },
    ModelError,
)
"""Those that need no language model; any model that reads text is an extractor too."""
