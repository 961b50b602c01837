"""Writes the outcome of every case to a Parquet file, for DuckDB and whatever else reads one."""

from collections.abc import Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

from arro3.core import Array, DataType, Field, RecordBatch, RecordBatchReader, Schema
from arro3.io import write_parquet as write

from countersight.files import write_whole
from countersight.scoring.outcome import ASKED, Outcomes

_ROWS_AT_ONCE = 65_536
_CREDIT = "_credit"


def write_parquet(outcomes: Outcomes, path: Path) -> None:
    """Writes one row a case: row, case, group, and the outcome and read answer of each of its questions.

    Where an answer can be worth less than all, what it is worth stands in a column of its own. The file is either
    there whole or not at all.
    """
    columns = {"row": DataType.int64(), "case": DataType.string(), "group": DataType.string()}
    for asked in ASKED:
        columns |= {f"{asked}_outcome": DataType.string(), f"{asked}_answer": DataType.string()}
    if outcomes.credits is not None:
        columns |= {f"{asked}{_CREDIT}": DataType.float32() for asked in ASKED}
    schema = Schema(
        [Field(name, kind, nullable=name not in ("row", "case", "group")) for name, kind in columns.items()]
    )
    content = BytesIO()  # not straight to the file: where the disk is full the writer would panic
    write(RecordBatchReader.from_batches(schema, _batches(outcomes, schema, columns)), content, compression="snappy")
    write_whole(path, content.getbuffer())


def _batches(outcomes: Outcomes, schema: Schema, columns: dict[str, Any]) -> Iterator[RecordBatch]:
    cases = iter(outcomes)
    worth = {f"{asked}{_CREDIT}": (outcomes.credit(asked), outcomes.scored(asked)) for asked in ASKED}
    done = 0
    while chunk := list(islice(cases, _ROWS_AT_ONCE)):
        arrays = []
        for name, kind in columns.items():
            if name in worth:
                credit, scored = (values[done : done + len(chunk)].tolist() for values in worth[name])
                values = [each if known else None for each, known in zip(credit, scored, strict=True)]
            else:
                values = [getattr(case, name.removesuffix("_outcome")) for case in chunk]
            arrays.append(Array(values, type=kind))
        yield RecordBatch.from_arrays(arrays, schema=schema)
        done += len(chunk)
