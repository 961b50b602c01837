"""Watch folders that change while they are viewed: find them, reread changed files, and report damaged ones."""

import hashlib
import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import monotonic
from typing import Final, Generic, NamedTuple, TypeVar

import msgspec

from countersight.dataset import METADATA
from countersight.engine import JOURNAL, MANIFEST, RunFolder, RunManifest
from countersight.errors import CountersightError
from countersight.html import NOTHING, Grid, Line, TableCell, figure_cell, name, table_line
from countersight.reports import LoadedReport, load, short_name
from countersight.scoring import Scores, score_run

CASES_PER_PAGE: Final = 300
"""The number of cases on a page. Those of the first page of a run are a sample of every group and outcome."""
_QUICK_SECONDS = 1.0
"""The reading time in seconds above which data is not reread at once when it changes."""
_WAIT_FACTOR = 5
"""The wait before such data is reread, as a multiple of the time that reading took."""
_one_at_a_time = threading.Lock()
"""Scoring needs much memory, so only one folder is read at a time."""
_UNREADABLE = (CountersightError, OSError, ValueError, KeyError, msgspec.MsgspecError)

_log = logging.getLogger(__name__)

_Read = TypeVar("_Read")


class Damaged(msgspec.Struct, frozen=True):
    """Why a folder is not shown."""

    reason: str
    what: str = "cannot be shown"


_BEING_READ: Final = Damaged("the page reloads when the run has been read", "is being read")


class Cached(Generic[_Read]):
    """Data read from files in a thread of its own, and read again when the files have changed."""

    def __init__(self, state: Callable[[], str], read: Callable[[], _Read]) -> None:
        self._state_of_files, self._read = state, read
        self._last: tuple[_Read | Damaged, str] | None = None
        self._not_before = 0.0
        self._lock = threading.Lock()
        self._finished: threading.Event | None = None
        """An event that is set when the current reading ends; None if nothing is being read."""

    def get(self, patience: float | None = None) -> tuple[_Read | Damaged, str]:
        """Return the current data, or why it cannot be read, and the state that it was read in.

        If reading takes more than `patience` seconds, return what was read last, or that the data is being read.
        """
        with self._lock:
            if self._finished is None and (self._last is None or self.state() != self._last[1]):
                self._finished = threading.Event()
                threading.Thread(target=self._read_again, args=[self._finished], daemon=True).start()
            finished = self._finished
        if finished:
            finished.wait(patience)
        return self.last()

    def last(self) -> tuple[_Read | Damaged, str]:
        """Return what was read last, without reading again."""
        return self._last or (_BEING_READ, _BEING_READ.what)

    def state(self) -> str:
        """Return the state that `get` would return now; after reading slow data, it stays the same for some time."""
        if self._last is None or self._finished or monotonic() < self._not_before:
            return self.last()[1]
        return self._state_of_files()

    def _read_again(self, finished: threading.Event) -> None:
        with _one_at_a_time:
            begun, state = monotonic(), self._state_of_files()
            found = self._read_or_reason()
            took, is_damaged = monotonic() - begun, isinstance(found, Damaged)
            self._not_before = monotonic() + _WAIT_FACTOR * took if took > _QUICK_SECONDS and not is_damaged else 0
            # A reading that failed because the files changed meanwhile is repeated, even if they change back.
            self._last = found, "" if is_damaged and self._state_of_files() != state else state
            self._finished = None
        finished.set()

    def _read_or_reason(self) -> _Read | Damaged:
        try:
            return self._read()
        except _UNREADABLE as error:
            reason = name(str(error)).replace("as `dataset`", "with --dataset in `countersight report`")
            return Damaged(reason or type(error).__name__)
        except Exception:  # a file that shrinks while it is read can cause any error
            _log.exception("could not read a folder")
            return Damaged("its files are unreadable, or were modified while being read")


class WatchedRun:
    """A run folder, finished or not."""

    def __init__(self, path: Path) -> None:
        self.path, self.key = path, _key(path)
        self.scores = Cached(self.state, lambda: (RunFolder.open(path).manifest, score_run(path)))

    def manifest(self) -> RunManifest | None:
        """Return the manifest of the run; None if it cannot be read."""
        try:
            return RunFolder.open(self.path).manifest
        except _UNREADABLE:
            return None

    def state(self) -> str:
        """Return a state that changes with every reply, and when the run's or its dataset's files change or move."""
        files = [self.path / MANIFEST, self.path / JOURNAL]
        if manifest := self.manifest():
            files.append(Path(os.path.normpath(self.path.resolve() / manifest.dataset.path), METADATA))
        return _digest(*map(_stat, files))


