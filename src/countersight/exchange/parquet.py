"""Write Parquet files with embedded pictures, for Hugging Face's `datasets` and tools built on it."""

import json
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self

import numpy as np
from arro3.core import Array, DataType, Field, RecordBatch, RecordBatchReader, Schema, list_array, struct_array
from arro3.io import write_parquet

from countersight.files import write_whole
from countersight.picture import Picture

Kind = Literal["text", "whole", "texts", "turns", "pictures"]
"""The kind of a column: text, whole number, list of texts, chat turns (role and content), or list of pictures."""

_SHARD = 128 * 1024 * 1024
"""The approximate number of bytes per file, and of bytes kept in memory."""
_MOST_ROWS = 50_000
_TEXT, _WHOLE, _BYTES = DataType.string(), DataType.int64(), DataType.binary()
_PICTURE = [Field("bytes", _BYTES, nullable=True), Field("path", _TEXT, nullable=True)]
_TURN = [Field("role", _TEXT, nullable=True), Field("content", _TEXT, nullable=True)]
_TYPES: Final[dict[Kind, Any]] = {
    "text": _TEXT,
    "whole": _WHOLE,
    "texts": DataType.list(Field("item", _TEXT, nullable=True)),
    "turns": DataType.list(Field("item", DataType.struct(_TURN), nullable=True)),
    "pictures": DataType.list(Field("item", DataType.struct(_PICTURE), nullable=True)),
}
_VALUE: Final = {"dtype": "string", "_type": "Value"}
_FEATURES: Final[dict[Kind, dict[str, Any]]] = {
    "text": _VALUE,
    "whole": {"dtype": "int64", "_type": "Value"},
    "texts": {"feature": _VALUE, "_type": "List"},
    "turns": {"feature": dict.fromkeys(("role", "content"), _VALUE), "_type": "List"},
    "pictures": {"feature": {"_type": "Image"}, "_type": "List"},
}

Columns = dict[str, Kind]


class Shards:
    """Writes the rows of one split to numbered files: NAME-00000.parquet, NAME-00001.parquet, …"""

    def __init__(self, folder: Path, name: str, columns: Columns) -> None:
        self._folder = folder
        self._name = name
        self._columns = columns
        self._rows: list[dict[str, Any]] = []
        self._held = 0
        self.files = self.count = 0

    def __enter__(self) -> Self:
        return self

    def add(self, row: dict[str, Any]) -> None:
        """Add a row; missing columns are empty."""
        self._rows.append(row)
        self.count += 1
        self._held += sum(_size(value) for value in row.values())
        if self._held > _SHARD or len(self._rows) >= _MOST_ROWS:
            self._flush()

    def _flush(self) -> None:
        arrays = [_array([row.get(name) for row in self._rows], kind) for name, kind in self._columns.items()]
        about = {"huggingface": json.dumps({"info": {"features": features(self._columns)}})}
        fields = [Field(name, _TYPES[kind], nullable=True) for name, kind in self._columns.items()]
        schema = Schema(fields, metadata=about)
        content = BytesIO()  # not directly to the file: the writer would panic on a full disk
        batch = RecordBatch.from_arrays(arrays, schema=schema)
        write_parquet(RecordBatchReader.from_batches(schema, [batch]), content, compression="snappy")
        write_whole(self._folder / f"{self._name}-{self.files:05d}.parquet", content.getbuffer())
        self.files += 1
        self._rows, self._held = [], 0

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None and self._rows:
            self._flush()


def features(columns: Columns) -> dict[str, Any]:
    """Return the columns in the notation of `datasets` features."""
    return {name: _FEATURES[kind] for name, kind in columns.items()}


def _size(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list | tuple):
        return sum(map(_size, value))
    return len(value.data) if isinstance(value, Picture) else 8


def _array(values: list[Any], kind: Kind) -> Array:
    if kind in ("text", "whole"):
        return Array(values, type=_TYPES[kind])
    lists = [value or () for value in values]
    flat = [each for value in lists for each in value]
    if kind == "pictures":
        data = Array([picture.data for _, picture in flat], type=_BYTES)
        inner = struct_array([data, Array([name for name, _ in flat], type=_TEXT)], fields=_PICTURE)
    elif kind == "turns":
        inner = struct_array([Array([turn[n] for turn in flat], type=_TEXT) for n in (0, 1)], fields=_TURN)
    else:
        inner = Array(flat, type=_TEXT)
    ends = Array.from_numpy(np.cumsum([0, *map(len, lists)], dtype=np.int32))
    return list_array(ends, inner, type=_TYPES[kind])
