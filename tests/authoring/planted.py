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
SAID = (
    *("the answer were {a}", "the reply had to be {a}", "it were true", "you had to say {a}", "everyone answered {a}"),
    *("the opposite were the case", "you had to reply in the negative", "nothing happened"),
    *("the answer switched", "this statement were correct", "it were otherwise", "somebody has to deny it"),
    *("things remained the way they are", "nobody intervened", "all things stayed constant", "we looked at it again"),
    *("nothing changed", "everything stayed the same", "no changes were made", "the picture did not change"),
    *("today were Tuesday", "somebody looked at the photograph", "the picture were printed", "it had a name"),
)
"""Suppositions that say what the answer is, or that nothing happens."""
COUNTED = (
    *("There are {n} {x} in the photo. {q}?", "The photo shows {n} {x}; {q}?", "Given that there are {n} {x}, {q}?"),
    *("With {n} {x} in the picture, {q}?", "I can see {n} {x}. {q}?", "As there are {n} {x} now, {q}?"),
    *("There being {n} {x}, {q}?", "You see {n} {x} here: {q}?", "{n} {x} are visible. {q}?"),
)
CHANGES = (
    ("{k} more {x} were added", 1), ("{k} {x} were removed", -1), ("{k} more {x} appeared", 1),
    ("{k} of the {x} disappeared", -1), ("we took away {k} of the {x}", -1), ("there were {k} more {x}", 1),
)  # fmt: skip
NOUNS = ("dogs", "cups", "chairs", "apples", "cars", "lamps", "kites", "benches")


def empty_suppositions() -> Iterator[Planted]:
    """Yield pairs whose supposition states the answer or changes nothing, with a flipped answer."""
    for (question, asked, _), said, first in product(SCENES, SAID, ("yes", "no")):
        other = "no" if first == "yes" else "yes"
        yield question, first, f"{asked} if {said.format(a=other)}?", other
        yield question, first, f"If {said.format(a=other)}, {asked[0].lower()}{asked[1:]}?", other


def stated_counts() -> Iterator[Planted]:
    """Yield pairs whose question states the count in the picture."""
    for noun, said, (change, sign), count in product(NOUNS, COUNTED, CHANGES, (4, 6)):
        asked = f"how many {noun} would there be if {change.format(k=2, x=noun)}"
        draft = said.format(n=count, x=noun, q=asked)
        yield f"How many {noun} are there?", str(count), draft[0].upper() + draft[1:], str(count + 2 * sign)


def good_pairs() -> Iterator[Planted]:
    """Yield good pairs."""
    for noun, (change, sign), count, number in product(NOUNS, CHANGES, (4, 7), (2, 3)):
        draft = f"How many {noun} would there be if {change.format(k=number, x=noun)}?"
        yield f"How many {noun} are there?", str(count), draft, str(count + number * sign)
    for question, asked, causes in SCENES:
        for cause in causes:
            yield question, "yes", f"{asked} if {cause}?", "no"
