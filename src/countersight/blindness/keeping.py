"""What was measured of a dataset folder: kept beside its rows, and told in its card."""

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from countersight.blindness.models import answered_blind
from countersight.blindness.probing import VERSION, Blind, measure
from countersight.blindness.wording import section
from countersight.case import Case
from countersight.causal import GRAPHS, Knowledge, read_graphs
from countersight.dataset import BadRow, Dataset, hidden_in
from countersight.engine import RunFolder
from countersight.errors import DatasetError
from countersight.files import write_whole

FILE = "blind.json"
MOST = 8_000
"""Cases looked at; of more, as many are drawn evenly, so that a folder of any size takes seconds."""


class Kept(msgspec.Struct, frozen=True):
    """What was measured, of which rows, and by which version of the probes."""

    fingerprint: str
    blind: Blind
    probes: str = ""
    """Nothing in folders that were made before versions were kept."""


def measured(dataset: Dataset) -> Blind:
    """What the questions of a dataset give away; read where today's probes measured the same rows before."""
    return known(dataset) or measure(_some(dataset))


def measure_dataset(
    dataset: Dataset,
    on_bad: Callable[[BadRow], None] | None = None,
    runs: Iterable[RunFolder] = (),
    graphs: Path | None = None,
) -> Blind:
    """What all questions of a dataset give away, measured now; one whose answers are hidden is refused.

    `runs` asked a model the same questions without the pictures: each is one probe more. `graphs` is the mined folder
    in which common knowledge is counted; without it, the one that the dataset lies in, or the graphs of its cases.
    """
    if hidden_in(dataset):
        raise DatasetError(
            f"the answers of {dataset.path} are hidden, so that nothing can be tried on them; what was measured before "
            "they were stands in its README.md"
        )
    if graphs is None and (dataset.path.parent / GRAPHS).is_file():
        graphs = dataset.path.parent
    told = Knowledge.of(read_graphs(graphs, lambda *_: None)) if graphs else None
    return measure((case for _, case in dataset.cases(on_bad)), answered_blind(runs, dataset), told)


def known(dataset: Dataset) -> Blind | None:
    """What was measured of these rows when the folder was made, or None; where other probes did, by today's anew."""
    kept = _kept(dataset)
    if kept and kept.probes != VERSION:
        return measure(_some(dataset))
    return kept.blind if kept else None


def _kept(dataset: Dataset) -> Kept | None:
    try:
        kept = msgspec.json.decode((dataset.path / FILE).read_bytes(), type=Kept)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return kept if kept.fingerprint == dataset.fingerprint else None


def card_section(folder: Path, knowledge: Knowledge | None = None) -> str:
    """Measure a folder whose rows are complete, keep what was found beside them, and tell it for the card."""
    dataset = Dataset.open(folder)
    found = measure(_some(dataset), knowledge=knowledge)
    if found.groups:  # of few questions nothing can be told
        kept = msgspec.json.format(msgspec.json.encode(Kept(dataset.fingerprint, found, VERSION)), indent=1)
        write_whole(folder / FILE, kept + b"\n")
    return "\n\n".join(("## What is answered without the pictures", *section(found))) + "\n"


def _some(dataset: Dataset) -> list[Case]:
    step = max(1, -(-dataset.count // MOST))
    return [case for number, (_, case) in enumerate(dataset.cases()) if number % step == 0]
