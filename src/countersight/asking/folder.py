"""The folder of a run: run.json says what was asked of whom, replies.jsonl holds what was said."""

import contextlib
import datetime
import fcntl
import os
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import msgspec

from countersight import __version__
from countersight.asking.journal import Journal, read_journal
from countersight.asking.prompts import Prompt
from countersight.case import Reply
from countersight.dataset import Dataset
from countersight.errors import CountersightError

MANIFEST = "run.json"
JOURNAL = "replies.jsonl"
_PART = f".{MANIFEST}.part"


class RunError(CountersightError):
    """A folder that is no run, or is not the run that was meant."""


class DatasetReference(msgspec.Struct, frozen=True):
    """Which dataset was asked; the fingerprint decides, the path (seen from the run folder) only finds it."""

    name: str
    path: str
    fingerprint: str
    rows: int


class Manifest(msgspec.Struct, frozen=True):
    """What was asked of whom, in which way, by which version."""

    model: str
    settings: dict[str, Any]
    prompt: Prompt
    shown: bool
    """Whether the counterfactual pictures were asked about too."""
    dataset: DatasetReference
    started: str
    countersight: str
    python: str
    platform: str


class RunFolder:
    """A run on disk, finished or not."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """Open a run for reading."""
        path = Path(path)
        file = path / MANIFEST
        if not file.is_file():
            raise RunError(f"{path} is not a run: there is no {MANIFEST} in it")
        try:
            return cls(path, msgspec.json.decode(file.read_bytes(), type=Manifest))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise RunError(f"{file} is damaged: {error}") from None

    @classmethod
    def begin(
        cls, path: Path | str, *, dataset: Dataset, model: str, settings: dict[str, Any], prompt: Prompt, shown: bool
    ) -> Self:
        """Start a run in a folder, or take up the one that is there if it is the same."""
        path = Path(path)
        manifest = Manifest(
            model=model,
            settings=settings,
            prompt=prompt,
            shown=shown,
            dataset=DatasetReference(
                dataset.name, os.path.relpath(dataset.path, path), dataset.fingerprint, dataset.count
            ),
            started=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            countersight=__version__,
            python=platform.python_version(),
            platform=f"{platform.system()} {platform.machine()}",
        )
        if (path / MANIFEST).exists():
            run = cls.open(path)
            _refuse_difference(path, run.manifest, manifest)
            return run
        if path.exists() and (not path.is_dir() or any(file.name != _PART for file in path.iterdir())):
            raise RunError(f"{path} exists and is not a run; choose another folder for -o")
        path.mkdir(parents=True, exist_ok=True)
        _write_manifest(path, msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
        return cls(path, manifest)

    def replies(self) -> Iterator[Reply]:
        """Every reply in the journal, in the order it came. A question may stand there twice: failed, then answered."""
        return read_journal(self.path / JOURNAL)

    def dataset(self, override: Path | None = None) -> Dataset:
        """The dataset that was asked, checked to be still the same."""
        path = override or (self.path / self.manifest.dataset.path)
        if not path.is_dir():
            raise RunError(f"the dataset of {self.path} is not at {path}; say where it is with --dataset")
        dataset = Dataset.open(path)
        if dataset.fingerprint != self.manifest.dataset.fingerprint:
            raise RunError(f"{path} is not the dataset that {self.path} asked: its rows have changed")
        return dataset

    @contextlib.contextmanager
    def writing(self) -> Iterator[Journal]:
        """The journal, for this process alone."""
        with open(self.path / MANIFEST, "rb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise RunError(f"another process is writing to {self.path}; wait for it or stop it") from None
            with Journal(self.path / JOURNAL) as journal:
                yield journal


def _refuse_difference(path: Path, there: Manifest, now: Manifest) -> None:
    """A run is one dataset, one model, one way of asking: anything else belongs into another folder."""
    for what, old, new in (
        ("dataset", there.dataset.fingerprint, now.dataset.fingerprint),
        ("model", there.model, now.model),
        ("prompt", there.prompt, now.prompt),
        ("settings", there.settings, now.settings),
        ("shown worlds", there.shown, now.shown),
    ):
        if old != new:
            if what == "dataset":
                old, new = (f"{m.dataset.name} ({m.dataset.fingerprint[:8]})" for m in (there, now))
            elif isinstance(old, Prompt) and isinstance(new, Prompt):
                old, new = (old.name, new.name) if old.name != new.name else (old, new)
            raise RunError(
                f"{path} holds a run with another {what}: {old} there, {new} now; choose another folder for -o"
            )


def _write_manifest(folder: Path, content: bytes) -> None:
    """Write run.json so that it is there in full or not at all, whatever happens."""
    part = folder / _PART
    with open(part, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(folder / MANIFEST)
