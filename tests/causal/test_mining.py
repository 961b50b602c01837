"""From scene graphs to a folder of causal graphs."""

import json
import signal
import subprocess
import sys

import msgspec
import pytest
from making import picture
from published import published
from waiting import wait_until

from countersight.causal.graph import CausalEdge, Description, SceneGraph, SceneRelation, Thing
from countersight.causal.mined_folder import mine_folder, read_graphs
from countersight.causal.mining import MOST_DESCRIPTIONS, MiningStatistics, mine, mine_scenes
from countersight.cli import main


def scene(*triples, id="1", boxes=None, **fields):
    """A scene of triples of ids; the name of a thing is its id without a number behind."""
    ids = dict.fromkeys(end for subject, _, object in triples for end in (subject, object))
    things = tuple(Thing(each, each.rstrip("0123456789"), box=(boxes or {}).get(each)) for each in ids)
    return SceneGraph(id, things, tuple(SceneRelation(*triple) for triple in triples), **({"image": id} | fields))


SHAPES = {
    "direct": [(0, 1)],
    "chain": [(0, 1), (1, 2)],
    "confounding": [(0, 1), (0, 2), (1, 2)],
    "collision": [(0, 2), (1, 2)],
}


def is_well_formed(graph):
    """Whether the edges are those of the kind, in the order of its letters, between subject and object."""
    ids = [thing.id for thing in graph.things]
    edges = [(ids.index(edge.cause), ids.index(edge.effect)) for edge in graph.edges]
    return edges == SHAPES[graph.kind] and all({e.cause, e.effect} == {e.subject, e.object} for e in graph.edges)


def mined(*scenes):
    statistics = MiningStatistics()
    return list(mine_scenes(scenes, statistics)), statistics


def named(graphs):
    return sorted((graph.kind, *(thing.name for thing in graph.things)) for graph in graphs)


SHELF = scene(("shelf", "attached to", "wall"), ("book", "on", "shelf"), ("lamp", "near", "wall"), id="7")


def test_a_chain_knows_its_things_its_edges_and_what_is_beside():
    graphs, _ = mined(SHELF)
    (chain,) = (graph for graph in graphs if graph.kind == "chain")
    assert [thing.name for thing in chain.things] == ["wall", "shelf", "book"]
    assert chain.edges == (
        CausalEdge("wall", "shelf", "attached to", "shelf", "wall", "attachment"),
        CausalEdge("shelf", "book", "on", "book", "shelf", "support"),
    )
    assert [thing.name for thing in chain.others] == ["lamp"]
    assert (chain.scene, chain.image) == ("7", "7")
    assert is_well_formed(chain)


def test_every_kind_is_found_with_its_things_in_the_order_of_the_letters():
    confounding = scene(("shelf", "attached to", "wall"), ("book", "on", "shelf"), ("book", "leaning against", "wall"))
    collision = scene(("woman", "holding", "balloon"), ("balloon", "tied to", "pole"), id="2")
    graphs, statistics = mined(confounding, collision)
    assert named(graph for graph in graphs if graph.kind != "direct") == [
        ("collision", "woman", "pole", "balloon"),
        ("confounding", "wall", "shelf", "book"),
    ]
    assert statistics.graphs == {"direct": 5, "chain": 0, "confounding": 1, "collision": 1}
    assert all(is_well_formed(graph) for graph in graphs)


def test_relations_are_counted_by_what_the_catalogue_says():
    _, statistics = mined(SHELF, scene(("man", "flibs", "man2"), ("man", "on", "phone"), id="8"))
    assert statistics.decisions == {"causal": 2, "none": 1, "unknown": 1, "ambiguous": 1}
    assert statistics.relations_by_kind == {"attachment": 1, "support": 1}
    assert statistics.unknown == {"flibs": 1}
    assert statistics.decided == pytest.approx(3 / 5)


def test_things_of_the_same_name_are_told_once_and_never_stand_in_one_graph():
    graphs, statistics = mined(
        scene(
            ("book1", "on", "shelf"), ("book2", "on", "shelf"), ("box1", "on", "box2"), ("book1", "lying on", "book2")
        )
    )
    assert named(graphs) == [("direct", "shelf", "book")]
    # Left out: the second book on the shelf; a box on a box, a book on a book, and both books with their shelf.
    assert (statistics.duplicates, statistics.namesakes) == (1, 3)


@pytest.mark.parametrize(("name", "other"), [("shelf", "shelf2"), ("pillows", "pillow")])
def test_a_graph_lists_its_names_that_other_things_have_in_the_singular_or_plural(name, other):
    graphs, _ = mined(scene(("book", "on", name), (other, "near", "book")))
    assert [graph.namesakes for graph in graphs] == [(name,)]


def test_the_same_graph_in_two_regions_of_a_picture_is_told_once():
    one, two = (scene(("cup", "on", "table"), id=region, image="5") for region in ("a", "b"))
    other = scene(("cup", "on", "table"), id="c", image="6")
    graphs, statistics = mined(one, two, other)
    assert [graph.scene for graph in graphs] == ["a", "c"]
    assert statistics.duplicates == 1


def test_of_a_collision_the_causes_have_no_order():
    one = scene(("woman", "holding", "balloon"), ("balloon", "tied to", "pole"), id="a", image="5")
    two = scene(("balloon", "tied to", "pole"), ("woman", "holding", "balloon"), id="b", image="5")
    graphs, _ = mined(one, two)
    assert [graph.kind for graph in graphs].count("collision") == 1


