"""CoSIm's types of change: what the rules propose, and how good that is on changes labelled by hand.

tests/data/cosim_kinds.csv holds labels of ours for 260 changes of the published training file, each named by a digest
of its instance. 200 were drawn by the order of the digests; 60 more were drawn in the same way from the changes that
have a word such as "replace", "move" or "no people" in them, since some types are rare ("cued"). One person labelled
them, question and initial response in view, and halved them before any rule was written. The rules were written on the
development half; the figures below are of the half held out.
"""

import csv
import hashlib
import json
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from published import published

from countersight.suites.cosim.changes import KINDS, change_kinds

LABELS = Path(__file__).parents[1] / "data" / "cosim_kinds.csv"


@pytest.mark.parametrize(
    ("change", "kinds"),
    [
        ("Add a ladder beside the tree.", {"object addition"}),
        ("There is a ladder beside the tree.", {"object addition"}),
        ("The tree has a bell on it.", {"object addition"}),
        ("Remove the ladder and the bell.", {"object removal"}),
        ("There are no ladders or bells.", {"object removal"}),
        ("The ladder is removed.", {"object removal"}),
        ("The tree does not have leaves.", {"object removal"}),
        ("Replace the ladder with a rope.", {"object replacement"}),
        ("Remove the ladder. Replace it with a rope.", {"object replacement"}),
        ("Change the ladder to a rope.", {"object replacement"}),
        ("Move the ladder to the left.", {"object relocation"}),
        ("Put the ladder on the grass.", {"object relocation"}),
        ("The ladder is on the grass.", {"object relocation"}),
        ("The ladder is broken.", {"object state change"}),
        ("The ladder has a crack.", {"object state change"}),
        ("Close the doors.", {"object state change"}),
        ("Change the door to green.", {"object state change"}),
        ("Add two firemen.", {"human addition"}),
        ("A bunch of old men are standing next to the tree.", {"human addition"}),
        ("Remove the people.", {"human removal"}),
        ("Nobody is on the street.", {"human removal"}),
        ("There is no one on the street.", {"human removal"}),
        ("It is raining.", {"environment change"}),
        ("There is snow on the ground.", {"environment change"}),
        ("Change the scene to night.", {"environment change"}),
        ("The street is flooded.", {"environment change"}),
        ("The lady is waving.", {"event description"}),
        ("Have the dog jump and chasing the lady.", {"event description"}),
        ("The lady is not happy.", {"event description"}),
        ("A fireman is feeding the cat.", {"human addition", "event description"}),
        (
            "There is no ladder, but a tiger is running here.",
            {"object removal", "object addition", "event description"},
        ),
        ("", set()),
        ("?!", set()),
    ],
)
def test_types_of_change_are_proposed_from_its_words(change, kinds):
    assert change_kinds(change) == tuple(kind for kind in KINDS if kind in kinds)


@given(
    st.text(max_size=200)
    | st.lists(st.sampled_from(["add", "no", "the man", "is", ",", "and", ".", "with"])).map(" ".join)
)
def test_types_of_any_text_are_in_the_order_of_the_paper(text):
    kinds = change_kinds(text)
    assert list(kinds) == [kind for kind in KINDS if kind in kinds]


@pytest.mark.parametrize(
    "word", ["remove a ", "with with ", "instead of ", "a and ", "is ", "there ", "covered by ", "x"]
)
def test_a_very_long_change_is_read_quickly(word):
    begun = time.process_time()
    change_kinds(word * 200_000)
    assert time.process_time() - begun < 5


FLOORS = {
    "object addition": 0.89,
    "object removal": 0.90,
    "object replacement": 0.89,
    "object relocation": 0.78,
    "object state change": 0.78,
    "human addition": 0.93,
    "human removal": 0.94,
    "environment change": 0.86,
    "event description": 0.82,
}
"""F1 of each type on both samples held out: two points less than measured."""


@pytest.mark.slow
def test_the_rules_reach_their_accuracy_on_held_out_changes():
    labelled = _labelled("held out")
    all_right = sum(said == meant for said, meant in labelled)
    assert all_right / len(labelled) >= 0.68  # measured: 0.70
    right, proposed, labels = _counts(labelled)
    assert right.total() / proposed.total() >= 0.88  # precision, measured: 0.890
    assert right.total() / labels.total() >= 0.875  # recall, measured: 0.887
    for kind in KINDS:
        f1 = 2 * right[kind] / (proposed[kind] + labels[kind])
        assert f1 >= FLOORS[kind], f"{kind}: {f1:.3f}"


def _labelled(half):
    """What the rules say and what we labelled, for every change of a half."""
    instances = json.loads(published("cosim/train.json").read_text(encoding="utf-8"))
    changes = {_digest(instance): instance["change"] for instance in instances}
    with LABELS.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["half"] == half]
    return [(set(change_kinds(changes[row["case"]])), set(row["kinds"].split(";"))) for row in rows]


def _digest(instance):
    text = "\n".join(instance[field] for field in ("folder", "img_fn", "question", "change"))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _counts(labelled):
    right = Counter(kind for said, meant in labelled for kind in said & meant)
    proposed = Counter(kind for said, _ in labelled for kind in said)
    return right, proposed, Counter(kind for _, meant in labelled for kind in meant)
