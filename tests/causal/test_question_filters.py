"""Which causal graphs can be asked about without doubt."""

from itertools import permutations

import msgspec
import pytest
from specimens import every_kind, graph

from countersight.causal.graph import CausalEdge, SceneGraph, SceneRelation, Thing
from countersight.causal.mining import MiningStatistics, mine_scenes
from countersight.causal.question_filters import graph_error, is_one_way, is_sound, select_graphs


@pytest.mark.parametrize("one", every_kind(), ids=lambda one: one.kind)
def test_a_plain_graph_has_neither_fault_nor_doubt(one):
    assert graph_error(one) is None
    assert is_sound(one)


def edge(cause, effect):
    return CausalEdge(cause, effect, "on", effect, cause, "support")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"things": (Thing("A", "table"), Thing("A", "plate"))}, "same id"),
        ({"things": (Thing("A", "table"), Thing("B", " "))}, "no name"),
        ({"edges": (edge("A", "X"),)}, "not between two things of the graph"),
        ({"edges": (CausalEdge("A", "B", "on", "B", "B", "support"),)}, "not between two things of the graph"),
        ({"edges": (edge("B", "A"),)}, "not those of the kind direct"),
        ({"edges": ()}, "not those of the kind direct"),
        ({"edges": (edge("A", "B"), edge("A", "B"))}, "not those of the kind direct"),
        ({"kind": "chain"}, "not those of the kind chain"),
    ],
)
def test_a_graph_that_is_none_is_told_of(changes, reason):
    found = graph_error(msgspec.structs.replace(graph("direct"), **changes))
    assert found is not None
    assert reason in found


@pytest.mark.parametrize(
    ("kind", "names", "causes"),
    [
        ("direct", ("desk", "object"), ("support",)),
        ("direct", ("table", "qwzx"), ("support",)),
        ("direct", ("table", "très"), ("support",)),
        ("direct", ("table", "small round old cup"), ("support",)),
        ("direct", ("table", "coffee table"), ("support",)),
        ("direct", ("bench", "seat"), ("support",)),
        ("direct", ("shoulder", "bag"), ("attachment",)),
        ("direct", ("court", "tennis ball"), ("support",)),
        ("direct", ("grass", "weeds"), ("support",)),
        ("direct", ("sky", "bird"), ("support",)),
        ("chain", ("chair", "lady", "wine"), ("support", "force")),
        ("chain", ("beach", "people", "shadows"), ("support", "source")),
        ("chain", ("bench", "woman", "coat"), ("support", "wearing")),
        ("collision", ("snow", "ground", "car"), ("covering", "support")),
        ("chain", ("ground", "snow", "people"), ("support", "support")),
        ("direct", ("horseback", "men"), ("support",)),
        ("direct", ("napkin", "hot dog"), ("support",)),
        ("direct", ("kite", "string"), ("attachment",)),
        ("direct", ("dog", "leash"), ("attachment",)),
        ("direct", ("tablecloth", "plate"), ("support",)),
        ("collision", ("man", "left hand", "beer"), ("holding", "holding")),
        ("direct", ("bag", "dunkin donuts"), ("support",)),
        ("direct", ("man", "short"), ("wearing",)),
    ],
)
def test_what_cannot_be_asked_without_doubt_is_left_out(kind, names, causes):
    assert not is_sound(graph(kind, names, causes))


def test_a_name_that_two_things_of_the_picture_have_tells_neither():
    assert not is_sound(graph("direct", namesakes=("table",)))


@pytest.mark.parametrize(
    ("scene", "relations"),
    [
        (("sofa", "pillow", "pillow"), ("on", "near")),
        (("sofa", "pillows", "pillow"), ("on", "near")),
        (("sofas", "pillow", "sofa"), ("on", "near")),
    ],
)
def test_a_question_about_one_of_several_pillows_is_not_asked(scene, relations):
    first, second, third = (Thing(str(number), name) for number, name in enumerate(scene))
    on, near = SceneRelation("1", relations[0], "0"), SceneRelation("2", relations[1], "1")
    (found,) = mine_scenes([SceneGraph("s", (first, second, third), (on, near))], MiningStatistics())
    assert not is_sound(found)
    assert list(select_graphs([found])) == []
    (alone,) = mine_scenes([SceneGraph("s", (first, second), (on,))], MiningStatistics())
    assert is_sound(alone)


