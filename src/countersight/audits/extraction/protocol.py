"""The extractor protocol: an extractor receives an explanation and returns what to change (EDCT 3)."""

from typing import Protocol

import msgspec

from countersight.audits.manifest import Actor
from countersight.audits.records import Concepts
from countersight.editing import Abilities
from countersight.errors import ModelError
from countersight.registry import Plug, Registry


class Statement(msgspec.Struct, frozen=True, omit_defaults=True):
    """A model's explanation of a picture, and the edits that are possible."""

    question: str
    answer: str
    explanation: str
    able: Abilities | None = None
    """The editor's abilities for this picture; None if it accepts any instruction."""


class Extractor(Protocol):
    """The interface of an extractor, which finds the concepts that an explanation cites."""

    party: Actor

    async def extract(self, statement: Statement, most: int, key: str) -> Concepts:
        """Return at most `most` concepts, each with an edit that tests it; raises the errors of an `AskedModel`."""
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
            "countersight.audits.extraction.rules:ThingsExtractor",
        ),
    },
    ModelError,
)
"""The extractors that need no language model; any language model is an extractor too."""
