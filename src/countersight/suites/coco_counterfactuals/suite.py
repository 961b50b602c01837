"""COCO-Counterfactuals, as it stands in the table of suites."""

from typing import Final

from countersight.suites.benchmark import Suite

NAME: Final = "coco-counterfactuals"

SUITE: Final = Suite(
    NAME,
    "COCO-Counterfactuals: pairs of pictures whose captions differ in one noun",
    "the authors' examples.jsonl: id, image_0, image_1, caption_0, caption_1",
    "images.zip, as unpacked",
    "countersight.suites.coco_counterfactuals.files:LAYOUT",
    title="COCO-Counterfactuals",
    terms="countersight.suites.coco_counterfactuals.terms:TERMS",
)
