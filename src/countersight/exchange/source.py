"""What a folder is that somebody wants to hand over: a dataset, a run or an audit."""

from pathlib import Path

from countersight.audit import AuditFolder
from countersight.dataset import Dataset
from countersight.errors import ExchangeError
from countersight.runs import MANIFEST, RunFolder

_AUDIT = "audit.json"


def opened(path: Path) -> Dataset | RunFolder | AuditFolder:
    """The folder, opened as what it is."""
    if (path / MANIFEST).is_file():
        return RunFolder.open(path)
    if (path / _AUDIT).is_file():
        return AuditFolder.open(path)
    return Dataset.open(path)


def dataset_at(path: Path, name: str) -> Dataset:
    """The dataset there, for a format that takes nothing else."""
    source = opened(path)
    if not isinstance(source, Dataset):
        what = "a run" if isinstance(source, RunFolder) else "an audit"
        raise ExchangeError(f"{name} takes a dataset, and {path} is {what}; name the folder of its dataset")
    return source
