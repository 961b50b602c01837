"""From mined graphs to a dataset: cases, balance, pictures, bad lines, and wording by a language model."""

import json
import re
from collections import Counter
from random import Random

import msgspec
import pytest
from chat_server import ChatServer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from making import picture
from published import published
from specimens import EDGES, NAMES, graph

from countersight.case import LETTERS
from countersight.causal.cases import draft
from countersight.causal.graph import CausalGraph, Thing
from countersight.causal.sampling import Pool, sample
from countersight.causal.soundness import settled
from countersight.causal.tasks.asked import TASKS, queries
from countersight.cli import main
from countersight.dataset.folder import Dataset

BESIDE = ("window", "tree", "backpack")
BEARERS = ("table", "desk", "shelf", "counter", "bench", "tray", "bed", "cabinet")
BORNE = ("plate", "bowl", "vase", "basket", "laptop", "towel", "hat", "lamp")
UPON = ("pizza", "flowers", "apples", "cat", "candle", "fork", "books", "toy")


def many_graphs():
    """Some hundred graphs of every kind."""
    number = 0
    for first in BEARERS:
        for second in BORNE:
            for third in UPON:
                number += 1
                kind = list(EDGES)[number % 4]
                names = (first, second, third)[: len(NAMES[kind])]
                yield graph(kind, names, others=BESIDE, scene=f"s{number}", image=str(number % 40))


def pool_of(graphs, seed=0, per_task=20):
    pool = Pool(seed, per_task)
    for one in settled(sorted(graphs, key=lambda one: one.image)):
        pool.add(one)
    return pool


