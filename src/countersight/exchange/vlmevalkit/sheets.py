"""Tables as VLMEvalKit writes its predictions: .xlsx, which is a ZIP of XML, or text with tabs."""

import csv
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final
from xml.etree import ElementTree

from countersight.csv_lines import csv_lines
from countersight.errors import ExchangeError

Row = dict[str, str]

MOST = 1024 * 1024 * 1024
"""Bytes of a sheet that are unpacked."""
LONGEST_CELL: Final = 32_767
"""Characters that a cell of .xlsx holds; what is longer was cut."""
_LONGEST_ROW = 64 * 1024 * 1024
_SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_SHEET, _STRINGS = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"


def rows_of(path: Path) -> Iterator[tuple[int, Row | str]]:
    """Every row of a table with its line, by the names of its columns; a text says what is wrong with one."""
    lines = enumerate(_sheet(path), 1) if path.suffix == ".xlsx" else _text(path)
    _, header = next(lines, (1, []))
    if isinstance(header, str):
        raise ExchangeError(f"{path} is no table: its header {header}")
    for number, line in lines:
        yield number, line if isinstance(line, str) else dict(zip(header, line, strict=False))


def _text(path: Path) -> Iterator[tuple[int, list[str] | str]]:
    before = csv.field_size_limit(_LONGEST_ROW)
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            yield from csv_lines(file, _LONGEST_ROW, "\t")
    finally:
        csv.field_size_limit(before)


def _sheet(path: Path) -> Iterator[list[str]]:
    try:
        with zipfile.ZipFile(path) as packed:
            if any(packed.getinfo(name).file_size > MOST for name in packed.namelist()):
                raise ExchangeError(f"{path} holds more than {MOST:,} bytes; write predictions with PRED_FORMAT=tsv")
            strings = list(_strings(packed)) if _STRINGS in packed.namelist() else []
            with packed.open(_SHEET) as file:
                yield from _lines(file, strings)
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError, ValueError, IndexError, OSError, zlib.error) as fault:
        raise ExchangeError(f"{path} is no sheet of predictions: {fault}") from None


def _strings(packed: zipfile.ZipFile) -> Iterator[str]:
    with packed.open(_STRINGS) as file:
        for _, node in ElementTree.iterparse(file):  # noqa: S314 - expat bounds what entities grow to
            if node.tag == f"{_SPACE}si":
                yield _said(node)
                node.clear()


def _lines(file: IO[bytes], strings: list[str]) -> Iterator[list[str]]:
    for _, node in ElementTree.iterparse(file):  # noqa: S314 - as above
        if node.tag == f"{_SPACE}row":
            cells = {_column(cell.get("r", "")): _value(cell, strings) for cell in node.iter(f"{_SPACE}c")}
            yield [cells.get(place, "") for place in range(max(cells, default=-1) + 1)]
            node.clear()


def _value(cell: ElementTree.Element, strings: list[str]) -> str:
    if cell.get("t") == "inlineStr":
        return _said(cell)
    value = cell.findtext(f"{_SPACE}v") or ""
    return strings[int(value)] if cell.get("t") == "s" else value


def _said(node: ElementTree.Element) -> str:
    return "".join(part.text or "" for part in node.iter(f"{_SPACE}t"))


def _column(name: str) -> int:
    """The place of a column by its letters: A is 0, Z 25, AA 26."""
    letters = re.match(r"[A-Z]{1,3}", name)
    place = 0
    for letter in letters[0] if letters else "":
        place = 26 * place + ord(letter) - ord("A") + 1
    return place - 1
