"""The words of training: questions, suppositions, and ways to ask for an answer, as tables.

The first wording of a question is the one our suite uses, the second where it differs the published one; they are
drawn most often. `{c}` and `{o}` are colours, `{n}` a number, `{p}` a place; the rest is filled in by what was counted.
"""

import re
from collections.abc import Iterator

from countersight.models.embedded import CIRCLES, COLOURS
from countersight.training import foreign, reasons

FACTUAL: dict[str, tuple[str, ...]] = {
    "inside": (
        "How many flowers are inside the {c} polygons?",
        "How many flowers are inside {c} polygons?",
        "How many flowers are there inside the {c} polygon?",
        "How many flowers are in the {c} polygons?",
        "How many flowers do the {c} polygons contain?",
        "How many flowers lie within the {c} polygon?",
        "How many flowers can you see inside the {c} polygons?",
        "Count the flowers inside the {c} polygons.",
        "What is the number of flowers inside the {c} polygons?",
    ),
    "outside": (
        "How many flowers are outside the {c} polygons?",
        "How many flowers are outside {c} polygons?",
        "How many flowers are there outside the {c} polygon?",
        "How many flowers are not inside the {c} polygons?",
        "How many flowers lie outside the {c} polygons?",
        "How many flowers can you see outside the {c} polygons?",
        "Count the flowers outside the {c} polygons.",
        "What is the number of flowers outside the {c} polygons?",
    ),
    "flowers": (
        "How many flowers are there in the picture?",
        "How many flowers are in the picture?",
        "How many flowers are there?",
        "How many flowers can you see in the image?",
        "How many flowers are there in total?",
        "Count all the flowers.",
    ),
    "both": (
        "How many flowers are inside both polygons?",
        "How many flowers are in both polygons at once?",
        "How many flowers lie where the polygons overlap?",
        "How many flowers are in the overlap of the polygons?",
    ),
    "free": (
        "How many flowers are outside all polygons?",
        "How many flowers are outside both polygons?",
        "How many flowers are not inside any polygon?",
        "How many flowers lie outside all the polygons?",
    ),
    "dots": (
        "How many dots are there in all the circles together?",
        "How many dots are there?",
        "How many dots are there in the picture?",
        "How many dots are in all the circles?",
        "How many dots do the circles contain together?",
        "How many dots can you see in total?",
        "Count all the dots in the circles.",
    ),
    "top": (
        "How many dots are there in the top three circles together?",
        "How many dots are there in the top row of circles together?",
        "How many dots are in the top circles?",
        "How many dots are there in the circles of the upper row?",
        "How many dots do the top three circles contain together?",
        "Count the dots in the top row.",
    ),
    "bottom": (
        "How many dots are there in the bottom three circles together?",
        "How many dots are there in the bottom row of circles together?",
        "How many dots are in the bottom circles?",
        "How many dots are there in the circles of the lower row?",
    ),
    "most": (
        "How many dots does a circle contain at most?",
        "How many dots do a circle contain at most?",
        "How many dots are there in the circle with the most dots?",
        "How many dots does the fullest circle contain?",
        "What is the largest number of dots in a circle?",
        "At most how many dots does a circle contain?",
    ),
    "circle": (
        "How many dots are there in the {p} circle?",
        "How many dots does the {p} circle contain?",
        "How many dots are in the circle at the {p}?",
    ),
    "circles": (
        "How many circles are there?",
        "How many circles are there in the picture?",
        "How many circles can you see?",
    ),
}

SUPPOSED: dict[str, tuple[str, ...]] = {
    "inside": (
        "How many flowers would be inside {c} polygons",
        "How many flowers would be inside the {c} polygons",
        "How many flowers would there be inside the {c} polygon",
        "How many flowers would be left inside the {c} polygons",
        "How many flowers would there be in the {c} polygons",
    ),
    "outside": (
        "How many flowers would be outside the {c} polygons",
        "How many flowers would be outside {c} polygons",
        "How many flowers would there be outside the {c} polygons",
        "How many flowers would not be inside the {c} polygons",
    ),
    "flowers": (
        "How many flowers would there be in the picture",
        "How many flowers would there be",
        "How many flowers would there be in total",
        "How many flowers would be left",
    ),
    "dots": (
        "How many dots would there be in all the circles together",
        "How many dots would there be in all the circles",
        "How many dots would there be",
        "How many dots would be left in the circles",
        "How many dots would the circles contain together",
    ),
    "top": (
        "How many dots would there be in the top three circles together",
        "How many dots would there be in the top row of circles together",
        "How many dots would be left in the top row",
    ),
    "bottom": (
        "How many dots would there be in the bottom three circles together",
        "How many dots would there be in the bottom row of circles together",
    ),
    "most": (
        "How many dots would a circle contain at most",
        "How many dots would there be in the circle with the most dots",
        "How many dots would the fullest circle contain",
    ),
}

