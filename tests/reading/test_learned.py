"""The last look, which was learned: what it takes back, and that it takes back little else."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replies import Line, question_of

import countersight as cs
from countersight.case import Option, Question
from countersight.reading import answers, learned, read_reply
from countersight.reading.learned.training import _in_one_row

KEPT_APART = Path(__file__).parent / "kept_apart"


def _outcomes() -> dict[str, int]:
    """How many replies that neither the rules nor the trees were made with are misread, unread and all."""
    found = {"wrong": 0, "unread": 0, "all": 0}
    for path in sorted(KEPT_APART.glob("*.jsonl")):
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            line = Line(question_of(row), row["reply"], row["reading"], "whole", row.get("finish", ""))
            answer = read_reply(line.reply, line.question)
            found["wrong"] += line.is_misread(answer)
            found["unread"] += answer is None and line.expected is not None
            found["all"] += 1
    return found


def test_replies_that_nothing_was_made_with_are_hardly_misread_and_less_so_with_the_last_look(monkeypatch):
    with_it = _outcomes()
    monkeypatch.setattr(answers, "last_look", lambda answer, *_: answer)
    without = _outcomes()
    assert with_it["all"] == 2_800
    assert with_it["wrong"] < 30 < without["wrong"]
    assert with_it["unread"] < 220 < without["unread"]


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        ("There are 3 cows. If one left, there would be 2.", "How many cows are there?", "3"),
        ("There are 3 cows. If one left, there would be 2.", "How many cows would there be if one left?", "2"),
        ("The answer is 5. There are no other cows in the field.", "How many cows are in the field?", "5"),
        ("5 people, 3 of them in hats.", "How many people are wearing hats?", "3"),
        ("If I had to guess, I would say 5.", "How many cows are there?", "5"),
        ("There are 4 cows and 2 horses.", "How many cows are in the field?", "4"),
        # a few words that the rules read are not doubted
        ("There would be 4.", "How many flowers are inside the orange polygons?", "4"),
        ("There are eight reindeer.", "How many reindeer pull the sleigh?", "8"),
        # what is denied, or of another thing, is no count
        ("It isn't 3.", "How many cows are there?", None),
        ("Definitely not 4.", "How many cows are there?", None),
        ("There would not be 6 left.", "How many cows would be left if one ran off?", None),
        ("Two boats.", "How many people are in the boat?", None),
        # a supposition says nothing of the picture as it is
        ("If another cow came, there would be 6 cows in the field.", "How many cows are in the field?", None),
        ("There would be six if a cow came.", "How many cows are there?", None),
        ("There are 5 cows. If one came there would be six.", "How many cows are there?", "5"),
    ],
)
def test_what_is_plain_is_read_and_nothing_else(text, question, answer):
    assert cs.read(text, question, kind="number").answer == answer


@pytest.mark.parametrize("text", ["A is wrong.", "B can be ruled out.", "Red is out.", "B is incorrect."])
def test_what_is_ruled_out_is_not_chosen(text):
    assert cs.read(text, "What colour would the car be?", kind="choice", options=["red", "blue", "green"]).unread


@pytest.mark.parametrize(
    "reply",
    [
        "Option {} is correct. The other options do not make sense in this picture.",
        "I would choose {} as the best answer, since nothing else fits what the picture shows.",
        "{} is the correct answer, since the dog is hungry and would not wait.",
    ],
)
def test_no_letter_is_read_less_than_another(reply):
    options = ["Run away", "Sleep", "Bark at the mailman", "Eat its food"]
    question = "What would happen if the gate were opened?"
    read = [cs.read(reply.format(letter), question, kind="choice", options=options).answer for letter in "ABCD"]
    assert read == [*"ABCD"]


@given(st.text(max_size=80), st.sampled_from(("number", "choice")))
def test_likelihoods_are_shares_of_one(text, kind):
    options = tuple(map(Option, ("red", "two cats", "no change"))) if kind == "choice" else ()
    question = Question("How many cats would be left?", "A", kind, options)
    likely = learned.likelihoods(learned.evidence(text, question), kind)
    assert all(0 <= share <= 1 for share in likely.values())
    assert sum(likely.values()) <= 1 + 1e-9


_leaf = st.builds(lambda value: {"leaf_value": value}, st.integers(-8, 8))
_tree = st.recursive(
    _leaf,
    lambda inner: st.builds(
        lambda piece, bound, left, right: {
            "split_feature": piece, "threshold": bound, "left_child": left, "right_child": right,
        },
        st.integers(0, 2), st.integers(-3, 3), inner, inner,
    ),
    max_leaves=10,
)  # fmt: skip


@given(st.lists(_tree, min_size=1, max_size=4), st.lists(st.tuples(*[st.integers(-4, 4)] * 3), min_size=1, max_size=4))
def test_trees_in_one_row_come_to_the_leaves_that_walking_them_comes_to(roots, rows):
    def walked(node, row):
        if "leaf_value" in node:
            return node["leaf_value"]
        beyond = row[node["split_feature"]] > node["threshold"]
        return walked(node["right_child" if beyond else "left_child"], row)

    trees = _in_one_row(roots, ["a", "b", "c"])
    scores = trees.scores([dict(zip("abc", map(float, row), strict=True)) for row in rows])
    assert scores.tolist() == [sum(walked(root, row) for root in roots) for row in rows]
