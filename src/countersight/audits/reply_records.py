"""Replies and conversations as they are logged."""

import msgspec

from countersight.audits.records import ModelReply, RecordedTurn, Usage
from countersight.engine import Answered
from countersight.models import Answer, Turn
from countersight.picture import Picture


class ShownPicture(msgspec.Struct, frozen=True):
    """A picture and its digest."""

    picture: Picture
    digest: str


def record_reply(answer: Answer) -> ModelReply:
    """Return a model's answer as it is logged."""
    return ModelReply(
        replace_surrogates(answer.text), replace_surrogates(answer.finish), replace_surrogates(answer.model)
    )


def add_usage(answered: Answered[Answer], so_far: Usage | None = None) -> Usage:
    """Return the usage of an answer, added to `so_far`."""
    answer, sum_of = answered.answer, so_far or Usage(attempts=0)
    return Usage(
        tokens_in=sum_of.tokens_in + answer.tokens_in,
        tokens_out=sum_of.tokens_out + answer.tokens_out,
        cost=sum_of.cost + answer.cost,
        seconds=round(sum_of.seconds + answered.seconds, 4),
        attempts=sum_of.attempts + answered.attempts,
        model=replace_surrogates(answer.model),
    )


def conversation(turns: tuple[Turn, ...], shown: ShownPicture | None = None) -> tuple[RecordedTurn, ...]:
    """Return a conversation as it is logged, with digests in place of pictures."""
    return tuple(
        RecordedTurn(turn.role, turn.text, shown.digest if shown and turn.picture is not None else "") for turn in turns
    )


def replace_surrogates(text: str) -> str:
    """Return the text with lone surrogates replaced, because they cannot be written to a file."""
    return text.encode("utf-8", "replace").decode()
