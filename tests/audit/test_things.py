"""What an explanation names, found by words among what the editor finds in the picture."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countersight.audits.extraction.protocol import Statement
from countersight.audits.extraction.things import things_named
from countersight.editing import Abilities

ABLE = Abilities(("remove",), {}, ("leftmost person", "rightmost person", "dog", "dining table", "fire hydrant"))


def named(explanation, most=5, able=ABLE):
    return [each.target for each in things_named(Statement("q", "a", explanation, able), most).instructions]


@pytest.mark.parametrize(
    ("explanation", "targets"),
    [
        ("A dog lies at the left.", ["dog"]),
        ("Two dogs, and a man beside a fire hydrant.", ["dog", "leftmost person", "fire hydrant"]),
        ("The dining tables are set.", ["dining table"]),
        ("The sky is blue.", []),
    ],
)
def test_things_are_found_in_the_order_they_are_named(explanation, targets):
    assert named(explanation) == targets


def test_of_several_of_a_kind_one_is_tested_and_at_most_k():
    assert named("A woman, a dog and a man.", most=1) == ["leftmost person"]


def test_without_a_list_of_things_there_is_a_reason():
    assert "detector=" in things_named(Statement("q", "a", "a dog"), 1).reason


@given(st.text(max_size=200))
def test_any_explanation_is_read(explanation):
    assert set(named(explanation)) <= set(ABLE.things)
