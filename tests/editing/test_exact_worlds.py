"""The exact editor changes worlds as questions suppose it, lets them come to rest, and draws them again."""

import asyncio

import numpy as np
import pytest
from worlds.examples import discs, picture_of, supports

from countersight.detection import read_mask
from countersight.editing import EditRequest, Instruction, abilities_of, open_editor
from countersight.errors import EditFailed, Unclear
from countersight.picture import as_seen
from countersight.worlds import Discs, draw_world, fallen, outcome
from countersight.worlds import RemoveThing as TakeAway

EXACT = open_editor("exact")


def edited(world, action, target, value="", positive=""):
    instruction = Instruction(target, "object", action, positive, target=target, value=value)
    return asyncio.run(EXACT.edit(EditRequest(picture_of(world), instruction, scene=world)))


def test_taking_a_thing_away_lets_fall_what_it_held_and_changes_nothing_else():
    seen = 0
    for number in range(2):
        world = supports(number)
        for thing in world.free:
            try:
                down = outcome(world, TakeAway(thing.id)).fallen
                after = edited(world, "remove", f"the {thing.name}")
            except (Unclear, EditFailed):
                continue
            lying = {each.id for each in after.scene.things if each.lies}
            assert lying == {each.id for each in world.things if each.lies} | down
            assert not fallen(after.scene)
            before, now = (np.asarray(as_seen(each)) for each in (picture_of(world), after.picture))
            assert (now == draw_world(after.scene)).all()
            mask = read_mask(after.mask, (now.shape[1], now.shape[0]))
            assert (before == now)[~mask].all()
            seen += 1
    assert seen > 6


def test_a_colour_a_weight_a_place_and_a_side_can_be_changed():
    world = supports(3)
    thing = next(each for each in world.free if each.kind == "block")
    colour = next(each for each in ("black", "pink", "brown", "turquoise") if f"{each} block" not in names(world))
    assert edited(world, "recolour", thing.name, colour).scene.thing(thing.id).colour == colour
    heavier = next(edit for edit in attempts(world, "replace", "1 dot", "4 dots"))
    assert {each.weight for each in heavier.scene.things} >= {1}
    laid = next(edit for edit in attempts(world, "move", "to the floor"))
    assert sum(each.lies for each in laid.scene.things) > sum(each.lies for each in world.things)


def test_discs_are_pushed_otherwise_by_a_sentence():
    world = discs(2)
    moving = next(disc for disc in world.discs if disc.vx or disc.vy)
    after = edited(world, "other", moving.name, positive=f"The {moving.name} is at rest.")
    assert isinstance(after.scene, Discs)
    assert (after.scene.disc(moving.id).vx, after.scene.disc(moving.id).vy) == (0, 0)


@pytest.mark.parametrize(
    ("action", "target", "value"),
    [
        ("remove", "the mauve block", ""),
        ("resize", "red block", "larger"),
        ("replace", "red block", "a dog"),
        ("recolour", "red block", "#123456"),
        ("move", "red block", "to the moon"),
        ("add", "flower", "on top of the table"),
    ],
)
def test_what_has_no_meaning_in_a_world_is_a_failed_edit(action, target, value):
    with pytest.raises(EditFailed):
        edited(supports(1), action, target, value, positive="Make it larger.")


def test_the_editor_says_what_it_can_do_to_a_world():
    world = supports(1)
    request = EditRequest(picture_of(world), Instruction("", "object", "nothing", ""), scene=world)
    able = asyncio.run(abilities_of(EXACT, request))
    assert set(able.things) == names(world)
    assert "move (value: to the floor" in able.words


def names(world):
    return {thing.name for thing in world.things if not thing.is_fixed}


def attempts(world, action, *values):
    for thing in world.free:
        for value in values:
            try:
                yield edited(world, action, thing.name, value)
            except EditFailed:
                continue
