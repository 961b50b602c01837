"""Instructions in the words that editors are told."""

from msgspec.structs import replace

from countersight.editing.protocol import Instruction, description_of, words_for

BLUE = Instruction(
    "the red car", "attribute", "recolour", "The car is blue, with  the\nsame wheels", "A red car", "car"
)


def test_both_parts_of_an_instruction_are_told_and_all_else_is_to_stay():
    words = words_for(BLUE)
    assert "The car is blue, with the same wheels." in words
    assert "A red car." in words
    assert "everything else must stay exactly as they are" in words
    assert "picture alone" in words


def test_an_instruction_without_a_negative_part_has_no_empty_line_for_it():
    assert "touched" not in words_for(replace(BLUE, negative=" "))


def test_the_control_is_told_to_change_nothing_whatever_else_it_says():
    words = words_for(replace(BLUE, action="nothing"))
    assert "Change nothing at all." in words
    assert "blue" not in words


def test_what_fills_a_mask_is_told_what_shall_be_seen():
    assert description_of(BLUE) == "The car is blue, with the same wheels."
    assert description_of(replace(BLUE, positive="Is it blue?")) == "Is it blue?"
