"""Every answer as a row of a table: what was asked, what was said, what was read, and what became of it.

The same table is `run.frame()` and scores.parquet. It is made of as many cases at a time as fit into memory.
"""

from collections.abc import Iterable, Iterator
from importlib import import_module
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
from arro3.core import Array, DataType, Field, RecordBatch, RecordBatchReader, Schema, Table, list_array
from arro3.io import write_parquet

from countersight.case import ASKINGS, WORLDS, Asking, Case
from countersight.errors import CountersightError
from countersight.files import write_whole
from countersight.scoring.outcome import OUTCOMES, UNREAD, Counted, Find, Outcomes, counted_replies

_CASES_AT_ONCE = 16_384
_TEXT, _WHOLE, _REAL = DataType.string(), DataType.int64(), DataType.float64()

_COLUMNS: Final[dict[str, Any]] = {
    "run": _TEXT,
    "row": _WHOLE,
    "case": _TEXT,
    "group": _TEXT,
    "picture": _TEXT,
    "world": _TEXT,
    "telling": _TEXT,
    "question": _TEXT,
    "gold": _TEXT,
    "answer": _TEXT,
    "outcome": _TEXT,
    "credit": _REAL,
    "text": _TEXT,
    "reason": _TEXT,
    "finish": _TEXT,
    "tokens_in": _WHOLE,
    "tokens_out": _WHOLE,
    "cost": _REAL,
    "seconds": _REAL,
    "attempts": _WHOLE,
    "model": _TEXT,
    "restates": _TEXT,
    "losses": DataType.list(Field("item", _REAL, nullable=True)),
}
_REPLIED: Final = (
    *("text", "reason", "finish", "tokens_in", "tokens_out", "cost", "seconds", "attempts", "model", "restates"),
)
_ALWAYS: Final = frozenset(("run", "row", "case", "group", "world", "telling", "outcome"))
SCHEMA: Final = Schema([Field(name, kind, nullable=name not in _ALWAYS) for name, kind in _COLUMNS.items()])


def batches(run: str, outcomes: Outcomes, cases: Iterable[tuple[int, Case]], find: Find) -> Iterator[RecordBatch]:
    """The rows of a run, in the order of the dataset; `find` finds the replies that it was judged from."""
    waiting = iter(cases)
    start = 0
    while chunk := list(islice(waiting, _CASES_AT_ONCE)):
        said = counted_replies(outcomes, range(start, start + len(chunk)), find)
        rows = [
            (run, *line)
            for position, (row, case) in enumerate(chunk, start)
            for asking in ASKINGS
            if (line := _line(outcomes, position, row, case, asking, said)) is not None
        ]
        columns = zip(*rows, strict=True) if rows else ([] for _ in _COLUMNS)
        arrays = [_array(list(values), kind) for values, kind in zip(columns, _COLUMNS.values(), strict=True)]
        yield RecordBatch.from_arrays(arrays, schema=SCHEMA)
        start += len(chunk)


def _array(values: list[Any], kind: Any) -> Array:
    if kind is not _COLUMNS["losses"]:
        return Array(values, type=kind)
    ends = np.cumsum([0, *(len(each) for each in values)], dtype=np.int32)
    flat = np.array([loss for each in values for loss in each], dtype=np.float64)
    return list_array(Array.from_numpy(ends), Array.from_numpy(flat), type=kind)


def _line(
    outcomes: Outcomes, position: int, row: int, case: Case, asking: Asking, said: Counted
) -> tuple[Any, ...] | None:
    world, telling = WORLDS[asking]
    question = case.question(world, telling)
    column = ASKINGS.index(asking)
    code = int(outcomes.codes[position, column])
    if question is None or not code:
        return None
    reply = said.get((position, asking))
    return (
        row,
        case.id,
        case.group,
        case.picture(world, telling),
        world,
        telling,
        question.text,
        question.answer,
        outcomes.answer_texts[outcomes.answers[position, column]],
        OUTCOMES[code],
        outcomes.credit_at(position, asking) if code >= UNREAD else None,
        *(getattr(reply, name) if reply else None for name in _REPLIED),
        reply.losses if reply else (),
    )


def as_table(of: Iterator[RecordBatch], kind: str = "arrow") -> Any:
    """The rows as an Arrow table, or as a data frame of pandas or Polars where these are installed."""
    table = Table.from_batches(list(of), schema=SCHEMA)
    if kind == "arrow":
        return table
    try:
        if kind == "pandas":
            return import_module("pyarrow").table(table).to_pandas()
        if kind == "polars":
            return import_module("polars").DataFrame(table)
    except ImportError as error:
        raise CountersightError(f"{kind} needs {error.name}; install it with: pip install {error.name}") from None
    raise CountersightError(f"there is no frame of kind {kind!r}; the kinds are: arrow, pandas, polars")


def write_frame(of: Iterator[RecordBatch], path: Path) -> None:
    """Write the rows to a Parquet file for DuckDB and whatever else reads one; it is there whole or not at all."""
    content = BytesIO()  # not straight to the file: where the disk is full the writer would panic
    write_parquet(RecordBatchReader.from_batches(SCHEMA, of), content, compression="snappy")
    write_whole(path, content.getbuffer())
