"""The corpus of replies is as it was written down before the rules were, and is read as it was meant."""

import pytest
from replies import corpus, fingerprint

from countersight.reading import read_reply

FIXED = "4648ba8504f9175edcf05c222e974b5361464140daced92161e6f4a52cb69e38"


def test_the_corpus_is_the_one_that_was_fixed_beforehand():
    assert fingerprint() == FIXED
    assert len(corpus()) == 746
    assert {half: sum(line.half == half for line in corpus()) for half in ("development", "unseen")} == {
        "development": 373,
        "unseen": 373,
    }


@pytest.mark.parametrize("half", ["development", "unseen"])
def test_hardly_any_reply_is_misread_and_few_are_unread(half):
    lines = [(line, read_reply(line.reply, line.question, line.read_from)) for line in corpus() if line.half == half]
    wrong = [line.text for line, answer in lines if answer not in (None, line.expected)]
    unread = [line.text for line, answer in lines if answer is None and line.expected is not None]
    assert len(wrong) / len(lines) <= 0.005, wrong
    assert len(unread) / len(lines) <= 0.05, unread
