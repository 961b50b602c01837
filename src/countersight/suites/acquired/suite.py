"""ACQUIRED, as it stands in the table of suites."""

from typing import Final

from countersight.suites.benchmark import Suite

NAME: Final = "acquired"

SUITE: Final = Suite(
    NAME,
    "ACQUIRED: counterfactual questions of videos from life, with two answers",
    "the authors' JSON: video_id, domain, question, answer1, answer2, correct_answer_key",
    "a folder of frames for each video, named by video_id",
    "countersight.suites.acquired.files:LAYOUT",
    counts="entry",
    title="ACQUIRED",
    terms="countersight.suites.acquired.terms:TERMS",
)
