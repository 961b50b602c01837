"""`import-run --from lmms-eval`: the samples that it logged with --log_samples, as answers of ours."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from countersight.case import Question
from countersight.errors import ExchangeError
from countersight.exchange.incoming import Brought, Foreign, OnBad, Put
from countersight.exchange.lmms_eval.hooks import ACCURACY, CONTROL
from countersight.files import bounded_lines

_MOST = 16 * 1024 * 1024
"""Bytes of a line that are read."""
_SAMPLES, _RESULTS = "_samples_", "_results.json"


class _Item(msgspec.Struct, frozen=True):
    """What our `process` functions returned for a document."""

    key: str
    text: str = ""
    losses: tuple[float, ...] = ()
    gold: str = ""
    """The question as the exported data has it."""


class _Line(msgspec.Struct, frozen=True, rename={"item": ACCURACY, "control": CONTROL}):
    item: _Item | None = None
    control: _Item | None = None
    """In the place of the other, where the case is a control."""


class _Results(msgspec.Struct, frozen=True):
    model_name: str = ""
    model_source: str = ""
    git_hash: str | None = None
    config: dict[str, Any] = {}


def read_samples(path: Path, on_bad: OnBad) -> Brought:
    """Open a file of samples, or the one in a folder."""
    file = _file(path)
    results = _results(file)
    first = next(_answers(file, lambda reason: None), None)
    if first is None:
        raise ExchangeError(
            f"{file} holds no sample of a task of ours: each has what {ACCURACY!r} was computed from, with a key; "
            "ask the tasks that `countersight export --to lmms-eval` wrote, with --log_samples"
        )
    source = results.model_source or str(results.config.get("model", ""))
    arguments = results.config.get("model_args") or {}
    return Brought(
        tool="lmms-eval",
        model=results.model_name or file.parent.name,
        settings={"source": source, "model_args": arguments if isinstance(arguments, dict) else str(arguments)},
        answering="rank" if first.losses else "generate",
        answers=partial(_answers, file, on_bad),
    )


def _file(path: Path) -> Path:
    if path.is_file():
        return path
    found = sorted(path.rglob(f"*{_SAMPLES}*.jsonl")) if path.is_dir() else []
    if len(found) != 1:
        there = ", ".join(str(each.relative_to(path)) for each in found[:5]) or "none"
        raise ExchangeError(
            f"name one file of samples, *{_SAMPLES}TASK.jsonl, or a folder with one; in {path}: {there}"
        )
    return found[0]


def _results(file: Path) -> _Results:
    """What stands beside the samples about the model; nothing where it is not there."""
    beside = file.with_name(file.name.partition(_SAMPLES)[0] + _RESULTS)
    try:
        # Not msgspec alone: a figure that is not known is NaN there.
        return msgspec.convert(json.loads(beside.read_bytes()), _Results) if beside.is_file() else _Results()
    except (ValueError, RecursionError) as fault:
        raise ExchangeError(f"{beside} is damaged: {fault}") from None


def _answers(path: Path, on_bad: OnBad) -> Iterator[Foreign]:
    with open(path, "rb") as file:
        for number, line in enumerate(bounded_lines(file, _MOST), 1):
            if line.isspace():
                continue
            if len(line) > _MOST:
                on_bad(f"{path.name} line {number}: is longer than {_MOST:,} bytes")
                continue
            try:
                item = _item(msgspec.convert(json.loads(line), _Line, strict=False))
                put = _put(item)
            except (ValueError, RecursionError) as fault:
                on_bad(f"{path.name} line {number}: {fault}")
                continue
            yield Foreign(key=item.key, put=put, text=item.text, losses=item.losses)


def _item(line: _Line) -> _Item:
    found = line.item or line.control
    if found is None:
        raise ValueError(f"has neither {ACCURACY!r} nor {CONTROL!r} of a task of ours")
    return found


def _put(item: _Item) -> Put:
    if not item.gold:
        return Put()
    gold = msgspec.json.decode(item.gold, type=Question)
    return Put(words=gold.text, options=tuple(option.text for option in gold.options), answer=gold.answer)
