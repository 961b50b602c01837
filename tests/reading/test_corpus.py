"""Replies whose readings were written down before the rules saw them are read as they were meant."""

import pytest
from replies import answers, corpus, fingerprint

FIXED = {
    "corpus": "4648ba8504f9175edcf05c222e974b5361464140daced92161e6f4a52cb69e38",
    "fresh": "235e3ac307e6ed7f0a3abb495a66a76e0b97979ee7ccb8c1a45ab9239466fec7",
    "further": "0273206fe08c23187743c47d4db7311e1e04938cf1f7b94efe4d2f0bcbe317ab",
    "last": "35869517a3ca3810de141fa9d0fbde9cf1bb5609d69aaa9d46709eaf29e7c66c",
    "rounds": "f6a41f86993619556b3c8530625764b6914778baf4f029175101aa3c5ed24628",
    "stranger": "6a253aa67b214895c1e2f12e2dd8fbcd3a0552214ad73b933fb67cfaa308fe05",
    "second_stranger": "2a4f9ede06cfe224651f9a7fd16401ba838f457b65d86b0a5d460cb28f355933",
    "third_stranger": "2a733f817576950589230385b4e8797059ca1567aea151feb6f7cab1788c1c00",
    "fourth_stranger": "5db08231a8dee319e142103873d595ce271d2e89e39cf0ea584632fce3414190",
    "fifth_stranger": "853945dc2ea1dea9a21b46848749988877196b18dea034f4155b70e502ac1458",
    "sixth_stranger": "ffac540769279b71ebcd677cfb9d39e00ee5e0e878c40b37c926aa9a8fc3eb86",
    "seventh_stranger": "f3409f7c66e03203f1d2980536c4c41c61a91a3e3fc01b64814bf515cb48470e",
}


@pytest.mark.parametrize("name", FIXED)
def test_no_reading_is_changed_without_a_trace(name):
    assert fingerprint(name) == FIXED[name]


def test_each_half_of_the_corpus_is_as_large_as_the_other():
    assert {half: sum(line.half == half for line in corpus()) for half in ("development", "unseen")} == {
        "development": 373,
        "unseen": 373,
    }


@pytest.mark.parametrize(
    ("name", "unread_at_most"),
    [
        ("corpus", 0.02),
        ("fresh", 0.07),
        ("further", 0.08),
        ("last", 0.05),
        ("rounds", 0.08),
        ("stranger", 0.065),
        ("second_stranger", 0.065),
        ("third_stranger", 0.075),
        ("fourth_stranger", 0.12),
        ("fifth_stranger", 0.02),
        ("sixth_stranger", 0.085),
        ("seventh_stranger", 0.16),
    ],
)
def test_hardly_any_reply_is_misread_and_few_are_unread(name, unread_at_most):
    lines = list(zip(corpus(name), answers(name), strict=True))
    wrong = [line.text for line, answer in lines if line.is_misread(answer)]
    unread = [line.text for line, answer in lines if answer is None and line.expected is not None]
    assert wrong == []
    assert len(unread) / len(lines) <= unread_at_most, unread
