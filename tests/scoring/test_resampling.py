"""Signs flipped by chance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from countersight.scoring.resampling import RESAMPLES, sign_flips
from countersight.scoring.uncertainty import mcnemar

bits = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=200)


@settings(max_examples=40)
@given(bits)
def test_flipping_signs_is_mcnemar_where_answers_are_right_or_wrong(pairs: list[tuple[bool, bool]]) -> None:
    first, second = map(np.array, zip(*pairs, strict=True))
    exact = mcnemar(int((first & ~second).sum()), int((second & ~first).sum()))
    drawn = sign_flips(first, second, seed=1)
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / RESAMPLES) + 2 / RESAMPLES)


def test_flipping_signs_weighs_differences_by_their_size() -> None:
    # Eight signs can fall in 256 ways; only all up and all down are as extreme.
    assert sign_flips([0.6] * 8, [0.3] * 8, seed=0) == pytest.approx(2 / 256, abs=0.004)
    # One large difference against three small ones: the sign of the large one decides, whichever way it falls.
    assert sign_flips([1.0, 0.0, 0.0, 0.0], [0.0, 0.3, 0.3, 0.3], seed=0) == pytest.approx(1.0, abs=0.001)


def test_flipping_signs_never_finds_what_is_there_impossible() -> None:
    assert sign_flips([1.0] * 500, [0.3] * 500, seed=0) == 1 / (RESAMPLES + 1)
    assert sign_flips([0.3, 0.9], [0.3, 0.9], seed=0) == 1.0
