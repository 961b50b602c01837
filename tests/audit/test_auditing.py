"""An audit runs every stage of every case once, despite problems of servers and disks, and interruptions."""

import errno
import json
import os
import signal
import subprocess
from collections import Counter

import pytest
from audits import audit, command, outputs, run_audit, scenes, stages_in, verdict, vision_model
from chat_server import ChatServer
from making import case, dataset
from waiting import wait_until

import countersight as cs
from countersight.audits.folder import AuditFolder
from countersight.audits.selection import is_descriptive, select
from countersight.audits.trail import read_audit
from countersight.case import Question
from countersight.dataset import Dataset
from countersight.engine import Journal
from countersight.errors import AuditError, CountersightError, ModelError
from countersight.picture.checking import check_picture
from countersight.progress import silent
from countersight.suites import find_suite

STAGES = ["case", "answer", "why", "concepts", "edit", "answer again", "why again", "verdict"]


@pytest.fixture(scope="module")
def flowers(tmp_path_factory):
    return scenes(tmp_path_factory.mktemp("scenes") / "flowers")


def test_the_offline_audit_runs_all_stages_for_every_case(flowers, tmp_path):
    outcome = audit(flowers, tmp_path / "a", "embedded")
    found = read_audit(tmp_path / "a")
    assert Counter(step.stage for step in found.steps) == dict.fromkeys(STAGES, 6)
    scores = outcome.scores
    assert (scores.cases, scores.kept.ccs.concepts, scores.failed) == (6, 6, 0)
    assert scores.kept.ccs.value >= 0.8
    assert scores.kept.ccs.low < scores.kept.ccs.value
    for trail in found.cases:
        (test,) = trail.concepts
        assert trail.baseline.explanation.text.startswith("I counted")
        assert test.again.answer.text != trail.baseline.answer.text
        assert test.edit.quality.good
        folder = AuditFolder.open(tmp_path / "a")
        assert folder.picture(test.edit.before).data == (flowers / trail.record.image).read_bytes()
        assert check_picture(folder.picture(test.edit.after).data).width == 448


def test_question_and_request_for_reasons_are_one_stored_conversation(flowers, tmp_path):
    with ChatServer(vision_model) as server:
        audit(flowers, tmp_path / "a", server.name, cases=1)
    ask, why = server.requests[:2]
    assert len(ask["messages"]) == 1
    assert [message["role"] for message in why["messages"]] == ["user", "assistant", "user"]
    assert why["messages"][1]["content"].isdecimal()
    step = next(step for step in read_audit(tmp_path / "a").steps if step.stage == "why")
    assert [turn.role for turn in step.asked] == ["user", "assistant", "user"]
    assert [bool(turn.picture) for turn in step.asked] == [True, False, False]
    assert step.asked[0].text.endswith("Answer with a single number.")
    assert step.asked[2].text == "Why?"
    assert (step.spent.tokens_in, step.output.model) == (100, "test-model-2026")


def test_finished_steps_are_never_repeated(flowers, tmp_path):
    with ChatServer(vision_model) as server:
        first = audit(flowers, tmp_path / "a", server.name)
        asked, log = len(server.requests), (tmp_path / "a/steps.jsonl").read_bytes()
        second = audit(flowers, tmp_path / "a", server.name)
        assert len(server.requests) == asked == 24
    assert (tmp_path / "a/steps.jsonl").read_bytes() == log
    assert second.scores == first.scores


def test_a_failed_step_stops_only_its_dependents_and_is_retried_on_resume(flowers, tmp_path):
    def moody(server, number, body):
        return "status:400" if number == 0 else vision_model(server, number, body)

    with ChatServer(moody) as server:
        first = audit(flowers, tmp_path / "a", server.name)
        assert (first.scores.failed, first.scores.kept.ccs.concepts, first.scores.cases) == (1, 5, 6)
        second = audit(flowers, tmp_path / "a", server.name)
        assert (second.scores.failed, second.scores.kept.ccs.concepts) == (0, 6)
        undisturbed = audit(flowers, tmp_path / "b", server.name)
    assert outputs(tmp_path / "a") == outputs(tmp_path / "b")
    assert second.scores == undisturbed.scores


