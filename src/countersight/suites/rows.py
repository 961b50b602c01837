"""Read the rows of published files in any supported format, and the values of their fields.

The formats are CSV and TSV, JSON lines, one JSON document with a list of entries (plain or gzipped), and Parquet. Files
are streamed if the format allows it, and sizes are limited. An invalid row does not stop reading: it is returned as a
`BadField` that says what is wrong with it.
"""

import base64
import binascii
import csv
import gzip
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from countersight.case import AnswerKind, Question
from countersight.csv_lines import csv_lines
from countersight.english import NUMBER_WORDS, number_at
from countersight.errors import CountersightError
from countersight.files import bounded_lines
from countersight.suites.suite import BadField, BadFile, Layout, Pictured, Row, Rows

MAX_LINE: Final = 1 << 20
"""The longest part of a line that is read at once, so that a file with a very long line cannot exhaust the memory."""
MAX_FILE: Final = 1 << 29
"""The size limit of an unpacked JSON document, in bytes; the largest file of VQAv2 has under 400 million."""
_LONGEST_HEADER: Final = 300
"""The maximum number of characters of a header quoted in an error message."""
_PICTURE_NAME: Final = re.compile(r".{1,400}\.(png|jpe?g|webp|gif|bmp|tiff?)", re.I)
"""The file name of a picture; any other text in a picture field is the picture itself, as base64."""
_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?", re.ASCII)
_BOM: Final = b"\xef\xbb\xbf"

_Kind = TypeVar("_Kind")


def rows_of(layout: Layout, path: Path) -> Rows:
    """Yield the rows of a suite's file with their line numbers; an invalid row is replaced by a `BadField`."""
    if layout.rows is not None:
        yield from layout.rows(path)
        return
    for line, row in table_rows(path, layout.fields, layout.optional):
        if layout.expand is None or isinstance(row, BadField):
            yield line, row
            continue
        try:
            yield from ((line, each) for each in layout.expand(row))
        except BadField as wrong:
            yield line, wrong


def table_rows(path: Path, fields: tuple[str, ...], optional: tuple[str, ...] = ()) -> Rows:
    """Return rows of a .parquet, .json, .jsonl, .tsv or .csv file with these fields; further fields are allowed."""
    match path.suffix.lower():
        case ".parquet":
            return _parquet_rows(path, fields)
        case ".json" | ".gz":
            return json_rows(path, fields)
        case ".jsonl" | ".ndjson":
            return jsonl_rows(path, fields)
        case ".tsv":
            return csv_rows(path, fields, "\t", optional)
    return csv_rows(path, fields, "", optional)


def csv_rows(path: Path, fields: tuple[str, ...], delimiter: str = "", optional: tuple[str, ...] = ()) -> Rows:
    """Return rows of a CSV file whose header has these columns; an unclosed quote invalidates only one row."""
    before = csv.field_size_limit()
    if delimiter == "\t":  # a field may contain a picture
        csv.field_size_limit(2 * MAX_LINE)
    try:
        with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
            yield from _csv_rows(csv_lines(file, 2 * MAX_LINE, delimiter), fields, optional)
    finally:
        csv.field_size_limit(before)


def _csv_rows(lines: Iterator[tuple[int, list[str] | str]], fields: tuple[str, ...], optional: tuple[str, ...]) -> Rows:
    start, names = next(lines)
    header = [] if isinstance(names, str) else _named(names, (*fields, *optional))
    if wrong := BadFile("header", names) if isinstance(names, str) else _header_fault(header, fields):
        yield start, wrong
        return
    for line, values in lines:
        if isinstance(values, str):
            yield line, BadField("row", values)
        elif len(values) != len(header):
            yield line, BadField("row", f"has {len(values)} values, but the header has {len(header)} columns")
        else:
            row = dict(zip(header, values, strict=True))
            damaged = next((name for name, text in row.items() if "\ufffd" in text or "\0" in text), None)
            yield line, row if damaged is None else BadField(damaged, "is not UTF-8 text; save the file as UTF-8")


def _named(header: list[str], columns: tuple[str, ...]) -> list[str]:
    """Return a header with the known spelling of these columns; case is ignored."""
    by_name = {column.casefold(): column for column in columns if column not in header}
    return [by_name.get(name.strip().casefold(), name) for name in header]


def _header_fault(header: list[str], columns: tuple[str, ...]) -> BadFile | None:
    """Return what is wrong with the header of a table that needs these columns, or None."""
    text = ", ".join(header)
    if not header:
        return BadFile("the file", "is empty")
    if "\0" in text:
        return BadFile("the file", "is UTF-16 text, or not text at all; save it as UTF-8")
    if "\ufffd" in text:
        return BadFile("the file", "is not UTF-8 text; save it as UTF-8")
    if doubled := [column for column in columns if header.count(column) > 1]:
        return BadFile(doubled[0], "is the name of two columns of the file; rename one")
    if missing := [column for column in columns if column not in header]:
        are = "is not a column" if len(missing) == 1 else "are not columns"
        return BadFile(", ".join(missing), f"{are} of the file, which has: {text[:_LONGEST_HEADER]}")
    return None


def jsonl_rows(path: Path, fields: tuple[str, ...]) -> Rows:
    """Return rows of a file with one JSON object per line that has these fields; other fields are ignored."""
    with open(path, "rb") as file:
        for line, text in enumerate(bounded_lines(file, MAX_LINE), start=1):
            if line == 1 and len(text) <= MAX_LINE:
                text = text.removeprefix(_BOM)
            if text and not text.isspace():
                yield line, json_row(text, fields)


