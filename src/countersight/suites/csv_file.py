"""Rows of a CSV file: bounded, and with a quote that is not closed costing one row, not the rest of the file."""

from pathlib import Path

from countersight.csv_lines import csv_lines
from countersight.suites.importing import MAX_LINE, Row, Rows
from countersight.suites.picture_files import BadField
from countersight.text import nearest

_MOST_COLUMNS = 1000
"""Columns of a header that are looked through for one that may be meant."""


def csv_rows(path: Path, columns: tuple[str, ...], delimiter: str = ",") -> Rows:
    """Rows of a CSV file whose header has these columns; more columns do no harm."""
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
        lines = csv_lines(file, 2 * MAX_LINE, delimiter)
        _, header = next(lines)
        if isinstance(header, str):
            yield 1, BadField("header", header)
            return
        if wrong := header_fault(header, columns):
            yield 1, wrong
            return
        for line, values in lines:
            yield line, BadField("row", values) if isinstance(values, str) else _csv_row(header, values, columns)


def header_fault(header: list[str], columns: tuple[str, ...]) -> BadField | None:
    """What is wrong with the columns of a table that needs these, or None."""
    for column in columns:
        if header.count(column) > 1:
            return BadField(column, "is the name of two columns of the file; rename one")
        if column not in header:
            others = [name for name in header[:_MOST_COLUMNS] if name not in columns and len(name) <= 100]
            near = nearest(column, others)
            there = f", which has {near!r}" if near else ""
            return BadField(column, f"is not a column of the file{there}; it needs {', '.join(columns)}")
    return None


def _csv_row(header: list[str], values: list[str], columns: tuple[str, ...]) -> Row | BadField:
    if len(values) != len(header):
        return BadField("row", f"has {len(values)} values where the header has {len(header)}")
    row = dict(zip(header, values, strict=True))
    for column in columns:
        if "\ufffd" in row[column] or "\0" in row[column]:
            return BadField(column, "is not UTF-8 text")
    return row
