"""Frozen runs and audits have the same scores, intervals and tables.

The runs are in `data/figures.tar.xz`: eight small datasets, each answered by two scripted models whose replies are
plain ("3", "Yes.", "B", "The answer is 4."), so that this tests scoring and not the extraction of answers. Some replies
are empty, say that they do not know, or failed. The audits are those of `data/2753a27.tar.xz`. Figures are compared to
twelve digits; the ones behind them may depend on the processor.
"""

import csv
import re
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

import countersight as cs

TOPICS = ("numbers", "boolean", "options", "ranked", "shown", "controls", "sets", "open")
AUDITS = ("audit", "probed", "seer")


@pytest.mark.parametrize("topic", TOPICS)
def test_frozen_runs(topic: str, tmp_path: Path, promised: Callable[[str, str], None]) -> None:
    with tarfile.open(Path(__file__).parent / "data" / "figures.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    runs = [cs.Run.open(tmp_path / topic / name) for name in ("first", "second")]
    lines = [line for run in runs for line in _figures(run.path.name, msgspec.to_builtins(run.scores()))]
    report = cs.report(runs, out=tmp_path / "report", dataset=tmp_path / topic / "dataset")
    promised(f"figures/{topic}", "\n".join([*lines, "", _table(report.html.parent)]))


def test_frozen_audits(old: Path, tmp_path: Path, promised: Callable[[str, str], None]) -> None:
    audits = [cs.Audit.open(old / name) for name in AUDITS]
    lines = [line for audit in audits for line in _figures(audit.path.name, msgspec.to_builtins(audit.scores()))]
    report = cs.report(audits, out=tmp_path / "report")
    promised("figures/audits", "\n".join([*lines, "", _table(report.html.parent)]))


COLUMNS = ("table", "run", "minus_run", "audit", "group", "measure", "value", "low", "high", "p", "right", "n")


def _table(report: Path) -> str:
    """The tables of a report: where each figure stands, and what it is; without prose and versions."""
    with (report / "tables.csv").open(encoding="utf-8", newline="") as file:
        rows = [{key: row[key] for key in COLUMNS if key in row} for row in csv.DictReader(file)]
    return "\n".join([",".join(rows[0]), *(",".join(map(_rounded, row.values())) for row in rows)]) + "\n"


def _rounded(text: str) -> str:
    return f"{float(text):.12g}" if re.fullmatch(r"-?\d+\.\d+(e-?\d+)?", text) else text


def _figures(name: str, value: object) -> Iterator[str]:
    """Whatever was counted, a line for each thing that has figures; groups stand by their names. Prose is left out."""
    if isinstance(value, dict):
        plain = {key: each for key, each in value.items() if not isinstance(each, dict | list | tuple | str)}
        if plain:
            yield f"{name}: " + " ".join(f"{key}={_number(each)}" for key, each in plain.items())
        for key, each in value.items():
            if key not in plain:
                yield from _figures(f"{name}.{key}", each)
    elif isinstance(value, list | tuple):
        for place, each in enumerate(value):
            named = each.get("group") if isinstance(each, dict) else None
            yield from _figures(f"{name}[{named or place}]", each)
    elif not isinstance(value, str):
        yield f"{name}: {_number(value)}"


def _number(value: object) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)
