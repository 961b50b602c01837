"""`import-run --from vlmevalkit`: its predictions as answers of ours."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from countersight.case import LETTERS
from countersight.errors import ExchangeError
from countersight.exchange.asked import PROMPT
from countersight.exchange.incoming import Brought, Foreign, OnBad, Put
from countersight.exchange.vlmevalkit.export import KEY, PREDICTION
from countersight.exchange.vlmevalkit.sheets import LONGEST_CELL, Row, rows_of

_KINDS: Final = (".xlsx", ".tsv")
_FAILED: Final = "Failed to obtain answer"
_WORDS: Final = msgspec.structs.replace(
    PROMPT,
    name="vlmevalkit",
    about="choices as VLMEvalKit words them, all else as 0-shot",
    choice="Question: {question}\nOptions:\n{options}\nPlease select the correct answer from the options above.",
)


def read_predictions(path: Path, on_bad: OnBad) -> Brought:
    """Open one file of predictions, or every one in a folder."""
    files = _files(path)
    return Brought(
        tool="VLMEvalKit",
        model=_model(files[0]),
        settings={"files": ", ".join(file.name for file in files)},
        prompt=_WORDS,
        answers=partial(_answers, files, on_bad),
    )


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise ExchangeError(f"{path} is not there; name a file MODEL_DATASET.xlsx or .tsv, or the folder of them")
    there = sorted(file for file in path.rglob("*") if file.suffix in _KINDS) if path.is_dir() else [path]
    found = [file for file in there if _is_predictions(file)]
    if not found:
        raise ExchangeError(
            f"{path} holds no predictions: a table with the columns {KEY!r} and {PREDICTION!r}, as VLMEvalKit "
            "writes it for a table that `countersight export --to vlmevalkit` wrote"
        )
    return found


def _is_predictions(file: Path) -> bool:
    """Whether it is what a model said; VLMEvalKit also writes the same with a column for each verdict."""
    first = next((row for _, row in rows_of(file) if not isinstance(row, str)), {})
    return {KEY, PREDICTION} <= first.keys() and "hit" not in first


def _model(file: Path) -> str:
    """Who answered: the folder above, where the file begins with its name."""
    return next((above.name for above in file.resolve().parents if file.stem.startswith(f"{above.name}_")), "")


def _answers(files: list[Path], on_bad: OnBad) -> Iterator[Foreign]:
    for file in files:
        for number, row in rows_of(file):
            if isinstance(row, str):
                on_bad(f"{file.name} line {number}: {row}")
                continue
            key, said = row.get(KEY, ""), row.get(PREDICTION)
            if not key or said is None:
                on_bad(f"{file.name} line {number}: {KEY if not key else PREDICTION}: is missing")
            elif said.startswith(_FAILED):
                yield Foreign(key=key, put=_put(row), state="failed", reason=said[:200])
            else:
                # A cell of .xlsx that is full was cut there, whatever the model had said.
                cut = file.suffix == ".xlsx" and len(said) >= LONGEST_CELL
                yield Foreign(key=key, put=_put(row), text=said, finish="length" if cut else "")


def _put(row: Row) -> Put:
    """The question as it stands in the row, which was written by us and kept by VLMEvalKit."""
    options = tuple(row.get(letter, "") for letter in LETTERS)
    return Put(words=row.get("question", ""), options=options, answer=row.get("answer", ""))
