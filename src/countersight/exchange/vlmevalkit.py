"""VLMEvalKit: export a dataset as tables, and import predictions as a run.

VLMEvalKit scores multiple-choice questions itself; other answers are scored after import. A table contains each picture
only once; further questions about a picture refer to its row. Predictions are .xlsx or tab-separated files.
"""

import base64
import csv
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import msgspec

from countersight.case import LETTERS, WORLDS
from countersight.dataset import Dataset
from countersight.engine import prompt_context
from countersight.errors import ExchangeError
from countersight.exchange.exported_questions import PROMPT, NamedQuestion, dataset_at, load_pictures, questions
from countersight.exchange.formats import Export, Exported
from countersight.exchange.incoming import ExternalAnswer, ExternalRun, OnBad
from countersight.files import Staging
from countersight.suites import BadField, Rows, table_rows
from countersight.text import several

KEY, PREDICTION = "key", "prediction"
_FIRST: Final = ("index", "image", "question", "hint")
_LAST: Final = ("answer", "category", "split", KEY)
_RESERVED: Final = ("mmbench", "ccbench", "circular", "mmcr", "openended")
"""Words in the name of a table that make VLMEvalKit use a different prompt or a different way of scoring."""
_EMPTY_CELLS: Final = {
    *("", "#n/a", "#n/a n/a", "#na", "-1.#ind", "-1.#qnan", "-nan", "1.#ind", "1.#qnan", "<na>", "n/a", "na", "nan"),
    *("none", "null"),
}
"""Texts that pandas reads as an empty cell."""


def export_tables(order: Export) -> Exported:
    """Write one table per number of options (NAME_4.tsv), and one for questions without options (NAME_text.tsv)."""
    dataset = dataset_at(order.source, "vlmevalkit")
    name = order.out.resolve().name
    if any(word in name.casefold() for word in _RESERVED):
        raise ExchangeError(
            f"VLMEvalKit treats names that contain {', '.join(_RESERVED)} differently; choose another name"
        )
    tables: dict[str, Any] = {}
    counts: Counter[str] = Counter()
    shown: dict[tuple[str, ...], int] = {}
    """The row that contains the pictures of a question, by table, case and pictures."""
    blind = 0
    with Staging(order.out) as folder, ExitStack() as files:
        for item in questions(dataset, order.on_bad):
            options = item.question.options
            label = str(len(options) or "text")
            if label not in tables:
                path = folder / f"{name}_{label}.tsv"
                file = files.enter_context(open(path, "w", encoding="utf-8", newline=""))
                tables[label] = csv.writer(file, delimiter="\t", lineterminator="\n")
                tables[label].writerow((*_FIRST, *LETTERS[: len(options)], *_LAST))
            place = (label, item.case.id, *(picture for picture, _ in item.pictures))
            if place in shown:
                image = str(shown[place])
            else:
                shown[place], image = counts[label], _pictures_cell(item, dataset)
            tables[label].writerow((counts[label], image, *_row(item)))
            counts[label] += 1
            blind += not item.pictures
    names = " ".join(f"{name}_{label}" for label in tables)
    left = f"; VLMEvalKit skips {several(blind, 'question')} without a picture" if blind else ""
    note = f"run: LMUData={order.out} PRED_FORMAT=tsv python run.py --data {names} --model MODEL{left}"
    return Exported(counts.total(), "question", note)


def _pictures_cell(item: NamedQuestion, dataset: Dataset) -> str:
    """Return the cell with the pictures of a question; empty if it has none, so that VLMEvalKit skips the question."""
    pictures = load_pictures(dataset, item.pictures, item.row)
    found = [base64.b64encode(picture.data).decode() for _, picture in pictures]
    return found[0] if len(found) == 1 else str(found) if found else ""


