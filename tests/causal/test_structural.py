"""Boolean structural causal models, and what the paths of a graph say of every model that has it."""

from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from countersight.causal.graph import causes, descendants
from countersight.causal.structural import (
    StructuralModel,
    adjusted_probability,
    association,
    controlled_direct_effect,
    counterfactual_value,
    every_cause_needed,
    is_necessary,
    is_sufficient,
    natural_direct_effect,
    natural_indirect_effect,
    probability,
)

CHAIN = frozenset({("A", "B"), ("B", "C")})
FORK = frozenset({("A", "B"), ("A", "C")})
CONFOUNDING = frozenset({("A", "B"), ("A", "C"), ("B", "C")})
COLLISION = frozenset({("A", "C"), ("B", "C")})
EVEN = dict.fromkeys("ABCD", 0.5)


def model_of(edges, names="ABC"):
    return every_cause_needed({name: tuple(sorted(causes(edges, name))) for name in names})


@st.composite
def models(draw, names="ABCD", edges=None):
    """A model of any graph over these names (or of this one), with any mechanisms and any chances."""
    if edges is None:
        edges = frozenset(draw(st.sets(st.sampled_from(list(combinations(names, 2))))))
    of = {name: tuple(sorted(causes(edges, name))) for name in names}
    tables = {name: tuple(draw(st.lists(st.booleans(), min_size=n, max_size=n))) for name, n in _sizes(of).items()}
    chances = {name: draw(st.sampled_from((0.2, 0.35, 0.5, 0.7, 0.9))) for name in names}
    return edges, StructuralModel(of, tables), chances


def _sizes(of):
    return {name: 2 ** (len(parents) + 1) for name, parents in of.items()}


def test_what_is_lost_is_lost_further_on():
    undisturbed = dict.fromkeys("ABC", True)
    assert model_of(CHAIN).solve(undisturbed) == {"A": True, "B": True, "C": True}
    assert model_of(CHAIN).solve(undisturbed, {"A": False}) == {"A": False, "B": False, "C": False}
    assert model_of(CHAIN).solve(undisturbed | {"B": False}) == {"A": True, "B": False, "C": False}


def test_an_intervention_cuts_a_thing_off_from_its_causes():
    assert model_of(CHAIN).solve(dict.fromkeys("ABC", True), {"A": False, "B": True})["C"]


def test_seeing_is_not_doing_where_something_is_behind_both():
    model = model_of(FORK)
    seen = probability(model, EVEN, {"C": True}, given={"B": True})
    done = probability(model, EVEN, {"C": True}, do={"B": True})
    assert (seen, done) == (pytest.approx(0.5), pytest.approx(0.25))


def test_a_counterfactual_keeps_what_was_seen():
    all_there = dict.fromkeys("ABC", True)
    assert counterfactual_value(model_of(CHAIN), "C", {"A": False}, all_there) is False
    assert counterfactual_value(model_of(CHAIN), "A", {"C": False}, all_there) is True
    assert counterfactual_value(model_of(CHAIN), "C", {"A": True}, {"A": False}) is None


def test_effects_of_a_chain_and_of_a_confounding():
    chain, confounding = model_of(CHAIN), model_of(CONFOUNDING)
    assert controlled_direct_effect(chain, EVEN, "A", "C", {"B": True}) == 0
    assert controlled_direct_effect(chain, EVEN, "B", "C", {"A": True}) == pytest.approx(0.5)
    assert controlled_direct_effect(confounding, EVEN, "A", "C", {"B": True}) == pytest.approx(0.5)
    assert natural_direct_effect(chain, EVEN, "A", "C", ("B",)) == 0
    assert natural_direct_effect(confounding, EVEN, "A", "C", ("B",)) == pytest.approx(0.25)
    assert natural_indirect_effect(chain, EVEN, "A", "C", ("B",)) == pytest.approx(0.25)


def test_enough_and_needed():
    chain, collision, confounding = model_of(CHAIN), model_of(COLLISION), model_of(CONFOUNDING)
    assert is_sufficient(chain, "B", "C")
    assert not is_sufficient(chain, "A", "C")
    assert is_necessary(chain, "B", "C")
    assert not is_necessary(chain, "A", "C"), "B may have been disturbed alone"
    assert not is_necessary(collision, "A", "C"), "B may have been lost alone"
    assert is_necessary(confounding, "B", "C"), "A is lost only together with B"


def test_a_collider_is_opened_by_looking_at_it():
    model = model_of(COLLISION)
    assert association(model, EVEN, "A", "B") == pytest.approx(0)
    # Among the 7 of 8 even worlds without C: A and B in 1, A in 3, B in 3; 1/7 - (3/7)² < 0.
    assert association(model, EVEN, "A", "B", {"C": False}) == pytest.approx(1 / 7 - (3 / 7) ** 2)


@given(models())
def test_controlling_for_the_causes_of_the_cause_gives_what_doing_gives_in_every_model(drawn):
    edges, model, chances = drawn
    for cause, effect in edges:
        for value in (True, False):
            seen = adjusted_probability(model, chances, cause, effect, value, tuple(causes(edges, cause)))
            assume(seen == seen)  # where a stratum has no such cause the formula says nothing
            assert seen == pytest.approx(probability(model, chances, {effect: True}, do={cause: value}))


@given(models(names="ABC", edges=CHAIN))
def test_without_a_direct_edge_there_is_no_direct_effect_in_any_model(drawn):
    _, model, chances = drawn
    assert controlled_direct_effect(model, chances, "A", "C", {"B": True}) == pytest.approx(0)
    assert natural_direct_effect(model, chances, "A", "C", ("B",)) == pytest.approx(0)
    indirect = natural_indirect_effect(model, chances, "A", "C", ("B",))
    assert indirect == pytest.approx(controlled_direct_effect(model, chances, "A", "C", {}))


@given(models(names="ABC", edges=COLLISION))
def test_without_a_mediator_all_of_the_effect_is_direct_in_every_model(drawn):
    _, model, chances = drawn
    total = controlled_direct_effect(model, chances, "A", "C", {})
    assert natural_direct_effect(model, chances, "A", "C", ()) == pytest.approx(total)
    assert natural_indirect_effect(model, chances, "A", "C", ()) == pytest.approx(0)


@given(models())
def test_nothing_acts_on_what_does_not_depend_on_it(drawn):
    edges, model, chances = drawn
    for cause in "ABCD":
        for other in set("ABCD") - descendants(edges, cause) - {cause}:
            assert controlled_direct_effect(model, chances, cause, other, {}) == pytest.approx(0)


@given(models())
def test_what_would_have_been_without_a_change_is_what_was_seen(drawn):
    _, model, _ = drawn
    for background in model.backgrounds():
        world = model.solve(background)
        assert all(counterfactual_value(model, name, {}, world) == world[name] for name in world)
