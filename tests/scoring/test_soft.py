"""VQA's soft accuracy: how answers are compared, and what they are worth."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from published import published

from countersight.scoring.soft import normalised, soft_accuracy

NINE = ["net"] * 6 + ["mesh"] * 2 + ["window"]


@pytest.mark.parametrize(
    ("same", "worth"),
    # Of ten people `same` gave the answer: each of them leaves out one, each of the others none.
    [(0, 0.0), (1, 0.3), (2, 0.6), (3, 0.9), (4, 1.0), (10, 1.0)],
)
def test_an_answer_is_worth_what_the_official_evaluation_says(same, worth):
    assert soft_accuracy("net", ["net"] * same + ["mesh"] * (10 - same)) == pytest.approx(worth)


@pytest.mark.parametrize("answer", ["net", "Net", " net\n", "a net", "The net.", "net!", '"net"', "net ,"])
def test_how_an_answer_is_written_does_not_matter(answer):
    assert soft_accuracy(answer, ["net"] * 9 + ["mesh"]) == 1
    assert soft_accuracy(answer, ["net"] * 10) == 1


def test_another_answer_is_worth_nothing():
    assert soft_accuracy("nets", NINE) == 0
    assert soft_accuracy("", NINE) == 0
    assert soft_accuracy("net", []) == 0


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Two", "2"),
        ("none", "0"),
        ("ten men", "10 men"),
        ("eleven", "eleven"),
        ("an apple and a pear", "apple and pear"),
        ("theatre", "theatre"),
        ("1,000", "1000"),
        ("3.5", "3.5"),
        ("3.", "3"),
        ("St. John", "st john"),
        ("black/white", "black white"),
        ("black / white", "black white"),
        ("t-shirt", "t shirt"),
        ("red, white", "red white"),
        ("red,white", "red white"),
        ("5:30", "5:30"),
        ("dont know", "don't know"),
        ("cant", "can't"),
        ("couldnt've", "couldn't've"),
        ("its well", "its well"),
        ("oclock", "o'clock"),
        ("(yes)", "yes"),
        ("a", ""),
        ("", ""),
    ],
)
def test_answers_are_normalised_as_in_the_official_evaluation(written, plain):
    assert normalised(written) == plain


@given(st.text(max_size=40), st.lists(st.text(max_size=10), max_size=12))
def test_any_answer_is_worth_something_between_nothing_and_all(answer, answers):
    assert 0 <= soft_accuracy(answer, answers) <= 1


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=12), st.sampled_from("abc"))
def test_the_worth_is_the_mean_over_each_person_left_out(answers, answer):
    left_out = [answers[:at] + answers[at + 1 :] for at in range(len(answers))]
    # Letters but "a", which is an article, stay as they are.
    same = [sum(normalised(other) == normalised(answer) for other in others) for others in left_out]
    assert soft_accuracy(answer, answers) == pytest.approx(sum(min(1, n / 3) for n in same) / len(same))


def test_the_most_common_published_answers_are_worth_almost_all():
    path = published("okvqa/mscoco_val2014_annotations.RECONSTRUCTED.json.gz")
    annotations = json.loads(gzip.decompress(path.read_bytes()))["annotations"]
    worth = []
    for annotation in annotations:
        answers = [answer["answer"] for answer in annotation["answers"]]
        worth.append(soft_accuracy(max(answers, key=answers.count), answers))
    assert len(worth) == 5046
    assert sum(worth) / len(worth) == pytest.approx(0.988, abs=0.002)
