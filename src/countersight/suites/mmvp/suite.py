"""MMVP, as it stands in the table of suites."""

from typing import Final

from countersight.suites.benchmark import Suite

NAME: Final = "mmvp"

SUITE: Final = Suite(
    NAME,
    "MMVP: pairs of pictures that CLIP takes for the same",
    "the authors' Questions.csv: Index, Question, Options, Correct Answer",
    '"MMVP Images"',
    "countersight.suites.mmvp.files:LAYOUT",
    title="MMVP",
    terms="countersight.suites.mmvp.terms:TERMS",
)
