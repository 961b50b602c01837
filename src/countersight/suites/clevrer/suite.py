"""CLEVRER, as it stands in the table of suites."""

from typing import Final

from countersight.suites.benchmark import Suite

NAME: Final = "clevrer"

SUITE: Final = Suite(
    NAME,
    "CLEVRER: what happens in a video, why, what next, and what would happen without something",
    "the authors' train.json or validation.json: scenes with scene_index, video_filename, questions",
    "a folder of frames for each video: video_10000/*.png",
    "countersight.suites.clevrer.files:LAYOUT",
    counts="scene",
    title="CLEVRER",
    terms="countersight.suites.clevrer.terms:TERMS",
)
