"""CFMM, as it stands in the table of suites."""

from typing import Final

from countersight.suites.benchmark import Suite

NAME: Final = "cfmm"

SUITE: Final = Suite(
    NAME,
    "CFMM: a basic and a counterfactual question with two shared options, by aspect",
    "a CSV, or a .jsonl file with one JSON object a line: image, aspect (count, color, shape, size, direction or "
    "common), basic_question, counterfactual_question, option_a, option_b, basic_answer, counterfactual_answer "
    "(A or B, or the option's text)",
    "named as in image",
    "countersight.suites.cfmm.files:LAYOUT",
    title="CFMM",
    terms="countersight.suites.cfmm.terms:TERMS",
    described="countersight.suites.cfmm.pairs:PAIRS",
    tables="countersight.suites.cfmm",
)
