"""OK-VQA and VQAv2, as they stand in the table of suites."""

from typing import Final

from countersight.suites.benchmark import Beside, Suite

OKVQA_NAME: Final = "okvqa"
VQAV2_NAME: Final = "vqav2"

_ANNOTATIONS: Final = Beside(
    "--annotations", "the official annotations (JSON, or .json.gz): annotations with answers", True
)

OKVQA_SUITE: Final = Suite(
    OKVQA_NAME,
    "OK-VQA: open questions that need knowledge of the world, about photographs of COCO",
    "the official questions (JSON, or .json.gz): questions with question_id, image_id, question",
    "those of COCO, in one folder or in its val2014 and train2014",
    "countersight.suites.vqa.files:okvqa",
    _ANNOTATIONS,
    "entry",
    title="OK-VQA",
    terms="countersight.suites.vqa.terms:TERMS",
)
VQAV2_SUITE: Final = Suite(
    VQAV2_NAME,
    "VQAv2: open questions about photographs of COCO",
    "the official questions (JSON, or .json.gz): questions with question_id, image_id, question",
    "those of COCO, in one folder or in its val2014 and train2014",
    "countersight.suites.vqa.files:vqav2",
    _ANNOTATIONS,
    "entry",
    title="VQAv2",
    terms="countersight.suites.vqa.terms:TERMS",
)
