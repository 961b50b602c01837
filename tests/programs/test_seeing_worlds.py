"""The reference programmer and eyes that see worlds: right from pixels alone, or silent."""

import io

import numpy as np
import pytest
from PIL import Image
from worlds.examples import discs, supports

from countersight.programs.vision import NotAScene, see_world
from countersight.worlds import draw_world


@pytest.mark.parametrize("build", [supports, discs])
def test_what_is_seen_is_what_was_drawn(build):
    for number in range(6):
        world = build(number)
        seen = see_world(draw_world(world))
        things = [(each.name, each.weight) for each in getattr(seen, "things", ()) or seen.discs]
        drawn = [(each.name, each.weight) for each in getattr(world, "things", ()) or world.discs]
        assert sorted(things) == sorted(drawn)


@pytest.mark.parametrize("build", [supports, discs])
def test_a_picture_that_was_encoded_again_is_seen_as_no_world(build):
    buffer = io.BytesIO()
    Image.fromarray(draw_world(build(1))).save(buffer, "JPEG", quality=80)
    assert see_world(np.asarray(Image.open(buffer))) is None


def test_a_world_with_something_strange_in_it_is_refused():
    pixels = draw_world(supports(1)).copy()
    pixels[100:180, 200:280] = (250, 0, 250)
    with pytest.raises(NotAScene, match="differs in"):
        see_world(pixels)
