"""CELLO: the authors' items, their options and their graphs."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from importing import import_suite, jsonl_file
from making import picture

from countersight.case import Change, Option, Question
from countersight.engine import graph_in_words
from countersight.suites.cello.files import FIELDS

ITEM = {
    "img_id": 2335410,
    "question": "Would the books stay up if the shelf were taken down?",
    "graph_type": "chain",
    "task_type": "sufficient_cause",
    "graph": {
        "nodes": [
            [7, {"obj_name": "shelf", "obj_synsets": ["shelf.n.01"], "boxes": [4, 8, 90, 20], "position": "left"}],
            [9, {"obj_name": "book", "obj_synsets": ["book.n.02"], "boxes": [8, 2, 10, 9], "position": "left"}],
        ],
        "edges": [[7, 9, {"relation": "supports"}]],
    },
    "objs": [7, 9],
    "options": ["Yes", "No"],
    "answer_index": 1,
    "data_id": 31,
}
FOUR = ITEM | {"question": "What keeps the books up?", "options": ["shelf", "lamp", "rug", "cat"], "answer_index": 2}


def read(tmp_path, *items, pictures=None):
    return import_suite("cello", jsonl_file(tmp_path / "in.jsonl", *items), tmp_path / "d", pictures)


def test_an_item_is_a_counterfactual_question_alone(tmp_path):
    (case,), imported, _ = read(tmp_path, ITEM)
    assert case.factual is None
    assert case.counterfactual == Question(ITEM["question"], "no", "boolean")
    assert case.change == Change("The shelf were taken down.")
    assert (case.id, case.group) == ("cello-000001", "sufficient_cause")
    assert case.provenance == {"graph_type": "chain", "data_id": 31, "img_id": 2335410}
    assert (imported.cases, imported.bad, imported.without_picture) == (1, 0, 1)


def test_four_options_are_a_choice(tmp_path):
    (case,), _, _ = read(tmp_path, FOUR)
    options = tuple(Option(text) for text in ("shelf", "lamp", "rug", "cat"))
    assert case.counterfactual == Question("What keeps the books up?", "C", "choice", options)
    assert case.change is None


@pytest.mark.parametrize(
    ("options", "index", "kind", "answer"),
    [
        (["yes", "no"], 0, "boolean", "yes"),
        (["No.", "Yes."], 0, "boolean", "no"),
        (["No", "Yes"], 1, "boolean", "yes"),
        (["shelf", "lamp"], 1, "choice", "B"),
        (["Yes", "Perhaps"], 0, "choice", "A"),
    ],
)
def test_two_options_are_boolean_where_they_are_yes_and_no(tmp_path, options, index, kind, answer):
    (case,), _, _ = read(tmp_path, ITEM | {"options": options, "answer_index": index})
    assert (case.counterfactual.kind, case.counterfactual.answer) == (kind, answer)


def test_the_graph_is_kept_with_a_name_for_everything(tmp_path):
    (case,), _, _ = read(tmp_path, ITEM)
    assert case.graph == {
        "nodes": [about | {"id": node} for node, about in ITEM["graph"]["nodes"]],
        "edges": [{"source": 7, "target": 9, "relation": "supports"}],
        "objs": [7, 9],
    }


def test_hugging_face_opens_it_with_its_graphs(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    (tmp_path / "2335410.jpg").write_bytes(picture(kind="JPEG"))
    read(tmp_path, ITEM, FOUR, pictures=tmp_path)
    folder = {"data_dir": str(tmp_path / "d"), "cache_dir": str(tmp_path / "cache")}
    rows = datasets.load_dataset("imagefolder", **folder)["train"]
    assert rows[1]["graph"]["nodes"][0]["obj_name"] == "shelf"


@pytest.mark.parametrize("folder", ["VG_100K", "VG_100K_2", ""])
@pytest.mark.parametrize("img_id", [2335410, "2335410"])
def test_pictures_lie_in_the_folders_of_visual_genome(tmp_path, folder, img_id):
    place = tmp_path / "pictures" / folder
    place.mkdir(parents=True)
    (place / "2335410.jpg").write_bytes(picture(kind="JPEG"))
    items = ITEM | {"img_id": img_id}, ITEM | {"img_id": 1}
    (first, second), imported, _ = read(tmp_path, *items, pictures=tmp_path / "pictures")
    assert (first.image, second.image, imported.without_picture) == ("images/2335410.jpg", None, 1)


@pytest.mark.parametrize("field", FIELDS)
def test_a_missing_field_is_named(tmp_path, field):
    less = {name: value for name, value in ITEM.items() if name != field}
    cases, _, bad = read(tmp_path, less, ITEM)
    assert bad == [(1, field, "is missing")]
    assert [case.id for case in cases] == ["cello-000002"]


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("img_id", None, "img_id"),
        ("img_id", True, "img_id"),
        ("img_id", -1, "img_id"),
        ("img_id", 1.5, "img_id"),
        ("img_id", 10**30, "img_id"),
        ("img_id", "../../etc/passwd", "img_id"),
        ("img_id", "a\0b", "img_id"),
        ("question", "", "question"),
        ("question", 3, "question"),
        ("graph_type", ["chain"], "graph_type"),
        ("task_type", "", "task_type"),
        ("task_type", None, "task_type"),
        ("data_id", [1], "data_id"),
        ("options", ["Yes"], "options"),
        ("options", ["a", "b", "c"], "options"),
        ("options", "Yes", "options"),
        ("options", [1, 2], "options"),
        ("options", ["", "no"], "options"),
        ("options", ["same", "same"], "options"),
        ("answer_index", 2, "answer_index"),
        ("answer_index", -1, "answer_index"),
        ("answer_index", True, "answer_index"),
        ("answer_index", "1", "answer_index"),
        ("answer_index", None, "answer_index"),
        ("graph", None, "graph"),
        ("graph", [], "graph"),
        ("graph", {"edges": []}, "graph.nodes"),
        ("graph", {"nodes": [], "edges": {}}, "graph.edges"),
        ("graph", {"nodes": [[1]], "edges": []}, "graph.nodes"),
        ("graph", {"nodes": [[1, "shelf"]], "edges": []}, "graph.nodes"),
        ("graph", {"nodes": [[None, {}]], "edges": []}, "graph.nodes"),
        ("graph", {"nodes": [], "edges": [[1, {}]]}, "graph.edges"),
        ("graph", {"nodes": [], "edges": [[1, [], {}]]}, "graph.edges"),
        ("objs", 7, "objs"),
        ("objs", [{}], "objs"),
    ],
)
def test_a_bad_field_is_named_and_the_next_item_is_read(tmp_path, field, value, named):
    cases, _, bad = read(tmp_path, ITEM | {field: value}, ITEM, pictures=tmp_path)
    assert [(line, name) for line, name, _ in bad] == [(1, named)]
    assert [case.id for case in cases] == ["cello-000002"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(FIELDS), JSON), max_size=4))
def test_no_item_makes_the_import_fail(tmp_path_factory, changes):
    folder = tmp_path_factory.mktemp("hostile")
    items = [ITEM | {field: value} for field, value in changes]
    cases, _, bad = read(folder, *items, ITEM, pictures=folder)
    assert len(cases) + len(bad) == len(items) + 1


@pytest.mark.parametrize(("relation", "told"), [("on", "books on shelf"), ("supports", "shelf supports books")])
def test_a_relation_is_told_the_way_it_is_said(tmp_path, relation, told):
    """From cause to effect the shelf comes first; "on" is said of the books."""
    nodes = [[7, {"obj_name": "shelf"}], [9, {"obj_name": "books"}]]
    (case,), _, _ = read(tmp_path, ITEM | {"graph": {"nodes": nodes, "edges": [[7, 9, {"relation": relation}]]}})
    assert graph_in_words(case.graph) == told
