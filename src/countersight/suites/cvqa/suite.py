"""C-VQA's two suites, as they stand in the table of suites."""

from typing import Final

from countersight.suites.benchmark import Suite

SYNTHETIC_NAME: Final = "cvqa-synthetic"
REAL_NAME: Final = "cvqa-real"

SYNTHETIC_SUITE: Final = Suite(
    SYNTHETIC_NAME,
    "C-VQA-Synthetic: six templates of flowers and dots, with four options",
    "the authors' CSV: img_path, query, answer, new query, new answer, type (abs_counting_1 to abs_counting_6)",
    "named as in img_path",
    "countersight.suites.cvqa.synthetic_csv:LAYOUT",
    maker="countersight.suites.cvqa.synthetic:make_suite",
    options={"seed": ("options", "controls")},
    title="C-VQA-Synthetic",
    terms="countersight.suites.cvqa.terms:SYNTHETIC_TERMS",
    described="countersight.suites.cvqa.pairs:SYNTHETIC_PAIRS",
    tables="countersight.suites.cvqa",
)
REAL_SUITE: Final = Suite(
    REAL_NAME,
    "C-VQA-Real: numbers, and yes or no, about photographs of COCO",
    "the authors' CSV: img_path, query, answer, new query, new answer, type (direct, indirect or boolean)",
    "those of COCO, in one folder or in its val2014 and train2014",
    "countersight.suites.cvqa.real:LAYOUT",
    title="C-VQA-Real",
    terms="countersight.suites.cvqa.terms:REAL_TERMS",
    described="countersight.suites.cvqa.pairs:REAL_PAIRS",
    tables="countersight.suites.cvqa",
)
