"""Tables with one row per answer: the question, the reply, the extracted answer and the outcome.

The same table is `run.frame()`, scores.parquet and a CSV file. It is built in chunks of cases to limit memory use.
"""

from collections.abc import Iterable, Iterator
from importlib import import_module
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from arro3.core import Array, DataType, Field, RecordBatch, RecordBatchReader, Schema, Table, list_array
from arro3.io import write_parquet

from countersight.case import VARIANTS, WORLDS, Case, Question, QuestionVariant, Reply, Telling, World
from countersight.errors import CountersightError
from countersight.files import write_text, write_whole
from countersight.html import csv_text
from countersight.scoring.outcome import OUTCOMES, UNREAD, Find, Outcome, Outcomes, counted_replies

_CASES_AT_ONCE = 8_192
_ROWS_AT_ONCE = 32_768
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


class ScoredAnswer(msgspec.Struct, frozen=True):
    """One question of one case, the reply that counts, and its outcome."""

    row: int
    case: Case
    variant: QuestionVariant
    question: Question
    outcome: Outcome
    answer: str | None
    """The answer extracted from the reply."""
    credit: float | None
    """The credit of the answer; None if it is not scored."""
    reply: Reply | None

    @property
    def place(self) -> tuple[World, Telling]:
        """The world of the question, and how the change was presented."""
        return WORLDS[self.variant]


def answered(outcomes: Outcomes, cases: Iterator[tuple[int, Case]], find: Find) -> Iterator[ScoredAnswer]:
    """Iterate over the questions of cases, in chunks, so that the number of cases does not affect memory use."""
    credits = {variant: outcomes.credit(variant) for variant in VARIANTS}
    start = 0
    while chunk := list(islice(cases, _CASES_AT_ONCE)):
        said = counted_replies(outcomes, range(start, start + len(chunk)), find)
        for position, (row, case) in enumerate(chunk, start):
            for column, variant in enumerate(VARIANTS):
                question = case.question(*WORLDS[variant])
                code = int(outcomes.codes[position, column])
                outcome = OUTCOMES[code]
                if question is None or outcome is None:
                    continue
                answer = outcomes.answer_texts[outcomes.answers[position, column]]
                credit = float(credits[variant][position]) if code >= UNREAD else None
                yield ScoredAnswer(row, case, variant, question, outcome, answer, credit, said.get((position, variant)))
        start += len(chunk)


def batches(run: str, answers: Iterable[ScoredAnswer]) -> Iterator[RecordBatch]:
    """Iterate over the rows of a run, one per answer, in batches."""
    waiting = iter(answers)
    while chunk := list(islice(waiting, _ROWS_AT_ONCE)):
        columns = zip(*(_row(run, each) for each in chunk), strict=True)
        arrays = [_array(list(values), kind) for values, kind in zip(columns, _COLUMNS.values(), strict=True)]
        yield RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _array(values: list[Any], kind: Any) -> Array:
    if kind is not _COLUMNS["losses"]:
        return Array(values, type=kind)
    ends = np.cumsum([0, *(len(each) for each in values)], dtype=np.int32)
    flat = np.array([loss for each in values for loss in each], dtype=np.float64)
    return list_array(Array.from_numpy(ends), Array.from_numpy(flat), type=kind)


def _row(run: str, each: ScoredAnswer) -> tuple[Any, ...]:
    world, telling = WORLDS[each.variant]
    return (
        run,
        each.row,
        each.case.id,
        each.case.group,
        each.case.picture(world, telling),
        world,
        telling,
        each.question.text,
        each.question.answer,
        each.answer,
        each.outcome,
        each.credit,
        *(getattr(each.reply, name) if each.reply else None for name in _REPLIED),
        each.reply.losses if each.reply else (),
    )


def as_table(of: Iterator[RecordBatch], kind: str = "arrow") -> Any:
    """Return the rows as an Arrow table, or as a data frame of pandas or Polars if installed."""
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
    """Write the rows to a Parquet file atomically."""
    content = BytesIO()  # not directly to the path, because the Parquet writer panics if the disk is full
    write_parquet(RecordBatchReader.from_batches(SCHEMA, of), content, compression="snappy")
    write_whole(path, content.getbuffer())


def write_csv(run: str, answers: Iterable[ScoredAnswer], path: Path) -> None:
    """Write the rows to a CSV file that spreadsheets open as UTF-8; losses are separated by spaces."""
    rows = ((*known, " ".join(map(str, losses))) for *known, losses in (_row(run, each) for each in answers))
    write_text(path, "\ufeff" + csv_text(tuple(_COLUMNS), rows))
