"""Scene graphs of every layout: what is read, and what is said of parts that cannot be."""

import gzip
import json

import pytest
from published import published

from countersight.causal import scene_graphs
from countersight.causal.graph import Description, SceneRelation, Thing
from countersight.causal.scene_graphs import read_scene_graphs
from countersight.errors import SceneGraphsError

SHELF = {"object_id": 7, "names": ["Shelf"], "synsets": ["shelf.n.01"], "x": 4, "y": 8, "w": 90, "h": 20}
BOOK = {"object_id": 9, "names": ["book"], "synsets": [], "x": 8.4, "y": 2, "w": 10, "h": 9}
ON = {"predicate": "ON", "subject_id": 9, "object_id": 7}
SCENE = {"image_id": 1, "objects": [SHELF, BOOK], "relationships": [ON]}
THINGS = (Thing("7", "shelf", "shelf.n.01", (4, 8, 90, 20)), Thing("9", "book", "", (8, 2, 10, 9)))


def read(path):
    """The scene graphs at a path, and what was said of the rest."""
    told = []
    return list(read_scene_graphs(path, lambda what: told.append(str(what)))), told


def written(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def packed(path):
    target = path.with_name(f"{path.name}.gz")
    target.write_bytes(gzip.compress(path.read_bytes()))
    return target


# Visual Genome


def test_a_scene_graph_of_visual_genome(tmp_path):
    (scene,), told = read(written(tmp_path / "scene_graphs.json", [SCENE]))
    assert (scene.id, scene.image, scene.things) == ("1", "1", THINGS)
    assert scene.relations == (SceneRelation("9", "on", "7"),)
    assert told == []


def test_packed_with_gzip_it_is_the_same(tmp_path):
    plain = written(tmp_path / "scene_graphs.json", [SCENE])
    assert read(packed(plain)) == read(plain)


def test_relationships_bring_their_own_objects(tmp_path):
    related = {
        "predicate": "on",
        "subject": BOOK,
        "object": {"id": 7, "name": "shelf", "x": 4, "y": 8, "w": 90, "h": 20},
    }
    written(tmp_path / "relationships.json", [{"image_id": 1, "relationships": [related]}])
    (scene,), told = read(tmp_path)
    assert {thing.name for thing in scene.things} == {"shelf", "book"}
    assert scene.relations == (SceneRelation("9", "on", "7"),)
    assert told == []


def test_objects_and_descriptions_beside_are_joined_by_image_in_any_order(tmp_path):
    lamp = SHELF | {"object_id": 11, "names": ["lamp"]}
    region = {"phrase": "books  on a shelf", "x": 0, "y": 0, "width": 50, "height": 40}
    scenes = [{"image_id": number, "relationships": []} for number in (1, 2, 3)]
    written(tmp_path / "relationships.json", scenes)
    written(tmp_path / "objects.json", [{"image_id": 3, "objects": [lamp]}, {"image_id": 1, "objects": [SHELF, BOOK]}])
    written(tmp_path / "region_descriptions.json", [{"id": 2, "regions": [region]}, {"id": 1, "regions": []}])
    (first, second, third), told = read(tmp_path / "relationships.json")
    assert (first.things, second.things) == (THINGS, ())
    assert [thing.name for thing in third.things] == ["lamp"]
    assert second.descriptions == (Description("books on a shelf", (0, 0, 50, 40)),)
    assert told == []


@pytest.mark.parametrize(
    ("scene", "sentence"),
    [
        ({"image_id": 1, "objects": [{**SHELF, "names": []}]}, "objects[0].names: is empty"),
        (
            {"image_id": 1, "objects": [{**SHELF, "names": ["\x1b[2J"]}]},
            "objects[0].names: contains control characters",
        ),
        ({"image_id": 1, "objects": [{**SHELF, "names": ["a" * 201]}]}, "objects[0].names: is longer than 200"),
        ({"image_id": 1, "objects": [{**SHELF, "names": 3}]}, "objects[0].names: Expected `array`, got `int`"),
        ({"image_id": 1, "objects": [{"names": ["shelf"]}]}, "objects[0].object_id: is missing"),
        (
            {"image_id": 1, "relationships": [{"subject_id": 1, "object_id": 2}]},
            "relationships[0].predicate: is missing",
        ),
        (
            {"image_id": 1, "relationships": [{"predicate": "on", "object_id": 2}]},
            "relationships[0].subject_id: is missing",
        ),
        ({"image_id": 1, "relationships": [ON]}, "relationships: '9' is not among the objects"),
        ({"objects": []}, "image_id: is missing"),
        ({"image_id": 1, "objects": 7}, "objects: Expected `array`, got `int`"),
    ],
)
def test_a_malformed_part_is_named_and_its_neighbours_are_read(tmp_path, scene, sentence):
    path = written(tmp_path / "scene_graphs.json", [SCENE, {"relationships": [], **scene}, SCENE | {"image_id": 3}])
    scenes, told = read(path)
    assert len(told) == 1
    assert told[0].startswith(f"scene_graphs.json entry 2: {sentence}")
    assert [scene.id for scene in scenes if scene.things] == ["1", "3"]


def test_a_second_thing_under_the_same_id_is_named_and_the_first_stands(tmp_path):
    again = {**SHELF, "names": ["cup"]}
    objects = [SHELF, SHELF, again]  # told twice is no fault
    path = written(tmp_path / "scene_graphs.json", [{"image_id": 1, "objects": objects, "relationships": []}])
    (scene,), told = read(path)
    assert [thing.name for thing in scene.things] == ["shelf"]
    number = str(SHELF["object_id"])
    assert told == [f"scene_graphs.json entry 1: objects: {number!r} names two objects, 'shelf' and 'cup'"]


def test_boxes_that_enclose_nothing_are_none(tmp_path):
    bad = [{"w": 0}, {"h": -3}, {"x": 1e300}, {"y": None}]
    objects = [{**SHELF, "object_id": number, **wrong} for number, wrong in enumerate(bad)]
    (scene,), told = read(
        written(tmp_path / "scene_graphs.json", [{"image_id": 1, "objects": objects, "relationships": []}])
    )
    assert [thing.box for thing in scene.things] == [None] * 4
    assert [str(each) for each in told if "objects.1:" in str(each) and "box of 90 × -3" in str(each)]
    assert [str(each) for each in told if "objects.2:" in str(each) and "at 1e+300" in str(each)]
    assert len(told) == 2  # one that is not there, or of no size, is none


@pytest.mark.parametrize("content", [json.dumps([SCENE, SCENE])[:-30], "7", "", "hello [", "[{]", "[]x"])
def test_a_file_that_is_not_json_is_refused(tmp_path, content):
    with pytest.raises(SceneGraphsError, match=r"scene_graphs\.json is not a JSON array or object .*download it again"):
        read(written(tmp_path / "scene_graphs.json", content))


def test_an_element_that_is_no_object_is_named(tmp_path):
    scenes, told = read(written(tmp_path / "scene_graphs.json", [3, SCENE]))
    assert [scene.id for scene in scenes] == ["1"]
    assert told == ["scene_graphs.json entry 1: element: Expected `object`, got `int`"]


@pytest.mark.parametrize("name", ["scene_graphs.json.gz", "own.jsonl.gz"])
def test_a_packed_file_that_was_cut_off_says_so(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(json.dumps([SCENE] * 2000).encode())[:-200])
    with pytest.raises(SceneGraphsError, match=r"cannot be unpacked .*download it again"):
        read(path)


def test_a_scene_of_too_many_relations_is_cut(tmp_path, monkeypatch):
    monkeypatch.setattr(scene_graphs, "MAX_RELATIONS", 3)
    (scene,), told = read(written(tmp_path / "scene_graphs.json", [SCENE | {"relationships": [ON] * 5}]))
    assert len(scene.relations) == 3
    assert "more than 3 relations" in told[0]


# GQA


def gqa(**changes):
    shelf = {"name": "shelf", "x": 4, "y": 8, "w": 90, "h": 20, "attributes": ["red"], "relations": []}
    book = {"name": "book", "relations": [{"object": "7", "name": "on top of"}]}
    return {"width": 500, "height": 300, "objects": {"7": shelf, "9": book | changes}}


def test_a_scene_graph_of_gqa(tmp_path):
    (scene,), told = read(written(tmp_path / "train.json", {"2375429": gqa()}))
    assert (scene.id, scene.image) == ("2375429", "2375429")
    assert scene.things == (Thing("7", "shelf", box=(4, 8, 90, 20), attributes=("red",)), Thing("9", "book"))
    assert scene.relations == (SceneRelation("9", "on top of", "7"),)
    assert told == []


def test_a_folder_of_gqas_files_is_read_in_turn(tmp_path):
    written(tmp_path / "train_sceneGraphs.json", {"1": gqa()})
    written(tmp_path / "val_sceneGraphs.json", {"2": gqa()})
    scenes, _ = read(tmp_path)
    assert [scene.id for scene in scenes] == ["1", "2"]


@pytest.mark.parametrize(
    ("scene", "sentence"),
    [
        (gqa(name=""), "objects.9.name: is empty"),
        (gqa(relations=[{"object": "8", "name": "on"}]), "relations: '8' is not among the objects"),
        (gqa(relations=[{"object": "7"}]), "objects.9.relations[0].name: is missing"),
        (gqa(relations=[{"object": "7", "name": " "}]), "objects.9.relations[0].name: is empty"),
        ({"width": 3}, "objects: is missing"),
    ],
)
def test_a_malformed_part_of_gqa_is_named(tmp_path, scene, sentence):
    scenes, told = read(written(tmp_path / "train.json", {"1": scene, "2": gqa()}))
    assert scenes[-1].id == "2"
    assert len(scenes[-1].relations) == 1
    assert len(told) == 1
    assert sentence in told[0]


# Regions


HEADER = "image_id,region_id,caption,scene_graph\n"
TRIPLES = "( book , is , red ) , ( book , on , shelf ) , ( man , v:look at , man:1 )"


def test_a_graph_of_a_region(tmp_path):
    (scene,), told = read(written(tmp_path / "regions.csv", f'{HEADER}5,77,"a red book on a shelf","{TRIPLES}"\n'))
    assert (scene.id, scene.image) == ("77", "5")
    assert scene.things == (
        Thing("book", "book", attributes=("red",)),
        Thing("shelf", "shelf"),
        Thing("man", "man"),
        Thing("man:1", "man"),
    )
    assert scene.relations == (SceneRelation("book", "on", "shelf"), SceneRelation("man", "v:look at", "man:1"))
    assert scene.descriptions == (Description("a red book on a shelf"),)
    assert told == []


def test_regions_of_one_picture_stand_together(tmp_path):
    rows = '1,a,,"( cup , on , table )"\n2,b,,"( dog )"\n1,c,,"( lamp , on , table ) , ( rug )"\n'
    scenes, _ = read(written(tmp_path / "regions.csv", HEADER + rows))
    assert [(scene.image, scene.id) for scene in scenes] == [("1", "a"), ("1", "c"), ("2", "b")]


def test_a_folder_with_the_published_regions_is_read(tmp_path):
    written(tmp_path / "factual_regions.csv", HEADER + '1,a,,"( cup , on , table )"\n')
    packed(tmp_path / "factual_regions.csv").unlink()
    scenes, _ = read(tmp_path)
    assert [scene.id for scene in scenes] == ["a"]


def test_rows_without_any_id_are_pictures_of_their_own(tmp_path):
    rows = ',,,"( cup , on , table )"\n , ,,"( lamp , on , desk )"\n'
    scenes, _ = read(written(tmp_path / "regions.csv", HEADER + rows))
    assert [scene.id for scene in scenes] == ["regions.csv:2", "regions.csv:3"]


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ('1,a,,"( cup , on )"', "scene_graph[0]: has 2 parts"),
        ('1,a,,"cup on table"', "scene_graph: is not a list of triples in brackets"),
        ('1,a,,"( cup , on ,  )"', "scene_graph[0].object: is empty"),
        ("1,a", "caption: is missing"),
    ],
)
def test_a_malformed_region_is_named(tmp_path, row, sentence):
    scenes, told = read(written(tmp_path / "regions.csv", f'{HEADER}{row}\n2,b,,"( cup , on , table )"\n'))
    assert scenes[-1].relations == (SceneRelation("cup", "on", "table"),)
    assert told == [f"regions.csv entry 2: {sentence}"] or (len(told) == 1 and sentence in told[0])


