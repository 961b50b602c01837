"""`export --to croissant`: machine-readable metadata of a dataset, completed with facts from a file."""

from pathlib import Path
from typing import Any, Final

import msgspec

from countersight.dataset import (
    RAI_FIELDS,
    known_facts,
    missing_facts,
    read_croissant,
    write_croissant,
)
from countersight.errors import ExchangeError
from countersight.exchange.exported_questions import dataset_at
from countersight.exchange.formats import Export, Exported
from countersight.suggestions import unknown

_MAX_FACTS: Final = 1024 * 1024


def export_croissant(order: Export) -> Exported:
    """Write the metadata, and list the fields that only a person can fill in."""
    dataset = dataset_at(order.source, "croissant")
    card = read_croissant(dataset.path) | known_facts(dataset.path, dataset.provenance())
    card |= _read_facts(order.facts) if order.facts else {}
    write_croissant(order.out, card)
    left = missing_facts(card)
    note = (
        f"fields that a person must add, in a file for --rai: {', '.join(left)}"
        if left
        else "all required fields are present"
    )
    if order.out.resolve().parent != dataset.path.resolve():
        note += f"; its paths are relative to {dataset.path}, so it can be opened only from inside that folder"
    return Exported(dataset.count, "case", note)


def _read_facts(path: Path) -> dict[str, Any]:
    """Read a JSON object with facts about a dataset that people wrote; the prefix `rai:` of names can be omitted."""
    if path.stat().st_size > _MAX_FACTS:
        raise ExchangeError(f"{path} has more than {_MAX_FACTS:,} bytes; it should contain a few sentences")
    try:
        facts = msgspec.json.decode(path.read_bytes(), type=dict[str, str | bool | list[str]])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise ExchangeError(f"{path} is not a JSON object with text values: {fault}") from None
    names = {name.partition(":")[2]: name for name in RAI_FIELDS}
    for name in facts:
        if name not in RAI_FIELDS and name not in names:
            raise ExchangeError(f"{path}: " + unknown("field", name, RAI_FIELDS))
    return {names.get(name, name): value for name, value in facts.items()}
