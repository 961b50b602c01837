"""Visual CounterFact, as it stands in the table of suites."""

from typing import Final

from countersight.suites.benchmark import Suite

NAME: Final = "visual-counterfact"

SUITE: Final = Suite(
    NAME,
    "Visual CounterFact: what is seen against what is known of colours and sizes",
    "the authors' tables (.parquet), color or size by their name: correct_answer, incorrect_answer, object",
    "inside the file",
    "countersight.suites.counterfact.files:LAYOUT",
    counts="row",
    title="Visual CounterFact",
    terms="countersight.suites.counterfact.terms:TERMS",
)
