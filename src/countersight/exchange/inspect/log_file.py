"""An .eval file: a ZIP of JSON, written sample by sample, without Inspect."""

import json
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

from countersight.exchange.inspect.shapes import SCHEMA, Json, summary
from countersight.files import whole_file

_PACKED_AT = (1980, 1, 1, 0, 0, 0)
"""The same log has the same bytes whenever it is written."""


class LogFile:
    """A log that is being written; what it holds of the samples in memory is their summaries."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        self._summaries: list[Json] = []

    def start(self, spec: Json, plan: Json) -> None:
        """Write what the log is of: the first member, as Inspect has it."""
        self._write("_journal/start.json", {"version": SCHEMA, "eval": spec, "plan": plan})

    def add(self, sample: Json) -> None:
        """Write a sample."""
        self._write(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", sample)
        self._summaries.append(summary(sample))

    def finish(self, header: Json) -> None:
        """Write what is known at the end: the list of samples, and the results."""
        self._write("summaries.json", self._summaries)
        self._write("header.json", header)

    def _write(self, name: str, content: Json | list[Json]) -> None:
        member = zipfile.ZipInfo(name, _PACKED_AT)
        member.compress_type = zipfile.ZIP_DEFLATED
        # Not msgspec: what is not scored is NaN here, which it would write as null.
        self._file.writestr(member, json.dumps(content, ensure_ascii=False))


def write_log(path: Path, spec: Json, plan: Json, samples: Iterable[Json], header: Callable[[], Json]) -> None:
    """Write a whole log; `header` is asked for once every sample went by."""
    with whole_file(path) as file, zipfile.ZipFile(file, "w") as packed:
        log = LogFile(packed)
        log.start(spec, plan)
        for sample in samples:
            log.add(sample)
        log.finish(header())
