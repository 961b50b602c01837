"""The registry of suites: built-in ones, and those of other packages. Importing it imports no suite."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from countersight.errors import CountersightError, DatasetError
from countersight.text import nearest, unknown

if TYPE_CHECKING:
    from countersight.case import World
    from countersight.suites.paper_terms import Terms
    from countersight.suites.suite import Suite, Way

_BUILT_IN: Final = {
    "cvqa-synthetic": "cvqa.files:SYNTHETIC",
    "cvqa-real": "cvqa.files:REAL",
    "cfmm": "cfmm:SUITE",
    "cello": "cello.suite:SUITE",
    "cosim": "cosim.files:SUITE",
    "okvqa": "vqa:OKVQA",
    "vqav2": "vqa:VQAV2",
    "supports": "worlds.suite:SUPPORTS_SUITE",
    "discs": "worlds.suite:DISCS_SUITE",
    "causal-worlds": "worlds.suite:CAUSAL_SUITE",
    "vlms-are-biased": "biased:SUITE",
    "naturalbench": "naturalbench:SUITE",
    "vismin": "caption_pairs:VISMIN",
    "mmvp": "mmvp:SUITE",
    "hallusionbench": "hallusionbench:SUITE",
    "visual-counterfact": "counterfact:SUITE",
    "cp-bench": "cpbench:SUITE",
    "coco-counterfactuals": "caption_pairs:COCO_COUNTERFACTUALS",
    "clevrer": "clevrer:SUITE",
    "acquired": "acquired:SUITE",
    "own": "own:SUITE",
}
"""The module and the attribute of each built-in suite; a module is imported when its suite is requested."""


class _Shipped(Mapping[str, "Suite"]):
    def __getitem__(self, name: str) -> "Suite":
        module, _, attribute = _BUILT_IN[name].partition(":")
        suite: Suite = getattr(import_module(f"countersight.suites.{module}"), attribute)
        return suite

    def __iter__(self) -> Iterator[str]:
        return iter(_BUILT_IN)

    def __len__(self) -> int:
        return len(_BUILT_IN)


SUITES: Final[Mapping[str, "Suite"]] = _Shipped()
"""The built-in suites, by their names on the command line."""

GROUP = "countersight.suites"
"""The entry-point group for suites of other packages: each is a `Suite`."""


def suites() -> dict[str, "Suite"]:
    """Return every suite by name: ours, and importable ones of other packages."""
    return {name: suite for name, suite in _all() if not isinstance(suite, str)}


def suite_faults() -> dict[str, str]:
    """Return the names of other packages' suites that cannot be used, and why."""
    return {name: suite for name, suite in _all() if isinstance(suite, str)}


def find_suite(name: str) -> "Suite":
    """Return the suite with this name."""
    if name in SUITES:
        return SUITES[name]
    found_suites = dict(_all())
    suite = found_suites.get(name)
    if suite is None:
        raise CountersightError(unknown("suite", name, found_suites))
    if isinstance(suite, str):
        raise CountersightError(f"the suite {name!r} {suite}")
    return suite


def known_suite(name: str) -> "Suite | None":
    """Return the suite with this name, or None; other packages are searched only if it is not built in."""
    return SUITES.get(name) or suites().get(name)


def terms(suite: str, worlds: "Iterable[World]" = ()) -> "Terms":
    """Return the terms of a suite, or the default ones if it has none of its own or none for these worlds."""
    from countersight.suites.paper_terms import PLAIN

    own = _own_terms(suite)
    return own if own and all(world in own.measures for world in worlds) else PLAIN


@cache
def _own_terms(name: str) -> "Terms | None":
    suite = known_suite(name)
    return suite.open_terms() if suite else None


def _all() -> "Iterator[tuple[str, Suite | str]]":
    """Yield each suite with its name, or the reason why it is unavailable; a broken package affects no other suite."""
    from importlib.metadata import entry_points

    from countersight.suites.suite import Suite

    yield from SUITES.items()
    for entry in entry_points(group=GROUP):
        package = f"the package {entry.dist.name if entry.dist else entry.value}"
        ignored = f"the one from {package} is ignored: a built-in suite has this name"
        if entry.name in SUITES:
            yield entry.name, ignored
            continue
        try:
            suite = entry.load()
        except Exception as error:  # another package's module may do anything when it is imported
            yield entry.name, f"cannot be imported: {package} raised {type(error).__name__}: {error}"
            continue
        if not isinstance(suite, Suite):
            yield entry.name, f"cannot be imported: {entry.value} is not a Suite"
        else:
            yield suite.name, ignored if suite.name in SUITES else suite


_WAYS: "Final[dict[Way, str]]" = {
    "seed": "as generated, without `source`",
    "file": "and its file as `source`",
    "folder": "and a folder that `mine` made as `source`",
}


def way_of(
    suite: "Suite",
    source: Path | None,
    *,
    own: Mapping[str, Any],
    size: int | None = None,
    sample: float | None = None,
    pictures: Path | None = None,
    ray: str = "",
) -> "Way":
    """Return how a dataset is made; invalid combinations of options raise before anything is made."""
    if source is not None and not source.exists():
        near = nearest(source.name, [file.name for file in source.parent.glob("*")])
        meant = f" Did you mean {source.parent / near}?" if near else f" {suite.name} is read from {suite.file}"
        raise DatasetError(f"there is no file {source}.{meant}")
    way = suite.way(source)
    if source is not None and way == "file" and source.is_dir():
        raise DatasetError(f"{source} is a folder; `source` must be the file of {suite.name}: {suite.file}")
    for name in own:
        if name not in suite.options.get(way, ()):
            takers = (
                (words, [each.name for each in suites().values() if name in each.options.get(other, ())])
                for other, words in _WAYS.items()
            )
            alternatives = "; or with ".join(f"{', '.join(names)} {words}" for words, names in takers if names)
            raise CountersightError(f"`{name}` works only with {alternatives}")
    if sample is not None and way != "file":
        raise CountersightError(
            "`sample` is a share of the file named by `source`; without `source`, set the number of cases with `size`"
        )
    if sample is not None and size is not None:
        raise CountersightError("give either `size`, the number of cases, or `sample`, the share of the file")
    if pictures is not None and way != "file":
        raise CountersightError("`pictures` needs `source`; generated datasets draw their own pictures")
    if ray and way != "seed" and "wording" not in own:
        raise CountersightError(
            "`ray` works only for generated pictures, or for `wording` by a model; a file is imported on one machine"
        )
    return way
