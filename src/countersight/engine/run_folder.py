"""The folder of a run: run.json describes the run, replies.jsonl contains the replies."""

import contextlib
import datetime
import os
import platform
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self

import msgspec

from countersight import __version__
from countersight.case import Reply
from countersight.dataset import Dataset
from countersight.engine.journal import (
    Journal,
    NumberedReplies,
    appending,
    begun,
    locked,
    read_journal,
    read_manifest,
    read_placed,
    reply_at,
    write_manifest,
)
from countersight.engine.prompt import Prompt
from countersight.errors import RunError
from countersight.models import Loss

MANIFEST = "run.json"
FORMAT = 1
"""Incremented if an older reader would misunderstand the format."""
JOURNAL = "replies.jsonl"
ORDERS = "orders.jsonl"
"""Replies to single orders of questions that are not answered in all orders yet; removed when there are none."""
LEFT_OUT = "left out"
"""The key under which a run records questions that it cannot ask: their number by reason."""
_WITHOUT_EFFECT = ("ranking",)
"""Settings that version 0.1 recorded and that do not affect answers."""


Answering = Literal["generate", "rank"]
"""Whether the model writes its answer (`generate`), or the option with the smallest loss is the answer (`rank`)."""


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
    """A selection of replies (cut, empty or unread) that were asked for again, optionally with another token limit."""

    what: str
    max_tokens: int | None
    started: str
    countersight: str = ""
    """The version of Countersight that asked."""


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
    loss: Loss = "mean"
    """How the losses of an option's tokens were combined, if options were ranked."""
    examples: ExamplePool | None = None
    """The source of the examples, if the prompt shows any."""
    again: tuple[RetrySelection, ...] = ()
    """Replies that were asked for again, and how."""
    observed: dict[str, Any] = {}
    """Facts found out during the run, such as fields that the server refused; not part of the run's identity."""
    format: int = FORMAT

    def ways(self) -> dict[str, Any]:
        """Return the model's settings and everything else that answers depend on, except the prompt."""
        ways = dict(self.settings)
        if self.answering == "rank":
            ways["loss"] = self.loss
        if self.examples is not None:
            ways["examples"] = f"{self.examples.dataset.name}, seed {self.examples.seed}"
        return ways

    def but_for_seed(self) -> str:
        """Return everything that answers depend on except the random seed, as one string."""
        ways = {key: value for key, value in self.ways().items() if key not in ("seed", "examples")}
        return msgspec.json.encode((self.model, self.prompt, self.answering, self.shown, ways), order="sorted").decode()


def run_folders(path: Path) -> list[Path]:
    """Return the runs at a path: the run itself, or all runs below it; RUN/10 comes after RUN/9."""
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
        prompt: Prompt,
        shown: bool,
        answering: Answering = "generate",
        loss: Loss = "mean",
        pool: Dataset | None = None,
        seed: int = 0,
        again: str = "",
    ) -> Self:
        """Start a run in a folder, or resume the run that is there if it is the same.

        If replies are asked for `again`, the token limit may differ, and is recorded. Examples for the prompt come from
        `pool` (default: the dataset itself), selected by `seed`.
        """
        path = Path(path)
        lock = begun(path, MANIFEST, "a run", RunError)
        manifest = RunManifest(
            model=model,
            settings=settings,
            prompt=prompt,
            answering=answering,
            shown=shown,
            dataset=reference(dataset, path),
            started=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            countersight=__version__,
            python=platform.python_version(),
            platform=f"{platform.system()} {platform.machine()}",
            loss=loss,
            examples=ExamplePool(reference(pool or dataset, path), seed) if prompt.shots else None,
        )
        try:
            if (path / MANIFEST).exists():
                there = cls.open(path).manifest
                if _has_replies(path):
                    try:
                        return cls(path, _taken_up(path, there, manifest, again), lock)
                    except RunError:
                        if again or _has_answers(path):
                            raise
                        for name in (JOURNAL, ORDERS):
                            (path / name).unlink(missing_ok=True)
            if again:
                raise RunError(f"{path} contains no answers yet; leave out `again`")
            write_manifest(path / MANIFEST, manifest)
        except BaseException:
            lock.close()
            raise
        return cls(path, manifest, lock)

    def observe(self, found: dict[str, Any]) -> None:
        """Add facts found out during the run to the manifest."""
        observed = self.manifest.observed | found
        if observed != self.manifest.observed:
            self.manifest = msgspec.structs.replace(self.manifest, observed=observed)
            write_manifest(self.path / MANIFEST, self.manifest)

    def replies(self, on_damaged: Callable[[], None] | None = None) -> Iterator[Reply]:
        """Iterate over all replies in the journal, in order. A question may occur twice: failed, then answered."""
        return read_journal(self.path / JOURNAL, on_damaged)

    def placed_replies(self, on_damaged: Callable[[], None] | None = None) -> Iterator[tuple[int, Reply]]:
        """Iterate over all replies with their positions in the journal, for `reply_at`."""
        return read_placed(self.path / JOURNAL, on_damaged)

    def reply_at(self, place: int) -> Reply | None:
        """Return the reply at a position in the journal."""
        return reply_at(self.path / JOURNAL, place)

    def numbered(self) -> NumberedReplies:
        """Return the replies of the journal with access by number."""
        return NumberedReplies(self.path / JOURNAL)

    def dataset(self, override: Path | None = None) -> Dataset:
        """Return the dataset that was asked; raises RunError if it was changed since."""
        path = override or Path(os.path.normpath(self.path.resolve() / self.manifest.dataset.path))
        if not path.is_dir():
            raise RunError(f"the dataset of {self.path} is not at {path}; name its current folder with `dataset`")
        dataset = Dataset.open(path)
        if dataset.fingerprint != self.manifest.dataset.fingerprint:
            raise RunError(f"{path} is not the dataset of the run {self.path}: its rows have changed")
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
        lock, self._lock = self._lock or locked(self.path, RunError), None  # released at the end of the block
        with appending(lock, self.path / JOURNAL) as journal:
            yield journal


