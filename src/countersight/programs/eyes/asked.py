"""Asking a model on behalf of a program."""

from countersight.detection import ToolFailed
from countersight.errors import AskingFailed, Overloaded, Refused, Unreachable
from countersight.models import Model, Request


async def answer_of(model: Model, request: Request) -> str:
    """What a model says; ToolFailed where it says nothing to this, and what the whole run must know goes on upwards."""
    try:
        answer = await model.reply(request)
    except (Overloaded, Refused, Unreachable):
        raise  # not about this program: whoever asks the questions of a run must know
    except AskingFailed as error:
        if error.again:
            raise
        raise ToolFailed(f"{model.name} did not answer: {error}") from None
    return answer.text
