"""Results of `blind` that are stored in a dataset folder and shown on its card."""

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from countersight.blindness.display import section
from countersight.blindness.probing import VERSION, Blind, measure
from countersight.blindness.questions import Answered
from countersight.case import World
from countersight.causal import GRAPHS, Knowledge, read_graphs
from countersight.dataset import BadRow, Dataset, hidden_in
from countersight.engine import RunFolder
from countersight.errors import DatasetError, RunError
from countersight.files import write_whole
from countersight.scoring import judge_run

RESULTS_FILE = "blind.json"


class StoredResults(msgspec.Struct, frozen=True):
    """The results, a digest of the rows that were measured, and the version of the probes."""

    fingerprint: str
    blind: Blind
    probes: str = ""
    """Empty in folders that were written before versions were stored."""


def load_or_measure(dataset: Dataset) -> Blind:
    """Return the results for a dataset: from its folder if they are current, otherwise measured."""
    return load_stored(dataset) or measure(case for _, case in dataset.cases())


def measure_dataset(
    dataset: Dataset,
    on_bad: Callable[[BadRow], None] | None = None,
    runs: Iterable[RunFolder] = (),
    graphs: Path | None = None,
) -> Blind:
    """Measure what the questions of a dataset reveal; raises DatasetError if its answers are hidden.

    `runs` asked models the same questions without the pictures; each run is one more probe. `graphs` is the mined
    folder in which common knowledge is counted; by default the folder that contains the dataset, or else the graphs of
    its cases.
    """
    if hidden_in(dataset):
        raise DatasetError(
            f"the answers of {dataset.path} are hidden, so the probes cannot be scored; see the results in its "
            "README.md"
        )
    if graphs is None and (dataset.path.parent / GRAPHS).is_file():
        graphs = dataset.path.parent
    told = Knowledge.of(read_graphs(graphs, lambda *_: None)) if graphs else None
    return measure((case for _, case in dataset.cases(on_bad)), _answered_blind(runs, dataset), told)


def load_stored(dataset: Dataset) -> Blind | None:
    """Return the results stored for these rows, or None; results of other versions are measured again."""
    try:
        kept = msgspec.json.decode((dataset.path / RESULTS_FILE).read_bytes(), type=StoredResults)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    if kept.fingerprint != dataset.fingerprint:
        return None
    return kept.blind if kept.probes == VERSION else measure(case for _, case in dataset.cases())


def card_section(folder: Path, knowledge: Knowledge | None = None) -> str:
    """Measure a complete folder, store the results in it, and return the section for its card."""
    dataset = Dataset.open(folder)
    found = measure((case for _, case in dataset.cases()), knowledge=knowledge)
    if found.groups:  # too few questions have no results
        kept = msgspec.json.format(msgspec.json.encode(StoredResults(dataset.fingerprint, found, VERSION)), indent=1)
        write_whole(folder / RESULTS_FILE, kept + b"\n")
    return "\n\n".join(("## Accuracy without the pictures", *section(found))) + "\n"


def _answered_blind(runs: Iterable[RunFolder], dataset: Dataset) -> dict[str, Answered]:
    """Return which questions each run answered correctly, by model; raises RunError for runs with the pictures."""
    found: dict[str, Answered] = {}
    for run in runs:
        asked = run.manifest
        if asked.prompt.picture:
            raise RunError(f"{run.path} was made with the pictures; run the model with the prompt text-only")
        if asked.dataset.fingerprint != dataset.fingerprint:
            raise RunError(f"{run.path} is a run of another dataset than {dataset.path}")
        right: dict[tuple[str, World], bool] = {}
        unasked = 0
        for each in judge_run(run, dataset=dataset.path).answers():
            world, telling = each.place
            if telling == "told":
                right[each.case.id, world] = each.outcome == "right"
                unasked += each.outcome in ("missing", "failed")
        if unasked:
            raise RunError(f"{run.path} has no answer to {unasked:,} of {len(right):,} questions; finish the run first")
        found[asked.model if asked.model not in found else f"{asked.model} ({run.path.name})"] = right
    return found
