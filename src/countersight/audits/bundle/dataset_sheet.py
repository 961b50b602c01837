"""dataset.json: where the cases come from, how they were chosen, and the digest of every picture."""

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from countersight.audits.bundle.files import content
from countersight.audits.records import CaseTrail, Manifest
from countersight.dataset import Dataset
from countersight.errors import CountersightError

DATASET_SHEET: Final = "dataset.json"
CARD: Final = "croissant.json"
LONGEST: Final = 4_000
"""Characters of a field of the card that are kept."""


class Card(msgspec.Struct, frozen=True):
    """What the dataset says of itself (croissant.json); empty where it says nothing."""

    description: str = ""
    license: str = ""
    creator: str = ""
    published: str = ""


class CasePicture(msgspec.Struct, frozen=True):
    """The picture of one case."""

    case: str
    row: int
    file: str
    """In the dataset."""
    sha256: str
    """Of its bytes, by which it is also named in `pictures/`."""
    suite: str
    group: str


class DatasetSheet(msgspec.Struct, frozen=True, kw_only=True):
    """dataset.json."""

    name: str
    fingerprint: str
    rows: int
    card: Card
    selection: str
    """The rule by which cases were chosen, in words."""
    n: int
    """Cases that were asked about."""
    pictures: int
    """Different ones among theirs."""
    strata: dict[str, int]
    """Cases by suite and group."""
    cases: tuple[CasePicture, ...]


def dataset_sheet(
    folder: Path, manifest: Manifest, cases: Sequence[CaseTrail], *, from_dataset: bool = True
) -> DatasetSheet:
    """The sheet of the dataset that an audit asked about; its card may be the one written before."""
    reference = manifest.dataset
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
        card=_card(folder, manifest) if from_dataset else kept_card(folder, manifest),
        selection=chosen,
        n=len(listed),
        pictures=len({case.sha256 for case in listed}),
        strata=dict(sorted(Counter(stratum(case.record.suite, case.record.group) for case in cases).items())),
        cases=listed,
    )


def stratum(suite: str, group: str) -> str:
    """The part of the dataset that a case belongs to, in words."""
    return ": ".join(part for part in (suite, group) if part) or "(no group)"


def _card(folder: Path, manifest: Manifest) -> Card:
    """What stands beside the rows; where the dataset is gone, what was written down when it was there."""
    place = Path(os.path.normpath(folder.resolve() / manifest.dataset.path))
    try:
        if Dataset.open(place).fingerprint != manifest.dataset.fingerprint:
            return kept_card(folder, manifest)
    except (CountersightError, OSError):
        return kept_card(folder, manifest)
    return dataset_card(place) or kept_card(folder, manifest)


def dataset_card(place: Path) -> Card | None:
    """What the dataset's card says; None if there is no readable card."""
    try:
        card = msgspec.json.decode(content(place / CARD))
    except (CountersightError, OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(card, dict):
        return Card()
    creator = card.get("creator")
    return Card(
        description=_words(card.get("description")),
        license=_words(card.get("license")),
        creator=_words(creator.get("name") if isinstance(creator, dict) else creator),
        published=_words(card.get("datePublished")),
    )


def kept_card(folder: Path, manifest: Manifest) -> Card:
    """The card as it was written down before."""
    try:
        before = msgspec.json.decode(content(folder / DATASET_SHEET), type=DatasetSheet)
    except (CountersightError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Card()
    return before.card if before.fingerprint == manifest.dataset.fingerprint else Card()


def _words(value: Any) -> str:
    return value[:LONGEST] if isinstance(value, str) else ""
