"""VLMs Are Biased, as it stands in the table of suites."""

from typing import Final

from countersight.suites.benchmark import Suite

NAME: Final = "vlms-are-biased"

SUITE: Final = Suite(
    NAME,
    "VLMs Are Biased: pictures that contradict what everybody knows, with the answer that knowledge would give",
    "the authors' table (.parquet): image, topic, prompt, ground_truth, expected_bias",
    "inside the file",
    "countersight.suites.biased.files:LAYOUT",
    counts="row",
    title="VLMs Are Biased",
    terms="countersight.suites.biased.terms:TERMS",
)
