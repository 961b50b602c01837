"""Regions of one picture become one scene."""

import pytest

from countersight.causal.catalogue import classes_of
from countersight.causal.graph import SceneGraph, SceneRelation, Thing
from countersight.causal.merging import merge_scenes
from countersight.causal.mining import MiningStatistics, mine_scenes


def region(name, *related, image="1", **things):
    """A region with relations as "cup on table"; a thing's attributes or box by its name."""
    triples = [text.split() for text in related]
    names = dict.fromkeys(name for triple in triples for name in triple[::2]) or dict.fromkeys(things)
    found = []
    for one in names:
        said = things.get(one, ())
        box = said if said and isinstance(said[0], int) else None
        found.append(Thing(one, one, box=box, attributes=() if box else said))
    return SceneGraph(name, tuple(found), tuple(SceneRelation(*triple) for triple in triples), image)


def one_scene(*regions):
    (scene,) = merge_scenes(regions)
    return scene


def names(scene):
    return [thing.name for thing in scene.things]


def test_a_common_attribute_makes_two_things_one():
    scene = one_scene(region("a", "cup on table", table=("white",)), region("b", "table on floor", table=("white",)))
    assert names(scene) == ["cup", "table", "floor"]
    assert {graph.kind for graph in mine_scenes([scene], MiningStatistics())} == {"direct", "chain"}


def test_two_men_in_coats_stay_two():
    scene = one_scene(region("a", "man wear coat", "man in snow"), region("b", "man wear coat", "man hold skis"))
    assert names(scene).count("man") == 2


def test_two_names_in_common_make_things_of_two_regions_one():
    scene = one_scene(region("a", "food on plate", "plate on table"), region("b", "food on table"))
    assert names(scene) == ["food", "plate", "table"]
    assert "confounding" in {graph.kind for graph in mine_scenes([scene], MiningStatistics())}
    apart = one_scene(region("a", "cup on table"), region("b", "lamp on table"))
    assert names(apart).count("table") == 2


def test_boxes_that_lie_over_each_other_are_of_one_thing():
    near = one_scene(
        region("a", "cup on table", table=(0, 0, 100, 50)), region("b", "table on floor", table=(2, 1, 98, 50))
    )
    far = one_scene(
        region("a", "cup on table", table=(0, 0, 100, 50)), region("b", "table on floor", table=(300, 0, 100, 50))
    )
    assert names(near) == ["cup", "table", "floor"]
    assert names(far) == ["cup", "table", "table", "floor"]


def test_boxes_that_share_a_third_are_of_two_things():
    scene = one_scene(
        region("a", "cup on table", table=(0, 0, 100, 50)), region("b", "table on floor", table=(50, 0, 100, 50))
    )
    assert len(scene.things) == 4


def test_things_named_in_the_plural_are_not_taken_for_the_same_ones():
    scene = one_scene(region("a", "bird on trees", trees=("green",)), region("b", "cat on trees", trees=("green",)))
    assert names(scene) == ["bird", "trees", "cat", "trees"]


def test_without_anything_for_it_two_things_stay_two():
    scene = one_scene(region("a", "hat on man"), region("b", "man on horse"))
    assert names(scene) == ["hat", "man", "man", "horse"]
    assert "chain" not in {graph.kind for graph in mine_scenes([scene], MiningStatistics())}


def test_a_picture_has_one_ground():
    assert names(one_scene(region("a", "car on street"), region("b", "bus on street"))) == ["car", "street", "bus"]


def test_other_pictures_stay_apart_and_so_do_scenes_without_one():
    regions = [region("a", "cup on table", image=image) for image in ("1", "2", "", "")]
    assert len(list(merge_scenes(regions))) == 4


@pytest.mark.parametrize("name", ["2", "50", "?", "日本", "", "..."])
def test_a_name_without_a_latin_letter_is_of_no_class(name):
    assert classes_of(name) == frozenset()
