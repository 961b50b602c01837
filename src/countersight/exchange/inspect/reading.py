"""`import-run --from inspect`: read the samples of a log as answers; Inspect compresses its logs with Zstandard."""

import json
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from countersight.errors import ExchangeError
from countersight.exchange.incoming import ExternalAnswer, ExternalRun, OnBad
from countersight.exchange.inspect.writing import SCHEMA, Json
from countersight.exchange.named_questions import key_of

_MOST = 256 * 1024 * 1024
"""Bytes of a member that are read: a sample with its pictures stays far below."""


class _Usage(msgspec.Struct, frozen=True):
    input_tokens: int = 0
    output_tokens: int = 0
    total_cost: float | None = None


class _Message(msgspec.Struct, frozen=True):
    content: str | list[Json] = ""

    def said(self, kind: str) -> str:
        """Return the text of all parts of one kind: text or reasoning."""
        if isinstance(self.content, str):
            return self.content if kind == "text" else ""
        return "\n".join(str(part.get(kind, "")) for part in self.content if part.get("type") == kind)


class _Choice(msgspec.Struct, frozen=True):
    message: _Message = _Message()
    stop_reason: str = ""


class _Output(msgspec.Struct, frozen=True):
    model: str = ""
    choices: list[_Choice] = []
    completion: str = ""
    usage: _Usage | None = None
    time: float | None = None


class _Sample(msgspec.Struct, frozen=True):
    """As much of a sample as makes a reply."""

    id: str | int
    epoch: int = 1
    input: str | list[_Message] = ""
    target: str | list[str] = ""
    choices: list[str] | None = None
    metadata: Json = {}
    output: _Output = _Output()
    error: dict[str, Any] | None = None


class _Spec(msgspec.Struct, frozen=True):
    task: str
    model: str
    task_version: int | str = 0
    metadata: Json | None = None
    model_args: Json = {}
    packages: dict[str, str] = {}


class _Header(msgspec.Struct, frozen=True):
    eval: _Spec
    version: int = SCHEMA
    status: str = "started"
    """The status of a log without an end; it is the status written first."""


def read_log(path: Path, on_bad: OnBad) -> ExternalRun:
    """Open an Inspect log, compressed (.eval) or plain (.json)."""
    if not path.is_file():
        raise ExchangeError(f"{path} is not a file; name one log, such as logs/2026-…_dataset_….eval")
    plain = _plain_log(path) if path.suffix == ".json" else None
    try:
        header = msgspec.convert(_packed_header(path) if plain is None else plain, _Header)
    except msgspec.ValidationError as fault:
        raise ExchangeError(f"{path} is not an Inspect log: {fault}") from None
    if header.version != SCHEMA:
        raise ExchangeError(
            f"{path} has version {header.version} of Inspect's log format; only version {SCHEMA} can be read"
        )

    def answers() -> Iterator[ExternalAnswer]:
        samples = _packed_samples(path, on_bad) if plain is None else enumerate(plain.get("samples") or (), 1)
        for name, raw in samples:
            try:
                yield _answer(msgspec.convert(raw, _Sample))
            except msgspec.ValidationError as fault:
                on_bad(f"{name}: {fault}" if plain is None else f"sample {name}: {fault}")

    return ExternalRun(
        tool=f"Inspect {header.eval.packages.get('inspect_ai', '')}".strip(),
        model=header.eval.model,
        settings={"task": header.eval.task, **header.eval.model_args},
        fingerprint=str((header.eval.metadata or {}).get("dataset_fingerprint", "")),
        answers=answers,
        unfinished="" if header.status == "success" else f"its status is {header.status!r}",
    )


def _plain_log(path: Path) -> Json:
    if path.stat().st_size > 4 * _MOST:
        raise ExchangeError(
            f"{path} is larger than {4 * _MOST:,} bytes; convert it with: inspect log convert --to eval"
        )
    try:
        log = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as fault:
        raise ExchangeError(f"{path} is not an Inspect log: {fault}") from None
    if not isinstance(log, dict) or not isinstance(log.get("samples") or [], list):
        raise ExchangeError(f"{path} is not an Inspect log: it has no samples")
    return log


def _packed_header(path: Path) -> Any:
    with _open_log(path) as packed:
        # A log that is still being written, or was killed, has only the beginning of a header.
        for name in ("header.json", "_journal/start.json"):
            if name in packed.namelist():
                return _read_member(packed, name)
    raise ExchangeError(f"{path} is not an Inspect log: it has no header.json")


def _packed_samples(path: Path, on_bad: OnBad) -> Iterator[tuple[str, Any]]:
    with _open_log(path) as packed:
        for name in packed.namelist():
            if name.startswith("samples/") and name.endswith(".json"):
                try:
                    yield name, _read_member(packed, name)
                except ExchangeError as fault:
                    on_bad(str(fault))


def _answer(sample: _Sample) -> ExternalAnswer:
    asked, output = sample.metadata, sample.output
    usage = output.usage or _Usage()
    choice = output.choices[0] if output.choices else _Choice()
    reply: Json = {
        "text": output.completion or choice.message.said("text"),
        "reasoning": choice.message.said("reasoning"),
        "finish": "length" if choice.stop_reason in ("max_tokens", "model_length") else choice.stop_reason,
        "tokens_in": usage.input_tokens,
        "tokens_out": usage.output_tokens,
        "cost": usage.total_cost or 0.0,
        "seconds": output.time or 0.0,
        "model": output.model,
    }
    if sample.error is not None:
        reply = {"state": "failed", "reason": str(sample.error.get("message") or "failed in Inspect")}
    words = sample.input if isinstance(sample.input, str) else "\n".join(each.said("text") for each in sample.input)
    right = [sample.target] if isinstance(sample.target, str) else sample.target
    # Inspect may keep a long text elsewhere in the log; several right answers are another way of scoring.
    return ExternalAnswer(
        key_of(asked["case"], asked["asking"]) if {"case", "asking"} <= asked.keys() else str(sample.id),
        reply,
        "" if "attachment://" in words else words,
        tuple(sample.choices or ()),
        right[0] if len(right) == 1 else "",
    )


@contextmanager
def _open_log(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an .eval file for reading."""
    if sys.version_info < (3, 14):  # from then on Python's own zipfile reads Zstandard
        with suppress(ImportError):
            import_module("zipfile_zstd")
    try:
        packed = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError) as fault:
        raise ExchangeError(f"{path} is not an Inspect log: {fault}") from None
    with packed:
        yield packed


def _read_member(packed: zipfile.ZipFile, name: str) -> Any:
    """Return the content of a member; raises ExchangeError if it cannot be read."""
    size = packed.getinfo(name).file_size
    if size > _MOST:
        raise ExchangeError(f"{name} has {size:,} bytes; at most {_MOST:,} are read")
    try:
        with packed.open(name) as member:
            return json.loads(member.read(_MOST + 1))  # not msgspec: Inspect writes NaN
    except NotImplementedError:
        raise ExchangeError(
            "Inspect logs are compressed with Zstandard; to read them: pip install 'countersight[exchange]'"
        ) from None
    except Exception as fault:  # whatever the ZIP, Zstandard or JSON inside is broken by
        raise ExchangeError(f"{name} is damaged: {fault}") from None
