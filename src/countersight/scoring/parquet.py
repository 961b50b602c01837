"""Writes the outcome of every case to a Parquet file, for DuckDB and whatever else reads one."""

import os
from collections.abc import Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

from arro3.core import Array, DataType, Field, RecordBatch, RecordBatchReader, Schema
from arro3.io import write_parquet as write

from countersight.scoring.outcome import ASKED, Outcomes

_ROWS_AT_ONCE = 65_536


def write_parquet(outcomes: Outcomes, path: Path) -> None:
    """Writes one row a case: row, case, group, and the outcome and read answer of each of its questions.

    The file is either there whole or not at all.
    """
    columns = {"row": DataType.int64(), "case": DataType.string(), "group": DataType.string()}
    for asked in ASKED:
        columns |= {f"{asked}_outcome": DataType.string(), f"{asked}_answer": DataType.string()}
    schema = Schema(
        [Field(name, kind, nullable=name not in ("row", "case", "group")) for name, kind in columns.items()]
    )
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    content = BytesIO()  # not straight to the file: where the disk is full the writer would panic
    write(RecordBatchReader.from_batches(schema, _batches(outcomes, schema, columns)), content, compression="snappy")
    try:
        unfinished.write_bytes(content.getbuffer())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _batches(outcomes: Outcomes, schema: Schema, columns: dict[str, Any]) -> Iterator[RecordBatch]:
    cases = iter(outcomes)
    while chunk := list(islice(cases, _ROWS_AT_ONCE)):
        arrays = [
            Array([getattr(case, name.removesuffix("_outcome")) for case in chunk], type=kind)
            for name, kind in columns.items()
        ]
        yield RecordBatch.from_arrays(arrays, schema=schema)
