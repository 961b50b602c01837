"""A benchmark of one's own, as it stands in the table of suites."""

from typing import Final

from countersight.suites.benchmark import Suite

NAME: Final = "own"

SUITE: Final = Suite(
    NAME,
    "a benchmark of your own: a table and a folder of pictures, no code",
    "a CSV, or a .jsonl file: image, counterfactual_question, counterfactual_answer, and what else you have; see "
    "countersight list layouts -v",
    "named as in image",
    "countersight.suites.own.files:LAYOUT",
)