def test_a_csv_without_the_columns_says_which(tmp_path):
    needed = "has no column 'image_id'; it needs image_id, region_id, caption, scene_graph"
    with pytest.raises(SceneGraphsError, match=needed):
        read(written(tmp_path / "regions.csv", "a,b\n1,2\n"))


def test_a_row_without_end_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr("countersight.causal.scene_graphs.MAX_ROW", 300)
    content = f'{HEADER}1,a,"{"x" * 900}","( cup )"\n2,b,,"( cup , on , table )"\n'
    scenes, told = read(written(tmp_path / "regions.csv", content))
    assert any("is longer than 300 characters" in each for each in told)
    assert scenes[-1].id == "b"


@pytest.mark.parametrize("row", ['1,"a,,( cup )', '1,a,"torn,( cup )', '1,a,,"( cup , on , table )', '"1,a,,( cup )'])
def test_a_quote_that_is_not_closed_costs_no_other_region(tmp_path, row):
    others = '2,b,,"( cup , on , table )"\n3,c,"two\nlines","( mug )"\n'
    for content in (f"{HEADER}{row}\n{others}", f"{HEADER}{others}{row}"):
        scenes, told = read(written(tmp_path / "regions.csv", content))
        assert [scene.id for scene in scenes] == ["b", "c"]
        line = content[: content.index(row)].count("\n") + 1
        assert len(told) == 1
        assert told[0].startswith(f"regions.csv entry {line}: row: has a quote that is not closed")


