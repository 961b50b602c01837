"""Inspect logs: they contain questions, replies and scores, and can be imported as the same run."""

import json
import math
import re
import zipfile

import pytest

import countersight as cs
from countersight.cli import main
from countersight.errors import ExchangeError
from countersight.exchange import Export, export_to, import_run, run_figures
from countersight.exchange.inspect_export import CONTROL, SCORER, task_figures, task_samples


@pytest.fixture(scope="module")
def log(run, tmp_path_factory):
    path = tmp_path_factory.mktemp("logs") / "speaker.eval"
    assert export_to("inspect", Export(run.path, path)).count == 35
    return path


def members(path) -> dict:
    with zipfile.ZipFile(path) as packed:
        return {name: json.loads(packed.read(name)) for name in packed.namelist()}


def repacked(path, content):
    """A log of these members; bytes stand as they are, and None is left out."""
    with zipfile.ZipFile(path, "w") as packed:
        for name, each in content.items():
            if each is not None:
                packed.writestr(name, each if isinstance(each, bytes) else json.dumps(each))
    return path


def test_a_log_has_the_figures_of_the_run(run, log):
    header = members(log)["header.json"]
    overall = run.scores().overall
    metrics = header["results"]["scores"][0]["metrics"]
    assert metrics["drop"]["value"] == overall.drop.value
    assert metrics["drop"]["metadata"]["p"] == overall.drop.p
    assert metrics["factual"]["value"] == overall.factual.value
    assert header["results"]["scores"][0]["scored_samples"] == overall.scored
    assert header["eval"]["model"] == "speaker"


def test_truncated_replies_are_unscored_and_failed_ones_are_errors(run, log, fates):
    samples = [content for name, content in members(log).items() if name.startswith("samples/")]
    known = fates(run)
    for sample in samples:
        where = sample["metadata"]
        outcome = known[where["case"], where["world"], where["telling"]][0]
        if outcome == "failed":
            assert sample["error"]["message"] == "the server will not answer"
            assert "scores" not in sample
            continue
        value = sample["scores"][SCORER]["value"]
        expected = {"right": "C", "wrong": "I", "unread": "N"}.get(outcome)
        assert value == expected or (expected is None and math.isnan(value))
    assert {known[key][0] for key in known} >= {"right", "wrong", "unread", "cut", "empty", "failed"}


def test_each_world_shows_its_own_picture(log, folder):
    samples = members(log)
    seen = {
        asking: samples[f"samples/case-1:{asking}_epoch_1.json"]["input"][0]["content"][0]["image"]
        for asking in ("factual", "counterfactual", "shown")
    }
    assert seen["factual"] == seen["counterfactual"] != seen["shown"]
    assert all(image.startswith("data:image/png;base64,") for image in seen.values())
    summaries = samples["summaries.json"]  # the list of samples, without pictures
    assert len(summaries) == 35
    assert "base64" not in json.dumps(summaries)


def test_a_log_is_imported_as_the_same_run(run, log, folder, fates, tmp_path):
    back = cs.import_run(log, folder, tmp_path / "back", tool="inspect")
    assert fates(back) == fates(run)
    assert back.scores().overall == run.scores().overall
    assert back.manifest.model == "speaker"
    assert sum(reply.cost for reply in back.replies()) == pytest.approx(sum(reply.cost for reply in run.replies()))


def test_logs_compressed_with_zstandard_are_read(run, log, folder, fates, tmp_path):
    """With Zstandard, which is number 93."""
    import zipfile_zstd  # noqa: F401 - zipfile then knows it

    path = tmp_path / "packed.eval"
    with zipfile.ZipFile(path, "w", compression=93) as packed:
        for name, content in members(log).items():
            packed.writestr(name, json.dumps(content))
    assert fates(cs.import_run(path, folder, tmp_path / "back", tool="inspect")) == fates(run)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"header.json": None, "_journal/start.json": None}, "it has no header.json"),
        (
            {"header.json": {"version": 3, "eval": {"task": "t", "model": "m"}}},
            "has version 3 of Inspect's log format; only version 2 can be read",
        ),
        ({"header.json": {"version": 2}}, "missing required field `eval`"),
        ({"header.json": b"{"}, "header.json is damaged"),
        ({"header.json": b"[" * 100_000}, "header.json is damaged"),
        (
            {"header.json": {"eval": {"task": "t", "model": "m", "metadata": {"dataset_fingerprint": "0"}}}},
            "does not belong to .* or the rows of the dataset have changed",
        ),
    ],
)
def test_a_log_that_cannot_be_read_is_an_error(change, sentence, log, folder, tmp_path):
    path = repacked(tmp_path / "bad.eval", members(log) | change)
    with pytest.raises(ExchangeError, match=sentence):
        import_run("inspect", path, folder, tmp_path / "back")


def test_a_damaged_sample_is_reported_and_the_others_are_read(log, folder, tmp_path):
    told = []
    path = repacked(tmp_path / "bad.eval", members(log) | {"samples/case-3:factual_epoch_1.json": b'{"id": ['})
    come = import_run("inspect", path, folder, tmp_path / "back", on_bad=told.append)
    assert come.answers + come.failed == 34
    assert set(told) == {told[0]}
    assert told[0].startswith("samples/case-3:factual_epoch_1.json is damaged")


