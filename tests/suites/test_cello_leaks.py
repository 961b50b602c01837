"""The check of wordings: what gives the answer away, and what asks something else, is sent back with a reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countersight.suites.cello.leaks import LONGEST, fault, leaked


@pytest.mark.parametrize(
    "text",
    [
        "What keeps the books on the shelf?",
        "What keeps the books on the Shelves?",
        "Which shelf-like thing holds books?",
        "Are the books in a shelf?",
    ],
)
def test_a_forbidden_word_in_any_form(text):
    assert leaked(text, ["shelf"], ["books"]) == (["shelf"] if "-like" not in text else [])


def test_a_synonym_and_the_head_of_a_name():
    assert leaked("What does the man on the couch hold?", ["sofa"], ["man"]) == ["sofa"]
    assert leaked("Where is the racket?", ["tennis racket"], []) == ["tennis racket"]
    assert leaked("What is on the fire hydrants?", ["fire hydrant"], []) == ["fire hydrant"]
    assert leaked("What keeps the cup up?", ["table", "tray"], ["cup"]) == []


def test_words_of_what_may_be_named_give_nothing_away():
    assert leaked("What does the tennis player hold?", ["tennis racket"], ["tennis player"]) == []
    assert leaked("What does the racket player hold?", ["tennis racket"], ["tennis player"]) == ["tennis racket"]


GOOD = "If the shelf came down, would the books still be where they are?"


def test_a_good_wording_has_no_fault():
    assert fault(GOOD, forbidden=["wall"], named=["shelf", "books"]) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "10 to 400 characters"),
        ("x" * LONGEST + "?", "10 to 400 characters"),
        (GOOD.removesuffix("?"), "one question"),
        (GOOD + " Why?", "one question"),
        ("Sure:\n" + GOOD, "one question"),
        (GOOD.replace("came down", "fell off the wall"), "must not mention wall"),
        (GOOD.replace("the books", "they"), "must mention books"),
    ],
)
def test_a_fault_is_told_in_words(text, reason):
    found = fault(text, forbidden=["wall"], named=["shelf", "books"])
    assert found is not None
    assert reason in found


@given(st.text(max_size=60), st.lists(st.text(max_size=10), max_size=3), st.lists(st.text(max_size=10), max_size=3))
def test_no_text_makes_the_check_fail(text, forbidden, named):
    found = fault(text, forbidden=forbidden, named=named)
    assert found is None or isinstance(found, str)
