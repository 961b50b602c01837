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
"""Counted up when an older reader would be misled."""
JOURNAL = "replies.jsonl"
ORDERS = "orders.jsonl"
"""Answers to single orders of questions that are not answered in all of them yet; gone when there are none."""
LEFT_OUT = "left out"
"""Under what a run notes the questions that it cannot ask: how many, by the reason."""
_WITHOUT_EFFECT = ("ranking",)
"""Settings that version 0.1 wrote down and that change no answer: in which of equal ways options were ranked."""


Answering = Literal["generate", "rank"]
"""Whether the model writes its answer, or each option is given a loss and the smallest is the answer."""


class DatasetReference(msgspec.Struct, frozen=True):
    """Which dataset was asked; the fingerprint decides, the path (seen from the run folder) only finds it."""

    name: str
    path: str
    fingerprint: str
    rows: int


class ExamplePool(msgspec.Struct, frozen=True):
    """Where the examples of a prompt came from, and the seed that chose among them."""

    dataset: DatasetReference
    seed: int


class RetrySelection(msgspec.Struct, frozen=True):
    """Those answers that were cut, empty or unread, asked for once more, maybe with another limit of tokens."""

    what: str
    max_tokens: int | None
    started: str
    countersight: str = ""
    """The version that asked."""


class RunManifest(msgspec.Struct, frozen=True):
    """What was asked of whom, in which way, by which version."""

    model: str
    settings: dict[str, Any]
    prompt: Prompt
    answering: Answering
    shown: bool
    """Whether the counterfactual pictures were asked about too."""
    dataset: DatasetReference
    started: str
    countersight: str
    python: str
    platform: str
    loss: Loss = "mean"
    """How the losses of an option's tokens became one, where options were ranked."""
    examples: ExamplePool | None = None
    """Only where the prompt shows any."""
    again: tuple[RetrySelection, ...] = ()
    """Answers that were asked for once more, and how."""
    observed: dict[str, Any] = {}
    """What was found out while asking, such as fields the server refused; it makes no other run of it."""
    format: int = FORMAT

    def ways(self) -> dict[str, Any]:
        """The model's settings, and what else its answers depend on beside the prompt."""
        ways = dict(self.settings)
        if self.answering == "rank":
            ways["loss"] = self.loss
        if self.examples is not None:
            ways["examples"] = f"{self.examples.dataset.name}, seed {self.examples.seed}"
        return ways

    def but_for_seed(self) -> str:
        """Everything the answers depend on except the random seed, as one string."""
        ways = {key: value for key, value in self.ways().items() if key not in ("seed", "examples")}
        return msgspec.json.encode((self.model, self.prompt, self.answering, self.shown, ways), order="sorted").decode()


