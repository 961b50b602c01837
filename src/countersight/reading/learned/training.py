"""Learns the trees of the last look from replies with fixed readings: `make reader`. Needs LightGBM.

A reply's candidates (its numbers, or the options) and "none of them" share one unit of likelihood; the trees raise what
falls to the fixed reading. A number that is said twice has the likelihood of both its mentions.
"""

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from countersight.case import AnswerKind, Option, Question
from countersight.reading.bare import in_plain_words
from countersight.reading.counts.question import counted_by
from countersight.reading.language.clauses import supposed
from countersight.reading.learned import FILES, LARGEST, evidence
from countersight.reading.learned.told import Evidence
from countersight.reading.learned.trees import LEAVES, Trees
from countersight.text import UNITS

_SETTINGS: Final = {
    "learning_rate": 0.08,
    "num_leaves": LEAVES,
    "min_data_in_leaf": 20,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "deterministic": True,
    "seed": 0,
    "verbose": -1,
}
_TREES: Final[dict[AnswerKind, int]] = {"number": 1200, "choice": 700}
_THINGS: Final = re.compile(
    r"\bhow many (\w+s|people|children|men|women) (?:are|is|do|does|can|have|has|were)\b", re.IGNORECASE
)
_STATE: Final = re.compile(
    r"\bhow many (?:of the )?(\w+s|people|children|men|women)(?: [\w ]+?)? are "
    r"(?!there\b|visible\b|in\b|on\b|at\b)(\w+(?: \w+)?)\?$",
    re.IGNORECASE,
)
_PLAIN: Final = 3  # plain replies to each question
_RARE: Final = 25  # what fewer candidates have than that is no evidence
_OF_THE_PLAIN: Final = 3.0  # what nobody doubts shall not be doubted
_OF_A_TRAP: Final = 4.0  # what was written to mislead a reader counts more
_NOT_AMONG_THEM: Final = 0.3  # a reply whose reading is none of its candidates teaches less


_DENIED: Final = (
    ("not {now}.", None),
    ("it isn't {now}.", None),
    ("there would not be {now}.", None),
    ("{now} is wrong.", None),
    ("I doubt that it's {now}.", None),
    ("over {now}.", None),
)
_BESIDE_OTHERS: Final = (
    ("there are {now} {things} and {then} bottles.", "now"),
    ("I see {now} {things} and one lamp.", "now"),
    ("the picture shows {now} {things}, {then} bags and a box.", "now"),
)
_OF_A_PART: Final = (
    ("the picture shows {all} {things}, {now} of which are {so}.", "now"),
    ("there are {all} {things}, and {now} of them are {so}.", "now"),
    ("{now} {things} are {so}; there are {all} in total.", "now"),
    ("only {now}: the other {then} {things} are not {so}.", "now"),
    ("there are {now} {things} that are {so} and {then} that are not.", "now"),
)
# Plain replies, and which of their numbers answers: to what would be, to what is, and to how many there are in all.
_OF_WHAT_WOULD_BE: Final = (
    ("if {supposed}, there would be {then}.", "then"),
    ("if {supposed} there would be {then}", "then"),
    ("there would be {then} of them if {supposed}.", "then"),
    ("there would be {then} if {supposed}, because there are {now} now.", "then"),
    ("you would see {then} if {supposed}.", "then"),
    ("currently there are {now}, so if {supposed}, there would be {then}.", "then"),
    ("there are {now} in the picture. If {supposed}, there would be {then}.", "then"),
    ("{then}, since there are {now} now.", "then"),
    ("there are {now}. If {supposed}, {then} would be left.", "then"),
    ("the answer would change from {now} to {then}.", "then"),
    ("there are {then}.", "then"),
    ("the new count is {then}.", "then"),
    ("the number would be {then}.", "then"),
    ("probably {then}.", "then"),
    ("{then} is correct.", "then"),
    ("currently there are {now}.", None),
    ("the original count is {now}.", None),
    ("the current number is {now}.", None),
    ("there are {now} at the moment.", None),
    *_DENIED,
)
_OF_WHAT_IS: Final = (
    ("there are {now}. If one left, there would be {then}.", "now"),
    ("there are {now}; {then} would be left if some went.", "now"),
    ("{now}. If more came, there would be {then}.", "now"),
    ("if I had to guess, I would say {now}.", "now"),
    ("I would say there are {now}.", "now"),
    ("the count is {now}.", "now"),
    ("probably {now}.", "now"),
    ("{now} is correct.", "now"),
    ("if one more came, there would be {then}.", None),
    ("there would be {then} if one left.", None),
    ("without the one on the left, there'd be {then}.", None),
    *_DENIED,
)
_OF_ALL: Final = (
    ("there are {now}. {then} of them are sleeping.", "now"),
    ("there are {now}, {then} of which are sitting.", "now"),
)


class _Reply(msgspec.Struct):
    """A reply, as a line of a file of them holds it."""

    question: str
    kind: AnswerKind
    reply: str
    reading: str | None
    options: tuple[str, ...] = ()
    weight: float = 1.0


class _Lesson(msgspec.Struct):
    """The candidates of a reply, and which of them is its reading."""

    candidates: list[tuple[str, Evidence]]
    reading: str | None
    weight: float


def replies(folder: Path) -> list[_Reply]:
    """The replies to learn from under a folder, each once: all sets but those that are kept apart."""
    return list({(each.question, each.reply, each.options): each for each in _in_files(folder)}.values())