def mined(folder, graphs, images=()):
    """A mined folder."""
    (folder / "images").mkdir(parents=True)
    for name in images:
        (folder / "images" / name).write_bytes(picture(kind="JPEG"))
    lines = [one if isinstance(one, bytes) else msgspec.json.encode(one) for one in graphs]
    (folder / "graphs.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    return folder


def make(tmp_path, graphs, *arguments, images=()):
    """The cases that `countersight make cello` makes of these graphs."""
    source = mined(tmp_path / "mined", graphs, images)
    assert main(["make", "cello", "--from", str(source), "-o", str(tmp_path / "out"), *arguments]) == 0
    bad = []
    cases = [case for _, case in Dataset.open(tmp_path / "out").cases(bad.append)]
    assert bad == []
    return cases


@pytest.fixture(scope="module")
def sampled():
    return list(sample(pool_of(many_graphs()), per_task=20, seed=0))


def test_a_case_tells_its_task_its_graph_and_why():
    one = graph("chain", others=BESIDE)
    (query,) = queries(TASKS["causal_attribution"], one)
    case = draft(TASKS["causal_attribution"], one, query, 7, "C", Random(0)).case
    asked = case.counterfactual
    assert (case.id, case.suite, case.group) == ("cello-000007", "cello", "causal_attribution")
    assert case.factual is None
    assert asked.answer == "C"
    assert asked.options[2].text == "table"
    assert asked.options[2].role == "answer"
    assert case.provenance == {
        "graph_type": "chain",
        "task": "CA",
        "rung": "discovery",
        "why": "the table acts on the pizza through the plate alone",
        "scene": one.scene,
        "img_id": "1",
        "wording": "template",
    }
    assert case.graph["nodes"][0] == {"id": "A", "obj_name": "table", "obj_synsets": [], "boxes": []}
    assert case.graph["edges"][0] == {
        "source": "A",
        "target": "B",
        "relation": "supports",
        "kind": "support",
        "scene_relation": "plate on table",
    }
    assert case.graph["objs"] == ["A", "B", "C"]


def test_boxes_and_synsets_are_kept():
    things = Thing("A", "table", "table.n.02", (1, 2, 30, 40)), Thing("B", "plate")
    one = graph("direct", things=things)
    query = queries(TASKS["counterfactual_reasoning"], one)[0]
    node = draft(TASKS["counterfactual_reasoning"], one, query, 1, "no", Random(0)).case.graph["nodes"][0]
    assert (node["obj_synsets"], node["boxes"]) == (["table.n.02"], [[1, 2, 30, 40]])


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_the_same_query_is_asked_for_yes_and_for_no(answer):
    one = graph("direct")
    for query in queries(TASKS["counterfactual_reasoning"], one):
        drafted = draft(TASKS["counterfactual_reasoning"], one, query, 1, answer, Random(0))
        assert drafted.case.counterfactual.answer == answer
        assert drafted.asks_stays == (query.follows == (answer == "no"))


def test_every_task_is_sampled_and_every_case_is_sound(sampled):
    assert Counter(drafted.task.name for drafted in sampled) == dict.fromkeys(TASKS, 20)
    assert len({drafted.case.id for drafted in sampled}) == len(sampled)
    assert all(drafted.case.fault() is None for drafted in sampled)


def test_yes_and_no_are_even_in_every_task_and_no_wording_tells_which(sampled):
    for task in TASKS.values():
        if task.is_choice:
            continue
        of_task = [drafted for drafted in sampled if drafted.task is task]
        assert Counter(drafted.case.counterfactual.answer for drafted in of_task) == {"yes": 10, "no": 10}
        cells = Counter((drafted.asks_stays, drafted.case.counterfactual.answer) for drafted in of_task)
        assert set(cells.values()) == {5}, task.name


def test_right_letters_are_even_and_every_role_is_there(sampled):
    for task in TASKS.values():
        asked = [d.case.counterfactual for d in sampled if d.task is task and task.is_choice]
        if asked:
            assert set(Counter(question.answer for question in asked).values()) == {5}
        for question in asked:
            assert sorted(option.role for option in question.options) == ["answer", "graph", "image", "text"]
            assert question.options[LETTERS.index(question.answer)].role == "answer"


def test_graphs_of_a_task_take_turns(sampled):
    kinds = Counter(drafted.graph.kind for drafted in sampled if drafted.task.short == "CR")
    assert kinds == dict.fromkeys(EDGES, 5)


def test_where_one_outcome_is_missing_yes_and_no_stay_even():
    """Of a collision only what stays is asked."""
    pool = pool_of([one for one in many_graphs() if one.kind == "collision"])
    drafts = [drafted for drafted in sample(pool, per_task=9, seed=1) if drafted.task.short == "CR"]
    assert sorted(Counter(drafted.case.counterfactual.answer for drafted in drafts).values()) == [4, 5]


def test_the_sample_depends_on_the_seed_and_not_on_the_order_of_the_graphs():
    graphs = list(many_graphs())
    first = [drafted.case for drafted in sample(pool_of(graphs), per_task=5, seed=0)]
    turned = [drafted.case for drafted in sample(pool_of(graphs[::-1]), per_task=5, seed=0)]
    other = [drafted.case for drafted in sample(pool_of(graphs, seed=1), per_task=5, seed=1)]
    assert first == turned
    assert first != other


def test_of_graphs_with_the_same_names_one_is_asked_about():
    same = [graph("direct", scene=f"s{number}", image=str(number)) for number in range(50)]
    assert sum(drafted.task.short == "SC" for drafted in sample(pool_of(same), per_task=20, seed=0)) == 1


def test_a_pool_holds_no_more_than_it_needs():
    pool = Pool(0, 1)
    for number in range(10_000):
        pool.add(graph("direct", (f"table {number}", "plate"), scene=str(number)))
    assert len(pool.graphs("direct", with_others=False)) == 4_000
    assert pool.seen == 10_000


def test_make_samples_a_mined_folder(tmp_path, capsys):
    cases = make(tmp_path, sorted(many_graphs(), key=lambda one: one.image), "--per-task", "6", "--seed", "3")
    assert Counter(case.group for case in cases) == dict.fromkeys(TASKS, 6)
    assert all(case.suite == "cello" and case.image is None for case in cases)
    assert any(case.change and case.change.text.startswith("The ") for case in cases)
    out = capsys.readouterr().out
    assert "72 cases" in out
    assert "72 without a picture: they are text and graph" in out


def test_size_is_shared_among_the_tasks(tmp_path):
    assert len(make(tmp_path, sorted(many_graphs(), key=lambda one: one.image), "--size", "24")) == 24


def test_fewer_graphs_than_asked_for_is_said(tmp_path, capsys):
    cases = make(tmp_path, [graph("direct", others=BESIDE)], "--per-task", "5")
    assert Counter(case.provenance["task"] for case in cases) == {"CaI": 1, "CR": 1, "SC": 1, "NC": 1}
    assert "fewer than 5 of a task, for want of graphs that fit: causality_identification 1," in capsys.readouterr().out


def test_pictures_come_along(tmp_path, capsys):
    graphs = [graph("direct", image="10"), graph("direct", ("shelf", "books"), image="11")]
    cases = make(tmp_path, graphs, "--per-task", "2", images=["10.jpg"])
    assert {case.provenance["img_id"]: case.image for case in cases} == {"10": "images/10.jpg", "11": None}
    source = Dataset.open(tmp_path / "out")
    assert all(source.picture(case.image, case.image_digest).data for case in cases if case.image)
    assert "without a picture" in capsys.readouterr().out


def test_hugging_face_opens_it_with_its_graphs(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    graphs = [graph("chain", image="10", others=BESIDE), graph("direct", ("wall", "clock"), image="10")]
    make(tmp_path, graphs, "--per-task", "3", images=["10.jpg"])
    folder = {"data_dir": str(tmp_path / "out"), "cache_dir": str(tmp_path / "cache")}
    rows = datasets.load_dataset("imagefolder", **folder)["train"]
    assert rows[0]["graph"]["edges"][0]["relation"] == "supports"


def test_a_picture_named_to_lead_out_of_the_folder_is_no_picture(tmp_path):
    (tmp_path / "secret.jpg").write_bytes(picture(kind="JPEG"))
    (case, *_) = make(tmp_path, [graph("direct", image="../../secret")], "--per-task", "1")
    assert case.image is None


def test_bad_lines_are_named_and_left_out(tmp_path, capsys):
    wrong = msgspec.structs.replace(graph("direct"), kind="chain")
    lines = [b"{", b'{"kind": "ring"}', b"[" * 2000, b'"\xff"', wrong, b"x" * (1 << 20), graph("direct"), b"   "]
    cases = make(tmp_path, lines, "--per-task", "1")
    assert cases
    told = capsys.readouterr()
    assert re.findall(r"line (\d+): graph", told.err) == ["1", "2", "3", "4", "5", "6"]
    assert "6 bad lines left out" in told.out


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(CausalGraph.__struct_fields__), JSON), max_size=4))
def test_no_mined_folder_makes_the_making_fail(tmp_path_factory, changes):
    folder = tmp_path_factory.mktemp("hostile")
    plain = msgspec.to_builtins(graph("direct", others=BESIDE))
    lines = [msgspec.json.encode(plain | {field: value}) for field, value in changes]
    assert make(folder, [*lines, graph("direct")], "--per-task", "2")


