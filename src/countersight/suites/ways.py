"""The ways in which a suite's dataset comes about, and what may be said of each."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from countersight.errors import CountersightError, DatasetError
from countersight.suites.registry import suites
from countersight.suites.suite import Suite, Way

_WAYS: Final[dict[Way, str]] = {
    "seed": "as we make it, without `source`",
    "file": "and its file as `source`",
    "folder": "and a folder that `mine` made as `source`",
}


def way_of(
    suite: Suite,
    source: Path | None,
    *,
    own: Mapping[str, Any],
    size: int | None = None,
    sample: float | None = None,
    pictures: Path | None = None,
    ray: str = "",
) -> Way:
    """How a dataset is to be made; what does not go with that is refused in a sentence, before anything is made."""
    if source is not None and not source.exists():
        raise DatasetError(f"there is no {source}; `source` is the published file, or what {suite.name} is made from")
    way = suite.way(source)
    if source is not None and way == "file" and source.is_dir():
        raise DatasetError(f"{source} is a folder; `source` is the file of {suite.name}: {suite.file}")
    for name in own:
        if name not in suite.options.get(way, ()):
            raise CountersightError(f"`{name}` goes with {'; or with '.join(_takers(name))}")
    if sample is not None and way != "file":
        raise CountersightError("`sample` is a share of the file that is `source`; say how many are made with `size`")
    if sample is not None and size is not None:
        raise CountersightError("`size` says how many cases, `sample` which share of them: give one of the two")
    if pictures is not None and way != "file":
        raise CountersightError("`pictures` goes with the file that is `source`; whatever is made has its own")
    if ray and way != "seed" and "wording" not in own:
        raise CountersightError(
            "`ray` spreads what is drawn here, or `wording` by a model; a file is read by one machine"
        )
    return way


def _takers(name: str) -> Iterator[str]:
    """The suites that take an option of their own, by the way in which they are made."""
    for way, words in _WAYS.items():
        if takers := [suite.name for suite in suites().values() if name in suite.options.get(way, ())]:
            yield f"{', '.join(takers)} {words}"
