"""Import the logs of Inspect AI (.eval) as runs. Inspect need not be installed."""

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
from countersight.exchange.exported_questions import key_of
from countersight.exchange.incoming import ExternalAnswer, ExternalRun, OnBad
from countersight.exchange.inspect_export import SCHEMA

Json = dict[str, Any]

_MAX_BYTES = 256 * 1024 * 1024
"""The maximum number of bytes to read from one file in the ZIP; a sample with its pictures is far smaller."""


class _Usage(msgspec.Struct, frozen=True):
    input_tokens: int = 0
    output_tokens: int = 0
    total_cost: float | None = None


class _Message(msgspec.Struct, frozen=True):
    content: str | list[Json] = ""

    def joined(self, kind: str) -> str:
        """Return the text of all parts of one kind, text or reasoning."""
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
    """The fields of a sample that are needed for a reply."""

    id: str | int
    input: str | list[_Message] = ""
    target: str | list[str] = ""
    choices: list[str] | None = None
    metadata: Json = {}
    output: _Output = _Output()
    error: Json | None = None


class _Spec(msgspec.Struct, frozen=True):
    task: str
    model: str
    metadata: Json | None = None
    model_args: Json = {}
    packages: dict[str, str] = {}


class _LogHeader(msgspec.Struct, frozen=True):
    eval: _Spec
    version: int = SCHEMA
    status: str = "started"
    """Inspect's initial status, which unfinished logs keep."""


def read_log(path: Path, on_bad: OnBad) -> ExternalRun:
    """Open an Inspect log (.eval)."""
    if not path.is_file():
        raise ExchangeError(f"{path} is not a file; name one log, such as logs/2026-…_dataset_….eval")
    with _open_log(path) as packed:
        # The log of an unfinished or interrupted run has only an initial header.
        name = next((name for name in ("header.json", "_journal/start.json") if name in packed.namelist()), None)
        if name is None:
            raise ExchangeError(f"{path} is not an Inspect log: it has no header.json")
        try:
            header = msgspec.convert(_read_member(packed, name), _LogHeader)
        except msgspec.ValidationError as fault:
            raise ExchangeError(f"{path} is not an Inspect log: {fault}") from None
    if header.version != SCHEMA:
        raise ExchangeError(
            f"{path} has version {header.version} of Inspect's log format; only version {SCHEMA} can be read"
        )
    return ExternalRun(
        tool=f"Inspect {header.eval.packages.get('inspect_ai', '')}".strip(),
        model=header.eval.model,
        settings={"task": header.eval.task, **header.eval.model_args},
        fingerprint=str((header.eval.metadata or {}).get("dataset_fingerprint", "")),
        answers=_read_answers(path, on_bad),
        unfinished="" if header.status == "success" else f"its status is {header.status!r}",
    )


def _read_answers(path: Path, on_bad: OnBad) -> Iterator[ExternalAnswer]:
    with _open_log(path) as packed:
        for name in packed.namelist():
            if name.startswith("samples/") and name.endswith(".json"):
                try:
                    yield _answer(msgspec.convert(_read_member(packed, name), _Sample))
                except ExchangeError as fault:
                    on_bad(str(fault))
                except msgspec.ValidationError as fault:
                    on_bad(f"{name}: {fault}")


def _answer(sample: _Sample) -> ExternalAnswer:
    metadata, output = sample.metadata, sample.output
    usage = output.usage or _Usage()
    choice = output.choices[0] if output.choices else _Choice()
    reply: Json = {
        "text": output.completion or choice.message.joined("text"),
        "reasoning": choice.message.joined("reasoning"),
        "finish": "length" if choice.stop_reason in ("max_tokens", "model_length") else choice.stop_reason,
        "tokens_in": usage.input_tokens,
        "tokens_out": usage.output_tokens,
        "cost": usage.total_cost or 0.0,
        "seconds": output.time or 0.0,
        "model": output.model,
    }
    if sample.error is not None:
        reply = {"state": "failed", "reason": str(sample.error.get("message") or "failed in Inspect")}
    prompt = sample.input if isinstance(sample.input, str) else "\n".join(each.joined("text") for each in sample.input)
    right = [sample.target] if isinstance(sample.target, str) else sample.target
    # Left empty: texts that are stored elsewhere in the log, and several right answers, which are scored differently.
    return ExternalAnswer(
        key_of(metadata["case"], metadata["asking"]) if {"case", "asking"} <= metadata.keys() else str(sample.id),
        reply,
        "" if "attachment://" in prompt else prompt,
        tuple(sample.choices or ()),
        right[0] if len(right) == 1 else "",
    )


@contextmanager
def _open_log(path: Path) -> Iterator[zipfile.ZipFile]:
    if sys.version_info < (3, 14):  # later versions read Zstandard themselves
        with suppress(ImportError):
            import_module("zipfile_zstd")
    try:
        packed = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError) as fault:
        raise ExchangeError(f"{path} is not an Inspect log: {fault}") from None
    with packed:
        yield packed


def _read_member(packed: zipfile.ZipFile, name: str) -> Any:
    """Return the JSON content of a file in the ZIP; raises ExchangeError if it cannot be read."""
    size = packed.getinfo(name).file_size
    if size > _MAX_BYTES:
        raise ExchangeError(f"{name} has {size:,} bytes; at most {_MAX_BYTES:,} are read")
    try:
        with packed.open(name) as member:
            return json.loads(member.read(_MAX_BYTES + 1))  # not msgspec: Inspect writes NaN
    except NotImplementedError:
        raise ExchangeError(
            "Inspect logs are compressed with Zstandard; to read them: pip install 'countersight[exchange]'"
        ) from None
    except Exception as fault:  # damaged ZIP, Zstandard or JSON data raises many types of errors
        raise ExchangeError(f"{name} is damaged: {fault}") from None
