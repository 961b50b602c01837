"""Whatever finds the concepts of an explanation: rules for sentences about our scenes, or any language model."""

from countersight.audit.extraction.protocol import Extracted, Extractor, Statement

EXTRACTORS = {
    "rules": "reads what an explanation of our scenes counts, as the embedded model explains; no model needed",
    "MODEL": "any model that reads text; see: countersight list models",
}
"""How extractors are named, with a word on each; `countersight list extractors` prints it."""

__all__ = ["EXTRACTORS", "Extracted", "Extractor", "Statement"]