def test_judges_votes_and_controls_can_be_added_without_asking_the_model_again(flowers, tmp_path):
    with ChatServer(vision_model) as server, ChatServer(verdict(0, 1)) as judge:
        audit(flowers, tmp_path / "a", server.name)
        asked = len(server.requests)
        more = audit(flowers, tmp_path / "a", server.name, judges=("exact", judge.name), votes=3)
        assert len(server.requests) == asked
        assert len(judge.requests) == 18
        assert set(more.scores.by_judge) == {"exact", judge.name}
        with pytest.raises(AuditError, match="which cannot be removed: name it in `judges`"):
            audit(flowers, tmp_path / "a", server.name, judges=("exact",), votes=3)
        controlled = audit(flowers, tmp_path / "a", server.name, judges=("exact", judge.name), votes=3, control=True)
        assert len(server.requests) == asked + 12
    assert (controlled.scores.controls, controlled.scores.flips) == (6, 0)
    assert controlled.scores.agreement.own[0].n == 6


def test_tests_whose_answer_changes_with_the_control_edit_are_excluded_and_counted(flowers, tmp_path):
    def nervous(server, number, body):
        if len(body["messages"]) > 1:
            return vision_model(server, number, body)
        return f"say:{number}"

    with ChatServer(nervous) as server:
        scores = audit(flowers, tmp_path / "a", server.name, control=True).scores
    assert (scores.controls, scores.flips, scores.kept.ccs.concepts) == (6, 6, 0)
    assert scores.excluded == {"the answer also changes with the control edit": 6}
    assert scores.everything.ccs.concepts == 6


def test_pictures_that_share_a_control_edit_are_edited_once(tmp_path):
    same = [case(n, image="images/0.png", factual=Question(f"How many dots ({n})?", "7", "number")) for n in range(5)]
    folder = dataset(tmp_path / "d", same)
    (folder / "scenes.jsonl").touch()
    with ChatServer(vision_model) as server, pytest.raises(AuditError, match="every edit by exact failed"):
        audit(folder, tmp_path / "a", server.name, control=True, judges=("rules",))
    steps = read_audit(tmp_path / "a").steps
    assert sum(step.stage == "edit" and step.place.concept == 0 for step in steps) == 1


def test_an_audit_with_other_settings_needs_another_folder(flowers, tmp_path):
    with ChatServer(vision_model) as server:
        audit(flowers, tmp_path / "a", server.name, cases=2)
        before = (tmp_path / "a/steps.jsonl").read_bytes()
        other = scenes(tmp_path / "other", size=6, seed=6)
        for what, changed in (
            ("dataset", lambda: audit(other, tmp_path / "a", server.name, cases=2)),
            ("model", lambda: audit(flowers, tmp_path / "a", "embedded", cases=2)),
            ("number of concepts", lambda: audit(flowers, tmp_path / "a", server.name, cases=2, concepts=2)),
            ("number of cases", lambda: audit(flowers, tmp_path / "a", server.name)),
        ):
            with pytest.raises(AuditError, match=f"a different {what}.*choose a different folder"):
                changed()
    assert (tmp_path / "a/steps.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"judges": ("exakt",)}, "there is no judge 'exakt'; did you mean 'exact'?"),
        ({"extractor": "rule"}, "there is no extractor 'rule'; did you mean 'rules'?"),
        ({"editor": "exact-ish"}, "there is no editor 'exact-ish'; did you mean 'exact'?"),
        ({"judges": ("exact", "exact")}, "the judge exact is given twice"),
        ({"judges": ("embedded",)}, "embedded cannot be a judge"),
        ({"extractor": "chance"}, "chance cannot be an extractor"),
    ],
)
def test_a_wrong_name_is_reported_and_no_folder_is_created(flowers, tmp_path, changes, sentence):
    with pytest.raises(CountersightError) as caught:
        audit(flowers, tmp_path / "a", "chance", **changes)
    assert sentence in str(caught.value)
    assert not (tmp_path / "a").exists()


def test_a_rejected_api_key_stops_the_audit_and_the_same_command_resumes_it(flowers, tmp_path):
    with ChatServer("status:401") as server:
        with pytest.raises(ModelError, match="does not accept the key"):
            audit(flowers, tmp_path / "a", server.name)
        server.behaviour = vision_model
        assert audit(flowers, tmp_path / "a", server.name).scores.kept.ccs.concepts == 6


