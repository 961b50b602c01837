"""The writer that needs no model: the composer turned round for numbers, and negation for yes and no."""

from random import Random

from countersight.authoring.balance import Wordings
from countersight.authoring.counting import write_count
from countersight.authoring.drafts import Draft
from countersight.authoring.sources import Source
from countersight.authoring.yes_no import write_yes_no


class GrammarWriter:
    """Writes pairs by rule; the same seed writes the same."""

    name = "grammar"

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._used = Wordings()

    async def write(self, source: Source, wanted: tuple[str, ...]) -> Draft:
        """A counterfactual question; raises Unwritten where the grammar does not cover the question."""
        chance = Random(f"{self._seed}/{source.id}/{source.question}")
        if source.group == "boolean":
            return write_yes_no(source, chance)
        draft = write_count(source, wanted, self._used, chance)
        self._used.take(draft.pattern, draft.answer)
        return draft
