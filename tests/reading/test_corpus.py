"""The corpus of replies is as it was written down before the rules were."""

from replies import corpus, fingerprint

FIXED = "4648ba8504f9175edcf05c222e974b5361464140daced92161e6f4a52cb69e38"


def test_the_corpus_is_the_one_that_was_fixed_beforehand():
    assert fingerprint() == FIXED
    assert len(corpus()) == 746
    assert {half: sum(line.half == half for line in corpus()) for half in ("development", "unseen")} == {
        "development": 373,
        "unseen": 373,
    }
