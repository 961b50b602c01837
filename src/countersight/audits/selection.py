"""selection.json: the cases of an audit and the card of their dataset, written before the first request.

A selected case that is later missing from the log was not run, or was removed from the log.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from countersight.audits.records import decode_record
from countersight.case import Question
from countersight.dataset import BadRow, Dataset, read_croissant
from countersight.errors import DatasetError
from countersight.files import write_whole

SELECTION: Final = "selection.json"
LONGEST: Final = 4_000
"""The maximum length of the text stored for a field of the card, in characters."""
_THESE = "which of these"
"""Words that show that a question needs its options; audits list no options, because all may be wrong after an edit."""


_BRIEF: Final = re.compile(
    r"(?:how (?:many|much|old|tall|long|far|big|often)|when|what (?:year|time|date|number|letter|word|percent\w*|"
    r"decade|century)|who (?:invented|wrote|made|won|is|was)|(?:what|which) (?:is|are|was) the (?:\w+ )?names?|name )\b"
)
"""Questions about a number, a date or a name: explanations of such answers describe little of the picture."""
_OPEN: Final = re.compile(r"(?:what|which|why|how|where|who|in what|in which|for what|at what|on what)\b")


def is_descriptive(question: Question) -> bool:
    """Whether a question is likely to elicit an explanation that describes the picture (EDCT 4).

    The authors of the paper chose questions by hand. This rule chooses open questions whose answer is not a number,
    date or name.
    """
    text = " ".join(question.text.casefold().split())
    return question.unlisted_kind == "open" and bool(_OPEN.match(text)) and not _BRIEF.match(text)


class Selected(msgspec.Struct, frozen=True, array_like=True):
    """One case: its row in the dataset, counted from 0, and its id."""

    row: int
    case: str


class Card(msgspec.Struct, frozen=True, omit_defaults=True):
    """The description of a dataset in its croissant.json; empty if there is none."""

    description: str = ""
    license: str = ""
    creator: str = ""
    published: str = ""


class Selection(msgspec.Struct, frozen=True, omit_defaults=True):
    """The content of selection.json."""

    fingerprint: str
    """The fingerprint of the dataset."""
    rows: int
    unreadable: int
    """The number of invalid rows."""
    left_out: int
    """The number of cases without a picture, or without an open-ended question about the original picture."""
    cases: tuple[Selected, ...]
    descriptive: bool = False
    """Whether only cases with questions likely to elicit a description were selected."""
    card: Card = Card()


def select(
    dataset: Dataset,
    most: int | None,
    on_bad: Callable[[BadRow], None] = lambda row: None,
    *,
    descriptive: bool = False,
) -> Selection:
    """Select all cases of a dataset, or at most `most`, spread evenly over its rows, always in the same way.

    With `descriptive`, cases are spread evenly over those with descriptive questions.
    """
    bad = 0

    def count(row: BadRow) -> None:
        nonlocal bad
        bad += 1
        on_bad(row)

    count_all = dataset.count
    wanted = None if descriptive or most is None or most >= count_all else _evenly(count_all, most)
    chosen, left_out = [], 0
    for nth, (row, case) in enumerate(dataset.cases(count)):
        if wanted is not None and nth not in wanted:
            continue
        if (
            case.factual is None
            or case.image is None
            or _THESE in case.factual.text.casefold()
            or (descriptive and not is_descriptive(case.factual))
        ):
            left_out += 1
        else:
            chosen.append(Selected(row, case.id))
    if descriptive and most is not None and most < len(chosen):
        chosen = [chosen[place] for place in sorted(_evenly(len(chosen), most))]
    return Selection(
        dataset.fingerprint, count_all, bad, left_out, tuple(chosen), descriptive, _read_card(dataset.path)
    )


def write_selection(folder: Path, selection: Selection) -> None:
    """Write the selection to the folder of an audit."""
    write_whole(folder / SELECTION, msgspec.json.encode(selection) + b"\n")


def decode_selection(data: bytes) -> Selection:
    """Return a selection from its JSON; raises AuditError if it is damaged."""
    return decode_record(data, Selection, SELECTION)


def _read_card(dataset: Path) -> Card:
    found: dict[str, Any] = {}
    with suppress(DatasetError):
        found = read_croissant(dataset)
    creator = found.get("creator")
    fields = {
        "description": found.get("description"),
        "license": found.get("license"),
        "creator": creator.get("name") if isinstance(creator, dict) else creator,
        "published": found.get("datePublished"),
    }
    return Card(**{name: words[:LONGEST] for name, words in fields.items() if isinstance(words, str)})


def _evenly(count: int, most: int) -> frozenset[int]:
    return frozenset(nth * count // most for nth in range(most))