def run_folders(path: Path) -> list[Path]:
    """The runs at a path: the run itself, or all runs in the folders below it; RUN/10 comes after RUN/9."""
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
        """Start a run in a folder, or take up the one that is there if it is the same.

        Where answers are asked for `again`, the limit of tokens may be another than before, and that is kept. Where the
        prompt shows examples, they come from `pool` (or else the dataset itself), chosen by `seed`.
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
        """Keep what was found out while asking beside what was found before."""
        observed = self.manifest.observed | found
        if observed != self.manifest.observed:
            self.manifest = msgspec.structs.replace(self.manifest, observed=observed)
            write_manifest(self.path / MANIFEST, self.manifest)

    def replies(self, on_damaged: Callable[[], None] | None = None) -> Iterator[Reply]:
        """Every reply in the journal, in the order it came. A question may stand there twice: failed, then answered."""
        return read_journal(self.path / JOURNAL, on_damaged)

    def placed_replies(self, on_damaged: Callable[[], None] | None = None) -> Iterator[tuple[int, Reply]]:
        """The same, each with the place in the journal at which `reply_at` finds it."""
        return read_placed(self.path / JOURNAL, on_damaged)

    def reply_at(self, place: int) -> Reply | None:
        """The reply at a place in the journal."""
        return reply_at(self.path / JOURNAL, place)

    def numbered(self) -> NumberedReplies:
        """The same, to be found by their numbers."""
        return NumberedReplies(self.path / JOURNAL)

    def dataset(self, override: Path | None = None) -> Dataset:
        """The dataset that was asked, checked to be still the same."""
        path = override or Path(os.path.normpath(self.path.resolve() / self.manifest.dataset.path))
        if not path.is_dir():
            raise RunError(f"the dataset of {self.path} is not at {path}; name its current folder with `dataset`")
        dataset = Dataset.open(path)
        if dataset.fingerprint != self.manifest.dataset.fingerprint:
            raise RunError(f"{path} is not the dataset of the run {self.path}: its rows have changed")
        return dataset

    def examples(self) -> Dataset | None:
        """The dataset that the examples of its prompt come from, where that is another one."""
        pool = self.manifest.examples
        if pool is None or pool.dataset.fingerprint == self.manifest.dataset.fingerprint:
            return None
        return Dataset.open(Path(os.path.normpath(self.path.resolve() / pool.dataset.path)))

    @contextlib.contextmanager
    def writing(self) -> Iterator[Journal]:
        """The journal, for this process alone."""
        lock, self._lock = self._lock or locked(self.path, RunError), None  # it is let go of at the end
        with appending(lock, self.path / JOURNAL) as journal:
            yield journal


def answered_orders(run: RunFolder) -> Iterator[Reply]:
    """What was said to single orders of questions, some of which may have been answered in all orders since."""
    return read_journal(run.path / ORDERS)


def orders_journal(run: RunFolder) -> Journal:
    """Where answers to single orders are kept, for the process that writes the journal."""
    return Journal(run.path / ORDERS)


def forget_orders(run: RunFolder) -> None:
    """Every question is answered in all its orders, or failed and says so: nothing is left to keep."""
    (run.path / ORDERS).unlink(missing_ok=True)


def _read(path: Path) -> RunManifest:
    manifest = read_manifest(path / MANIFEST, RunManifest, "a run", RunError)
    if manifest.format > FORMAT:
        raise RunError(f"{path} was written by a newer version ({manifest.countersight}); open it with that version")
    return manifest


def _taken_up(path: Path, there: RunManifest, now: RunManifest, again: str) -> RunManifest:
    """The manifest of a run that goes on; what is asked for again, and how, is written down first."""
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
    """Whether anything was ever said in a run; one that stopped before is begun anew, in whatever way is now wanted."""
    return any((path / name).exists() and (path / name).stat().st_size > 0 for name in (JOURNAL, ORDERS))


def _has_answers(path: Path) -> bool:
    """Whether any question was answered; a run of nothing but failures, as by a misspelt model, may be replaced."""
    return any(
        reply.state == "answered" or reply.orders for name in (JOURNAL, ORDERS) for reply in read_journal(path / name)
    )


def reference(dataset: Dataset, run: Path) -> DatasetReference:
    """The dataset as a folder of replies remembers it."""
    # Both with their links followed: the way from one to the other must hold wherever the folders really are.
    way = os.path.relpath(os.path.realpath(dataset.path), os.path.realpath(run))
    return DatasetReference(dataset.name, way, dataset.fingerprint, dataset.count)


def _refuse_difference(path: Path, there: RunManifest, now: RunManifest) -> None:
    """A run is one dataset, one model, one way of asking: anything else belongs into another folder."""
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
    """The name of a prompt, and what of it has changed where that does not tell it from the one there is now."""
    changed = [field for field in prompt.__struct_fields__ if getattr(prompt, field) != getattr(now, field)]
    return (
        prompt.name if "name" in changed else f"an earlier version of {prompt.name}, with another {', '.join(changed)}"
    )


def _differing(settings: dict[str, Any], others: dict[str, Any]) -> str:
    """Those settings that are not the same in the others."""
    differing = (key for key, value in settings.items() if others.get(key) != value and key not in _WITHOUT_EFFECT)
    return ", ".join(f"{key} {settings[key]}" for key in differing) or "none"