def _row(item: NamedQuestion) -> tuple[str, ...]:
    """Return the cells of a question after the cell with its pictures."""
    is_choice, hint = item.question.kind == "choice", prompt_context(item.case, *WORLDS[item.asking])
    cells = (
        item.question.text if is_choice else item.words,
        # Context and change, if the question itself does not contain them (CoSIm).
        f"Before: {hint.context} Now suppose: {hint.change}" if is_choice and hint.change else "",
        # pandas would read "None" as an empty cell, but not "None ".
        *(f"{o.text} " if o.text.casefold() in _EMPTY_CELLS else o.text for o in item.question.options),
        item.question.answer,
        item.case.group or "all",
        f"{item.asking}, control" if item.case.control_of else item.asking,  # accuracy is computed per category
        item.key,
    )
    return tuple(cell.replace("\r", " ") for cell in cells)  # a carriage return would end the row for pandas


_KINDS: Final = (".xlsx", ".tsv")
_FAILED: Final = "Failed to obtain answer"
_WORDS: Final = msgspec.structs.replace(
    PROMPT,
    name="vlmevalkit",
    about="like 0-shot, but options are worded as in VLMEvalKit",
    choice="Question: {question}\nOptions:\n{options}\nPlease select the correct answer from the options above.",
)


def read_predictions(path: Path, on_bad: OnBad) -> ExternalRun:
    """Open one file of predictions, or all files in a folder."""
    files = _files(path)
    # The model is the parent folder whose name the file name starts with.
    above = (folder.name for folder in files[0].resolve().parents)
    model = next((name for name in above if files[0].stem.startswith(f"{name}_")), "")
    return ExternalRun(
        tool="VLMEvalKit",
        model=model,
        settings={"files": ", ".join(file.name for file in files)},
        prompt=_WORDS,
        answers=_answers(files, on_bad),
    )


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise ExchangeError(
            f"{path} does not exist; name a file MODEL_DATASET.xlsx or .tsv, or the folder that contains it"
        )
    candidates = sorted(file for file in path.rglob("*") if file.suffix in _KINDS) if path.is_dir() else [path]
    found = []
    for file in candidates:
        first = next((row for _, row in _rows(file) if not isinstance(row, BadField)), {})
        if {KEY, PREDICTION} <= first.keys() and "hit" not in first:  # skip VLMEvalKit's tables of scores
            found.append(file)
    if not found:
        raise ExchangeError(
            f"{path} contains no predictions: it needs the columns {KEY!r} and {PREDICTION!r}, as VLMEvalKit writes "
            "them for a table of `countersight export --to vlmevalkit`"
        )
    return found


def _answers(files: list[Path], on_bad: OnBad) -> Iterator[ExternalAnswer]:
    for file in files:
        for number, row in _rows(file):
            if isinstance(row, BadField):
                on_bad(f"{file.name} line {number}: {row.field} {row.reason}")
                continue
            key, prediction = row[KEY], row[PREDICTION]
            if not key:
                on_bad(f"{file.name} line {number}: {KEY}: is missing")
                continue
            reply = {"text": prediction}
            if prediction.startswith(_FAILED):
                reply = {"state": "failed", "reason": prediction[:200]}
            elif file.suffix == ".xlsx" and len(prediction) >= LONGEST_CELL:  # a full cell was truncated
                reply["finish"] = "length"
            # The row contains the question as we exported it.
            options = tuple(row.get(letter, "") for letter in LETTERS)
            yield ExternalAnswer(key, reply, row.get("question", ""), options, row.get("answer", ""))


LONGEST_CELL: Final = 32_767
"""The maximum number of characters in a cell of .xlsx; longer texts are truncated."""


def _rows(path: Path) -> Rows:
    """Return the rows of a table of predictions with their line numbers; an invalid row is replaced by its fault."""
    return _sheet(path) if path.suffix == ".xlsx" else table_rows(path, (KEY, PREDICTION))


def _sheet(path: Path) -> Rows:
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise ExchangeError(
            f"to read {path}: pip install 'countersight[exchange]'; or run VLMEvalKit with PRED_FORMAT=tsv"
        ) from None
    try:
        sheet = load_workbook(path, read_only=True).worksheets[0]
        lines = (["" if value is None else str(value) for value in row] for row in sheet.iter_rows(values_only=True))
        header = next(lines, [])
        for number, line in enumerate(lines, 2):
            yield number, dict(zip(header, line, strict=False))
    except Exception as fault:  # damaged ZIP or XML data raises many types of errors
        raise ExchangeError(f"{path} is not a sheet of predictions: {fault}") from None
