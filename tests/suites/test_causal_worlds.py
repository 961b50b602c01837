"""CELLO's twelve tasks on worlds: what the structural model says is what happens when one intervenes."""

import re
from collections import Counter
from itertools import islice
from random import Random

import pytest

from countersight.errors import CountersightError, Unclear
from countersight.progress import silent
from countersight.suites import find_suite
from countersight.suites.cello.queries import Shape, YesNoQuery
from countersight.suites.cello.tasks import TASKS, queries
from countersight.suites.worlds import causal_questions
from countersight.suites.worlds.causal_questions import CAUSES, options_of
from countersight.suites.worlds.making import drafts_with_cases
from countersight.suites.worlds.support_graphs import graphs, is_confirmed
from countersight.worlds import COLOURS, build_supports, building, fallen


@pytest.fixture(scope="module")
def found():
    """Causal graphs of some worlds, with the world of each."""
    kept = []
    for seed in range(12):
        world = build_supports(Random(seed), "medium")
        try:
            kept += [(world, graph) for graph in graphs(world, str(seed))]
        except Unclear:
            continue
    return kept


def test_worlds_have_graphs_of_all_four_kinds_and_forks(found):
    assert {graph.kind for _, graph in found} == {"direct", "chain", "confounding", "collision", "fork"}


def test_intervening_in_the_world_gives_what_the_structural_model_says(found):
    """Rung 2 and 3: what is lost and what is held are taken away and held in the world itself."""
    checked = 0
    for world, graph in found:
        if not is_confirmed(world, graph, Shape.of(graph).model()):
            continue
        for task in TASKS.values():
            for query in queries(task, graph):
                if isinstance(query, YesNoQuery) and task.short in ("CR", "CDE", "NDE"):
                    down = fallen(world, query.cause, held=query.held)
                    assert (query.effect in down) == query.effect_goes
                    checked += 1
    assert checked > 30


def test_a_model_with_an_edge_turned_round_is_not_confirmed(found):
    world, graph = next(pair for pair in found if pair[1].kind == "direct")
    cause, effect = (thing.id for thing in graph.things)
    wrong = Shape.of(graph).model()
    turned = type(wrong)({effect: (), cause: (effect,)}, {effect: wrong.tables[cause], cause: wrong.tables[effect]})
    assert is_confirmed(world, graph, wrong)
    assert not is_confirmed(world, graph, turned)


@pytest.fixture(scope="module")
def cases():
    """Two cases of every task."""
    return [case for _, case in drafts_with_cases(CAUSES, size=24, seed=4)]


@pytest.mark.slow
def test_all_twelve_tasks_are_asked_with_even_answers(cases):
    assert [case.group for case in cases] == [name for name in TASKS for _ in range(2)]
    for case in cases:
        assert case.graph
        assert case.fault() is None
    for first, second in zip(cases[::2], cases[1::2], strict=True):
        if first.counterfactual.kind == "boolean":
            assert {first.counterfactual.answer, second.counterfactual.answer} == {"yes", "no"}
            assert first.provenance["split"] == second.provenance["split"], "the same words are in one split"


@pytest.mark.slow
def test_an_indirect_effect_is_asked_about_of_a_loss_that_changes_what_is_held(cases):
    asked = [case for case in cases if case.provenance["task"] == "NIE"]
    assert {case.provenance["graph_type"] == "fork" for case in asked} == {True, False}
    for case in asked:
        names = {node["id"]: node["obj_name"] for node in case.graph["nodes"]}
        caused = [(names[edge["source"]], names[edge["target"]]) for edge in case.graph["edges"]]
        text = case.counterfactual.text
        lost = re.search(r"(?:without|if) the (\w+ \w+)(?:\.| were gone)", text)[1]
        held = re.search(r"(?:become of|but) the (\w+ \w+)", text)[1]
        assert (lost, held) in caused, text


