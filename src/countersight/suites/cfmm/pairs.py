"""What CFMM's paper reports of its pairs."""

from typing import Final

from countersight.suites.pairs import ReportedPairs

PAIRS: Final = ReportedPairs(
    "CFMM, 3.5",
    {
        "pairs": "1,200",
        "words in a basic question": "9.47",
        "words in a counterfactual question": "18.39",
        "words in an answer": "1.17",
    },
    length=lambda question: len(question.text.split()),  # the paper counts options apart, as answers
)
