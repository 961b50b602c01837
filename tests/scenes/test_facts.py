"""What is true of a scene is counted in one place, and everybody places a circle alike."""

from random import Random

import msgspec
import pytest

from countersight.editing.exact.finding import choose
from countersight.editing.exact.targets import read_target
from countersight.scenes import COLOURS, PLACES, Circle, Dot, Scene, facts_by_name, facts_of
from countersight.scenes.scene import Background
from countersight.suites.cvqa.templates import TEMPLATES

PLAIN = Background("plain", ("#ffffff", "#ffffff"))


def circle(x: float, y: float, dots: int) -> Circle:
    inside = tuple(Dot(f"d{x}-{nth}", "#000000", 2.0, x + nth, y) for nth in range(dots))
    return Circle(f"c{x}-{y}", "#000000", 40.0, x, y, inside)


def test_a_circle_on_the_middle_line_is_in_the_lower_row_for_all() -> None:
    scene = Scene(
        Background("plain", ("#ffffff", "#ffffff")), circles=(circle(224.0, 224.0, 3), circle(60.0, 100.0, 2))
    )
    assert facts_of(scene).circles == (2, None, None, None, 3, None)
    named = facts_by_name(scene)
    assert (named["dots in the top row"], named["dots in the bottom row"]) == (2, 3)
    chosen = choose(read_target("the dots in the bottom row"), scene, Random(0), "the dots in the bottom row")
    assert len(chosen) == 3


def test_two_circles_in_one_place_are_two_circles() -> None:
    scene = Scene(PLAIN, circles=(circle(60.0, 60.0, 1), circle(60.0, 150.0, 4)))
    named = facts_by_name(scene)
    assert (named["circles"], named["most dots in a circle"], named[f"dots in the {PLACES[0]} circle"]) == (2, 4, 5)


@pytest.mark.parametrize("template", TEMPLATES[:3], ids=lambda template: template.group)
def test_every_flower_is_inside_or_outside_of_a_colour(template) -> None:
    scene = template.solved(5, 0).puzzle.scene
    named = facts_by_name(scene)
    assert all(named[f"flowers inside {c}"] + named[f"flowers outside {c}"] == named["flowers"] for c in COLOURS)
    # A colour that has no name is no polygon's of a question, and breaks nothing.
    plain = msgspec.structs.replace(scene.polygons[0], colour="#123456")
    assert facts_by_name(msgspec.structs.replace(scene, polygons=(plain,)))["polygons"] == 1
