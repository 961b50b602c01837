"""Tables as the hub and the harnesses publish them: Parquet with pictures inside, TSV with pictures as base64, JSON.

A row is a mapping, whatever it was read from; a picture inside it is found with `picture_in`.
"""

import base64
import binascii
import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from countersight.errors import CountersightError
from countersight.suites.csv_file import csv_rows, header_fault
from countersight.suites.importing import MAX_LINE, Row, Rows
from countersight.suites.json_file import JsonFile
from countersight.suites.json_lines import jsonl_rows
from countersight.suites.picture_files import BadField, Pictured

_LONGEST_NAME = 400
"""Signs of a file name; a longer text is a picture as base64."""
_PICTURES = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR")
"""How PNG, JPEG, GIF and WebP begin as base64: a picture of one colour is shorter than many names."""


def table_rows(path: Path, fields: tuple[str, ...]) -> Rows:
    """Rows of a .parquet, .tsv, .csv, .jsonl or .json file that have these fields; more fields do no harm."""
    match path.suffix.lower():
        case ".parquet":
            return _parquet_rows(path, fields)
        case ".tsv":
            return _tsv_rows(path, fields)
        case ".csv":
            return csv_rows(path, fields)
        case ".json":
            return JsonFile(path).rows(fields)
    return jsonl_rows(path, fields)


def picture_in(row: Row, field: str) -> Pictured:
    """The picture in a field: its bytes as Hugging Face and the harnesses embed them, or its file name."""
    value = row[field]
    if isinstance(value, dict):
        value = value.get("bytes") or value.get("path")
    if isinstance(value, bytes):
        return value
    if not isinstance(value, str) or not value.strip():
        raise BadField(field, "is neither a picture nor the name of one")
    if len(value) > _LONGEST_NAME or value.startswith(_PICTURES):
        return _decoded(value, field)
    return value


def _decoded(text: str, field: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise BadField(field, "is neither the name of a picture nor one as base64") from None


def _tsv_rows(path: Path, fields: tuple[str, ...]) -> Rows:
    before = csv.field_size_limit(2 * MAX_LINE)  # a picture stands in a field; no row is longer
    try:
        yield from csv_rows(path, fields, "\t")
    finally:
        csv.field_size_limit(before)


def _parquet_rows(path: Path, fields: tuple[str, ...]) -> Rows:
    from arro3.io import read_parquet

    try:
        reader = read_parquet(path)
        wrong = header_fault([field.name for field in reader.schema], fields)
        if wrong:
            yield 1, wrong
            return
        number = 0
        for batch in reader:
            for row in _as_rows(batch):
                number += 1
                yield number, row
    except (OSError, GeneratorExit, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # the reader panics at a broken file, which is no Exception
        raise CountersightError(f"{path} is not a Parquet file that can be read: {error}") from error


def _as_rows(batch: Any) -> Iterator[Row]:
    names = batch.column_names
    columns = [batch.column(name) for name in names]
    for place in range(batch.num_rows):
        yield {name: column[place].as_py() for name, column in zip(names, columns, strict=True)}
