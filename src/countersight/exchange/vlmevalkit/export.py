"""`export --to vlmevalkit`: tables for $LMUData. Choices are scored there; numbers, yes and no are read here.

A picture stands in the table once: further questions about it name the row that has it.
"""

import base64
import csv
from pathlib import Path
from typing import Final, TextIO

from countersight.case import LETTERS, WORLDS
from countersight.dataset import Dataset
from countersight.engine import told
from countersight.errors import ExchangeError
from countersight.exchange.asked import Asked, dataset_at, questions
from countersight.exchange.formats import Export, Exported
from countersight.exchange.hugging_face import load_pictures
from countersight.files import Staging
from countersight.text import several

KEY, PREDICTION = "key", "prediction"
_FIRST: Final = ("index", "image", "question", "hint")
_LAST: Final = ("answer", "category", "split", KEY)
_TAKEN: Final = ("mmbench", "ccbench", "circular", "mmcr", "openended")
"""What VLMEvalKit takes for another way of asking where it stands in a name."""
_MISSING: Final = {
    *("", "#n/a", "#n/a n/a", "#na", "-1.#ind", "-1.#qnan", "-nan", "1.#ind", "1.#qnan", "<na>", "n/a", "na", "nan"),
    *("none", "null"),
}
"""Texts that pandas takes for an empty cell."""


def export_tables(order: Export) -> Exported:
    """Write a table for each number of options, NAME_4.tsv, and one for what has none, NAME_text.tsv."""
    dataset = dataset_at(order.source, "vlmevalkit")
    name = order.out.resolve().name
    if any(word in name.casefold() for word in _TAKEN):
        raise ExchangeError(f"VLMEvalKit asks in other ways where a name holds {', '.join(_TAKEN)}; choose another")
    tables: dict[str, _Table] = {}
    with Staging(order.out) as folder:
        try:
            for asked in questions(dataset, order.on_bad):
                label = str(len(asked.question.options) or "text")
                if label not in tables:
                    tables[label] = _Table(folder / f"{name}_{label}.tsv", len(asked.question.options))
                tables[label].add(asked, dataset)
        finally:
            for table in tables.values():
                table.close()
    names = " ".join(f"{name}_{label}" for label in tables)
    blind = sum(table.without_picture for table in tables.values())
    left = f"; it leaves out {several(blind, 'question')} that have no picture" if blind else ""
    note = f"ask with: LMUData={order.out} PRED_FORMAT=tsv python run.py --data {names} --model MODEL{left}"
    return Exported(sum(table.count for table in tables.values()), "question", note)


class _Table:
    """One table, written row by row."""

    def __init__(self, path: Path, options: int) -> None:
        self._file: TextIO = open(path, "w", encoding="utf-8", newline="")  # noqa: SIM115 - closed by `close`
        self._rows = csv.writer(self._file, delimiter="\t", lineterminator="\n")
        self._rows.writerow((*_FIRST, *LETTERS[:options], *_LAST))
        self._shown: dict[tuple[str, ...], int] = {}
        """The row in which pictures stand, by their names: only of the case that is being written."""
        self._case = ""
        self.count = self.without_picture = 0

    def add(self, asked: Asked, dataset: Dataset) -> None:
        """Write a question."""
        if asked.case.id != self._case:
            self._case, self._shown = asked.case.id, {}
        listed = asked.question.kind == "choice"
        self._rows.writerow(
            (
                self.count,
                self._image(asked, dataset),
                asked.question.text if listed else asked.words,
                _hint(asked) if listed else "",
                *(_kept(option.text) for option in asked.question.options),
                asked.question.answer,
                asked.case.group or "all",
                f"{asked.asking}, control" if asked.case.control_of else asked.asking,  # each has accuracies of its own
                asked.key,
            )
        )
        self.count += 1
        self.without_picture += not asked.pictures

    def _image(self, asked: Asked, dataset: Dataset) -> str:
        """The pictures, or the row that has them; none where there is none, which VLMEvalKit then leaves out."""
        names = tuple(name for name, _ in asked.pictures)
        if names in self._shown:
            return str(self._shown[names])
        self._shown[names] = self.count
        found = [
            base64.b64encode(picture.data).decode() for _, picture in load_pictures(dataset, asked.pictures, asked.row)
        ]
        return found[0] if len(found) == 1 else str(found) if found else ""

    def close(self) -> None:
        """End the file."""
        self._file.close()


def _hint(asked: Asked) -> str:
    """What is told beside the question, where the question itself does not say it (CoSIm)."""
    beside = told(asked.case, *WORLDS[asked.asking])
    return f"Before: {beside.context} Now suppose: {beside.change}" if beside.change else ""


def _kept(text: str) -> str:
    """An option as pandas keeps it: "None" would be taken for nothing, and "None " is not."""
    return f"{text} " if text.casefold() in _MISSING else text