# Our own


def test_a_line_of_our_own(tmp_path):
    line = {
        "id": "s1",
        "image": "17",
        "things": [
            {"id": "a", "name": "shelf", "box": [4.2, 8, 89.6, 20], "attributes": ["red"]},
            {"id": "b", "name": "book", "synset": "book.n.01"},
        ],
        "relations": [{"subject": "b", "relation": "on", "object": "a"}],
        "descriptions": [{"text": "a book on a shelf", "box": [0, 0, 9.5, 9]}],
    }
    (scene,), told = read(written(tmp_path / "own.jsonl", json.dumps(line) + "\n\n"))
    assert scene.things == (
        Thing("a", "shelf", box=(4, 8, 90, 20), attributes=("red",)),
        Thing("b", "book", "book.n.01"),
    )
    assert scene.relations == (SceneRelation("b", "on", "a"),)
    assert scene.descriptions == (Description("a book on a shelf", (0, 0, 9.5, 9)),)
    assert (scene.id, scene.image, told) == ("s1", "17", [])


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("{", "line: is not JSON"),
        ('{"things": []}', "id: is missing"),
        ('{"id": "1", "things": [{"name": "shelf"}]}', "things[0].id: is missing"),
        (
            '{"id": "1", "relations": [{"subject": "b", "relation": "on", "object": "a"}]}',
            "'b' is not among the ids of `things`",
        ),
        (
            '{"id": "1", "things": [{"id": "a", "name": "cup"}, {"id": "a", "name": "mug"}]}',
            "things: 'a' names two objects, 'cup' and 'mug'",
        ),
        ("[" * 100_000, "line: Expected `object`"),
        ('{"id": ' + "[" * 100_000, "id: Expected `str`"),
    ],
)
def test_a_malformed_line_is_named(tmp_path, line, sentence):
    scenes, told = read(written(tmp_path / "own.jsonl", f'{line}\n{{"id": "2"}}\n'))
    assert scenes[-1].id == "2"
    assert len(told) == 1
    assert "own.jsonl entry 1" in told[0]
    assert sentence in told[0]


# Which layout it is


def test_a_path_without_scene_graphs_is_refused(tmp_path):
    with pytest.raises(SceneGraphsError, match="neither a file nor a folder"):
        read(tmp_path / "nothing")
    with pytest.raises(SceneGraphsError, match="name the file"):
        read(tmp_path)
    with pytest.raises(SceneGraphsError, match=r"must end in \.json, \.jsonl or \.csv"):
        read(written(tmp_path / "graphs.txt", "x"))


@pytest.mark.slow
def test_the_real_regions_are_read_without_a_fault():
    scenes, told = read(published("scene_graphs/factual_regions.csv.gz"))
    assert told == []
    assert len(scenes) == 20_400
    assert sum(len(scene.relations) for scene in scenes) == 23_081


@pytest.mark.slow
def test_the_real_graphs_of_gqa_are_read_without_a_fault():
    scenes, told = read(published("scene_graphs/gqa_sample.json"))
    assert told == []
    assert [(len(scene.things), len(scene.relations)) for scene in scenes] == [(21, 61), (12, 26), (20, 76), (6, 15)]
