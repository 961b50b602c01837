"""An .eval file of Inspect (its log schema, version 2): a ZIP of JSON, written sample by sample, without Inspect."""

import json
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from countersight.files import whole_file
from countersight.picture import Picture, data_url
from countersight.scoring import Outcome

SCHEMA = 2
_PACKED_AT = (1980, 1, 1, 0, 0, 0)
"""The same log has the same bytes whenever it is written."""
_THIN = 1_000
"""Characters of a text that a summary keeps: it is read for every sample of the list."""
_VALUES: dict[Outcome, str] = {"right": "C", "wrong": "I", "unread": "N"}
"""Inspect's letters: correct, incorrect, and no answer, which counts as not correct."""

Json = dict[str, Any]

PLAN: Json = {"name": "plan", "steps": [{"solver": "countersight"}]}
"""How samples were solved: not by Inspect."""


def content(text: str, pictures: tuple[Picture, ...]) -> list[Json]:
    """What is said in a message: pictures first, as they were sent."""
    shown = [{"type": "image", "image": data_url(picture.mime, picture.data)} for picture in pictures]
    return [*shown, {"type": "text", "text": text}]


def grade(outcome: Outcome, credit: float | None, *, soft: bool) -> str | float:
    """A score's value; what is not scored is NaN, which Inspect leaves out of every metric."""
    if soft and credit is not None:
        return credit
    return _VALUES.get(outcome, float("nan"))


def metric(name: str, value: float, **beside: Any) -> Json:
    """One figure of the results."""
    return {"name": name, "value": value, "params": {}, "metadata": beside or None}


def error(reason: str) -> Json:
    """Why a sample failed."""
    return {"message": reason, "traceback": reason, "traceback_ansi": reason}


class Usage(msgspec.Struct):
    """Tokens and money, added up."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0

    def add(self, tokens_in: int, tokens_out: int, cost: float) -> None:
        """Count what one more reply took."""
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out
        self.cost += cost

    def told(self) -> Json:
        """As Inspect writes it."""
        return {
            "input_tokens": self.tokens_in,
            "output_tokens": self.tokens_out,
            "total_tokens": self.tokens_in + self.tokens_out,
            "total_cost": self.cost or None,
        }


def _summary(sample: Json) -> Json:
    """What the list of samples shows of one: no pictures, no long texts."""
    failed = sample.get("error")
    return {
        "id": sample["id"],
        "epoch": sample["epoch"],
        "input": [_thin(message) for message in sample["input"]],
        "target": sample["target"],
        "metadata": sample["metadata"],
        "scores": sample.get("scores"),
        "model_usage": sample["model_usage"],
        "error": failed["message"][:_THIN] if failed else None,
        "completed": True,
        "message_count": len(sample["messages"]),
    }


def _thin(message: Json) -> Json:
    if isinstance(message["content"], str):
        return message | {"content": message["content"][:_THIN]}
    parts = ("(Image)" if part["type"] == "image" else part["text"][:_THIN] for part in message["content"])
    return message | {"content": [{"type": "text", "text": text} for text in parts]}


def write_log(path: Path, spec: Json, plan: Json, samples: Iterable[Json], header: Callable[[], Json]) -> None:
    """Write a whole log; `header` is asked for once every sample went by."""
    with whole_file(path) as file, zipfile.ZipFile(file, "w") as packed:

        def write(name: str, content: Json | list[Json]) -> None:
            member = zipfile.ZipInfo(name, _PACKED_AT)
            member.compress_type = zipfile.ZIP_DEFLATED
            # Not msgspec: what is not scored is NaN here, which it would write as null.
            packed.writestr(member, json.dumps(content, ensure_ascii=False))

        write("_journal/start.json", {"version": SCHEMA, "eval": spec, "plan": plan})
        summaries = []
        for sample in samples:
            write(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", sample)
            summaries.append(_summary(sample))
        write("summaries.json", summaries)
        write("header.json", header())
