"""VQA's soft accuracy: how answers are compared, and what they are worth."""

import gzip
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published import published

from countersight.scoring.credit import normalised, soft_accuracy

NINE = ["net"] * 6 + ["mesh"] * 2 + ["window"]


@pytest.mark.parametrize(
    ("same", "worth"),
    # Of ten people `same` gave the answer: each of them leaves out one, each of the others none.
    [(0, 0.0), (1, 0.3), (2, 0.6), (3, 0.9), (4, 1.0), (10, 1.0)],
)
def test_an_answer_is_worth_what_the_official_evaluation_says(same, worth):
    assert soft_accuracy("net", ["net"] * same + ["mesh"] * (10 - same)) == pytest.approx(worth)


def test_where_all_people_wrote_the_same_nothing_is_normalised():
    """So does the official script, however odd: 172 answers of OK-VQA differed in version 0.1."""
    assert soft_accuracy(" net\n", ["net"] * 10) == 1
    assert soft_accuracy("Net.", ["net"] * 10) == 0


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


_PUNCTUATION = ';/[]"{}()=+\\_-><@`,?!'


def official_accuracy(answer, answers):
    """What the official script (VQAEval, version 1) computes, put down step by step; contractions are left out."""

    def punctuation(text):
        out = text
        for sign in _PUNCTUATION:
            beside = sign + " " in text or " " + sign in text
            out = out.replace(sign, "" if beside or re.search(r"(\d)(\,)(\d)", text) is not None else " ")
        return re.compile(r"(?!<=\d)(\.)(?!\d)").sub("", out, count=int(re.UNICODE))

    def digits_and_articles(text):
        numbers = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
        mapped = {"none": "0"} | {word: str(number) for number, word in enumerate(numbers)}
        return " ".join(
            word for each in text.lower().split() if (word := mapped.get(each, each)) not in ("a", "an", "the")
        )

    people = [given.replace("\n", " ").replace("\t", " ").strip() for given in answers]
    said = answer.replace("\n", " ").replace("\t", " ").strip()
    if len(set(people)) > 1:
        people = [digits_and_articles(punctuation(given)) for given in people]
        said = digits_and_articles(punctuation(said))
    accuracies = []
    for place in range(len(people)):
        others = people[:place] + people[place + 1 :]
        accuracies.append(min(1, sum(other == said for other in others) / 3))
    return sum(accuracies) / len(accuracies)


words = st.lists(
    st.sampled_from(["net", "Net.", "a", "The", "two", "1,000", "3.", "t-shirt", "?", ", ", "\n", "\u00a0", "."]),
    max_size=5,
)
texts = st.one_of(words.map(" ".join), words.map("".join), st.just("." * 40))


@settings(max_examples=300)
@given(
    texts,
    st.lists(texts, min_size=1, max_size=3).flatmap(
        lambda few: st.lists(st.sampled_from(few), min_size=10, max_size=10)
    ),
)
def test_every_answer_is_worth_what_the_official_script_says(answer, answers):
    assert soft_accuracy(answer, answers) == pytest.approx(official_accuracy(answer, answers))
    assert soft_accuracy(answers[0], answers) == pytest.approx(official_accuracy(answers[0], answers))


@pytest.mark.slow
def test_the_most_common_published_answers_are_worth_almost_all():
    path = published("okvqa/mscoco_val2014_annotations.RECONSTRUCTED.json.gz")
    annotations = json.loads(gzip.decompress(path.read_bytes()))["annotations"]
    worth = []
    for annotation in annotations:
        answers = [answer["answer"] for answer in annotation["answers"]]
        said = f"{max(answers, key=answers.count).capitalize()}."
        worth.append(soft_accuracy(max(answers, key=answers.count), answers))
        assert soft_accuracy(said, answers) == pytest.approx(official_accuracy(said, answers)), answers
    assert len(worth) == 5046
    assert sum(worth) / len(worth) == pytest.approx(0.988, abs=0.002)
