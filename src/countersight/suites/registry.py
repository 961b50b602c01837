"""The registry of suites: the built-in ones, and those of other packages. Importing this module imports no suite."""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from countersight.errors import CountersightError, DatasetError
from countersight.registry import Plug, Registry
from countersight.suggestions import nearest

if TYPE_CHECKING:
    from countersight.case import World
    from countersight.scoring import JudgedRun, Scores
    from countersight.suites.paper_terms import Terms
    from countersight.suites.suite import Suite, Way

_BUILT_IN: Final = {
    "cvqa-synthetic": "cvqa.files:SYNTHETIC",
    "cvqa-real": "cvqa.files:REAL",
    "cfmm": "cfmm:SUITE",
    "cello": "cello.files:SUITE",
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

SUITES: "Final[Registry[Suite]]" = Registry(
    "suite",
    {name: Plug(name, "", f"countersight.suites.{home}") for name, home in _BUILT_IN.items()},
    CountersightError,
)
"""The suites by their names on the command line. Other packages add entry points, each of which is a `Suite`."""


def suites() -> "dict[str, Suite]":
    """Return every suite by name: the built-in ones, and those of other packages that can be used."""
    return {name: suite for name in SUITES if (suite := known_suite(name))}


def suite_faults() -> dict[str, str]:
    """Return the names of other packages' suites that cannot be used, and why."""
    faults = SUITES.faults()
    others = [name for name in SUITES if name not in SUITES.built_in and name not in faults]
    return faults | {name: fault for name in others if (fault := _fault(name, SUITES.find(name)[0]))}


def find_suite(name: str) -> "Suite":
    """Return the suite with this name."""
    suite: Suite = SUITES.find(name)[0]
    if fault := _fault(name, suite):
        raise CountersightError(f"the suite {name!r} {fault}")
    return suite


def _fault(name: str, suite: object) -> str:
    """Return why an object cannot be the suite with this name; empty if it can."""
    from countersight.suites.suite import Suite

    if not isinstance(suite, Suite):
        return "cannot be used: its entry point is not a Suite"
    return "" if suite.name == name else f"cannot be used: its name is {suite.name!r}; rename its entry point"


def known_suite(name: str) -> "Suite | None":
    """Return the suite with this name, or None if there is no such suite that can be used."""
    try:
        return find_suite(name)
    except CountersightError:
        return None


def terms(suite: str, worlds: "Iterable[World]" = ()) -> "Terms":
    """Return the terms of a suite; the default terms if it does not define any for these worlds."""
    from countersight.suites.paper_terms import PLAIN

    own = _own_terms(suite)
    return own if own and all(world in own.measures for world in worlds) else PLAIN


def named_scores(judged: "JudgedRun") -> "Scores":
    """Return the scores of a run, whose measures have the same names as in a report of the run."""
    from msgspec.structs import replace  # the table of suites is read without it

    from countersight.case import TWO_WORLDS

    own = terms(judged.suite, [world for world in TWO_WORLDS if judged.outcomes.asked(world).any()])
    return replace(judged.scores(), names=own.measures | own.wholes)


@cache
def _own_terms(name: str) -> "Terms | None":
    suite = known_suite(name)
    return suite.open_terms() if suite else None


_WAYS: "Final[dict[Way, str]]" = {  # imported files have no options of their own
    "seed": "as generated, without `source`",
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
    return way