class ReadRun(NamedTuple):
    """A run as it was last read."""

    run: WatchedRun
    scores: tuple[RunManifest, Scores] | Damaged
    state: str


class Folders:
    """The current runs in some folders."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = roots
        self.runs: dict[str, WatchedRun] = {}
        self._loaded: dict[tuple[str, ...], Cached[LoadedReport]] = {}
        self.refresh()

    def refresh(self) -> None:
        """Find new runs, and drop removed ones."""
        found = list(dict.fromkeys(self._candidates()))
        runs = [WatchedRun(each) for each in found if (each / MANIFEST).is_file()]
        self.runs = {run.key: self.runs.get(run.key, run) for run in runs}

    def _candidates(self) -> Iterator[Path]:
        for root in self._roots:
            for each in (root, *_listed(root)):
                yield each
                # `run` writes to DATASET/MODEL; a run with repetitions has a numbered folder for each of them.
                for inner in _listed(each):
                    if not (each / MANIFEST).is_file() or inner.name.isdecimal():
                        yield inner
                        yield from (file for file in _listed(inner) if file.name.isdecimal())

    def state(self) -> str:
        """Return a state that changes whenever `read` would return something else."""
        self.refresh()
        return _digest(*(f"{run.path} {run.scores.state()}" for run in self.runs.values()))

    def read(self, patience: float | None = None) -> tuple[list[ReadRun], str]:
        """Return the runs in listed order, and their state; wait at most `patience` seconds for all of them."""
        self.refresh()
        until = None if patience is None else monotonic() + patience
        found = []
        for run in self.runs.values():
            left = None if until is None else until - monotonic()
            found.append(ReadRun(run, *(run.scores.last() if left and left < 0 else run.scores.get(left))))
        return found, _digest(*(f"{each.run.path} {each.state}" for each in found))

    def by_dataset(self) -> dict[str, list[WatchedRun]]:
        """Return the runs by the fingerprint of their dataset, without those whose manifest is damaged."""
        found: dict[str, list[WatchedRun]] = {}
        for run in self.runs.values():
            if manifest := run.manifest():
                found.setdefault(manifest.dataset.fingerprint, []).append(run)
        return found

    def loaded(self, runs: Sequence[WatchedRun]) -> Cached[LoadedReport]:
        """Return the report on the given runs of one dataset. The two most recent reports are kept in memory."""
        keys = tuple(run.key for run in runs)
        if keys not in self._loaded:
            for oldest in list(self._loaded)[:-1]:
                self._loaded.pop(oldest, None)
            paths = [run.path for run in runs]
            self._loaded[keys] = Cached(
                lambda: _digest(*(run.state() for run in runs)), lambda: load(paths, gallery=CASES_PER_PAGE)
            )
        return self._loaded[keys]


def runs_grid(runs: Sequence[ReadRun]) -> Grid:
    """Return a table of the runs, with links to their pages."""
    note = (
        "Drop in points, accuracies in per cent, each with its 95% interval. Both accuracies and the drop cover the "
        "cases scored in both worlds."
    )
    head = ("model", "drop", "factual", "counterfactual", "dataset", "progress")
    return Grid("Runs", head, tuple(map(_run_line, runs)), note, main=1)


def _run_line(each: ReadRun) -> Line:
    run, known, where = each.run, each.scores, name(str(each.run.path))
    if isinstance(known, Damaged):  # the model and the dataset are named if they are known
        manifest = run.manifest()
        first = TableCell(name(short_name(manifest.model)), (where,)) if manifest else TableCell(where)
        dataset = manifest.dataset.name if manifest else ""
        return table_line(first, *[NOTHING] * 3, dataset, TableCell(known.what, (known.reason,)))
    manifest, scores = known
    first = TableCell(name(short_name(manifest.model)), (where,), link=f"/run/{run.key}")
    figures = [figure_cell(scores.overall.figure(key), None) for key in ("drop", "factual", "counterfactual")]
    return table_line(
        first,
        *figures,
        manifest.dataset.name,
        scores.progress,
    )


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(each for each in folder.iterdir() if each.is_dir())
    except OSError:
        return []


def _stat(file: Path) -> str:
    try:
        found = file.stat()
    except OSError:
        return "none"
    return f"{found.st_size}.{found.st_mtime_ns}"


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\n".join(parts).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


def _key(path: Path) -> str:
    """Return the name of a folder in URLs; it stays the same until the folder is moved."""
    return _digest(str(path.resolve()))
