"""The twelve tasks: what they ask of which graphs, and that their gold answers hold in structural models."""

from collections import Counter

import msgspec
import pytest
from causal.specimens import EDGES, every_kind, graph
from hypothesis import given
from hypothesis import strategies as st

from countersight.causal.structural import StructuralModel
from countersight.suites.cello.queries import ChoiceQuery, Shape
from countersight.suites.cello.tasks import RUNGS, TASKS, queries

FITS = [(task, kind) for task in TASKS.values() for kind in task.kinds]
IDS = [f"{task.short}-{kind}" for task, kind in FITS]


def all_queries(task, kind, model=None):
    """The queries of a task about a graph, answered by its own structural model or by another."""
    shape = Shape.of(graph(kind))
    return list(task.queries(shape, model or shape.model()))


def asked(name, kind, **fields):
    """The one query of a task with these fields."""
    found = [
        query for query in all_queries(TASKS[name], kind) if fields.items() <= msgspec.structs.asdict(query).items()
    ]
    assert len(found) == 1
    return found[0]


def test_there_are_twelve_on_four_rungs():
    assert len(TASKS) == 12
    assert Counter(RUNGS[task.rung] for task in TASKS.values()) == {
        "discovery": 3,
        "association": 1,
        "intervention": 3,
        "counterfactual": 5,
    }
    assert " ".join(task.short for task in TASKS.values()) == "CaI CA AR CB CoI BAS CDE CR NDE NIE SC NC"


@pytest.mark.parametrize(("task", "kind"), FITS, ids=IDS)
def test_a_choice_is_refused_if_nothing_depends_on_anything(task, kind):
    causes = Shape.of(graph(kind)).model().causes
    unmoved = StructuralModel(causes, {name: (True,) * 2 ** (len(of) + 1) for name, of in causes.items()})
    if task.is_choice:
        assert all_queries(task, kind, unmoved) == []


@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.short)
def test_nothing_is_asked_of_graphs_that_do_not_fit(task):
    for other in every_kind():
        assert bool(queries(task, other)) == (other.kind in task.kinds)


@st.composite
def mechanisms(draw, kind):
    """Any model of a graph in which every cause is needed: what a disturbance does to an effect is left open."""
    causes = Shape.of(graph(kind)).model().causes
    tables = {}
    for name, of in causes.items():
        size = 2 ** (len(of) + 1)
        tables[name] = tuple(
            place == size - 1 or (bool(of) and place == size - 2 and draw(st.booleans())) for place in range(size)
        )
    return StructuralModel(causes, tables)


@given(st.data())
@pytest.mark.parametrize(
    ("task", "kind"),
    [pair for pair in FITS if pair[0].short not in ("SC", "NC")],
    ids=[id_ for id_ in IDS if not id_.startswith(("SC", "NC"))],
)
def test_gold_answers_hold_whatever_disturbances_do(task, kind, data):
    """Sufficient and necessary causes ask what a disturbance can do, and so need one that does something."""
    assert all_queries(task, kind, data.draw(mechanisms(kind))) == all_queries(task, kind)


@st.composite
def any_mechanisms(draw, kind):
    causes = Shape.of(graph(kind)).model().causes
    sizes = {name: 2 ** (len(of) + 1) for name, of in causes.items()}
    return StructuralModel(
        causes, {name: tuple(draw(st.lists(st.booleans(), min_size=n, max_size=n))) for name, n in sizes.items()}
    )


@given(st.data())
@pytest.mark.parametrize("kind", list(EDGES))
def test_that_nothing_follows_backwards_holds_in_every_model(kind, data):
    """What is said to stay because it does not depend on the lost thing stays whatever the mechanisms are."""
    model = data.draw(any_mechanisms(kind))
    for task in TASKS.values():
        if kind in task.kinds and task.short in ("CDE", "NIE"):
            for query, there in zip(all_queries(task, kind), all_queries(task, kind, model), strict=True):
                assert query.effect_goes or not there.effect_goes