@pytest.mark.parametrize(
    ("lines", "arguments", "said"),
    [
        (None, (), "holds no graphs.jsonl; make it with: countersight mine"),
        ([], (), "holds no causal graph that can be asked about"),
        ([graph("direct", ("sky", "bird"))], (), "holds no causal graph that can be asked about"),
        ([graph("direct")], ("--pictures", "x"), "a mined folder has its own pictures"),
        ([graph("direct")], ("--wording", "nobody"), "there is no model"),
    ],
)
def test_what_cannot_be_made_is_told_and_leaves_nothing(tmp_path, capsys, lines, arguments, said):
    source = tmp_path / "mined"
    source.mkdir()
    if lines is not None:
        (source / "graphs.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    assert main(["make", "cello", "--from", str(source), "-o", str(tmp_path / "out"), *arguments]) == 2
    assert said in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["mined"]


def test_wording_goes_with_a_mined_folder(tmp_path, capsys):
    assert main(["make", "cvqa-synthetic", "--per-task", "3", "-o", str(tmp_path / "out")]) == 2
    assert "go with cello --from MINED" in capsys.readouterr().err


# Wording by a language model


def worded(tmp_path, behaviour, graphs=(), per_task=1):
    """The cases made with a server that words the questions, and what the server was sent."""
    with ChatServer(behaviour) as server:
        chosen = graphs or [graph("direct", others=BESIDE, descriptions=("a plate on a table",))]
        cases = make(tmp_path, chosen, "--per-task", str(per_task), "--wording", server.name)
        return {case.provenance["task"]: case for case in cases}, server


def prompt(body):
    content = body["messages"][0]["content"]
    return content if isinstance(content, str) else content[0]["text"]


def asks_about_yes_or_no(body):
    return "Ask for yes or no" in prompt(body)


def well_worded(server, number, body):
    if not asks_about_yes_or_no(body):
        return "say:Which of these does another one need so as not to end up elsewhere?"
    stays = "still" in prompt(body).rpartition("Ask for yes or no")[2]
    return f"say:With the table gone, would the plate {'still be up there' if stays else 'fall'}?"


def test_a_model_words_the_questions_and_both_texts_are_kept(tmp_path, capsys):
    cases, server = worded(tmp_path, well_worded)
    for case in cases.values():
        assert case.provenance["wording"] == server.name
        assert case.provenance["template"] != case.counterfactual.text
        assert case.counterfactual.text.startswith(("With the table", "Which of these does another"))
    assert cases["CR"].counterfactual.answer in ("yes", "no")
    assert f"{len(cases)} questions worded by {server.name}, 0 left to the templates" in capsys.readouterr().out


def test_the_model_is_told_the_descriptions_the_graph_and_the_constraints(tmp_path):
    _, server = worded(tmp_path, well_worded)
    told = "\n".join(prompt(body) for body in server.requests)
    assert "a plate on a table" in told
    assert "table supports plate" in told
    assert re.search(r"Do not mention [^\n]*\btable\b", told)
    assert "without a negation" in told


def test_a_wording_that_leaks_is_sent_back_with_the_reason(tmp_path):
    def behaviour(server, number, body):
        if asks_about_yes_or_no(body) or len(body["messages"]) > 1:
            return well_worded(server, number, body)
        return "say:Does the table keep another of these in its place?"

    cases, server = worded(tmp_path, behaviour)
    assert cases["CaI"].provenance["wording"] == server.name
    (again,) = [body for body in server.requests if len(body["messages"]) == 3]
    assert "That will not do: it must not mention table" in json.dumps(again["messages"][2])


def test_after_three_leaks_the_template_stands_and_the_rejected_text_is_kept(tmp_path, capsys):
    cases, server = worded(tmp_path, "say:Is it the table?")
    case = cases["CaI"]
    assert case.provenance["wording"] == "template"
    assert case.provenance["rejected"] == "Is it the table?"
    assert case.provenance["rejected_because"].startswith("it must not mention table")
    assert case.counterfactual.text != "Is it the table?"
    assert len(server.requests) == 3 * len(cases)
    assert f"0 questions worded by {server.name}, {len(cases)} left to the templates" in capsys.readouterr().out


def test_a_wording_with_the_opposite_answer_is_refused(tmp_path):
    def turned(server, number, body):
        stays = "still" in prompt(body).rpartition("Ask for yes or no")[2]
        return f"say:If the table were gone, would the plate {'fall' if stays else 'still be there'}?"

    cases, _ = worded(tmp_path, turned)
    assert cases["SC"].provenance["wording"] == "template"
    assert "without a negation" in cases["SC"].provenance["rejected_because"]


@pytest.mark.parametrize("behaviour", ["status:400", "empty choices", "refusal", "null content", "not utf-8"])
def test_a_server_that_does_not_answer_leaves_the_templates(tmp_path, behaviour):
    cases, _ = worded(tmp_path, behaviour)
    assert {case.provenance["wording"] for case in cases.values()} == {"template"}
    assert all(case.provenance["rejected_because"] for case in cases.values())


def test_a_model_that_cannot_be_asked_at_all_is_told_of(tmp_path, capsys):
    source = mined(tmp_path / "mined", [graph("direct")])
    with ChatServer("status:401") as server:
        status = main(["make", "cello", "--from", str(source), "-o", str(tmp_path / "o"), "--wording", server.name])
    assert status == 2
    assert capsys.readouterr().err.startswith("countersight: ")
    assert not (tmp_path / "o").exists()


def test_the_real_region_graphs_make_a_balanced_dataset(tmp_path):
    """Human-made scene graphs of Visual Genome regions, mined and asked about."""
    from countersight.causal.mining import mine

    graphs = list(mine(published("scene_graphs/factual_regions.csv.gz")))
    cases = make(tmp_path, graphs, "--per-task", "40")
    by_task = Counter(case.provenance["task"] for case in cases)
    assert all(by_task[short] == 40 for short in ("CaI", "CDE", "CR", "NDE", "NIE", "SC", "NC"))
    assert all(by_task[short] for short in ("CA", "AR", "CB"))
    for short in ("CDE", "CR", "NDE", "NIE", "SC", "NC"):
        answers = Counter(c.counterfactual.answer for c in cases if c.provenance["task"] == short)
        assert answers == {"yes": 20, "no": 20}
    letters = Counter(c.counterfactual.answer for c in cases if c.provenance["task"] == "CaI")
    assert set(letters.values()) == {10}