@pytest.mark.slow
def test_reworded_the_same_is_asked_of_the_same_worlds_with_the_right_option_elsewhere(cases):
    again = [case for _, case in drafts_with_cases(CAUSES, size=5, seed=4, reworded=True)]
    for first, second in zip(cases[:10:2], again, strict=True):
        one, other = first.counterfactual, second.counterfactual
        assert first.graph == second.graph
        assert {option.text for option in one.options} == {option.text for option in other.options}
        assert one.text != other.text
        assert one.answer != other.answer
        assert [question.options["ABCD".index(question.answer)].role for question in (one, other)] == ["answer"] * 2


def test_a_wording_that_a_suite_does_not_have_is_refused(tmp_path):
    with pytest.raises(CountersightError, match="wording of causal-worlds"):
        find_suite("causal-worlds").make(tmp_path / "d", size=2, seed=1, workers=1, progress=silent, wording="eight")


def named_in(*texts):
    """The things that texts name, each as its colour and its kind."""
    return set(re.findall(rf"\b({'|'.join(COLOURS)}) (\w+)", " ".join(texts)))


@pytest.mark.slow
def test_everything_that_a_question_and_its_options_name_is_of_another_colour(cases):
    """Things that touch never have one colour: an option in the colour of what is asked about would be wrong."""
    for asked in (case.counterfactual for case in cases):
        named = named_in(asked.text, *(option.text for option in asked.options))
        assert len(named) >= (5 if asked.options else 2)
        assert len({colour for colour, _ in named}) == len(named), asked


def asked_of_some_worlds():
    """What the tasks ask of some worlds: how it is made even, and all its words."""
    worlds = [build_supports(Random(seed), "medium") for seed in (3, 6)]
    for group in CAUSES.groups:
        drafts = (draft for world in worlds for draft in group.drafts(world, "any", Random(1), Counter()))
        for draft in islice(drafts, 1):
            yield group.name, draft.target, draft.counterfactual.text, draft.counterfactual.answer
            yield from ((option.text, option.role) for option in draft.options)


def test_colours_are_labels_that_fall_by_chance(monkeypatch):
    """With every colour called by another's name, the same is asked in those names, and nothing else is another.

    So whatever is asked, all ways to colour what it names are as likely. What it names is never of one colour, and yes
    and no come in the same words but for colours: nobody can tell the answer by words.
    """
    called = dict(zip(COLOURS, [*COLOURS[3:], *COLOURS[:3]], strict=True))
    before = list(asked_of_some_worlds())
    for module in (building, causal_questions):
        monkeypatch.setattr(module, "COLOURS", list(called.values()))
    word = re.compile(rf"\b({'|'.join(COLOURS)})\b")
    renamed = [tuple(told and word.sub(lambda found: called[found[0]], told) for told in each) for each in before]
    assert list(asked_of_some_worlds()) == renamed
    assert {each[0] for each in before if len(each) > 2} == set(TASKS)


@pytest.mark.parametrize("task", ["collider_bias", "confounder_identification"])
def test_a_wrong_reason_may_have_every_colour_that_nothing_named_has(found, task):
    """What a world has not is offered in any colour: in the first of the list alone, it would be known to be wrong."""
    for world, graph in found:
        for query in queries(TASKS[task], graph):
            drawn = [options_of(TASKS[task], query, Shape.of(graph), [], world, Random(seed)) for seed in range(200)]
            if not all(drawn):
                continue  # too few colours are left for two wrong names
            right = {world.thing(name).colour for name in (*query.about, *query.answer)}
            wrong = {name for options in drawn for name in named_in(*(option.text for option in options))}
            spare = {(colour, world.thing(name).kind) for colour in COLOURS for name in query.answer}
            there = {(thing.colour, thing.kind) for thing in world.things}
            assert {name for name in wrong if name[0] not in right} == {
                name for name in spare - there if name[0] not in right
            }
            return
    pytest.fail(f"no world of these has a question for {task}")


def test_a_difficulty_that_it_does_not_have_is_a_sentence(tmp_path):
    with pytest.raises(CountersightError, match="the difficulty of causal-worlds is medium or hard, not easy"):
        find_suite("causal-worlds").make(tmp_path / "d", size=2, seed=1, workers=1, progress=silent, difficulty="easy")
