"""Rows of a file with one JSON object a line."""

from pathlib import Path

import msgspec

from countersight.files import bounded_lines
from countersight.suites.importing import MAX_LINE, Row, Rows
from countersight.suites.picture_files import BadField

MAX_DEPTH = 32
"""Deepest nesting kept of a JSON row, so that writing and reading it again cannot run out of stack."""


def jsonl_rows(path: Path, fields: tuple[str, ...]) -> Rows:
    """Rows of a file with one JSON object a line that has these fields; more fields do no harm."""
    with open(path, "rb") as file:
        for line, text in enumerate(bounded_lines(file, MAX_LINE), start=1):
            text = text.removeprefix(b"\xef\xbb\xbf") if line == 1 else text
            if not text or text.isspace():
                continue
            yield line, json_row(text, fields)


def json_row(text: bytes, fields: tuple[str, ...], piece: str = "line") -> Row | BadField:
    """The row that a piece of a file is, if it is a JSON object with these fields; else what is wrong with it."""
    if len(text) > MAX_LINE:
        return BadField(piece, f"is longer than {MAX_LINE:,} bytes")
    try:
        row = msgspec.json.decode(text)
    except RecursionError:
        return BadField(piece, f"is nested deeper than {MAX_DEPTH}")
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return BadField(piece, f"is not JSON ({error})")
    if not isinstance(row, dict):
        return BadField(piece, "is not a JSON object")
    if _is_deep(row):
        return BadField(piece, f"is nested deeper than {MAX_DEPTH}")
    absent = next((field for field in fields if field not in row), None)
    return row if absent is None else BadField(absent, "is missing")


def _is_deep(row: object) -> bool:
    level = [row]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)
