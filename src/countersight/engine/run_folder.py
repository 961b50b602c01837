"""The folder of a run: run.json describes the run, and replies.jsonl contains the replies."""

import contextlib
import datetime
import os
import platform
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self

import msgspec
from msgspec.structs import replace

from countersight import __version__
from countersight.case import Reply
from countersight.dataset import Dataset
from countersight.engine.journal import (
    Journal,
    create_locked_folder,
    lock_folder,
    read_journal,
    read_manifest,
    read_with_offsets,
    replies_at,
    write_manifest,
)
from countersight.engine.options import Answering, RunOptions, Sample
from countersight.engine.prompts import Prompt, find_prompt
from countersight.errors import RunError
from countersight.models import MODELS, ModelSettings

MANIFEST = "run.json"
FORMAT = 1
"""The version of the format; it is incremented if an older reader would misunderstand the format."""
JOURNAL = "replies.jsonl"
ORDERS = "orders.jsonl"
"""Replies to single option orders, for questions that are not answered in every order yet; deleted at the end."""
LEFT_OUT = "left out"
"""The manifest key for questions that cannot be asked: their number by reason."""


class DatasetReference(msgspec.Struct, frozen=True):
    """The dataset of a run: identified by its fingerprint, and found by its path relative to the run folder."""

    name: str
    path: str
    fingerprint: str
    rows: int


class ExamplePool(msgspec.Struct, frozen=True):
    """The dataset that provides the examples of a prompt, and the seed that selects them."""

    dataset: DatasetReference
    seed: int


class RetrySelection(msgspec.Struct, frozen=True):
    """A selection of replies (cut, empty or unread) that were requested again, optionally with another token limit."""

    what: str
    max_tokens: int | None
    started: str
    countersight: str = ""
    """The version of Countersight that requested these replies."""


class RunManifest(msgspec.Struct, frozen=True):
    """The manifest of a run: dataset, model, prompt, settings and version."""

    model: str
    settings: dict[str, Any]
    prompt: Prompt
    answering: Answering
    shown: bool
    """Whether questions about the counterfactual pictures were asked too."""
    dataset: DatasetReference
    started: str
    countersight: str
    python: str
    platform: str
    package: str = ""
    """The package that provides the model and its version, if the model is a plug-in of another package."""
    loss: Literal["mean", "sum"] = "mean"
    """How the losses of an option's tokens were combined; version 0.1 could add them up."""
    examples: ExamplePool | None = None
    """The source of the examples, if the prompt shows any."""
    again: tuple[RetrySelection, ...] = ()
    """The replies that were requested again, and the token limit."""
    observed: dict[str, Any] = {}
    """Facts learned during the run, such as fields that the server refused; not part of the run's identity."""
    format: int = FORMAT

    @property
    def is_imported(self) -> bool:
        """Whether the replies were imported from another tool."""
        return "asked with" in self.settings

    def answer_settings(self) -> dict[str, Any]:
        """Return the model's settings and everything else that answers depend on, except the prompt."""
        settings = dict(self.settings)
        if self.answering == "rank":
            settings["loss"] = self.loss
        if self.examples is not None:
            settings["examples"] = f"{self.examples.dataset.name}, seed {self.examples.seed}"
        return settings


def run_folders(path: Path) -> list[Path]:
    """Return the runs at a path: the run itself, or all runs below it; RUN/10 is sorted after RUN/9."""
    if (path / MANIFEST).exists():
        return [path]
    found = (file.parent for file in path.rglob(MANIFEST))
    return sorted(found, key=lambda run: [(part.isdecimal() and len(part), part) for part in run.parts]) or [path]


