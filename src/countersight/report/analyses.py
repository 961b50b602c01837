"""Analyses of the runs of a report: what they show beside their scores."""

from collections.abc import Sequence

from countersight.report.bias import bias_analysis
from countersight.report.data import Analysis
from countersight.report.image_groups import PictureGroups
from countersight.report.observations import AnalysedRun, observations
from countersight.suites.tables import Terms


def analyses(
    runs: Sequence[AnalysedRun], terms: Terms, groups: Sequence[PictureGroups], *, seed: int
) -> tuple[Analysis, ...]:
    """What CFMM observed, computed for these runs; and, where groups of pictures are given, the gaps between them."""
    found = [observations(runs, terms, seed=seed), *(bias_analysis(each, runs, terms, seed=seed) for each in groups)]
    return tuple(analysis for analysis in found if analysis is not None)