def test_a_picture_of_a_creature_is_no_creature():
    shirt = graph("direct", ("shirt", "tiger"), ("attachment",))
    (edge,) = shirt.edges
    printed = msgspec.structs.replace(edge, relation="print on")
    assert not is_sound(msgspec.structs.replace(shirt, edges=(printed,)))


def test_what_a_thing_has_as_its_part_is_no_second_cause():
    bar = graph("collision", ("bar", "wall", "poster"), ("attachment", "attachment"))
    (first, second) = bar.edges
    having = CausalEdge("A", "C", "have", "A", "C", "attachment")
    assert is_sound(msgspec.structs.replace(bar, edges=(first, second)))
    assert not is_sound(msgspec.structs.replace(bar, edges=(having, second)))


@pytest.mark.parametrize(
    ("kind", "names", "causes"),
    [
        ("direct", ("hand", "cup"), ("holding",)),
        ("direct", ("woman", "coat"), ("wearing",)),
        ("chain", ("man", "shirt", "logo"), ("wearing", "attachment")),
        ("chain", ("beach", "women", "umbrella"), ("support", "holding")),
    ],
)
def test_what_can_is_kept(kind, names, causes):
    assert is_sound(graph(kind, names, causes))


@pytest.mark.parametrize(
    ("names", "relation", "is_shared"),
    [
        (("man", "woman", "shirt"), "wear", False),
        (("man", "woman", "rackets"), "hold", False),
        (("man", "woman", "couch"), "hold", True),
    ],
)
def test_what_is_said_of_two_alike_may_be_true_of_each(names, relation, is_shared):
    kinds = ("wearing", "wearing") if relation == "wear" else ("holding", "holding")
    both = graph("collision", names, kinds)
    edges = tuple(CausalEdge(edge.cause, "C", relation, edge.cause, "C", edge.kind) for edge in both.edges)
    assert is_sound(msgspec.structs.replace(both, edges=edges)) == is_shared


def test_what_somebody_has_in_front_of_them_is_not_held():
    has = CausalEdge("A", "B", "have", "A", "B", "holding")
    held = graph("direct", ("woman", "plate"), ("holding",), edges=(has,))
    assert is_sound(held)
    assert not is_sound(msgspec.structs.replace(held, descriptions=("a woman has a plate in front of her",)))


def test_parts_of_parts_are_not_asked_about():
    assert not is_sound(graph("confounding", ("plane", "wing", "engine"), ("attachment",) * 3))


def with_ids(one, *ids):
    """The same graph, its things under other ids."""
    new = dict(zip("ABC", ids, strict=False))
    return msgspec.structs.replace(
        one,
        scene="s",
        things=tuple(msgspec.structs.replace(thing, id=new[thing.id]) for thing in one.things),
        edges=tuple(
            CausalEdge(new[e.cause], new[e.effect], e.relation, new[e.subject], new[e.object], e.kind)
            for e in one.edges
        ),
    )


def test_an_effect_is_not_asked_about_with_some_of_its_causes():
    """The string and the table both keep the balloon: whether the table alone would do, nobody said."""
    both = with_ids(graph("collision", ("string", "table", "balloon"), ("attachment", "support")), "h", "s", "d")
    one = with_ids(graph("direct", ("table", "balloon")), "s", "d")
    other = with_ids(graph("direct", ("shelf", "cup")), "t", "c")
    assert list(select_graphs([both, one, other])) == [both, other]


