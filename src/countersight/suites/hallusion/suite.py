"""HallusionBench, as it stands in the table of suites."""

from typing import Final

from countersight.suites.benchmark import Suite

NAME: Final = "hallusionbench"

SUITE: Final = Suite(
    NAME,
    "HallusionBench: yes or no about sets of figures, some changed or withheld",
    "the authors' HallusionBench.json: category, subcategory, set_id, figure_id, question, gt_answer",
    "hallusion_bench, as unpacked: CATEGORY/SUBCATEGORY/SET_FIGURE.png",
    "countersight.suites.hallusion.files:LAYOUT",
    counts="entry",
    title="HallusionBench",
    terms="countersight.suites.hallusion.terms:TERMS",
)
