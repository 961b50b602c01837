"""VisMin, as it stands in the table of suites."""

from typing import Final

from countersight.suites.benchmark import Suite

NAME: Final = "vismin"

SUITE: Final = Suite(
    NAME,
    "VisMin: pairs of pictures and captions that differ in one thing",
    "the authors' table (.parquet): id, image_0, text_0, image_1, text_1",
    "inside the file",
    "countersight.suites.vismin.files:LAYOUT",
    counts="row",
    title="VisMin",
    terms="countersight.suites.vismin.terms:TERMS",
)
