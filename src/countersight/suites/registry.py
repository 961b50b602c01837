"""The table of suites: those that ship, one room each, and those that other packages bring."""

from collections.abc import Iterator

from countersight.errors import CountersightError
from countersight.suites.acquired.suite import SUITE as ACQUIRED
from countersight.suites.benchmark import Suite
from countersight.suites.biased.suite import SUITE as BIASED
from countersight.suites.cello.suite import SUITE as CELLO
from countersight.suites.cfmm.suite import SUITE as CFMM
from countersight.suites.clevrer.suite import SUITE as CLEVRER
from countersight.suites.coco_counterfactuals.suite import SUITE as COCO_COUNTERFACTUALS
from countersight.suites.cosim.suite import SUITE as COSIM
from countersight.suites.counterfact.suite import SUITE as COUNTERFACT
from countersight.suites.cpbench.suite import SUITE as CPBENCH
from countersight.suites.cvqa.suite import REAL_SUITE, SYNTHETIC_SUITE
from countersight.suites.hallusion.suite import SUITE as HALLUSION
from countersight.suites.mmvp.suite import SUITE as MMVP
from countersight.suites.naturalbench.suite import SUITE as NATURALBENCH
from countersight.suites.own.suite import SUITE as OWN
from countersight.suites.vismin.suite import SUITE as VISMIN
from countersight.suites.vqa.suite import OKVQA_SUITE, VQAV2_SUITE
from countersight.suites.worlds.suite import CAUSAL_SUITE, DISCS_SUITE, SUPPORTS_SUITE
from countersight.text import unknown

_OURS = (
    SYNTHETIC_SUITE,
    REAL_SUITE,
    CFMM,
    CELLO,
    COSIM,
    OKVQA_SUITE,
    VQAV2_SUITE,
    SUPPORTS_SUITE,
    DISCS_SUITE,
    CAUSAL_SUITE,
    BIASED,
    NATURALBENCH,
    VISMIN,
    MMVP,
    HALLUSION,
    COUNTERFACT,
    CPBENCH,
    COCO_COUNTERFACTUALS,
    CLEVRER,
    ACQUIRED,
    OWN,
)

SUITES = {suite.name: suite for suite in _OURS}
"""The suites that ship, by the name they have on the command line."""

GROUP = "countersight.suites"
"""The group of entry points by which other packages bring suites: each is a `Suite`."""


def suites() -> dict[str, Suite]:
    """Every suite by its name: ours, and those that other packages bring, as far as they can be imported."""
    return {name: suite for name, suite in _all() if isinstance(suite, Suite)}


def find_suite(name: str) -> Suite:
    """The suite of that name."""
    known = dict(_all())
    suite = known.get(name)
    if suite is None:
        raise CountersightError(unknown("suite", name, known))
    if not isinstance(suite, Suite):
        raise CountersightError(f"the suite {name!r} cannot be imported: {suite}")
    return suite


def known_suite(name: str) -> Suite | None:
    """The suite of that name, or None; other packages are looked through only for one that is not ours."""
    return SUITES.get(name) or suites().get(name)


def _all() -> Iterator[tuple[str, Suite | str]]:
    """Each suite under its name, or why it cannot be had: what one package breaks is no other suite's affair."""
    from importlib.metadata import entry_points

    yield from SUITES.items()
    for entry in entry_points(group=GROUP):
        if entry.name in SUITES:
            continue
        try:
            suite = entry.load()
        except Exception as error:  # another package's module may do anything when it is imported
            yield entry.name, f"{type(error).__name__}: {error}"
            continue
        yield (suite.name, suite) if isinstance(suite, Suite) else (entry.name, f"{entry.value} is no Suite")
