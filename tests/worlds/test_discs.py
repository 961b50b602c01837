"""Discs: hand-worked collisions, laws that hold whatever happens, and bits that nothing far away can change."""

from math import hypot
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from countersight.worlds import Disc, Discs, build_discs, draw_both, draw_discs, draw_end, draw_strip, motion
from countersight.worlds.discs import BOUNCE, FIELD, WALL

WORLDS = st.integers(0, 3000).map(lambda seed: build_discs(Random(seed), "hard"))


def test_a_disc_stops_where_its_way_ends():
    happens = motion(Discs((Disc("a", "red", 100, 200, 20, 120, 40),)))
    assert happens.events == ()
    assert happens.at("a", 1.0) == (220, 240)


def test_a_head_on_hit_hands_the_motion_on():
    one, other = Disc("a", "red", 100, 200, 20, 200, 0), Disc("b", "blue", 200, 200, 20)
    happens = motion(Discs((one, other)))
    (event,) = happens.events
    assert event.when == pytest.approx((200 - 40 - 100) / 200)
    slow, fast = happens.tracks["a"][-1].vx, happens.tracks["b"][-1].vx
    assert fast - slow == pytest.approx(BOUNCE * 200)
    assert fast + slow == pytest.approx(200)
    assert happens.moved() == {"a", "b"}


def test_a_heavy_disc_goes_on_and_a_light_one_comes_back():
    def after(first: int, second: int) -> float:
        discs = (Disc("a", "red", 100, 200, 20, 200, 0, first), Disc("b", "blue", 200, 200, 20, weight=second))
        return motion(Discs(discs)).tracks["a"][-1].vx

    assert after(4, 1) > 0 > after(1, 4)


def test_a_wall_sends_a_disc_back():
    happens = motion(Discs((Disc("a", "red", 380, 200, 20, 100, 0),)))
    assert happens.reaches_wall("a")
    x, y = happens.at("a", 1.0)
    way = FIELD - WALL - 20 - 380
    assert (x, y) == (pytest.approx(380 + way - BOUNCE * (100 - way)), 200)
    assert happens.length("a") == pytest.approx(way + BOUNCE * (100 - way))


@settings(max_examples=40, deadline=None)
@given(WORLDS, st.randoms(use_true_random=False))
def test_the_order_of_discs_changes_no_bit(world, rng):
    assert motion(replace(world, discs=tuple(rng.sample(world.discs, len(world.discs))))) == motion(world)


@settings(max_examples=60, deadline=None)
@given(WORLDS)
def test_taking_away_what_is_never_touched_changes_no_bit(world):
    happens = motion(world)
    met = {name for event in happens.events if not event.is_wall for name in (event.disc, event.other)}
    for disc in world.discs:
        if disc.id not in met:
            less = motion(replace(world, discs=tuple(other for other in world.discs if other is not disc)))
            assert less.tracks == {name: track for name, track in happens.tracks.items() if name != disc.id}


@settings(max_examples=40, deadline=None)
@given(WORLDS, st.floats(0, 1))
def test_discs_never_overlap_leave_the_table_or_gain_energy(world, when):
    happens = motion(world)
    places = {disc.id: happens.at(disc.id, when) for disc in world.discs}
    for disc in world.discs:
        x, y = places[disc.id]
        assert min(x, y) >= WALL + disc.radius - 1e-6
        assert max(x, y) <= FIELD - WALL - disc.radius + 1e-6
        for other in world.discs:
            if other is not disc:
                assert hypot(x - places[other.id][0], y - places[other.id][1]) >= disc.radius + other.radius - 1e-6

    def energy(tracks):
        return sum(disc.weight * (tracks[disc.id].vx ** 2 + tracks[disc.id].vy ** 2) for disc in world.discs)

    first, last = ({name: each[nth] for name, each in happens.tracks.items()} for nth in (0, -1))
    assert energy(last) <= energy(first) + 1e-6


def test_the_end_shows_discs_where_they_come_to_rest():
    world = Discs((Disc("a", "red", 100, 200, 20, 120, 40, weight=4), Disc("b", "blue", 300, 100, 20)))
    start, end, strip = draw_discs(world), draw_end(world), draw_strip(world)
    assert start.shape == end.shape == (448, 448, 3)
    assert strip.shape[0] > 448
    red = tuple(start[200, 100 - 12])
    assert tuple(end[240, 220 - 12]) == red
    assert tuple(end[200, 100 - 12]) != red
    assert (start[80:120, 280:320] == end[80:120, 280:320]).all(), "what is not touched keeps its pixels"


def test_two_tables_are_shown_one_above_the_other_frame_by_frame():
    pushed = Disc("a", "red", 100, 200, 20, 120, 40)
    other = Disc("b", "blue", 300, 100, 20)
    same, less = (draw_both(Discs((pushed, other)), Discs(discs)) for discs in ((pushed, other), (other,)))
    half = (len(same) - 6) // 2
    assert (same[:half] == same[-half:]).all()
    assert (same[:half] == less[:half]).all()
    changed = (less[:half] != less[-half:]).any(axis=(0, 2))
    assert changed.reshape(-1)[: half + 6].any(), "the first moment is without it too"