def json_row(text: bytes, fields: tuple[str, ...], piece: str = "line") -> Row | BadField:
    """Return the row in a part of a file if it is a JSON object with these fields; otherwise its fault."""
    if len(text) > MAX_LINE:
        return BadField(piece, f"is longer than {MAX_LINE:,} bytes")
    try:
        row = msgspec.json.decode(text)
    except RecursionError:
        return BadField(piece, "is nested too deeply")
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return BadField(piece, f"is not JSON ({error})")
    if not isinstance(row, dict):
        return BadField(piece, "is not a JSON object")
    absent = next((field for field in fields if field not in row), None)
    return row if absent is None else BadField(absent, "is missing")


def json_rows(path: Path, fields: tuple[str, ...]) -> Rows:
    """Return the entries of a JSON file with a list, plain or gzipped, as rows with these fields, counted from 1."""
    for number, entry in enumerate(json_document(path, list[msgspec.Raw]), start=1):
        yield number, json_row(bytes(entry), fields, "entry")


def json_document(path: Path, kind: type[_Kind]) -> _Kind:
    """Return the content of a JSON file, plain or gzipped, as this type.

    Parts of the type `msgspec.Raw` are not decoded, so that `json_row` can decode them one by one.
    """
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else open(path, "rb") as file:
            data = file.read(MAX_FILE + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise CountersightError(f"{path} is not a complete gzip file: {error}") from error
    if len(data) > MAX_FILE:
        raise CountersightError(f"{path} has more than {MAX_FILE:,} bytes; split it into several files")
    try:
        return msgspec.json.decode(data.removeprefix(_BOM), type=kind)
    except msgspec.ValidationError as error:
        raise CountersightError(f"{path} is not the right file: {error}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise CountersightError(f"{path} is not a complete JSON file: {error}") from error


def _parquet_rows(path: Path, fields: tuple[str, ...]) -> Rows:
    from arro3.io import read_parquet

    try:
        reader = read_parquet(path)
        header = _named([field.name for field in reader.schema], fields)
        if wrong := _header_fault(header, fields):
            yield 1, wrong
            return
        number = 0
        for batch in reader:
            columns = {name: batch.column(place) for place, name in enumerate(header)}
            for place in range(batch.num_rows):
                number += 1
                yield number, {name: column[place].as_py() for name, column in columns.items()}
    except (OSError, GeneratorExit, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # the reader panics on a broken file, and a panic is not an Exception
        raise CountersightError(f"{path} is not a Parquet file that can be read: {error}") from error


def _value(row: Row, field: str) -> Any:
    if field not in row:
        raise BadField(field, "is missing")
    return row[field]


def text_of(row: Row, field: str) -> str:
    """Return the text in a field, without surrounding spaces; raises BadField if there is none."""
    value = _value(row, field)
    if not isinstance(value, str):
        raise BadField(field, "is not text")
    if "\0" in value:
        raise BadField(field, "is not text: it contains a NUL character")
    if not value.strip():
        raise BadField(field, "is empty")
    return value.strip()


def plain_text(row: Row, field: str) -> str:
    """Return the value of a field as text, even if it is a number."""
    value = _value(row, field)
    return text_of({field: "" if value is None else str(value)}, field)


def name_of(row: Row, field: str, names: tuple[str, ...]) -> str:
    """Return the one of these names that is in a field, ignoring case."""
    text = text_of(row, field)
    name = text.casefold()
    if name not in names:
        raise BadField(field, f"{text[:40]!r} is not one of {', '.join(names)}")
    return name


def whole_number(row: Row, field: str, least: int = 0) -> int:
    """Return the whole number in a field, given as a number or as digits."""
    text = str(_value(row, field)).strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) >= least):
        raise BadField(field, f"{text[:40]!r} is not a whole number" + (f" of at least {least}" if least else ""))
    return int(text)


def kind_of(answer: str) -> AnswerKind:
    """Return the kind of an answer without options: a number, yes or no, or free text."""
    if _NUMBER.fullmatch(answer):
        return "number"
    return "boolean" if answer.casefold() in ("yes", "no") else "open"


def plain_answer(text: str) -> str:
    """Return an answer in plain form: "Two." and "2.0" are 2, "Yes" is yes, "none" is 0; others are unchanged."""
    plain = text.strip().strip("\"'").rstrip(".!").strip()
    word = plain.casefold()
    if word in ("yes", "no"):
        return word
    digits = re.sub(r"(?<=\d),(?=\d{3}(?!\d))|\.0+$", "", plain) if plain[:1] in "-0123456789" else plain
    if _NUMBER.fullmatch(digits):
        return digits
    words = word.replace("-", " ").split()
    number = (0, 1) if words == ["none"] else number_at(words) if words and words[0] in NUMBER_WORDS else None
    return str(number[0]) if number and number[1] == len(words) else text


def checked(question: Question, fields: Mapping[str, str]) -> Question:
    """Return the question, or raise BadField if it is invalid; `fields` maps its parts to the published fields."""
    fault = question.fault()
    if fault:
        part, _, reason = fault.partition(": ")
        raise BadField(fields[part], reason[:200])
    return question


def picture_in(row: Row, field: str) -> Pictured:
    """Return the picture in a field: embedded bytes as in Hugging Face and the harnesses, or its file name."""
    value = _value(row, field)
    if isinstance(value, dict):
        value = value.get("bytes") or value.get("path")
    if isinstance(value, bytes):
        return value
    if not isinstance(value, str) or not value.strip():
        raise BadField(field, "is neither a picture nor the name of a picture")
    if _PICTURE_NAME.fullmatch(value):
        return value
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise BadField(field, "is a damaged picture: its base64 text cannot be decoded") from None