def test_what_the_picture_relates_to_the_graph_is_not_beside_it():
    plate = with_ids(graph("direct", ("table", "plate"), others=("man", "cup", "floor", "window")), "t", "p")
    cup = with_ids(graph("direct", ("table", "cups")), "t2", "c")
    man = with_ids(graph("direct", ("man", "cup"), ("holding",)), "m", "c2")
    (first, *_) = select_graphs([plate, cup, man])
    assert [thing.name for thing in first.others] == ["floor", "window"]


def test_what_another_description_tells_together_with_the_graph_is_not_beside_it():
    shoes = graph("direct", ("ground", "shoes"), others=("tile", "lamp"), descriptions=("shoes on the ground",))
    lamp = graph("direct", ("wall", "lamp"), descriptions=("a lamp on the wall", "shoes sitting on a tile floor"))
    (first, _) = select_graphs([shoes, lamp])
    assert [thing.name for thing in first.others] == ["lamp"]


def test_what_the_own_description_tells_beside_the_graph_may_be_a_right_answer():
    """Of the frame of a chair, the chair keeps the cat as well."""
    told = ("white frame of chair cat is sitting in",)
    (cat,) = select_graphs([graph("direct", ("frame", "cat"), others=("chair", "lamp"), descriptions=told)])
    assert [thing.name for thing in cat.others] == ["lamp"]


def test_pictures_are_looked_at_one_by_one():
    other = graph("direct", ("man", "cup"), ("holding",), image="2")
    plate = graph("direct", ("table", "plate"), others=("cup",))
    cup = graph("direct", ("table", "cup"), image="3")
    assert [len(one.others) for one in select_graphs([other, plate, cup])] == [0, 1, 0]


def direct(cause, effect, scene="s"):
    names = (cause, effect)
    things = tuple(Thing(name, name) for name in names)
    edges = (CausalEdge(cause, effect, "on", effect, cause, "support"),)
    return graph("direct", names, things=things, edges=edges, scene=scene)


def test_two_things_on_one_make_a_fork_unless_the_one_is_on_the_other():
    def made(*graphs):
        return {tuple(thing.name for thing in one.things) for one in select_graphs(graphs) if one.kind == "fork"}

    cup, lamp = direct("table", "cup"), direct("table", "lamp")
    assert made(cup, lamp) == {("table", "cup", "lamp"), ("table", "lamp", "cup")}
    assert made(cup, direct("table", "lamp", scene="another")) == set()
    assert made(cup, lamp, direct("cup", "lamp")) == set()
    assert all(graph_error(one) is None for one in select_graphs([cup, lamp]))


@pytest.mark.parametrize(
    ("kind", "names", "causes", "two_way"),
    [
        ("chain", ("street", "bicycle", "man"), ("support", "support"), "CB"),
        ("direct", ("rivets", "sign"), ("attachment",), "BA"),
        ("direct", ("bus", "wheels"), ("attachment",), "BA"),
    ],
)
def test_a_cause_that_its_effect_also_keeps_in_place_is_not_asked_about(kind, names, causes, two_way):
    one = graph(kind, names, causes)
    pairs = [f"{lost}{effect}" for lost, effect in permutations("ABC"[: len(names)], 2)]
    assert [pair for pair in pairs if not is_one_way(one, *pair)] == [two_way]


@pytest.mark.parametrize(
    ("names", "kind", "text"),
    [
        (("girl", "blouse"), "holding", "the blouse has a girl drawing"),
        (("person", "camera"), "holding", "person with back facing camera"),
    ],
)
def test_words_of_a_caption_that_are_no_things_of_the_picture_are_not_asked_about(names, kind, text):
    one = graph("direct", names, (kind,))
    assert is_sound(one)
    assert not is_sound(msgspec.structs.replace(one, descriptions=(text,)))


@pytest.mark.parametrize(("text", "sound"), [("plate of the white table", False), ("plate on the table of wood", True)])
def test_a_thing_that_a_caption_calls_part_of_another_is_not_asked_about(text, sound):
    things = (Thing("A", "table"), Thing("B", "plate"))
    one = msgspec.structs.replace(graph("direct"), things=things, edges=(edge("A", "B"),), descriptions=(text,))
    assert is_sound(one) == sound
