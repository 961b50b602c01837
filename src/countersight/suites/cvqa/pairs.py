"""What C-VQA's paper reports of its pairs."""

from typing import Final

from countersight.suites.pairs import ReportedPairs

_SECTION: Final = "C-VQA, 3.4"

REAL_PAIRS: Final = ReportedPairs(
    _SECTION,
    {
        "pairs": "3,144",
        "direct": "1,150",
        "indirect": "864",
        "boolean": "1,130",
        "words in a basic question": "5.88",
        "words in a counterfactual question": "13.15",
        "no, of answers yes and no": "55.13 %",
    },
)
SYNTHETIC_PAIRS: Final = ReportedPairs(
    _SECTION,
    {
        "pairs": "3,000",
        "words in a basic question": "16.00",
        "words in a counterfactual question": "25.33",
    },
)