def test_descriptions_are_those_that_speak_of_the_things():
    said = (
        Description("a lamp"),
        Description("books on a shelf", (0, 0, 50, 50)),
        Description("another shelf elsewhere", (500, 500, 9, 9)),
        Description("a shelf"),
    )
    where = {"shelf": (0, 20, 40, 20), "book": (5, 10, 5, 10)}
    (graph,), _ = mined(scene(("book", "on", "shelf"), boxes=where, descriptions=said))
    assert graph.descriptions == ("books on a shelf", "a shelf")


def test_there_are_not_more_descriptions_than_a_prompt_takes():
    said = tuple(Description(f"shelf {number}") for number in range(50))
    (graph,), _ = mined(scene(("book", "on", "shelf"), descriptions=said))
    assert len(graph.descriptions) == MOST_DESCRIPTIONS


def test_a_crowded_scene_gives_no_more_graphs_of_a_kind_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr("countersight.causal.mining.MOST_OF_A_SCENE", 3)
    names = ["cup", "plate", "fork", "spoon", "bowl"]
    graphs, statistics = mined(scene(*((name, "on", "table") for name in names)), scene(("cup", "on", "desk"), id="2"))
    assert [graph.scene for graph in graphs] == ["1"] * 3 + ["2"]
    assert statistics.crowded == 2


def plain(path, *scenes):
    path.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in scenes))
    return path


def test_a_mined_folder_gives_its_graphs_back(tmp_path):
    source = plain(tmp_path / "in.jsonl", SHELF)
    mine_folder(source, tmp_path / "out", pictures=None)
    assert list(read_graphs(tmp_path / "out", pytest.fail)) == list(mine(source))
    statistics = json.loads((tmp_path / "out" / "mining.json").read_text())
    assert statistics["graphs"] == {"direct": 2, "chain": 1, "confounding": 0, "collision": 0}


@pytest.mark.parametrize("place", ["VG_100K/7.jpg", "VG_100K_2/7.jpg", "7.png", "images/7.webp"])
def test_pictures_are_found_by_their_ids(tmp_path, place):
    file = tmp_path / "pictures" / place
    file.parent.mkdir(parents=True)
    file.write_bytes(picture())
    other = scene(("cup", "on", "table"), id="9")
    done = mine_folder(plain(tmp_path / "in.jsonl", SHELF, other), tmp_path / "out", pictures=tmp_path / "pictures")
    assert (done.images, done.pictures) == (2, 1)
    assert [path.stem for path in (tmp_path / "out" / "images").iterdir()] == ["7"]


@pytest.mark.parametrize("image", ["../secret", "/etc/passwd", "..", "a\\b", "\0"])
def test_an_id_cannot_lead_out_of_the_folder_of_pictures(tmp_path, image):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "secret.jpg").write_bytes(picture())
    source = plain(tmp_path / "in.jsonl", scene(("cup", "on", "table"), image=image))
    assert mine_folder(source, tmp_path / "out", pictures=tmp_path / "pictures").pictures == 0


def test_the_verb_prints_the_statistics_and_names_the_malformed(tmp_path, capsys):
    source = plain(tmp_path / "in.jsonl", SHELF)
    source.write_bytes(source.read_bytes() + b'{"things": 3}\n')
    assert main(["mine", str(source), "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr()
    assert "3 causal graphs in" in said.out
    told = " ".join(said.out.split())
    assert "100.0% of 3 relations decided by the catalogue" in told
    assert "A→B, A→C, B→C: A also acts on C directly" in told
    assert "in.jsonl entry 2" in said.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "is neither a file nor a folder"),
        (["in.jsonl", "--pictures", "nowhere"], "is not a folder"),
        (["empty.jsonl"], "contains no scene graphs: it is empty, or not in the format"),
        (["braces.json"], "contains no scene graphs: it is empty, or not in the format"),
        (["wrong.json.gz"], "ends in .gz but is not a gzip file"),
        (["in.txt"], "must end in .json, .jsonl or .csv"),
    ],
)
def test_a_mistake_is_one_sentence_and_leaves_nothing(tmp_path, capsys, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    plain(tmp_path / "in.jsonl", SHELF)
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "in.txt").touch()
    (tmp_path / "braces.json").write_text("{}")
    (tmp_path / "wrong.json.gz").write_text("<html>not found</html>")
    before = set(tmp_path.iterdir())
    assert main(["mine", *arguments, "-o", "out"]) == 2
    assert sentence in capsys.readouterr().err.splitlines()[-1]
    assert set(tmp_path.iterdir()) == before


def test_a_folder_with_something_in_it_is_not_overwritten(tmp_path, capsys):
    source = plain(tmp_path / "in.jsonl", SHELF)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").touch()
    assert main(["mine", str(source), "-o", str(tmp_path / "out")]) == 2
    assert "exists already" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_stopped_in_the_middle_nothing_is_left(tmp_path):
    line = msgspec.json.encode(SHELF) + b"\n"
    (tmp_path / "in.jsonl").write_bytes(line * 200_000)
    running = subprocess.Popen(
        [sys.executable, "-m", "countersight", "mine", "in.jsonl", "-o", "out"], cwd=tmp_path, stderr=subprocess.PIPE
    )
    wait_until(lambda: list(tmp_path.glob(".out.making-*/graphs.jsonl")), running)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=120)
    assert (running.returncode, said.decode().splitlines()[-1]) == (130, "countersight: stopped")
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


@pytest.mark.slow
def test_the_real_regions_give_causal_graphs_of_every_kind():
    statistics = MiningStatistics()
    graphs = list(mine(published("scene_graphs/factual_regions.csv.gz"), statistics=statistics))
    assert all(is_well_formed(graph) for graph in graphs)
    assert statistics.graphs["direct"] > 12_000
    assert statistics.graphs["chain"] > 300
    assert statistics.graphs["collision"] > 100
    assert statistics.graphs["confounding"] > 5
