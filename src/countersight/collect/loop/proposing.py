"""Proposals of a model, requested only after a person has written something themselves."""

import asyncio

from countersight.case import Question
from countersight.collect.settings import Proposals
from countersight.models import ModelSettings, Request, Turn, open_model
from countersight.text import printable

_LONGEST = 600
_PROMPT = """A question about a picture: {question}
Its answer: {answer}
Write the same question under a condition that changes the answer only indirectly: the new answer must follow from what
is supposed by thinking, and must not be stated in it. An example: "How many cats would there be if the TV was off?",
where two of the cats are on its screen.
Reply with the new question, and behind it the new answer in brackets."""


class Proposer:
    """A model that makes proposals; if it fails or is slow, nobody has to wait."""

    def __init__(self, proposals: Proposals) -> None:
        self.name = proposals.model
        self._deadline = proposals.deadline
        self._model = open_model(proposals.model, ModelSettings(timeout=proposals.deadline))

    async def propose(self, key: str, factual: Question) -> str:
        """Return the model's proposal for a question; "" if it does not answer in time."""
        prompt = _PROMPT.format(question=factual.text, answer=factual.answer)
        request = Request(f"{key}/propose", (Turn("user", prompt),), "open", question=factual.text)
        try:
            answer = await asyncio.wait_for(self._model.reply(request), self._deadline)
        except Exception:  # whatever is wrong with a model: the person goes on without it
            return ""
        return printable(answer.text)[:_LONGEST]

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()


def open_proposer(proposals: Proposals) -> Proposer | None:
    """Return the model named in the settings, or None."""
    return Proposer(proposals) if proposals.model else None