CHANGES: dict[str, tuple[str, ...]] = {
    "all one colour": (
        "all polygons were {c}",
        "all the polygons were {c}",
        "every polygon were {c}",
        "all polygons became {c}",
    ),
    "take from colour": (
        "we removed {n} flowers in {c} polygons",
        "we removed {n} flowers from the {c} polygons",
        "{n} flowers in {c} polygons were removed",
        "we took {n} flowers out of the {c} polygons",
        "{n} flowers disappeared from the {c} polygons",
    ),
    "give to colour": (
        "we added {n} flowers to the {c} polygons",
        "{n} more flowers were added inside the {c} polygons",
        "{n} flowers appeared in the {c} polygons",
    ),
    "empty colour": (
        "all flowers in {o} polygons were removed",
        "all flowers in the {o} polygons were removed",
        "all the flowers inside the {o} polygon were removed",
        "we removed all flowers in {o} polygons",
        "the flowers in the {o} polygons disappeared",
    ),
    "take flowers": ("{n} flowers were removed", "we removed {n} flowers", "{n} flowers disappeared"),
    "give flowers": ("{n} flowers were added", "we added {n} flowers", "{n} more flowers appeared"),
    "take dots": (
        "{n} dots were removed from the circles",
        "we removed {n} dots from the circles",
        "{n} dots were removed",
        "{n} of the dots disappeared",
    ),
    "give dots": ("{n} dots were added to the circles", "we added {n} dots", "{n} more dots appeared"),
    "take right": (
        "the two rightmost circles and the dots in them were removed",
        "the two rightmost circles and dots in them were removed from the circles",
        "the two rightmost circles were removed",
        "we removed the two circles on the right with their dots",
    ),
    "take left": (
        "the two leftmost circles and the dots in them were removed",
        "the two leftmost circles were removed",
        "we removed the two circles on the left with their dots",
    ),
    "take fullest": (
        "one of the circles with the most dots were removed",
        "one of the circles with most dots were removed",
        "one of the circles with the most dots was removed",
        "the circle with the most dots was removed",
        "we removed the fullest circle",
    ),
}

CHOICES = (
    "{question}\n{lines}\nAnswer with the letter of the right option.",
    "{question} Select the correct answer:{row}",
    "{question}\n{lines}\nAnswer with the letter.",
    "{question} Select the correct answer: {row}",
    "{question}\nOptions: {row}\nAnswer with the letter of the correct option.",
    "{question}\n{brackets}\nWhich option is right? Answer with its letter.",
    "{question}\n{lines}",
)
CHOICES_AS_NUMBERS = ("{question}\n{lines}\nAnswer with a single number.",)
NUMBERS = (
    "{question}\nAnswer with a single number.",
    "{question}",
    "{question}\nAnswer with a number.",
    "{question} Answer with a single number.",
    "{question}\nAnswer briefly.",
)
BOOLEANS = (
    ("Are there more than {n} flowers inside the {c} polygons?", "inside"),
    ("Are there more than {n} flowers in the picture?", "flowers"),
    ("Are there more than {n} dots in all the circles together?", "dots"),
    ("Does a circle contain more than {n} dots?", "most"),
)
AS_BOOLEAN = "{question}\nAnswer with yes or no."


def words() -> Iterator[str]:
    """Every word in these tables, with both spellings of a question's first."""
    tables = (*FACTUAL.values(), *SUPPOSED.values(), *CHANGES.values())
    texts = [
        *(text for table in tables for text in table),
        *reasons.BECAUSE.values(),
        *(text for text, _ in BOOLEANS),
        *(*reasons.WHY, *CHOICES, *CHOICES_AS_NUMBERS, *NUMBERS),
        *(*foreign.THINGS, *foreign.STRANGE_QUESTIONS, *foreign.STRANGE_SUPPOSITIONS),
        *(
            reasons.LETTERED,
            foreign.UNKNOWN,
            foreign.STRANGE,
            foreign.FOREIGN,
            AS_BOOLEAN,
            reasons.YES,
            reasons.NO,
            "If 1 flower dot was yes no",
        ),
        *(*COLOURS, *CIRCLES),
    ]
    for text in texts:
        for word in re.findall(r"[^\W\d_]+", re.sub(r"{\w+}", " ", text)):
            yield word
            yield word.lower()
