"""CoSIm, as it stands in the table of suites."""

from typing import Final

from countersight.suites.benchmark import Beside, Suite

NAME: Final = "cosim"

SUITE: Final = Suite(
    NAME,
    "CoSIm: what would be answered after a change to the scene, with four options, by type of change",
    "the authors' JSON: question, answer_orig, change, answer_choices, answer_label, folder, img_fn",
    "those of Visual Genome in its VG_100K and VG_100K_2, or folder/img_fn",
    "countersight.suites.cosim.files:layout",
    Beside("--kinds", "a CSV of types of change assigned by people: id, kinds (with semicolons), changes", False),
    "entry",
    options={"file": ("keep_doubled",)},
    title="CoSIm",
    terms="countersight.suites.cosim.terms:TERMS",
    described="countersight.suites.cosim.statistics:CosimTally",
    tables="countersight.suites.cosim",
)
