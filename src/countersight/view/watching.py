"""Watch folders that change while they are viewed: find them, reread changed files, and report damaged ones."""

import hashlib
import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, Generic, TypeVar

import msgspec

from countersight.dataset import METADATA
from countersight.engine import JOURNAL, MANIFEST, RunFolder
from countersight.errors import CountersightError
from countersight.html import NOTHING, Grid, Line, TableCell, figure_cell, name, table_line
from countersight.reports import LoadedReport, load, short_name
from countersight.scoring import describe_progress, score_run
from countersight.text import several

PAGE: Final = "report.html"
SAMPLE_SIZE: Final = 1_000
"""The number of cases on the first page of a run, sampled so that every group and outcome is represented."""
_QUICK_SECONDS = 1.0
"""Data that takes longer than this to read (in seconds) is not reread at once when it grows."""
_WAIT_FACTOR = 5
"""The wait before such data is reread, as a multiple of the time that reading took."""
_UNREADABLE = (CountersightError, OSError, ValueError, KeyError, msgspec.MsgspecError)

_log = logging.getLogger(__name__)

_Read = TypeVar("_Read")


class Damaged(msgspec.Struct, frozen=True):
    """Why a folder cannot be shown."""

    reason: str


class FolderSummary(msgspec.Struct, frozen=True):
    """The progress of a run or an audit, and its three main figures."""

    model: str
    dataset: str
    progress: str
    figures: tuple[TableCell, ...]
    fingerprint: str = ""


class Cached(Generic[_Read]):
    """Data read from files and reread only when one of them has changed.

    A state has two parts, separated by a dot: the second changes when a file grows, the first on any other change.
    """

    def __init__(self, state: Callable[[], str], read: Callable[[], _Read]) -> None:
        self.state, self._read = state, read
        self.seen = ""
        """The state at the last reading."""
        self._known: _Read | Damaged | None = None
        self._not_before = 0.0

    def get(self) -> _Read | Damaged:
        """Return the current data, or why it cannot be read."""
        state = self.state()
        has_only_grown = state.partition(".")[0] == self.seen.partition(".")[0] and not isinstance(self._known, Damaged)
        resting = has_only_grown and time.monotonic() < self._not_before
        if self._known is None or (state != self.seen and not resting):
            begun = time.monotonic()
            self._known = self._read_or_reason()
            # A reading that failed because the files changed meanwhile is repeated, even if they change back.
            is_settled = not isinstance(self._known, Damaged) or self.state() == state
            self.seen, took = state if is_settled else "", time.monotonic() - begun
            self._not_before = time.monotonic() + (_WAIT_FACTOR * took if took > _QUICK_SECONDS else 0.0)
        return self._known

    def _read_or_reason(self) -> _Read | Damaged:
        try:
            return self._read()
        except _UNREADABLE as error:
            reason = name(str(error)).replace("with `dataset`", "with --dataset in `countersight report`")
            return Damaged(reason or type(error).__name__)
        except Exception:  # a file that shrinks while it is read can cause any error
            _log.exception("could not read a folder")
            return Damaged("its files cannot be read, or changed while they were read")


class WatchedRun:
    """A run folder, finished or not."""

    def __init__(self, path: Path) -> None:
        self.path, self.key = path, _key(path)
        self.summary = Cached(self.state, self._summary)

    def state(self) -> str:
        """Return a state that changes with every reply, and when the run's or its dataset's files change or move."""
        try:
            manifest = RunFolder.open(self.path).manifest
            dataset = Path(os.path.normpath(self.path.resolve() / manifest.dataset.path), METADATA)
        except _UNREADABLE:
            return _digest(_stat(self.path / MANIFEST))
        return f"{_digest(_stat(self.path / MANIFEST), _stat(dataset))}.{_digest(_stat(self.path / JOURNAL))}"

    def _summary(self) -> FolderSummary:
        manifest = RunFolder.open(self.path).manifest
        scores, dataset = score_run(self.path), manifest.dataset
        row = scores.overall
        figures = tuple(figure_cell(row.figure(key), None) for key in ("drop", "factual", "counterfactual"))
        progress = describe_progress(row, scores.damaged)
        return FolderSummary(short_name(manifest.model), dataset.name, progress, figures, dataset.fingerprint)


