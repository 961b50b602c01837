"""Verbs that look at a dataset and ask nobody: `describe` and `blind`."""

from collections.abc import Iterable

from countersight.arguments import checked
from countersight.authoring import read_funnel
from countersight.blindness import Blind, measure_dataset
from countersight.description import Statistics
from countersight.description import describe as describe_cases
from countersight.verbs.inputs import SomeDataset, SomeRun, dataset_of, run_of


@checked
def describe(dataset: SomeDataset) -> Statistics:
    """What is in a dataset: how many cases, how long the questions are, which answers are right how often."""
    opened = dataset_of(dataset)
    return describe_cases((case for _, case in opened.cases()), read_funnel(opened.path))


@checked
def blind(dataset: SomeDataset, *, runs: Iterable[SomeRun] = ()) -> Blind:
    """What a dataset gives away to somebody who does not look: probes of text, options and templates beside chance.

    `runs` asked models the same questions without the pictures (`prompt="text-only"`): each is one probe more.
    """
    return measure_dataset(dataset_of(dataset), runs=[run_of(run) for run in runs])
