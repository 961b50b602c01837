"""Planted bad pairs in many wordings, and good pairs: question, answer, draft, new answer."""

from collections.abc import Iterator
from itertools import product

Planted = tuple[str, str, str, str]
SCENES = (
    (
        "Is the door open?",
        "Would the door be open",
        ("somebody had run through it in a hurry", "the wind had blown"),
    ),
    ("Is the dog asleep?", "Would the dog be asleep", ("the doorbell had just rung", "somebody had dropped a pan")),
    ("Is the street wet?", "Would the street be wet", ("a shower had just passed", "it had rained all night")),
    ("Is the man wearing a hat?", "Would the man be wearing a hat", ("a gust of wind had carried it off",)),
    ("Is the bowl empty?", "Would the bowl be empty", ("the cat had finished its meal", "somebody had poured in soup")),
)
EMPTY = (
    *(
        "the answer were no",
        "one had to say yes",
        "that were false",
        "the opposite were the case",
        "he were not",
        "it was",
    ),
    *("your answer had to be negative", "it were not the case", "everyone agreed that it is not", "nothing changed"),
    *("everything stayed exactly as it is", "the scene remained identical", "no one did anything", "we looked again"),
    *("no alteration were made to the scene", "circumstances did not vary", "things were different"),
    *("the photo had not been modified", "something changed", "nobody interfered", "the picture showed it"),
)
"""Suppositions that say what the answer is, or that nothing happens."""
IRRELEVANT = (
    *("today were Tuesday", "the picture were printed", "its owner were called Martin", "the car were parked nearby"),
    *("the photographer wore boots", "the tickets were blue", "a stamp were on the letter", "the fence were taller"),
)
"""Suppositions that do not change the answer to any of the questions."""
COUNTED = (
    *("There are {n} {x} in the photo. {q}?", "The photo shows {n} {x}; {q}?", "Given that there are {n} {x}, {q}?"),
    *("With {n} {x} in the picture, {q}?", "I can see {n} {x}. {q}?", "As there are {n} {x} now, {q}?"),
    *("There being {n} {x}, {q}?", "You see {n} {x} here: {q}?", "{n} {x} are visible. {q}?"),
)
CHANGES = (
    ("{k} more {x} were added", 1), ("{k} {x} were removed", -1), ("{k} more {x} appeared", 1),
    ("{k} of the {x} disappeared", -1), ("we took away {k} of the {x}", -1), ("there were {k} more {x}", 1),
)  # fmt: skip
INSIDE = (
    ("How many dogs are there?", "4", "How many dogs would there be if 2 dogs joined the 4 dogs?", "6"),
    ("How many dogs are there?", "4", "How many dogs would there be if the pack grew to six?", "6"),
    ("How many dogs are there?", "4", "How many dogs would there be if a fifth dog came?", "5"),
    ("How many dogs are there?", "4", "How many dogs would there be if the fourth dog left?", "3"),
    ("How many dogs are there?", "4", "Suppose 9 dogs sat there; how many dogs would there be?", "9"),
    ("How many dogs are there?", "4", "How many dogs would there be if 3 of the 4 dogs left?", "1"),
    ("How many dogs are there?", "4", "How many dogs would there be if there were 1 dog instead of 4?", "1"),
    ("How many dogs are there?", "2", "How many dogs would there be if both of the dogs left?", "0"),
)
"""Pairs whose supposition contains the count in the picture."""
NOUNS = ("dogs", "cups", "chairs", "apples", "cars", "lamps", "kites", "benches")


def flipped(suppositions: tuple[str, ...]) -> Iterator[Planted]:
    """Yield pairs with each of these suppositions and the other answer."""
    for (question, asked, _), supposed, first in product(SCENES, suppositions, ("yes", "no")):
        other = "no" if first == "yes" else "yes"
        yield question, first, f"{asked} if {supposed}?", other
        yield question, first, f"If {supposed}, {asked[0].lower()}{asked[1:]}?", other


def stated_counts() -> Iterator[Planted]:
    """Yield pairs whose question states the count in the picture."""
    for noun, said, (change, sign), count in product(NOUNS, COUNTED, CHANGES, (4, 6)):
        asked = f"how many {noun} would there be if {change.format(k=2, x=noun)}"
        draft = said.format(n=count, x=noun, q=asked)
        yield f"How many {noun} are there?", str(count), draft[0].upper() + draft[1:], str(count + 2 * sign)
    yield from INSIDE


VARIED = (
    ("Is the umbrella open?", "yes", "Suppose a gust broke it; would the umbrella be open?", "no"),
    ("Is the candle burning?", "yes", "Had someone blown on it, would the candle be burning?", "no"),
    ("Is the bird flying?", "no", "Would the bird be flying if a hawk attacked it?", "yes"),
    ("Is the sofa empty?", "yes", "Would the sofa be empty after the cat jumped on it?", "no"),
    ("How many slices are left?", "4", "How many slices would be left if the boy ate two?", "2"),
    ("How many people are riding?", "6", "How many people would be riding if 3 people got off the elephant?", "3"),
    ("How many tail fins are visible?", "3", "How many tail fins are visible if there are 3 more planes?", "6"),
)
"""Good pairs in other words, whose numbers may equal a count by chance."""


def good_pairs() -> Iterator[Planted]:
    """Yield good pairs."""
    yield from VARIED
    for noun, (change, sign), count, number in product(NOUNS, CHANGES, (4, 7), (2, 3)):
        draft = f"How many {noun} would there be if {change.format(k=number, x=noun)}?"
        yield f"How many {noun} are there?", str(count), draft, str(count + number * sign)
    for question, asked, causes in SCENES:
        for cause in causes:
            yield question, "yes", f"{asked} if {cause}?", "no"