class RunFolder:
    """A run on disk, finished or not."""

    def __init__(self, path: Path | str, manifest: RunManifest | None = None, lock: BinaryIO | None = None) -> None:
        self.path = Path(path)
        self.manifest = manifest or _read(self.path)
        self._lock = lock
        self._moved_to: Path | None = None
        """Where the dataset was found after it was moved."""

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """Open a run for reading."""
        return cls(path)

    @classmethod
    def begin(
        cls,
        path: Path | str,
        *,
        dataset: Dataset,
        model: str,
        settings: dict[str, Any],
        options: RunOptions,
        pool: Dataset | None = None,
    ) -> Self:
        """Start a run in a folder, or resume the run in it if it has the same dataset, model, prompt and options.

        If replies are requested again, the token limit may differ and is recorded. Examples for the prompt come from
        `pool` (default: the dataset itself).
        """
        path, prompt = Path(path), options.prompt
        lock = create_locked_folder(path, MANIFEST, "a run", RunError)
        manifest = RunManifest(
            model=model,
            settings=settings,
            prompt=prompt,
            answering=options.answering,
            shown=options.shown,
            dataset=dataset_reference(dataset, path),
            started=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            countersight=__version__,
            python=platform.python_version(),
            platform=f"{platform.system()} {platform.machine()}",
            package=MODELS.package(model),
            examples=ExamplePool(dataset_reference(pool or dataset, path), options.seed) if prompt.shots else None,
        )
        try:
            if (path / MANIFEST).exists() and _any_reply(path, lambda reply: True):
                try:
                    return cls(path, _resume_manifest(path, cls.open(path).manifest, manifest, options.again), lock)
                except RunError:
                    # A run that contains only failures, for example because of a misspelt model name, is replaced.
                    if options.again or _any_reply(path, lambda reply: reply.state == "answered" or bool(reply.orders)):
                        raise
                    for name in (JOURNAL, ORDERS):
                        (path / name).unlink(missing_ok=True)
            if options.again:
                raise RunError(f"{path} contains no answers yet; leave out `again`")
            write_manifest(path / MANIFEST, manifest)
        except BaseException:
            lock.close()
            raise
        return cls(path, manifest, lock)

    def observe(self, found: dict[str, Any]) -> None:
        """Add facts learned during the run to the manifest."""
        observed = self.manifest.observed | found
        if observed != self.manifest.observed:
            self.manifest = replace(self.manifest, observed=observed)
            write_manifest(self.path / MANIFEST, self.manifest)

    def replies(self, on_damaged: Callable[[], None] | None = None) -> Iterator[Reply]:
        """Iterate over all replies in the journal, in order. A question may occur twice: failed, then answered."""
        return read_journal(self.path / JOURNAL, on_damaged)

    def located_replies(self, on_damaged: Callable[[], None] | None = None) -> Iterator[tuple[int, Reply]]:
        """Iterate over all replies in the journal, in order, each with the offset of its line."""
        return read_with_offsets(self.path / JOURNAL, on_damaged)

    def replies_at(self, offsets: Iterable[int]) -> dict[int, Reply]:
        """Return the replies at these offsets, by offset, without reading the others."""
        return replies_at(self.path / JOURNAL, offsets)

    def dataset(self, override: Path | None = None) -> Dataset:
        """Return the dataset of the run; raises RunError if the dataset has changed since.

        `override` is the current folder of a dataset that was moved; this object remembers it.
        """
        recorded = Path(os.path.normpath(self.path.resolve() / self.manifest.dataset.path))
        path = override or self._moved_to or recorded
        if not path.is_dir():
            raise RunError(
                f"the dataset of {self.path} is not at {path}; move it back, or pass its current folder as `dataset`"
            )
        dataset = Dataset.open(path)
        if dataset.fingerprint != self.manifest.dataset.fingerprint:
            raise RunError(f"{path} is not the dataset of the run {self.path}: its rows have changed")
        self._moved_to = override or self._moved_to
        return dataset

    def examples(self) -> Dataset | None:
        """Return the dataset that provides the examples of the prompt, if it is not the run's own dataset."""
        pool = self.manifest.examples
        if pool is None or pool.dataset.fingerprint == self.manifest.dataset.fingerprint:
            return None
        return Dataset.open(Path(os.path.normpath(self.path.resolve() / pool.dataset.path)))

    @contextlib.contextmanager
    def writing(self) -> Iterator[Journal]:
        """Open the journal for writing, with an exclusive lock."""
        lock, self._lock = self._lock or lock_folder(self.path, RunError), None  # released at the end of the block
        with lock, Journal(self.path / JOURNAL) as journal:
            yield journal


def _read(path: Path) -> RunManifest:
    manifest = read_manifest(path / MANIFEST, RunManifest, "a run", RunError)
    if manifest.format > FORMAT:
        raise RunError(f"{path} was written by a newer version ({manifest.countersight}); open it with that version")
    return manifest


def _resume_manifest(path: Path, existing: RunManifest, requested: RunManifest, again: str) -> RunManifest:
    """Return the manifest of a resumed run; a new selection of replies to ask again is recorded in it."""
    if not again:
        _check_same_run(path, existing, requested)
        return existing
    limit = requested.settings.get("max_tokens")
    settings = requested.settings | {key: existing.settings[key] for key in ("max_tokens",) if key in existing.settings}
    _check_same_run(path, existing, replace(requested, settings=settings))
    selection = RetrySelection(
        again, limit if isinstance(limit, int) else None, requested.started, requested.countersight
    )
    existing = replace(existing, again=(*existing.again, selection))
    write_manifest(path / MANIFEST, existing)
    return existing


