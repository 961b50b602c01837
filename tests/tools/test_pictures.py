"""Pictures for training: the maps agree with the counts, and those out of domain look like anything but scenes."""

import numpy as np
import pytest

from countersight.models.embedded import SIDE
from countersight.scenes import COLOURS
from tools.embedded.pictures import sample
from tools.embedded.targets import BOTH, DOT, FLOWER

pytestmark = pytest.mark.slow

SAMPLES = [sample(f"tests/{number}") for number in range(40)]


@pytest.mark.parametrize("nth", range(len(SAMPLES)))
def test_maps_hold_what_the_facts_count(nth: int) -> None:
    one = SAMPLES[nth]
    marks, colours, regions = one.target
    flowers, dots = marks == FLOWER, marks == DOT
    assert flowers.sum() == one.facts.flowers
    assert dots.sum() == one.facts.dots
    assert (flowers & (regions == BOTH)).sum() == one.facts.both
    for number in range(len(COLOURS)):
        assert (flowers & (colours >> number & 1 == 1)).sum() == one.facts.inside[number]
    for number, expected in enumerate(one.facts.circles):
        assert (dots & (regions == number + 1)).sum() == (expected or 0)


def test_the_same_seed_gives_the_same_picture() -> None:
    again = sample("tests/3")
    assert np.array_equal(again.picture, SAMPLES[3].picture)
    assert again.facts == SAMPLES[3].facts


def test_every_kind_of_picture_is_drawn_at_the_size_the_encoder_takes() -> None:
    assert {one.facts.kind for one in SAMPLES} == {"flowers", "dots", "other"}
    assert all(one.picture.shape == (SIDE, SIDE, 3) and one.picture.dtype == np.uint8 for one in SAMPLES)
