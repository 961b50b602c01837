"""dataset.json: the audited dataset, its card, and the selected cases."""

import os
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from countersight.audits.bundle.listing import content
from countersight.audits.records import Manifest, decode_record
from countersight.audits.trail import CaseTrail
from countersight.dataset import Dataset
from countersight.errors import AuditError, CountersightError

DATASET_SHEET: Final = "dataset.json"
CARD: Final = "croissant.json"
LONGEST: Final = 4_000
"""Longest text stored for a field of the card, in characters."""


class Card(msgspec.Struct, frozen=True):
    """The dataset's own metadata (croissant.json); empty if it has none."""

    description: str = ""
    license: str = ""
    creator: str = ""
    published: str = ""


class CasePicture(msgspec.Struct, frozen=True):
    """The picture of one case."""

    case: str
    row: int
    file: str
    """The file name in the dataset."""
    sha256: str
    """The digest of its bytes, which is also its name in `pictures/`."""
    suite: str
    group: str


class DatasetSheet(msgspec.Struct, frozen=True, kw_only=True):
    """The content of dataset.json."""

    name: str
    fingerprint: str
    rows: int
    card: Card
    selection: str
    """The rule by which cases were selected, in words."""
    n: int
    """The number of cases."""
    pictures: int
    """The number of different pictures."""
    strata: dict[str, int]
    """The number of cases by suite and group."""
    cases: tuple[CasePicture, ...]


def dataset_sheet(folder: Path, manifest: Manifest, cases: Sequence[CaseTrail], *, from_dataset: bool) -> DatasetSheet:
    """Return the sheet of the audited dataset, with the stored card or, if the dataset is unchanged, with its own."""
    reference = manifest.dataset
    place = Path(os.path.normpath(folder.resolve() / reference.path))
    card = None
    with suppress(CountersightError, OSError):
        if from_dataset and Dataset.open(place).fingerprint == reference.fingerprint:
            card = dataset_card(place)
    those = "cases of the dataset with a picture and a factual question"
    if manifest.descriptive:
        those += " that is open and likely to be explained by a description of the picture"
    chosen = f"all {those}" if manifest.cases is None else f"{manifest.cases:,}, spread evenly over all {those}"
    listed = tuple(
        CasePicture(case.case, case.row, case.record.image, case.record.picture, case.record.suite, case.record.group)
        for case in cases
    )
    return DatasetSheet(
        name=reference.name,
        fingerprint=reference.fingerprint,
        rows=reference.rows,
        card=card or stored_card(folder, manifest),
        selection=chosen,
        n=len(listed),
        pictures=len({case.sha256 for case in listed}),
        strata=dict(sorted(Counter(_stratum(case.suite, case.group) for case in listed).items())),
        cases=listed,
    )


def _stratum(suite: str, group: str) -> str:
    return ": ".join(part for part in (suite, group) if part) or "(no group)"


def dataset_card(place: Path) -> Card | None:
    """Return the content of the dataset's card; None if there is no readable card."""
    try:
        card = decode_record(content(place / CARD), dict[str, Any], CARD)
    except AuditError:
        return None
    creator = card.get("creator")
    return Card(
        description=_words(card.get("description")),
        license=_words(card.get("license")),
        creator=_words(creator.get("name") if isinstance(creator, dict) else creator),
        published=_words(card.get("datePublished")),
    )


def stored_card(folder: Path, manifest: Manifest) -> Card:
    """Return the card stored in dataset.json; empty if there is none."""
    try:
        before = decode_record(content(folder / DATASET_SHEET), DatasetSheet, DATASET_SHEET)
    except AuditError:
        return Card()
    return before.card if before.fingerprint == manifest.dataset.fingerprint else Card()


def _words(value: Any) -> str:
    return value[:LONGEST] if isinstance(value, str) else ""
