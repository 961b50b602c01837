"""The results of verified pairs: accepted, corrected or rejected, by whom, when and why."""

import datetime
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from countersight.case import Case
from countersight.collect.export.finished import Contribution, FinishedItem
from countersight.collect.flows.cvqa import pair_of
from countersight.collect.flows.verify import CaseVerdict, final_verdict

VERDICTS = "verdicts.jsonl"
Outcome = Literal["accepted", "corrected", "rejected"]
_OUTCOMES: dict[str, Outcome] = {"keep": "accepted", "correct": "corrected", "reject": "rejected"}


class PairWork(msgspec.Struct, frozen=True, omit_defaults=True):
    """One person's contribution to a pair."""

    person: str
    """The person's pseudonym."""
    phase: str
    at: str
    """The time in UTC, in ISO 8601."""
    seconds: float
    content: object
    """The contribution as given."""
    edited_by: str = ""
    """The pseudonym of the reviewer who edited it, if one did."""


class VerifiedPair(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of verdicts.jsonl."""

    id: str
    outcome: Outcome
    case: Case
    """The case as shown to the verifiers."""
    said: tuple[PairWork, ...]
    answer: str = ""
    """The corrected answer."""
    factual_answer: str = ""
    """The corrected answer to the factual question of a pair."""


def outcome_of(finished: FinishedItem) -> Outcome | None:
    """Return the final outcome of a pair; None if nobody verified it."""
    if not any(isinstance(given.content, CaseVerdict) for given in finished.given):
        return None
    return _OUTCOMES[final_verdict(finished.past).verdict]


def count_outcomes(found: Iterable[FinishedItem]) -> dict[Outcome, int]:
    """Return how many pairs were accepted, corrected and rejected."""
    counts = Counter(filter(None, map(outcome_of, found)))
    return {outcome: counts[outcome] for outcome in _OUTCOMES.values() if counts}


def write_verdicts(
    found: Sequence[FinishedItem], folder: Path, place_pictures: Callable[[Case, FinishedItem], Case]
) -> None:
    """Write a line for each verified pair, including rejected ones."""
    lines = [
        _pair(finished, outcome, place_pictures) for finished in found if (outcome := outcome_of(finished)) is not None
    ]
    if lines:
        (folder / VERDICTS).write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))


def _pair(
    finished: FinishedItem, outcome: Outcome, place_pictures: Callable[[Case, FinishedItem], Case]
) -> VerifiedPair:
    case, final = pair_of(finished.item, finished.past), final_verdict(finished.past)
    case = place_pictures(msgspec.structs.replace(case, image=finished.item.source.get("picture") or None), finished)
    said = tuple(map(_said, finished.given))
    return VerifiedPair(finished.item.key, outcome, case, said, final.answer, final.factual_answer)


def _said(given: Contribution) -> PairWork:
    at, seconds = moment(given.at), round(given.seconds, 1)
    return PairWork(given.pseudonym, given.phase, at, seconds, given.content, given.editor or "")


def moment(at: float) -> str:
    """Format a time in UTC, to the second."""
    return datetime.datetime.fromtimestamp(at, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
