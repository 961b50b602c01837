"""Whatever finds the concepts of an explanation: rules for sentences about our scenes, or any language model."""

from countersight.audits.extraction.protocol import Extractor
from countersight.errors import ModelError
from countersight.registry import Plug, Registry

EXTRACTORS: Registry[Extractor] = Registry(
    "extractor",
    {
        "rules": Plug(
            "rules",
            "reads what an explanation of our scenes counts, as the embedded model explains; no model needed",
            "countersight.audits.extraction.rules:RuleExtractor",
        ),
        "things": Plug(
            "things",
            "things that an explanation names and that the editor finds in the picture; no model needed",
            "countersight.audits.extraction.things:ThingsExtractor",
        ),
    },
    ModelError,
)
"""Those that need no language model; any model that reads text is an extractor too."""

ANY_MODEL = {"MODEL": "any model that reads text; see: countersight list models"}
