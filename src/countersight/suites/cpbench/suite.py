"""CP-Bench, as it stands in the table of suites."""

from typing import Final

from countersight.suites.benchmark import Suite

NAME: Final = "cp-bench"

SUITE: Final = Suite(
    NAME,
    "CP-Bench: questions with a false presupposition to be rejected",
    "the authors' table (.parquet): image, query, tag (cpq or tpq)",
    "inside the file",
    "countersight.suites.cpbench.files:LAYOUT",
    counts="row",
    title="CP-Bench",
    terms="countersight.suites.cpbench.terms:TERMS",
)