def plainly(every: Iterable[_Reply]) -> Iterator[_Reply]:
    """Plain replies to the same questions: what nobody doubts is seldom written by hand."""
    draw = Random(0)
    for question in sorted({each.question for each in every if each.kind == "number"}):
        supposition, asked, things = supposed(question).strip(" ?.,"), counted_by(question), _THINGS.search(question)
        frames = _OF_WHAT_WOULD_BE if supposition else _OF_WHAT_IS if asked.qualities else _OF_WHAT_IS + _OF_ALL
        chosen = draw.sample(frames, _PLAIN)
        if things and not supposition:
            chosen.append(draw.choice(_BESIDE_OTHERS))
        state = None if supposition else _STATE.search(question)
        if state:
            chosen.append(draw.choice(_OF_A_PART))
        for frame, which in chosen:
            now, then = draw.sample(range(1, 13), 2)
            said = draw.choice((then, UNITS[then]))
            text = frame.format(
                now=now,
                then=said,
                all=now + then,
                supposed=supposition,
                things=state[1] if state else things and things[1],
                so=state and state[2],
            )
            reading = str(then if which == "then" else now) if which else None
            yield _Reply(question, "number", text[0].upper() + text[1:], reading, weight=_OF_THE_PLAIN)


def _in_files(folder: Path) -> Iterator[_Reply]:
    for path in sorted(folder.rglob("*.toml")):
        for asked in tomllib.loads(path.read_text(encoding="utf-8"))["asked"]:
            for text, reading in asked["replies"]:
                options = tuple(asked.get("options", ()))
                weight = 1.0 if reading else _OF_A_TRAP
                yield _Reply(asked["question"], asked["kind"], text, reading or None, options, weight)
    for path in sorted((folder / "learned_from").glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            yield msgspec.json.decode(line, type=_Reply)


def learn(every: Iterable[_Reply], kind: AnswerKind) -> Trees:
    """The trees for the questions of one kind."""
    import lightgbm

    lessons = [lesson for reply in every if reply.kind == kind and (lesson := _lesson(reply)).candidates]
    counts = Counter(
        name for lesson in lessons for _, each in lesson.candidates for name, value in each.items() if value
    )
    names = sorted(name for name, count in counts.items() if count >= _RARE)
    given = Trees.of_names(names).table([each for lesson in lessons for _, each in lesson.candidates])
    of_reply = np.repeat(np.arange(len(lessons)), [len(lesson.candidates) for lesson in lessons])
    right = np.array([answer == lesson.reading for lesson in lessons for answer, _ in lesson.candidates])

    def steepest(scores: NDArray[np.float64], _: object) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        weight = np.exp(np.clip(scores, -LARGEST, LARGEST))
        likely = weight / (1 + np.bincount(of_reply, weight))[of_reply]
        of_right = np.maximum(np.bincount(of_reply, weight * right)[of_reply], 1e-9)
        wanted = np.where(right, weight / of_right, 0)
        return counted * (likely - wanted), counted * np.maximum(likely * (1 - likely), 1e-3)

    found = np.bincount(of_reply, right) > 0
    none = np.array([lesson.reading is None for lesson in lessons])
    weights = np.array([lesson.weight for lesson in lessons])
    counted = (weights * np.where(found | none, 1.0, _NOT_AMONG_THEM))[of_reply]
    booster = lightgbm.train(
        {**_SETTINGS, "objective": steepest},
        lightgbm.Dataset(given, np.zeros(len(given))),
        num_boost_round=_TREES[kind],
    )
    return _in_one_row([tree["tree_structure"] for tree in booster.dump_model()["tree_info"]], names)


def _lesson(reply: _Reply) -> _Lesson:
    question = Question(reply.question, "A", reply.kind, tuple(map(Option, reply.options)))
    text = in_plain_words(reply.reply, question)
    return _Lesson(evidence(text, question) if text else [], reply.reading, reply.weight)


def _in_one_row(roots: list[dict[str, Any]], names: list[str]) -> Trees:
    nodes: list[tuple[int, float, int]] = []
    first: list[int] = []
    leaves = np.zeros((len(roots), LEAVES))

    def put(node: dict[str, Any], tree: int, leaf: int) -> int:
        """Puts a node and what hangs from it into the row; returns how many leaves that has."""
        if "leaf_value" in node:
            leaves[tree, leaf] = node["leaf_value"]
            return 1
        place = len(nodes)
        nodes.append((0, 0.0, 0))
        left = put(node["left_child"], tree, leaf)
        shut_out = sum(1 << each for each in range(leaf, leaf + left))
        nodes[place] = (node["split_feature"], node["threshold"], (2**LEAVES - 1) ^ shut_out)
        return left + put(node["right_child"], tree, leaf + left)

    for tree, root in enumerate(roots):
        first.append(len(nodes))
        if put(root, tree, 0) == 1:
            nodes.append((0, np.inf, 2**LEAVES - 1))  # it asks nothing
    pieces, bounds, keeps = zip(*nodes, strict=True)
    used = sorted(set(pieces))
    return Trees(
        [names[piece] for piece in used],
        np.searchsorted(used, pieces).astype(np.int32),
        np.array(bounds),
        np.array(keeps, np.uint16),
        np.array(first, np.int32),
        leaves,
    )


def main(source: Path, folder: Path) -> None:
    """Learn from all replies under a folder, and write the trees of each kind into another."""
    every = replies(source)
    for kind, name in FILES.items():
        trees = learn([*every, *plainly(every)], kind)
        trees.save(folder / name)
        print(f"{name}: {len(trees.first)} trees over {len(trees.names)} pieces of evidence")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
