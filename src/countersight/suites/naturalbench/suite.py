"""NaturalBench, as it stands in the table of suites."""

from typing import Final

from countersight.suites.benchmark import Suite

NAME: Final = "naturalbench"

SUITE: Final = Suite(
    NAME,
    "NaturalBench: groups of two pictures and two questions",
    "the table of lmms-eval (.parquet) or VLMEvalKit (.tsv): index, image, question, answer, type",
    "inside the file",
    "countersight.suites.naturalbench.files:LAYOUT",
    counts="row",
    title="NaturalBench",
    terms="countersight.suites.naturalbench.terms:TERMS",
)
