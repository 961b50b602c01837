"""Functions that make datasets: `make`, `build`, and `mine`, which finds causal graphs for CELLO."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from countersight.authoring import BuildOrder, BuiltPairs, build_dataset
from countersight.causal import Mined, mine_folder
from countersight.dataset import METADATA, Dataset, Hidden, hide, secret_seed, whole_beside
from countersight.engine import RetryPolicy
from countersight.errors import CountersightError
from countersight.files import digest_of
from countersight.models import ModelSettings
from countersight.progress import Progress, usual
from countersight.suites import WORDINGS, Imported, OnBad, Part, Suite, Way, find_suite, first_of, import_file, way_of
from countersight.text import several
from countersight.verbs.inputs import SomeModel, check_from, checked, path_of, settings_of
from countersight.verbs.running import open_model

_ROWS_IN_WARNING = 5


class MadeDataset(Dataset):
    """A new dataset, with `details` from its suite, such as the number of bad rows, and the imported `part`."""

    def __init__(
        self,
        path: Path,
        details: Any = None,
        source_kind: Way = "seed",
        part: Part | None = None,
        hidden: Hidden | None = None,
    ) -> None:
        super().__init__(path)
        self.details, self.source_kind, self.part, self.hidden = details, source_kind, part, hidden


@checked
def make(
    suite: str,
    out: Path | str,
    *,
    size: int | None = None,
    seed: int | None = None,
    source: Path | str | None = None,
    pictures: Path | str | None = None,
    annotations: Path | str | None = None,
    sample: float | None = None,
    controls: bool = False,
    difficulty: Literal["easy", "medium", "hard"] | None = None,
    groups: Literal["usual", "least-change", "several-changes"] | None = None,
    per_task: int | None = None,
    wording: SomeModel | None = None,
    hidden: Path | str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    on_bad: OnBad | None = None,
    exist_ok: bool = False,
) -> MadeDataset:
    """Make a dataset, or import a published one from its file (`source`) and the folder of its `pictures`.

    `annotations` is the second file that some suites have. When importing, `size` cases or the share
    `sample` are drawn at random; invalid rows are passed to `on_bad`; without it, a warning names the first ones.
    With `exist_ok`, an existing dataset that was made with the same arguments is opened instead.
    `hidden` names a new file, the key, to which the right answers are written instead of the dataset.
    Pictures are drawn by `workers` processes.

    Some arguments apply only to certain suites. cvqa-synthetic: `controls` adds a control to every case: a change that
    does not affect the answer. Worlds: `difficulty`. `groups`: the "usual" ones, or instead of them "least-change",
    which asks for the smallest change that leads to a goal (supports, discs, cvqa-synthetic), or "several-changes",
    which assumes two changes (supports, discs). cello, from a folder made by `mine`: `per_task` is the number of cases
    per task. `wording`: for cvqa-synthetic, "eight" phrasings or "one", as published; for causal-worlds and cello,
    "first" or "second", a paraphrase; for cello also the name of a model that writes the questions.
    """
    check_from(1, size=size, per_task=per_task, workers=workers)
    chosen, folder, source, key = find_suite(suite), Path(out), path_of(source), path_of(hidden)
    second_file = path_of(annotations)
    own: dict[str, Any] = {
        "controls": controls,
        "difficulty": difficulty,
        "groups": groups,
        "per_task": per_task,
        "wording": wording,
    }
    if exist_ok and (folder / METADATA).is_file():
        is_file = source is not None and source.is_file()
        drawn = is_file and bool(size or sample)
        how = {name: value for name, value in own.items() if name != "per_task"} | {
            "answers": "hidden" if hidden else None,
            "suite": suite,
            "file": source.name if source else "",
            "sha256": digest_of(source, second_file) if source and is_file else None,
            "part": Part(size, sample) if drawn else None,
            "seed": seed or 0,
            "size": None if drawn else f"{per_task} of each task" if per_task else size,
        }
        return _open_existing(folder, how)
    _check_second_file(suite, chosen, source, second_file)
    own = {name: value for name, value in own.items() if value}
    pictures = path_of(pictures)
    source_kind = way_of(chosen, source, own=own, size=size, sample=sample, pictures=pictures)
    number = secret_seed(seed) if key else seed or 0
    if source_kind == "folder" and own.get("wording", WORDINGS[0]) not in WORDINGS:
        own["wording"] = open_model(own["wording"], ModelSettings(seed=number))
    part = Part(size, sample, number) if source_kind == "file" and (size or sample) else None
    skipped = _SkippedRows()
    watch, bad = progress or usual(), on_bad or skipped

    def fill(folder: Path) -> Any:
        if source is None:
            return chosen.make(folder, size=size, seed=number, workers=workers, progress=watch, **own)
        if source_kind == "folder":
            return chosen.assemble(source, folder, size=size, seed=number, progress=watch, on_bad=bad, **own)
        return import_file(chosen, source, folder, pictures=pictures, second_file=second_file, part=part, on_bad=bad)

    commitment = None
    if key is None:
        details = fill(folder)
    else:
        with whole_beside(folder, key) as (whole, empty):
            details = fill(whole)
            commitment = hide(Dataset(whole), empty, key)
    if on_bad is None and (problems := skipped.sentences(details)):
        warnings.warn(" ".join(problems), stacklevel=3)
    return MadeDataset(folder, details, source_kind, part, commitment)


class _SkippedRows:
    """Keeps the first invalid rows of a file for a warning."""

    def __init__(self) -> None:
        self.count = 0
        self._first: list[str] = []

    def __call__(self, line: int, field: str, reason: str) -> None:
        self.count += 1
        if len(self._first) < _ROWS_IN_WARNING:
            self._first.append(f"line {line}: {field}: {reason}")

    def sentences(self, details: Any) -> list[str]:
        """Return what a user should know about an import: skipped rows, probable mistakes and missing pictures."""
        sentences = []
        if self.count:
            more = "; …" if self.count > len(self._first) else ""
            sentences.append(f"{several(self.count, 'bad row')} skipped: {'; '.join(self._first)}{more}.")
        if isinstance(details, Imported):
            sentences += [f"{note}." for note in details.notes]
            if details.not_found:
                sentences.append(f"Pictures not found: {first_of(list(details.not_found))}.")
        return sentences


def open_dataset(path: Path | str) -> Dataset:
    """Open a dataset folder: `len(dataset)`, `dataset[0]`, `for case in dataset`."""
    return Dataset.open(path)


def _check_second_file(suite: str, chosen: Suite, source: Path | None, annotations: Path | None) -> None:
    """Raise an error if a second file is required but missing, or given but not used by the suite."""
    second = chosen.second_file
    if annotations is not None and second is None:
        raise CountersightError(f"{suite} is imported from one file; leave out `annotations`")
    if source is not None and annotations is None and second and second.needed:
        raise CountersightError(f"{suite} needs `annotations`: {second.words}")


def _open_existing(folder: Path, how: Mapping[str, Any]) -> MadeDataset:
    """Return the dataset in a folder; raises an error if it was made differently from `how`, according to its card."""
    dataset = MadeDataset(folder)
    card = dataset.provenance()
    card |= {"file": card.get("file", card.get("mined", "")), "controls": str("controls" in card)}
    for what in how if "suite" in card else ["answers"]:  # a card with hidden answers records nothing else
        before, now = _recorded(card.get(what)), _recorded(how[what])
        unknown = what in ("size", "seed", "sha256") and not (before and now)
        if before == now or unknown:
            continue
        if what == "sha256":
            raise CountersightError(
                f"{folder} was made from different content: {how['file']}, or the second file that it was "
                "imported with, has changed since; choose a different folder for `out`, or remove this one"
            )
        raise CountersightError(
            f"{folder} was made with different settings ({what}: {before or 'none'}, not {now or 'none'}); choose a "
            "different folder for `out`, or remove this one"
        )
    return dataset


def _recorded(value: Any) -> str:
    """Return the value of an option as recorded in a card; default values are empty."""
    text = str(getattr(value, "name", value))
    return "" if text in ("None", "False", "all", "eight", "first") else text


@checked
def build(
    suite: str,
    questions: Path | str,
    out: Path | str,
    *,
    annotations: Path | str | None = None,
    pictures: Path | str | None = None,
    writer: str = "grammar",
    groups: Sequence[str] = (),
    size: int = 500,
    seed: int = 0,
    blind: str | None = None,
    settings: ModelSettings | None = None,
    retry: RetryPolicy | None = None,
    progress: Progress | None = None,
) -> BuiltPairs:
    """Write counterfactual versions of questions for "cvqa" or "cfmm", with a grammar or a model, and check them.

    The grammar writes how-many questions; yes/no questions, and so all of "cfmm", need a model as `writer`.
    Repeat the call to resume; no answer is paid for twice.
    """
    check_from(1, size=size)
    order = BuildOrder(
        suite=suite,
        questions=Path(questions),
        output=Path(out),
        annotations=path_of(annotations),
        pictures=path_of(pictures),
        writer=writer,
        groups=tuple(groups),
        size=size,
        seed=seed,
        blind=blind,
    )
    with (progress or usual())("Writing", size, "pairs") as report_progress:
        return build_dataset(
            order,
            settings=settings_of(settings, ModelSettings()),
            retry=retry or RetryPolicy(16),
            progress=report_progress,
        )


@checked
def mine(graphs: Path | str, out: Path | str, *, pictures: Path | str | None = None) -> Mined:
    """Find the causal graphs in scene graphs (CELLO); `make("cello", …, source=out)` creates questions about them."""
    return mine_folder(Path(graphs), Path(out), pictures=path_of(pictures))