def test_an_incomplete_log_is_reported(log, folder, tmp_path, capsys):
    """Its own status, and how many questions have no answer; the report does not advise to ask again."""
    held = members(log)
    header = held["header.json"] | {"status": "cancelled"}
    path = repacked(tmp_path / "part.eval", held | {"samples/case-3:factual_epoch_1.json": None, "header.json": header})
    assert (
        main(["import-run", str(path), "--dataset", str(folder), "--from", "inspect", "-o", str(tmp_path / "back")])
        == 0
    )
    out, told = capsys.readouterr()
    assert "is not complete: its status is 'cancelled'; no answer to 1 question of the dataset" in told
    assert re.search(r"imported 31 of 35 answers of speaker in .*; 3 failed", out)
    assert "imported 34 of 35 answers" in str(cs.score(tmp_path / "back"))
    report = cs.report(tmp_path / "back", out=tmp_path / "page")
    assert "imported 34 of 35 answers" in report.data.runs[0].progress
    whole = import_run("inspect", log, folder, tmp_path / "whole")
    assert (whole.unanswered, whole.unfinished) == (0, "")
    assert not cs.Run.open(tmp_path / "whole").manifest.observed.get("left out")
    assert cs.Run.open(tmp_path / "back").manifest.observed["left out"]


def test_a_file_that_is_not_a_log_is_an_error(folder, tmp_path):
    (tmp_path / "x.eval").write_bytes(b"PK\x03\x04 but no more")
    with pytest.raises(ExchangeError, match="is not an Inspect log"):
        import_run("inspect", tmp_path / "x.eval", folder, tmp_path / "back")
    with pytest.raises(ExchangeError, match="name one log"):
        import_run("inspect", tmp_path, folder, tmp_path / "back")


def without_fingerprint(log):
    """The members of a log that does not say of which dataset it is."""
    held = members(log)
    for name in ("header.json", "_journal/start.json"):
        held[name]["eval"]["metadata"] = None
    return held


def test_a_log_of_another_task_is_refused(log, folder, tmp_path):
    held = without_fingerprint(log)
    sample = held["samples/case-1:factual_epoch_1.json"] | {"id": "gsm8k-1", "metadata": {}}
    path = repacked(tmp_path / "other.eval", {"header.json": held["header.json"], "samples/1.json": sample})
    with pytest.raises(ExchangeError, match=r"has no answers to questions of .*its first answer is for 'gsm8k-1'"):
        import_run("inspect", path, folder, tmp_path / "back")
    assert not (tmp_path / "back").exists()


@pytest.mark.parametrize(
    ("field", "value"), [("input", "How many cats are there?"), ("target", "no dog"), ("choices", ["1", "2", "4", "8"])]
)
def test_a_log_without_a_fingerprint_is_compared_with_the_questions(log, folder, tmp_path, field, value):
    """Another dataset, of another seed, has the same names."""
    held = without_fingerprint(log)
    come = import_run("inspect", repacked(tmp_path / "same.eval", held), folder, tmp_path / "same")
    assert come.answers + come.failed == 35
    other = {name: each | {field: value} if name.startswith("samples/") else each for name, each in held.items()}
    with pytest.raises(ExchangeError, match=r"does not belong to .*35 of 35 questions differ"):
        import_run("inspect", repacked(tmp_path / "other.eval", other), folder, tmp_path / "back")


def test_controls_have_their_own_score_in_a_log(controlled, controlled_run, tmp_path):
    path = tmp_path / "jumpy.eval"
    assert export_to("inspect", Export(controlled_run.path, path)).count == 24
    held = members(path)
    control, ordinary = (held[f"samples/case-{name}:counterfactual_epoch_1.json"] for name in ("100", "0"))
    assert control["metadata"]["control_of"] == "case-0"
    assert "control_of" not in ordinary["metadata"]
    assert (list(control["scores"]), list(ordinary["scores"])) == ([CONTROL], [SCORER])
    reader, alarms = held["header.json"]["results"]["scores"]
    assert reader["metrics"]["counterfactual"]["value"] == controlled_run.scores().overall.counterfactual.value == 4 / 6
    assert (reader["scored_samples"], alarms["scored_samples"]) == (12, 12)
    assert alarms["metrics"]["false_alarms"]["value"] == 1.0
    assert alarms["metrics"]["misses"]["value"] == 2 / 6
    back = cs.import_run(path, controlled, tmp_path / "back", tool="inspect")
    assert back.scores().alarms == controlled_run.scores().alarms != ()
    assert back.scores().overall == controlled_run.scores().overall


def test_the_metrics_of_a_task_exclude_controls(controlled, controlled_run):
    opened = cs.Dataset.open(controlled)
    assert task_figures(opened, list(controlled_run.replies())) == run_figures(controlled_run.scores().overall)
    groups = {each["metadata"]["case"]: each["metadata"]["group"] for each in task_samples(opened, ("factual",))}
    assert (groups["case-0"], groups["case-100"]) == ("group 0", "group 0, control")
