"""Analyses of the runs of a report: what they show beside their scores."""

from collections.abc import Sequence

from countersight.reports.alarms import alarm_analysis
from countersight.reports.bias import bias_analysis
from countersight.reports.composed import composed_analysis
from countersight.reports.data import Analysis
from countersight.reports.image_groups import PictureGroups
from countersight.reports.observations import AnalysedRun, observations
from countersight.reports.programs import program_analysis
from countersight.reports.repeated import repeat_analysis
from countersight.reports.sets import set_analysis
from countersight.reports.twins import Asked
from countersight.reports.watching import Watched
from countersight.suites import Terms


def analyses(
    runs: Sequence[AnalysedRun],
    watched: Sequence[Watched],
    terms: Terms,
    groups: Sequence[PictureGroups],
    asked: Sequence[Asked | None],
    *,
    seed: int,
) -> tuple[Analysis, ...]:
    """What is chance, where runs differ in their seed alone; what is right as a whole, where there are sets; misses
    and false alarms, where there are controls; what CFMM
    observed, computed for these runs; what became of their programs and what was composed in their place; and the gaps
    between groups of pictures that are given."""
    found = [
        repeat_analysis(runs),
        set_analysis(runs, terms),
        alarm_analysis(runs, terms),
        observations(runs, terms, seed=seed),
        composed_analysis(runs, watched, terms),
        program_analysis(runs, watched, terms),
        *(bias_analysis(each, asked, runs, terms, seed=seed) for each in groups),
    ]
    return tuple(analysis for analysis in found if analysis is not None)
