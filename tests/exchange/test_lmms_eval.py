"""lmms-eval: exported tasks compute our metrics, and logged samples are imported as a run."""

import json

import pytest
from lazily import Lazy
from making import case, dataset

import countersight as cs
from countersight.case import Question
from countersight.errors import ExchangeError
from countersight.exchange import Export, export_to, import_run, run_figures
from countersight.exchange.lmms_eval import (
    aggregations,
    doc_to_messages,
    doc_to_text,
    doc_to_visual,
    process_results,
)

datasets = Lazy("datasets")

ASIDE = Question("Is there a dog?", "yes", "boolean")
COUNT = Question("How many dogs are there?", "3", "number")


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A dataset whose questions are of three kinds, its task, and the documents as lmms-eval loads them."""
    base = tmp_path_factory.mktemp("lmms")
    cases = [case(number) for number in range(6)] + [case(6, factual=ASIDE), case(7, factual=COUNT)]
    folder = dataset(base / "tiny", cases)
    export_to("lmms-eval", Export(folder, base / "my task"))
    return folder, base / "my task", documents(base / "my task", base / "cache")


def documents(task, cache):
    """The documents of a task, as lmms-eval loads them."""
    files = {"test": str(task / "test-*.parquet")}
    return datasets.load_dataset("parquet", data_files=files, cache_dir=str(cache))["test"]


def theirs_of(docs, process) -> dict:
    """The metrics as lmms-eval aggregates them."""
    items: dict = {}
    for doc in docs:
        for name, item in process(doc).items():
            items.setdefault(name, []).append(item)
    return {name: aggregations()[f"aggregate_{name}"](each) for name, each in items.items()}


def said(doc) -> str:
    return {"boolean": "Yes.", "number": "There are 3."}.get(doc["kind"], "The answer is B.")


def logged(docs, path, process):
    """The file that lmms-eval writes with --log_samples, as far as we read it."""
    plain = docs.remove_columns("images")
    lines = (json.dumps({"doc_id": place, "target": "x"} | process(doc)) for place, doc in enumerate(plain))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    return path


def test_tasks_name_their_data_functions_and_version(asked):
    folder, task, _ = asked
    text = (task / "my_task.yaml").read_text()
    assert "task: my_task\n" in text
    assert cs.Dataset.open(folder).fingerprint[:8] in text
    assert "cluster_key: picture" in text
    assert str(task / "test-*.parquet") in text
    names: dict = {}
    exec(compile((task / "utils.py").read_text(), "utils.py", "exec"), names)
    called = {line.rpartition("utils.")[2] for line in text.splitlines() if "!function" in line}
    assert called <= names.keys()


def test_a_document_is_a_question_with_its_pictures(asked):
    docs = asked[2]
    assert len(docs) == 24
    (picture,) = doc_to_visual(docs[0])
    assert picture.size == (16, 16)
    assert doc_to_text(docs[0]).endswith("Answer with the letter of the right option.")
    assert doc_to_messages(docs[0])[0]["content"][1]["text"] == doc_to_text(docs[0])


def test_metrics_equal_those_of_score(asked, tmp_path):
    folder, _, docs = asked

    def process(doc):
        return process_results(doc, [said(doc)])

    samples = logged(docs, tmp_path / "model/now_samples_my_task.jsonl", process)
    come = import_run("lmms-eval", samples, folder, tmp_path / "back")
    ours = run_figures(cs.Run.open(come.run.path).scores().overall)
    theirs = theirs_of(docs, process)
    for name in ("factual", "counterfactual", "drop", "both_right", "shown"):
        assert theirs[name] == ours[name], name
    assert come.answers == 24
    assert come.run.manifest.model == "model"


def test_the_model_is_read_from_the_results_file_and_a_lone_surrogate_becomes_a_question_mark(asked, tmp_path):
    folder, _, docs = asked
    samples = logged(docs, tmp_path / "now_samples_t.jsonl", lambda doc: process_results(doc, [f"\ud800 {said(doc)}"]))
    (tmp_path / "now_results.json").write_text('{"model_name": "qwen/vl", "results": {"x": NaN}}')
    back = import_run("lmms-eval", samples, folder, tmp_path / "back").run
    assert back.manifest.model == "qwen/vl"
    assert {reply.text[:2] for reply in back.replies()} == {"? "}


def test_samples_of_other_tasks_are_refused(asked, tmp_path):
    (tmp_path / "now_samples_mmmu.jsonl").write_text('{"doc_id": 0, "accuracy": 1.0}\nnot json\n[[[[\n')
    with pytest.raises(ExchangeError, match="contains no samples of an exported task"):
        import_run("lmms-eval", tmp_path, asked[0], tmp_path / "back")
    with pytest.raises(ExchangeError, match="name one file of samples"):
        import_run("lmms-eval", tmp_path / "nowhere", asked[0], tmp_path / "back")


def test_a_bad_line_is_reported_and_a_stray_one_is_counted(asked, tmp_path):
    folder, _, docs = asked
    samples = logged(docs, tmp_path / "now_samples_t.jsonl", lambda doc: process_results(doc, [said(doc)]))
    stray = {"accuracy": {"key": "elsewhere:factual", "text": "A"}}
    with open(samples, "a") as file:
        file.write('{"accuracy": {"key": 3}}\n' + json.dumps(stray) + "\n" + "[" * 100_000 + "\n")
    told: list[str] = []
    come = import_run("lmms-eval", samples, folder, tmp_path / "back", model="m", on_bad=told.append)
    assert (come.answers, come.strays) == (24, 1)
    assert {line.partition(":")[0] for line in told} == {f"{samples.name} line {number}" for number in (25, 27)}


def test_controls_have_their_own_metric_and_are_imported(controlled, controlled_run, tmp_path):
    export_to("lmms-eval", Export(controlled, tmp_path / "task"))
    docs = documents(tmp_path / "task", tmp_path / "cache").filter(lambda doc: doc["asking"] != "shown")

    def process(doc):
        return process_results(doc, ["A" if doc["asking"] == "factual" else "B"])

    theirs = theirs_of(docs, process)
    assert "metric: control\n" in (tmp_path / "task/task.yaml").read_text()
    assert theirs["control"] == 0.5  # right as it is, and never under a change that does not matter
    assert theirs["accuracy"] == 10 / 12
    back = cs.import_run(
        logged(docs, tmp_path / "m/now_samples_t.jsonl", process), controlled, tmp_path / "back", tool="lmms-eval"
    )
    ours = run_figures(back.scores().overall)
    names = ("factual", "counterfactual", "drop", "both_right")
    assert [theirs[name] for name in names] == [ours[name] for name in names]
    assert back.scores().alarms == controlled_run.scores().alarms != ()