def test_a_full_disk_stops_the_audit_and_the_same_command_resumes_it(flowers, tmp_path, monkeypatch):
    write, written = Journal.write, []

    def until_full(journal, line):
        if len(written) == 9:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "steps.jsonl")
        written.append(line)
        write(journal, line)

    with ChatServer(vision_model) as server:
        monkeypatch.setattr(Journal, "write", until_full)
        with pytest.raises(OSError, match="No space left"):
            audit(flowers, tmp_path / "a", server.name)
        monkeypatch.undo()
        audit(flowers, tmp_path / "a", server.name)
        audit(flowers, tmp_path / "b", server.name)
    assert outputs(tmp_path / "a") == outputs(tmp_path / "b")


def test_a_bad_picture_is_one_failed_case(flowers, tmp_path):
    folder = scenes(tmp_path / "d", size=6)
    (folder / "images/000002.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "images/000003.png").unlink()
    scores = audit(folder, tmp_path / "a", "chance", judges=("rules",)).scores
    assert (scores.cases, scores.failed) == (4, 2)
    steps = [step for step in read_audit(tmp_path / "a").steps if step.stage == "case"]
    reasons = {step.place.row: step.output.reason for step in steps if step.place.row in (1, 2)}
    assert reasons == {
        1: "picture images/000002.png is cut off",
        2: "picture images/000003.png is not in the folder",
    }


def test_an_audit_is_not_sealed_if_its_editor_fails_every_time(tmp_path):
    folder = dataset(tmp_path / "d", 2)  # pictures of one colour: there is no scene to change
    (folder / "scenes.jsonl").touch()
    logs = []
    with ChatServer(vision_model) as server:
        for _ in range(2):  # the second time nothing is tried again
            with pytest.raises(AuditError, match=r"every edit by exact failed \(2 of 2: .*scene.*was not sealed"):
                cs.audit(folder, server.name, out=tmp_path / "a", extractor="rules", editor="exact", judges=["rules"])
            logs.append((tmp_path / "a/steps.jsonl").read_bytes())
    assert logs[0] == logs[1]
    assert not (tmp_path / "a/bundle.json").exists()


def test_exact_is_refused_for_datasets_without_generated_scenes(tmp_path):
    find_suite("supports").make(tmp_path / "d", size=1, seed=8, workers=1, progress=silent)
    with pytest.raises(AuditError, match=r"d has no scenes\.jsonl: `exact` edits and judges only drawings"):
        audit(tmp_path / "d", tmp_path / "a", "embedded", judges=("rules",))
    assert not (tmp_path / "a").exists()


def test_a_changed_log_or_picture_is_refused_with_its_location(flowers, tmp_path):
    audit(flowers, tmp_path / "a", "embedded", cases=2)
    log = tmp_path / "a/steps.jsonl"
    whole = log.read_bytes()
    log.write_bytes(whole.replace(b'"answer"', b'"ANSWER"', 1))
    with pytest.raises(AuditError, match=r"steps\.jsonl line \d+ was changed"):
        audit(flowers, tmp_path / "a", "embedded", cases=2)
    edits = [line for line in whole.splitlines(keepends=True) if b'"stage":"edit"' in line]
    log.write_bytes(whole[: whole.index(edits[0]) + len(edits[0])])
    edited = tmp_path / "a/pictures" / f"{json.loads(edits[0])['output']['after']}.png"
    edited.write_bytes(edited.read_bytes()[:-1] + b"x")
    with pytest.raises(AuditError, match=rf"{edited.name} was changed"):
        audit(flowers, tmp_path / "a", "embedded", cases=2)


def test_pictures_that_no_step_mentions_are_removed(flowers, tmp_path):
    audit(flowers, tmp_path / "a", "chance", cases=1)
    before = {file.name for file in (tmp_path / "a/pictures").iterdir()}
    (tmp_path / "a/pictures" / f"{'0' * 64}.png").write_bytes(b"left behind by a kill")
    (tmp_path / "a/pictures" / f".{'1' * 64}.png.123-4").write_bytes(b"half of one")
    audit(flowers, tmp_path / "a", "chance", cases=1)
    assert {file.name for file in (tmp_path / "a/pictures").iterdir()} == before


def test_prompts_from_a_file_are_used_and_stored(flowers, tmp_path):
    from countersight.audits.prompts import find_prompts

    file = tmp_path / "mine.toml"
    file.write_text('like = "brief"\nversion = 4\nwhy = "And why is that?"\n')
    with ChatServer(vision_model) as server:
        audit(flowers, tmp_path / "a", server.name, cases=1, prompts=find_prompts(str(file)))
    assert server.requests[1]["messages"][2]["content"] == "And why is that?"
    kept = json.loads((tmp_path / "a/audit.json").read_text())["prompts"]
    assert (kept["name"], kept["version"], kept["why"]) == ("mine", 4, "And why is that?")
    for text, sentence in (
        ('whi = "?"', "there is no field 'whi'; did you mean 'why'?"),
        ('like = "bref"', "there is no set of prompts 'bref'; did you mean 'brief'?"),
        ('judge = "Score {answer}!"', "the placeholder {question} is missing"),
        ('open = "{qestion}"', "did you mean 'question'?"),
        ("version = [", "is not TOML"),
    ):
        file.write_text(text)
        with pytest.raises(CountersightError) as caught:
            find_prompts(str(file))
        assert sentence in str(caught.value)


@pytest.mark.slow
def test_ctrl_c_stops_between_steps_and_the_same_command_resumes(flowers, tmp_path):
    with ChatServer(vision_model, latency=0.5) as server:
        process = subprocess.Popen(
            command(flowers, tmp_path / "a", server.name, "--concurrency", "2"), stderr=subprocess.PIPE, text=True
        )
        wait_until(lambda: len(stages_in(tmp_path / "a")) >= 5, process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
        server.latency = 0.0
        assert process.returncode == 130
        assert "Run the same command again to continue" in errors
        assert "Traceback" not in errors
        # What was under way was waited for: every question the server saw has its answer in the log.
        said = ("answer", "why", "answer again", "why again")
        assert sum(stage in said for stage in stages_in(tmp_path / "a")) == len(server.requests) < 24
        done = run_audit(flowers, tmp_path / "a", server.name, "--concurrency", "2")
        assert (done.returncode, len(server.requests)) == (0, 24), done.stderr


@pytest.mark.slow
def test_an_audit_killed_in_any_stage_ends_like_an_uninterrupted_one(tmp_path):
    flowers = scenes(tmp_path / "flowers", size=9)
    come = []

    def slowly_then(server, number, body):
        """Delay replies from this stage on, so that the process can be killed in it."""
        return "hang" if come and come[-1]() else vision_model(server, number, body)

    with ChatServer(slowly_then) as server:
        assert run_audit(flowers, tmp_path / "whole", server.name).returncode == 0
        del server.requests[:]
        for stage in STAGES:
            before = stages_in(tmp_path / "a").count(stage)
            come.append(lambda stage=stage, before=before: stages_in(tmp_path / "a").count(stage) > before)
            one_by_one = command(flowers, tmp_path / "a", server.name, "--concurrency", "1")
            process = subprocess.Popen(one_by_one, stderr=subprocess.DEVNULL)
            wait_until(come[-1], process)
            process.kill()
            process.wait()
            with open(tmp_path / "a/steps.jsonl", "ab") as log:  # a line that the kill cut off
                log.write(b'{"n":99,"stage":"ans')
        come.clear()
        done = run_audit(flowers, tmp_path / "a", server.name)
        assert done.returncode == 0, done.stderr
        # Only what was under way at a kill may have been asked twice.
        assert 36 <= len(server.requests) <= 36 + len(STAGES)
    assert outputs(tmp_path / "a") == outputs(tmp_path / "whole")
    assert (tmp_path / "a/scores.json").read_bytes() == (tmp_path / "whole/scores.json").read_bytes()
    pictures = [{file.name for file in (tmp_path / name / "pictures").iterdir()} for name in ("a", "whole")]
    assert pictures[0] == pictures[1]


def test_the_descriptive_option_selects_only_descriptive_questions(tmp_path):
    asked = {
        "What is this animal doing?": True,
        "Why is the man wearing a helmet?": True,
        "How many dogs are there?": False,
        "What year was this made?": False,
        "Is it raining?": False,
        "Name the bike model shown?": False,
    }
    assert {text: is_descriptive(Question(text, "", "open")) for text in asked} == asked
    assert not is_descriptive(Question("What is more, is it red?", "yes", "boolean"))
    folder = scenes(tmp_path / "scenes", size=3)
    audit(folder, tmp_path / "a", "chance", cases=1)
    with pytest.raises(AuditError, match="a different choice of questions: all, not descriptive"):
        audit(folder, tmp_path / "a", "chance", cases=1, descriptive=True)
    selection = select(Dataset.open(folder), 2, descriptive=True)
    assert (selection.cases, selection.left_out) == ((), 3)  # they ask for numbers
