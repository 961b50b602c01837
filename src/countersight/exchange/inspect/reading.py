"""`import-run --from inspect`: the samples of a log as answers of ours."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from countersight.errors import ExchangeError
from countersight.exchange.asked import key_of
from countersight.exchange.incoming import Brought, Foreign, OnBad, Put
from countersight.exchange.inspect.log_file import SCHEMA
from countersight.exchange.inspect.packed import MOST, Packed


class _Usage(msgspec.Struct, frozen=True):
    input_tokens: int = 0
    output_tokens: int = 0
    total_cost: float | None = None


class _Message(msgspec.Struct, frozen=True):
    content: str | list[dict[str, Any]] = ""


class _Choice(msgspec.Struct, frozen=True):
    message: _Message = _Message()
    stop_reason: str = ""


class _Output(msgspec.Struct, frozen=True):
    model: str = ""
    choices: list[_Choice] = []
    completion: str = ""
    usage: _Usage | None = None
    time: float | None = None


class _Error(msgspec.Struct, frozen=True):
    message: str = ""


class _Sample(msgspec.Struct, frozen=True):
    """As much of a sample as makes a reply."""

    id: str | int
    epoch: int = 1
    input: str | list[_Message] = ""
    target: str | list[str] = ""
    choices: list[str] | None = None
    metadata: dict[str, Any] = {}
    output: _Output = _Output()
    error: _Error | None = None


class _Spec(msgspec.Struct, frozen=True):
    task: str
    model: str
    task_version: int | str = 0
    metadata: dict[str, Any] | None = None
    model_args: dict[str, Any] = {}
    packages: dict[str, str] = {}


class _Header(msgspec.Struct, frozen=True):
    eval: _Spec
    version: int = SCHEMA
    status: str = "started"
    """Of a log without an end, as it is in the beginning of one."""


def read_log(path: Path, on_bad: OnBad) -> Brought:
    """Open a log of Inspect, packed (.eval) or plain (.json)."""
    if not path.is_file():
        raise ExchangeError(f"{path} is not a file; name one log, such as logs/2026-…_dataset_….eval")
    log = _plain_log(path) if path.suffix == ".json" else None
    header = _header(path, log)
    known = header.eval.metadata or {}
    answers = _plain(log, on_bad) if log is not None else lambda: _packed(path, on_bad)
    version = header.eval.packages.get("inspect_ai", "")
    return Brought(
        tool=f"Inspect {version}".strip(),
        model=header.eval.model,
        settings={"task": header.eval.task, **header.eval.model_args},
        fingerprint=str(known.get("dataset_fingerprint", "")),
        answers=answers,
        unfinished="" if header.status == "success" else f"its status is {header.status!r}",
    )


def _plain_log(path: Path) -> dict[str, Any]:
    if path.stat().st_size > 4 * MOST:
        raise ExchangeError(f"{path} is larger than {4 * MOST:,} bytes; convert it with: inspect log convert --to eval")
    try:
        log = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as fault:
        raise ExchangeError(f"{path} is no log of Inspect: {fault}") from None
    if not isinstance(log, dict) or not isinstance(log.get("samples") or [], list):
        raise ExchangeError(f"{path} is no log of Inspect: there are no samples in it")
    return log


def _header(path: Path, log: dict[str, Any] | None) -> _Header:
    if log is None:
        with Packed(path) as packed:
            names = packed.names()
            # A log that is still being written, or was killed, has only the beginning of a header.
            name = next((each for each in ("header.json", "_journal/start.json") if each in names), None)
            if name is None:
                raise ExchangeError(f"{path} is no log of Inspect: there is no header.json in it")
            log = packed.json(name)
    try:
        header = msgspec.convert(log, _Header)
    except msgspec.ValidationError as fault:
        raise ExchangeError(f"{path} is no log of Inspect: {fault}") from None
    if header.version != SCHEMA:
        raise ExchangeError(
            f"{path} is written in version {header.version} of Inspect's logs; version {SCHEMA} is read"
        )
    return header


def _packed(path: Path, on_bad: OnBad) -> Iterator[Foreign]:
    with Packed(path) as packed:
        for name in packed.names():
            if name.startswith("samples/") and name.endswith(".json"):
                try:
                    yield _foreign(packed.json(name))
                except ExchangeError as fault:
                    on_bad(str(fault))
                except msgspec.ValidationError as fault:
                    on_bad(f"{name}: {fault}")


def _plain(log: dict[str, Any], on_bad: OnBad) -> Callable[[], Iterator[Foreign]]:
    def answers() -> Iterator[Foreign]:
        for number, sample in enumerate(log.get("samples") or (), 1):
            try:
                yield _foreign(sample)
            except msgspec.ValidationError as fault:
                on_bad(f"sample {number}: {fault}")

    return answers


def _foreign(raw: object) -> Foreign:
    sample = msgspec.convert(raw, _Sample)
    asked = sample.metadata
    key = key_of(asked["case"], asked["asking"]) if {"case", "asking"} <= asked.keys() else str(sample.id)
    if sample.error is not None:
        return Foreign(key=key, put=_put(sample), state="failed", reason=sample.error.message or "failed in Inspect")
    output = sample.output
    usage = output.usage or _Usage()
    choice = output.choices[0] if output.choices else _Choice()
    return Foreign(
        key=key,
        put=_put(sample),
        text=output.completion or _text(choice.message),
        reasoning=_parts(choice.message, "reasoning", "reasoning"),
        finish="length" if choice.stop_reason in ("max_tokens", "model_length") else choice.stop_reason,
        tokens_in=usage.input_tokens,
        tokens_out=usage.output_tokens,
        cost=usage.total_cost or 0.0,
        seconds=output.time or 0.0,
        model=output.model,
    )


def _put(sample: _Sample) -> Put:
    """The question as it was put, with what the log says is right."""
    words = sample.input if isinstance(sample.input, str) else "\n".join(map(_text, sample.input))
    right = [sample.target] if isinstance(sample.target, str) else sample.target
    # Inspect may keep a long text elsewhere in the log; several right answers are another way of scoring.
    return Put(
        words="" if "attachment://" in words else words,
        options=tuple(sample.choices or ()),
        answer=right[0] if len(right) == 1 else "",
    )


def _text(message: _Message) -> str:
    return message.content if isinstance(message.content, str) else _parts(message, "text", "text")


def _parts(message: _Message, kind: str, field: str) -> str:
    """What a message says in its parts of one kind."""
    if isinstance(message.content, str):
        return ""
    return "\n".join(str(part.get(field, "")) for part in message.content if part.get("type") == kind)
