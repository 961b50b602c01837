"""What is written down about the batches of a run: which are out is known to whoever opens its folder."""

from pathlib import Path
from typing import Literal

import msgspec

from countersight.errors import RunError
from countersight.text import several

BATCHES = "batches.jsonl"


class Event(msgspec.Struct, frozen=True):
    """A line about a batch: it is about to be sent, was sent, was refused, or its answers are all in the journal."""

    what: Literal["sending", "sent", "refused", "collected"]
    label: str
    at: float
    batch: str = ""
    """Its id at the provider, once there is one."""
    names: tuple[str, ...] = ()
    """The questions in it: row and telling, and whether a reply is to be restated."""


def events(run: Path) -> list[Event]:
    """What was written down about the batches of a run, as far as the lines are whole."""
    found = []
    for line in (run / BATCHES).read_bytes().splitlines() if (run / BATCHES).exists() else []:
        try:
            found.append(msgspec.json.decode(line, type=Event))
        except msgspec.DecodeError:
            continue
    return found


def outstanding(run: Path) -> dict[str, Event]:
    """The batches of a run that are not collected yet, by label; the last that is known of each."""
    left: dict[str, Event] = {}
    for event in events(run):
        if event.what in ("collected", "refused"):
            left.pop(event.label, None)
        else:
            known = left.get(event.label)
            left[event.label] = event if known is None else msgspec.structs.replace(event, names=known.names)
    return left


def asked_once(run: Path) -> set[str]:
    """The questions that are out or were in a batch that arrived: they are not sent in another."""
    told = events(run)
    refused = {event.label for event in told if event.what == "refused"}
    arrived = {event.label for event in told if event.batch} | outstanding(run).keys()
    return {name for event in told if event.label in arrived - refused for name in event.names}


def refuse_what_is_out(run: Path) -> None:
    """Say so where questions of a run are in batches: asked beside them, they would be paid for twice."""
    left = outstanding(run)
    if left:
        questions = several(sum(len(event.names) for event in left.values()), "question")
        names = ", ".join(event.batch or event.label for event in left.values())
        raise RunError(
            f"{questions} of {run} are out in batches ({names}) and would be paid for twice; "
            "collect them first: the same command with `batch`"
        )