def test_the_published_examples_have_their_published_answers():
    """Wall, shelf and books; a woman and her balloons (CELLO 4.2)."""
    kind = "confounding"  # A wall, B shelf, C books
    assert asked("backdoor_adjustment_set", kind).answer == ("A",)
    assert asked("confounder_identification", kind).answer == ("A", "B")
    assert asked("controlled_direct_effect", kind, cause="B", effect="C", held=("A",)).effect_goes
    assert asked("counterfactual_reasoning", kind, cause="B", effect="C").effect_goes
    assert asked("natural_direct_effect", kind, cause="B", effect="C").effect_goes
    assert asked("natural_indirect_effect", kind, cause="A", effect="C").effect_goes
    assert asked("necessary_cause", "direct").effect_goes
    assert {query.answer for query in all_queries(TASKS["collider_bias"], "collision")} == {("A", "B")}


def test_a_chain_is_told_by_its_ends():
    assert asked("causal_attribution", "chain", about=("C",), answer=("A",), partial=("B",))
    assert asked("abstract_reasoning", "chain", about=("A",), answer=("C",), partial=("B",))
    assert not asked("controlled_direct_effect", "chain", cause="A", effect="C").effect_goes
    assert not asked("natural_direct_effect", "chain", cause="A", effect="C").effect_goes
    assert not asked("necessary_cause", "chain", cause="A", effect="C").effect_goes
    assert asked("necessary_cause", "chain", cause="B", effect="C").effect_goes


def test_direct_and_indirect_effects_are_asked_of_a_true_mediator_alone():
    for name in ("controlled_direct_effect", "natural_direct_effect", "natural_indirect_effect"):
        for kind in ("chain", "confounding"):
            assert {(q.cause, q.held, q.effect) for q in all_queries(TASKS[name], kind)} == {
                ("A", ("B",), "C"),
                ("B", ("A",), "C"),
            }


def test_in_a_fork_what_becomes_of_one_thing_does_nothing_to_the_other():
    """The bench stays, and the bag fares as without it: the newspaper beside the bag lies on the bench."""
    (query,) = all_queries(TASKS["natural_indirect_effect"], "fork")
    assert (query.cause, query.held, query.effect, query.effect_goes) == ("A", ("B",), "C", False)


def test_enough_is_the_last_of_a_chain_and_none_of_several_causes():
    def enough(kind, kept, effect):
        return not asked("sufficient_cause", kind, cause=kept, effect=effect).effect_goes

    assert enough("direct", "A", "B")
    assert enough("chain", "B", "C")
    assert not enough("chain", "A", "C")
    assert not enough("confounding", "A", "C")
    assert not enough("collision", "A", "C")
    assert not enough("collision", "B", "C")


def test_that_an_effect_is_gone_does_not_tell_which_of_two_causes_is():
    assert not any(query.effect_goes for query in all_queries(TASKS["necessary_cause"], "collision"))


def test_a_bystander_matters_to_nothing():
    beside = graph("chain", others=("window",))
    for task in TASKS.values():
        plain = queries(task, beside)
        added = [query for query in queries(task, beside, ("other window",)) if query not in plain]
        assert bool(added) == (task.short in ("CR", "SC", "NC"))
        for query in added:
            assert query.cause == "other window"
            assert query.effect_goes == (task.short == "SC")


def test_of_two_causes_without_an_edge_none_is_lost_for_the_other():
    """Soda in a can, can and soda on a table: the table bears the can, whatever the graph of the soda says."""
    found = all_queries(TASKS["counterfactual_reasoning"], "collision")
    assert {(query.cause, query.effect) for query in found} == {("C", "A"), ("C", "B")}


def test_a_pile_is_one_support_after_the_other():
    """Cup on table, table on floor, cup on floor: with the table held, the floor does nothing for the cup."""
    pile = Shape.of(graph("confounding", causes=("support", "support", "support")))
    for name in ("controlled_direct_effect", "natural_direct_effect"):
        assert not list(TASKS[name].queries(pile, pile.model()))


def test_a_part_is_not_lost_without_the_whole():
    """A roof that falls in is a house that has changed: necessity is not asked about."""
    roof = Shape.of(graph("chain", ("house", "roof", "snow"), ("attachment", "support")))
    found = TASKS["necessary_cause"].queries(roof, roof.model())
    assert not [query for query in found if (query.cause, query.effect) == ("A", "C")]


def test_a_choice_never_offers_its_answer_twice():
    for task in TASKS.values():
        for kind in task.kinds:
            for query in all_queries(task, kind):
                if isinstance(query, ChoiceQuery):
                    assert not set(query.answer) & set(query.partial)
                    assert not set(query.answer) & set(query.about)