def _any_reply(path: Path, wanted: Callable[[Reply], bool]) -> bool:
    """Whether any reply of a run meets a condition; False for a run without replies."""
    return any(wanted(reply) for name in (JOURNAL, ORDERS) for reply in read_journal(path / name))


def dataset_reference(dataset: Dataset, run: Path) -> DatasetReference:
    """Return the reference to a dataset that is stored in a run folder."""
    # Links are resolved in both paths, so that the relative path is valid for the real folders.
    path = os.path.relpath(os.path.realpath(dataset.path), os.path.realpath(run))
    return DatasetReference(dataset.name, path, dataset.fingerprint, dataset.count)


def _check_same_run(path: Path, existing: RunManifest, requested: RunManifest) -> None:
    """Raise RunError if two manifests describe different runs, for example because of another dataset or prompt."""
    for what, old, new in (
        ("dataset", *(f"{run.dataset.name} ({run.dataset.fingerprint[:8]})" for run in (existing, requested))),
        ("model", existing.model, requested.model),
        ("version of the model's package", existing.package or requested.package, requested.package),
        ("prompt", *_describe_prompts(existing.prompt, requested.prompt)),
        ("set of settings", *_differing_settings(existing.settings, requested.settings)),
        ("setting of `answering`", existing.answering, requested.answering),
        ("loss", existing.loss, requested.loss),
        ("pool or seed of examples", *(_describe_pool(run.examples) for run in (existing, requested))),
        ("setting of `shown`", existing.shown, requested.shown),
    ):
        same = existing.dataset.fingerprint == requested.dataset.fingerprint if what == "dataset" else old == new
        if not same:
            raise RunError(
                f"{path} contains a run with a different {what}: {old}, not {new}; choose a different folder for "
                "`out`, or remove this one"
            )


def _describe_pool(examples: ExamplePool | None) -> str:
    if examples is None:
        return "none"
    return f"{examples.dataset.name} ({examples.dataset.fingerprint[:8]}), seed {examples.seed}"


def _describe_prompts(old: Prompt, new: Prompt) -> tuple[str, str]:
    """Return the names of two prompts; if the names are equal, the first one lists the fields that differ."""
    changed = [field for field in old.__struct_fields__ if getattr(old, field) != getattr(new, field)]
    if "name" in changed or not set(changed) - {"about"}:
        return old.name, new.name
    return f"an earlier version of {old.name}, which differs in {', '.join(changed)}", new.name


def _differing_settings(old: dict[str, Any], new: dict[str, Any]) -> tuple[str, str]:
    """Return the settings that differ, as text, except those of earlier versions that are compared elsewhere or do not
    affect answers."""
    # Earlier versions called the vision settings of programs `eyes`.
    old = {re.sub("^eyes\\b", "vision", key): value for key, value in old.items()}
    keys = [key for key in {**old, **new} if old.get(key) != new.get(key) and key not in ("ranking", "loss")]
    first, second = (", ".join(f"{key} {run[key]}" for key in keys if key in run) for run in (old, new))
    return first or "none", second or "none"


def restore_options(
    output: Path, options: RunOptions, settings: ModelSettings, pool: Dataset | None = None
) -> tuple[RunOptions, ModelSettings, Dataset | None]:
    """Replace options and settings that have default values with those of the existing run, if `again` is set.

    A call with `again` therefore needs only the folder of the run, not all of its options.
    """
    if not options.again or not (output / MANIFEST).exists():
        return options, settings, pool
    run = RunFolder.open(output)
    manifest = run.manifest
    # A visual program stores the settings of its two models with a prefix: `code seed`, `vision seed`.
    recorded = {key.rpartition(" ")[2]: value for key, value in manifest.settings.items()}
    if manifest.examples:
        recorded["seed"] = manifest.examples.seed
    usual = ModelSettings(max_tokens=options.prompt.max_tokens)
    names = [name for name in ("seed", "max_tokens", "temperature", "detail") if name in recorded]
    restored = {name: recorded[name] for name in names if getattr(settings, name) == getattr(usual, name)}
    settings = replace(settings, **restored)
    sample = manifest.observed.get("sample")
    options = replace(
        options,
        prompt=manifest.prompt if options.prompt == find_prompt("0-shot") else options.prompt,
        shown=options.shown or manifest.shown,
        answering=manifest.answering if options.answering == "generate" else options.answering,
        seed=settings.seed,
        sample=options.sample or (msgspec.convert(sample, Sample) if sample else None),
    )
    return options, settings, pool or run.examples()
