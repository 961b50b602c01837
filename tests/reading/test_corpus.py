"""The corpus of replies is as it was written down before the rules were."""

from replies import corpus, fingerprint

FIXED = "f047973cc6a899547b406e7996281fda181ccbeab8a5f5171b1c152d13af98f8"


def test_the_corpus_is_the_one_that_was_fixed_beforehand():
    assert fingerprint() == FIXED
    assert len(corpus()) == 746
    assert {half: sum(line.half == half for line in corpus()) for half in ("development", "unseen")} == {
        "development": 373,
        "unseen": 373,
    }