def answered_orders(run: RunFolder) -> Iterator[Reply]:
    """Iterate over the replies to single orders; some of their questions may have been answered in all orders since."""
    return read_journal(run.path / ORDERS)


def orders_journal(run: RunFolder) -> Journal:
    """Return the journal for replies to single orders; only the process that writes the main journal may use it."""
    return Journal(run.path / ORDERS)


def forget_orders(run: RunFolder) -> None:
    """Remove the replies to single orders, when every question is answered in all orders or has failed."""
    (run.path / ORDERS).unlink(missing_ok=True)


def _read(path: Path) -> RunManifest:
    manifest = read_manifest(path / MANIFEST, RunManifest, "a run", RunError)
    if manifest.format > FORMAT:
        raise RunError(f"{path} was written by a newer version ({manifest.countersight}); open it with that version")
    return manifest


def _taken_up(path: Path, there: RunManifest, now: RunManifest, again: str) -> RunManifest:
    """Return the manifest of a resumed run; a new selection of replies to ask again is recorded in it."""
    if not again:
        _refuse_difference(path, there, now)
        return there
    limit = now.settings.get("max_tokens")
    settings = now.settings | {key: there.settings[key] for key in ("max_tokens",) if key in there.settings}
    _refuse_difference(path, there, msgspec.structs.replace(now, settings=settings))
    asked = RetrySelection(again, limit if isinstance(limit, int) else None, now.started, now.countersight)
    there = msgspec.structs.replace(there, again=(*there.again, asked))
    write_manifest(path / MANIFEST, there)
    return there


def _has_replies(path: Path) -> bool:
    """Whether a run has any replies; a run without replies is replaced."""
    return any((path / name).exists() and (path / name).stat().st_size > 0 for name in (JOURNAL, ORDERS))


def _has_answers(path: Path) -> bool:
    """Whether any question was answered; a run with failures only, as with a misspelt model name, may be replaced."""
    return any(
        reply.state == "answered" or reply.orders for name in (JOURNAL, ORDERS) for reply in read_journal(path / name)
    )


def reference(dataset: Dataset, run: Path) -> DatasetReference:
    """Return the reference to a dataset that is stored in a run folder."""
    # Links are resolved in both paths, so that the relative path is valid for the real folders.
    way = os.path.relpath(os.path.realpath(dataset.path), os.path.realpath(run))
    return DatasetReference(dataset.name, way, dataset.fingerprint, dataset.count)


def _refuse_difference(path: Path, there: RunManifest, now: RunManifest) -> None:
    """Raise RunError if two manifests differ in anything that makes a different run, such as dataset, model or
    prompt."""
    for what, old, new in (
        ("dataset", there.dataset.fingerprint, now.dataset.fingerprint),
        ("model", there.model, now.model),
        ("prompt", *(msgspec.structs.replace(manifest.prompt, about="") for manifest in (there, now))),
        ("set of settings", _differing(there.settings, now.settings), _differing(now.settings, there.settings)),
        ("way of answering", there.answering, now.answering),
        ("loss", there.loss, now.loss),
        ("pool or seed of examples", *(_told(manifest.examples) for manifest in (there, now))),
        ("shown worlds", there.shown, now.shown),
    ):
        if old != new:
            if what == "dataset":
                old, new = (f"{m.dataset.name} ({m.dataset.fingerprint[:8]})" for m in (there, now))
            elif isinstance(old, Prompt) and isinstance(new, Prompt):
                old, new = _as_it_was(old, new), new.name
            raise RunError(
                f"{path} contains a run with another {what}: {old} there, {new} now; choose another folder for "
                "`out`, or remove this one"
            )


def _told(examples: ExamplePool | None) -> str:
    if examples is None:
        return "none"
    return f"{examples.dataset.name} ({examples.dataset.fingerprint[:8]}), seed {examples.seed}"


def _as_it_was(prompt: Prompt, now: Prompt) -> str:
    """Return the name of a prompt, or, if only its texts have changed, which fields differ from the current version."""
    changed = [field for field in prompt.__struct_fields__ if getattr(prompt, field) != getattr(now, field)]
    return (
        prompt.name if "name" in changed else f"an earlier version of {prompt.name}, with another {', '.join(changed)}"
    )


def _differing(settings: dict[str, Any], others: dict[str, Any]) -> str:
    """Return the settings that differ from the others, as text."""
    differing = (key for key, value in settings.items() if others.get(key) != value and key not in _WITHOUT_EFFECT)
    return ", ".join(f"{key} {settings[key]}" for key in differing) or "none"
