"""Surface features: how an option differs from the other options and from the texts of the question.

CoSIm's distractors were written in text boxes that already contained the correct response (CoSIm paper, section 4). The
correct option is therefore the one most similar to the others; it also shares words with the change. A matcher may use
these features, although it is a weakness of the data that they alone predict many answers.
"""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from countersight.models.matcher.sequences import Inputs
from countersight.models.protocol import Parts

_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_COMMON = frozenset(
    word
    for line in (
        "a an and are as at be because been being but by can could did do does for from had has have he her his how",
        "i if in into is it its just may might more most of on or our out she should so some than that the their them",
        "then there these they this those to too up very was we were what when which who will with would yes you your",
    )
    for word in line.split()
)
_DENYING = frozenset(
    word
    for line in (
        "no not never none nothing nobody without cannot remove removed isn't aren't wasn't weren't don't doesn't",
        "didn't can't couldn't won't wouldn't shouldn't hasn't haven't",
    )
    for word in line.split()
)
_TURNING = frozenset(("but", "however", "although", "though"))
_REACH = 3
"""The number of words after "no" or "remove" that count as negated."""
_LEAST_SPREAD = 0.05
"""A constant added to the standard deviation, so that small differences between options are not magnified."""

AMONG = 14
"""The number of features that compare an option with the other options."""
AGAINST = 18
"""The number of features that compare an option with the question, the first response and the change."""

Words = list[str]
Counts = npt.NDArray[np.float32]


def surface_size(inputs: Inputs) -> int:
    """Return the number of features that `surface` gives per option."""
    return 2 * (AMONG if inputs == "response" else AMONG + AGAINST)


def surface(inputs: Inputs, told: Parts, options: Sequence[str]) -> Counts:
    """Return the counts of every option (options × size): absolute, and relative to the other options."""
    split = [words(option) for option in options]
    counts = among(split)
    if inputs != "response":
        counts = np.hstack([counts, against(split, words(told.question), words(told.context), words(told.change))])
    relative = (counts - counts.mean(0)) / (counts.std(0) + _LEAST_SPREAD)
    return np.hstack([counts, relative]).astype(np.float32)


def words(text: str) -> Words:
    """Return the words of a text in lower case."""
    return _WORD.findall(text.lower().replace("\u2019", "'"))


def among(options: Sequence[Words]) -> npt.NDArray[np.float64]:
    """Compare each option with the others: similarity and shared words."""
    rows = []
    for place, own in enumerate(options):
        others = [other for number, other in enumerate(options) if number != place]
        near = np.array([SequenceMatcher(None, own, other, autojunk=False).ratio() for other in others] or [0.0])
        known, used = set(own), Counter(word for other in others for word in set(other))
        count = max(1, len(others))
        row: list[Any] = [
            near.mean(),
            near.max(),
            near.min(),
            len(own) / 30,
            sum(not used[word] for word in known) / 5,
            sum(times == count and word not in known for word, times in used.items()) / 5,
            sum(used[word] for word in known) / count / max(1, len(known)),
            sum(other[:1] == own[:1] for other in others) / count,
            sum(word in _DENYING for word in own) / 3,
            own[:1] == ["yes"],
            own[:1] == ["no"],
            bool(_TURNING & known),
            "because" in known,
            "so" in known,
        ]
        rows.append(row)
    return np.array(rows)


def against(options: Sequence[Words], question: Words, response: Words, change: Words) -> npt.NDArray[np.float64]:
    """Compare each option with the question, response and change: shared words, and words that it negates."""
    asked, answered, changed = _content(question), _content(response), _content(change)
    gone, kept = _denied(change), changed - _denied(change)
    told = asked | answered | changed
    rows = []
    for place, own in enumerate(options):
        said, denied = _content(own), _denied(own)
        alone = set(own).difference(*(other for number, other in enumerate(options) if number != place))
        row: list[Any] = [
            _part(set(own), set(change)),
            _part(said, changed),
            len(said & changed) / 5,
            len(said - told) / 5,
            _part(said, answered),
            _part(said, asked),
            len(alone & changed) / 3,
            len(_content(alone) - told) / 3,
            len(alone & answered) / 3,
            own[:1] == response[:1],
            len(denied & gone) / 3,
            len(denied & kept) / 3,
            len((said - denied) & gone) / 3,
            len((said - denied) & kept) / 5,
            _part(set(pairwise(own)), set(pairwise(change))),
            _part(changed, said),
            len(changed - said) / 5,
            len(denied & answered) / 3,
        ]
        rows.append(row)
    return np.array(rows)


def _content(text: Words | set[str]) -> frozenset[str]:
    return frozenset(text) - _COMMON - _DENYING


def _denied(text: Words) -> frozenset[str]:
    """Return the words shortly after a negating word such as "no", "not" or "remove"."""
    return _content(
        {near for place, word in enumerate(text) if word in _DENYING for near in text[place + 1 : place + 1 + _REACH]}
    )


def _part(own: set[Any] | frozenset[Any], of: set[Any] | frozenset[Any]) -> float:
    """Return the share of `own` that is also in `of`."""
    return len(own & of) / max(1, len(own))
