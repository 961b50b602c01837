"""Make questions look as if typed by people: contractions, filler words, other punctuation, lower case."""

import re
from random import Random

SHORT = (
    ("are not", "aren't"),
    ("is not", "isn't"),
    ("do not", "don't"),
    ("does not", "doesn't"),
    ("did not", "didn't"),
    ("has not", "hasn't"),
    ("had not", "hadn't"),
    ("would not", "wouldn't"),
    ("were not", "weren't"),
    ("was not", "wasn't"),
    ("what is", "what's"),
    ("let us", "let's"),
    ("i would", "I'd"),
    ("i am", "I'm"),
    ("there is", "there's"),
)
FILLERS = (
    "please",
    "exactly",
    "actually",
    "really",
    "just",
    "well",
    "so",
    "perhaps",
    "precisely",
    "simply",
    "in fact",
    "you know",
    "by the way",
    "for me",
    "I ask",
)
SHORTENED, FILLED, REMARKED, SMALL = 0.5, 0.08, 0.1, 0.04
"""The probability of each change, where it is possible."""

_SHORT = re.compile(r"\b(" + "|".join(long for long, _ in SHORT) + r")\b", re.IGNORECASE)
_BY_LONG = dict(SHORT)
_GAP = re.compile(r"(?<=[a-z]) (?=[a-z])")
_COLON = re.compile(r": ")


def casual(rng: Random, text: str) -> str:
    """Return the text, often with small changes that keep its meaning."""
    if rng.random() < SHORTENED:
        text = _SHORT.sub(lambda found: _BY_LONG[found[0].lower()], text)
    if rng.random() < FILLED:
        text = _with_filler(rng, text)
    if rng.random() < REMARKED:
        text = _COLON.sub(rng.choice((" - ", ", ", "? ", ". ", "; ")), text, count=1)
    return text.lower() if rng.random() < SMALL else text


def _with_filler(rng: Random, text: str) -> str:
    gaps = [found.start() for found in _GAP.finditer(text)]
    if not gaps:
        return text
    at, filler = rng.choice(gaps), rng.choice(FILLERS)
    return f"{text[:at]}, {filler},{text[at:]}" if rng.random() < 0.5 else f"{text[:at]} {filler}{text[at:]}"
