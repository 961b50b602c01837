"""What a run sent, in words: made again from its prompt, its examples and its seed, for whoever looks at a case."""

from contextlib import suppress

from countersight.case import Case, Reply, Telling, World
from countersight.dataset import Dataset
from countersight.engine import orders_of
from countersight.engine.conversations import Conversations, NoExample, conversations_of
from countersight.engine.plan import Ask
from countersight.engine.run_folder import RunFolder
from countersight.errors import BadPicture, CountersightError
from countersight.models import Turn
from countersight.picture import Picture
from countersight.text import several

_UNOPENED = Picture(b"", "", 0, 0)
"""Stands for a picture that is only said to be there."""


class Sent:
    """The requests of one run, as text."""

    def __init__(self, run: RunFolder, dataset: Dataset) -> None:
        self._manifest = run.manifest
        self._conversations: Conversations | None = None
        with suppress(CountersightError):  # where the dataset of its examples is gone, nobody can say what was sent
            self._conversations = conversations_of(run, dataset, open_picture=lambda name, digest: _UNOPENED)

    def words(self, row: int, case: Case, world: World, telling: Telling, fact: Reply | None = None) -> str:
        """The conversation that was put to the model, turn by turn; empty where it can no longer be known.

        `fact` is the model's own answer about the picture as it is, which some prompts let stand before the question.
        """
        question = case.question(world, telling)
        prompt = self._manifest.prompt.of(world)
        if self._conversations is None or question is None:
            return ""
        given = fact if prompt.fact and (world, telling) == ("counterfactual", "told") else None
        try:
            request = self._conversations.request(Ask(row, case, world, telling, question, given))
        except (BadPicture, NoExample):
            return ""
        said = [_words(turn, alone=len(request.turns) == 1) for turn in request.turns]
        if self._manifest.answering == "rank":
            if prompt.reads == "end":
                said += ["assistant: (what it thinks)", f"user: {prompt.concluding}"]
            said.append("(each option is ranked as what comes next)")
        elif prompt.orders != "one" and question.kind == "choice":
            more = len(orders_of(len(question.options), prompt.orders)) - 1
            said.append(f"(and {several(more, 'time')} more, with the options in other orders)")
        return "\n\n".join(said)


def _words(turn: Turn, *, alone: bool) -> str:
    shown = "[picture] " * len(turn.pictures)
    return f"{shown}{turn.text}" if alone else f"{turn.role}: {shown}{turn.text}"
