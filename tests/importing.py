"""Importing small files as the command line does."""

import csv
import json
from pathlib import Path

from countersight.case import Case
from countersight.dataset.folder import Dataset
from countersight.suites.importing import Imported, import_file
from countersight.suites.registry import find_suite

BadRows = list[tuple[int, str, str]]


def import_suite(
    suite: str, source: Path, folder: Path, pictures: Path | None = None, beside: Path | None = None
) -> tuple[list[Case], Imported, BadRows]:
    """The cases of the dataset that came of a file, what was counted, and the bad rows."""
    bad: BadRows = []
    imported = import_file(
        find_suite(suite), source, folder, pictures=pictures, on_bad=lambda *row: bad.append(row), second_file=beside
    )
    unreadable: list[object] = []
    cases = [case for _, case in Dataset.open(folder).cases(unreadable.append)]
    assert unreadable == []
    assert (len(cases), len(bad)) == (imported.cases, imported.bad)
    return cases, imported, bad


def csv_file(path: Path, *rows: dict[str, str]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def jsonl_file(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def json_file(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path