class WatchedAudit:
    """An audit folder, finished or not."""

    def __init__(self, path: Path) -> None:
        self.path, self.key = path, _key(path)
        self.summary = Cached(self.state, self._summary)

    @property
    def has_page(self) -> bool:
        """Whether the audit's page exists; it is written when the audit is finished."""
        return (self.path / PAGE).is_file()

    def state(self) -> str:
        """Return a state that changes with every step, and when the page is written."""
        rest, log = (_stat(self.path / "audit.json"), _stat(self.path / PAGE)), _stat(self.path / "steps.jsonl")
        return f"{_digest(*rest)}.{_digest(log)}"

    def _summary(self) -> FolderSummary:
        from countersight.audits import read_audit, score  # imported here because most users view only runs

        audit = read_audit(self.path)
        manifest, kept = audit.manifest, score(audit).kept
        chosen = manifest.cases or manifest.dataset.rows
        begun = f"{len(audit.cases):,} of {several(chosen, 'case')} started, {several(len(audit.steps), 'step')} done"
        progress = f"{begun}; {several(kept.ccs.concepts, 'test')} counted"
        figures = tuple(
            NOTHING if each.value is None else TableCell(f"{each.value:.3f}", (f"{each.low:.3f} to {each.high:.3f}",))
            for each in (kept.ccs, kept.pcs, kept.ncc)
        )
        return FolderSummary(manifest.model.name, manifest.dataset.name, progress, figures)


class Folders:
    """The current runs and audits in some folders."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = roots
        self.runs: dict[str, WatchedRun] = {}
        self.audits: dict[str, WatchedAudit] = {}
        self._loaded: dict[tuple[str, ...], Cached[LoadedReport]] = {}
        self.refresh()

    def refresh(self) -> None:
        """Find new runs and audits, and drop removed ones."""
        found = list(dict.fromkeys(self._candidates()))
        runs = [WatchedRun(each) for each in found if (each / MANIFEST).is_file()]
        audits = [WatchedAudit(each) for each in found if (each / "audit.json").is_file()]
        self.runs = {run.key: self.runs.get(run.key, run) for run in runs}
        self.audits = {audit.key: self.audits.get(audit.key, audit) for audit in audits}

    def _candidates(self) -> Iterator[Path]:
        for root in self._roots:
            for each in (root, *_listed(root)):
                yield each
                # `run` writes to DATASET/MODEL; a run with repetitions has a numbered folder for each of them.
                is_one = any((each / name).is_file() for name in ("run.json", "audit.json"))
                for inner in _listed(each):
                    if not is_one or inner.name.isdecimal():
                        yield inner
                        yield from (file for file in _listed(inner) if file.name.isdecimal())

    def state(self) -> str:
        """Return a state that changes whenever a run or audit does."""
        self.refresh()
        everything: list[WatchedRun | WatchedAudit] = [*self.runs.values(), *self.audits.values()]
        return _digest(*(f"{each.path} {each.state()}" for each in everything))

    def comparable(self) -> dict[str, list[WatchedRun]]:
        """Return the readable runs by dataset, in listed order."""
        found: dict[str, list[WatchedRun]] = {}
        for run in self.runs.values():
            known = run.summary.get()
            if not isinstance(known, Damaged):
                found.setdefault(known.fingerprint, []).append(run)
        return found

    def loaded(self, runs: Sequence[WatchedRun]) -> Cached[LoadedReport]:
        """Return the report on some runs of one dataset; the last two are cached."""
        keys = tuple(run.key for run in runs)
        if keys not in self._loaded:
            for oldest in list(self._loaded)[:-1]:
                del self._loaded[oldest]
            paths = [run.path for run in runs]
            self._loaded[keys] = Cached(lambda: _joint_state(runs), lambda: load(paths, gallery=SAMPLE_SIZE))
        return self._loaded[keys]


def runs_grid(folders: Folders) -> Grid:
    """Return a table of the runs, with links to their pages."""
    lines = (_line(run.path, run.summary.get(), f"/run/{run.key}") for run in folders.runs.values())
    note = (
        "Drop in points, accuracies in per cent, each with its 95% interval. Both accuracies and the drop cover the "
        "cases scored in both worlds."
    )
    head = ("model", "drop", "factual", "counterfactual", "dataset", "progress")
    return Grid("Runs", head, tuple(lines), note, main=1)


def audits_grid(folders: Folders) -> Grid:
    """Return a table of the audits, with links to the pages of those that are finished."""
    lines = (
        _line(audit.path, audit.summary.get(), f"/audit/{audit.key}/{PAGE}" if audit.has_page else "")
        for audit in folders.audits.values()
    )
    note = (
        "PCS: does the answer follow the edit? NCC: does the explanation reflect it? CCS: both at once. Scores cover "
        "the tests that are finished; the page of an audit is written when the audit is finished."
    )
    return Grid("Audits", ("model", "CCS", "PCS", "NCC", "dataset", "progress"), tuple(lines), note, main=1)


def _line(path: Path, known: FolderSummary | Damaged, address: str) -> Line:
    where = name(str(path))
    if isinstance(known, Damaged):
        return table_line(where, *[NOTHING] * 4, TableCell("cannot be shown", (known.reason,)))
    first = TableCell(name(known.model), (where,), link=address)
    return table_line(first, *known.figures, known.dataset, known.progress)


def _joint_state(runs: Sequence[WatchedRun]) -> str:
    states = [run.state().partition(".") for run in runs]
    return f"{_digest(*(state for state, _, _ in states))}.{_digest(*(growth for _, _, growth in states))}"


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
