"""The command line: error messages in one sentence, interruptions, and commands that work together."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import traceback
from pathlib import Path

import pytest
from chat_server import ChatServer
from making import dataset
from running import command as countersight
from running import command_here
from waiting import wait_until

import countersight as cs
from countersight.cli import command, main
from countersight.cli.parsing import build_parser, in_options

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("raport", "runs"), "unknown command 'raport'; did you mean report?"),
        (
            ("run", "d", "--modle", "m"),
            "run: error: unrecognized arguments: --modle m; did you mean --model?",
        ),
        (
            ("run", "d", "--log-level", "debug"),
            "--log-level goes before the command: countersight --log-level debug run",
        ),
    ],
)
def test_a_misspelt_verb_or_option_gets_a_suggestion(typed, said, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(typed)
    assert said in capsys.readouterr().err


def test_run_imports_neither_numpy_nor_drawing_nor_templates(tmp_path):
    dataset(tmp_path / "d", 1)
    script = (
        "import sys; from countersight.cli import main; assert main(sys.argv[1:]) == 0\n"
        "print(sorted({'numpy', 'skia', 'PIL', 'arro3', 'jinja2'} & sys.modules.keys()))"
    )
    with ChatServer() as server:
        run = [sys.executable, "-c", script, "run", "d", "--model", server.name, "-o", "r"]
        done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "nowhere", "--model", "chance", "-o", "r"], "nowhere is not a folder"),
        (["run", "emty", "--model", "chance", "-o", "r"], "emty is not a folder; did you mean empty?"),
        (["run", "d", "--model", "gpt", "-o", "r"], "there is no model 'gpt'"),
        (["run", "d", "--model", "openai:gpt-4o", "-o", "r"], "set OPENAI_API_KEY"),
        (["run", "d", "--model", "http://localhost:8000/v1", "-o", "r"], "did you mean endpoint:URL#MODEL?"),
        (["run", "d", "--model", "endpoint:localhost", "-o", "r"], "endpoint:URL#MODEL"),
        (["run", "d", "--model", "chance", "--prompt", "9-shot", "-o", "r"], "there is no prompt '9-shot'"),
        (["report", "d"], "d is not a run"),
        (["report", "nowhere"], "there is no folder nowhere"),
        (["report", "d", "-o", "web"], "web/report.html was not written by Countersight; choose a new folder for -o"),
        (["report", "d", "-o", "empty"], "empty has other files and no report.html; choose a new folder for -o"),
        (["leaderboard", "d", "-o", "empty"], "empty has other files and no leaderboard.html; choose a new folder"),
        (["report", "emty"], "there is no folder emty; did you mean empty?"),
        (["describe", "nowhere"], "nowhere is not a folder"),
        (["make", "cvqa-synthetic", "-o", "d"], "d exists already"),
        (["make", "cvqa-synthetic", "--from", "none.csv", "-o", "x"], "none.csv"),
        (["run", "d", "--model", "chance", "-o", "/proc/no"], "/proc/no"),
        (["run", "empty", "--model", "chance", "-o", "r"], "empty has no cases"),
        (["run", "d", "--model", "chance", "--rank", "-o", "r"], "chance reports no losses"),
        (["make", "cvqa-synthetic", "--from", "real.csv", "-o", "x"], "no row of real.csv is a valid case of"),
        (["make", "cvqa", "-o", "x"], "did you mean 'cvqa-synthetic' or 'cvqa-real'?"),
        (
            ["run", "d", "--model", "toy-vlm"],
            "endpoint:http://HOST:PORT/v1#toy-vlm (your own server), ollama:toy-vlm, hf:toy",
        ),
        (["make", "CoSym", "-o", "x"], "there is no suite 'CoSym'; did you mean 'cosim'?"),
        (["make", "cosim", "-o", "x"], "cosim is imported: pass its file as --from"),
        (["make", "okvqa", "--from", "q.json", "-o", "x"], "okvqa needs --annotations"),
        (
            ["make", "cfmm", "--from", "q", "--annotations", "k", "-o", "x"],
            "cfmm is imported from one file; leave out --annotations",
        ),
        (["make", "cosim", "--from", "real.csv", "-o", "x"], "real.csv is not a complete JSON file"),
    ],
)
def test_a_user_error_is_one_sentence(tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    dataset(tmp_path / "d", 1)
    dataset(tmp_path / "empty", 0)
    (tmp_path / "web").mkdir()
    (tmp_path / "web/report.html").write_text("<title>The report of our year</title>")
    (tmp_path / "real.csv").write_text(
        "img_path,query,answer,new query,new answer,type\n" + "a.jpg,How?,1,If?,2,direct\n" * 99
    )
    done = command_here(*arguments)
    assert done.returncode == 2
    assert sentence in done.stderr.splitlines()[-1]
    assert done.stderr.splitlines()[-1].startswith("countersight: ")
    assert len(done.stderr.splitlines()) < 25
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    ("option", "value"),
    [("--price", "2.5"), ("--price", "nan,nan"), ("--price=-1,-1", None), ("--temperature", "nan"), ("--timeout", "0")],
)
def test_an_impossible_number_is_refused_with_a_reason(option, value):
    done = command_here("run", "d", "--model", "chance", "-o", "r", *filter(None, (option, value)))
    assert done.returncode == 2
    assert "is not a" in done.stderr or "is not two prices" in done.stderr


@pytest.mark.parametrize("number", ["1.000", "1e3", "3,00", "-1", "0", "ten"])
def test_a_whole_number_that_can_be_misread_is_refused(number, capsys):
    with pytest.raises(SystemExit):
        main(["make", "cvqa-synthetic", "--size", number, "-o", "d"])
    assert f"{number!r} is not a whole number" in capsys.readouterr().err
    assert build_parser()[0].parse_args(["make", "s", "--size", "3,000", "-o", "d"]).size == 3000


def test_ctrl_c_while_modules_are_imported_leaves_no_traceback(monkeypatch, capsys):
    class Interrupted:
        def __getattr__(self, name):
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "countersight.cli.parsing", Interrupted())
    with pytest.raises(SystemExit) as ended:
        command()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "countersight: stopped\n"


@pytest.mark.slow
def test_sigterm_stops_a_background_job_that_ignores_ctrl_c(tmp_path):
    """A job that a script started in the background ignores Ctrl-C; it must not ignore being ended."""
    make = f"{sys.executable} -m countersight make cvqa-synthetic --size 30000 -o d"
    begun = "until ls .d.making-*/images/*.png; do sleep 0.1; done >/dev/null 2>&1"
    script = f"{make} & {begun}; kill -TERM $!; wait $!; echo $?"
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=280, check=True)
    assert done.stdout == "130\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_stopped_make_leaves_neither_files_nor_processes(tmp_path):
    command = [sys.executable, "-m", "countersight", "make", "cvqa-synthetic", "--workers", "2", "-o", "d"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    wait_until(lambda: list(tmp_path.glob(".d.making-*/images/*.png")), process)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=280)
    assert (process.returncode, errors) == (130, "\ncountersight: stopping\ncountersight: stopped\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_workers_end_when_make_is_killed(tmp_path):
    command = [sys.executable, "-m", "countersight", "make", "cvqa-synthetic", "--workers", "2", "-o", "d"]
    process = subprocess.Popen(command, cwd=tmp_path, start_new_session=True)
    wait_until(lambda: list(tmp_path.glob(".d.making-*/images/*.png")), process)
    process.kill()
    process.wait()
    wait_until(lambda: not lives(process.pid))


def lives(group):
    """Whether anybody is left in a group of processes."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


NEXT = "Next: countersight run d --model MODEL (see: countersight list models)\n"


@pytest.mark.slow
def test_make_describe_export_run_and_report_work_together(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = command_here("make", "cvqa-synthetic", "--size", 24, "--seed", 7, "-o", "d")
    assert (made.returncode, made.stdout) == (0, f"24 cases in d\n{NEXT}")
    described = command_here("describe", "d")
    assert "24" in described.stdout
    exported = command_here("export", "d", "--to", "hf", "-o", "d-hf")
    assert exported.stdout.startswith("24 cases in d-hf\n")

    with ChatServer() as server:
        asked = command_here("run", "d", "--model", server.name, "-o", "runs/server", "--shown")
    assert asked.returncode == 0
    assert "72 of 72 questions answered, 0 failed" in asked.stderr
    assert command_here("run", "d", "--model", "chance", "--shown", "-o", "runs/chance").returncode == 0
    reported = command_here("report", "runs/server", "runs/chance", "-o", "report")
    assert reported.returncode == 0, reported.stderr
    kinds = {".html", ".md", ".tex", ".csv", ".json", ".parquet", ".svg"}
    assert {file.suffix for file in (tmp_path / "report").iterdir()} == kinds


def test_bad_rows_and_pictures_are_counted_at_the_end_and_the_run_goes_on(tmp_path):
    folder = dataset(tmp_path / "d", 5)
    (folder / "images/2.png").unlink()
    rows = (folder / "metadata.jsonl").read_text().splitlines()
    rows[4] = json.dumps(json.loads(rows[4]) | {"id": 4})
    (folder / "metadata.jsonl").write_text("\n".join(rows) + "\n")
    done = countersight("run", folder, "--model", "chance", "-o", tmp_path / "r")
    assert done.returncode == 1
    assert "6 of 8 questions answered, 2 failed" in done.stderr
    assert "1 case with a bad picture" in done.stderr
    assert "picture images/2.png is not in the folder" in done.stderr
    assert "1 bad row\n  metadata.jsonl line 5: id: Expected `str`, got `int`" in done.stderr


def test_a_closed_pipe_is_no_error(tmp_path):
    command = f"{sys.executable} -m countersight list models | head -c 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr == ""


@pytest.mark.slow
def test_the_embedded_model_ranks_as_well_as_it_writes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command_here("make", "cvqa-synthetic", "--size", 12, "--seed", 99, "-o", "d").returncode == 0
    for way, options in (("rank", ["--rank"]), ("generate", [])):
        done = command_here("run", "d", "--model", "embedded", *options, "-o", way)
        assert "24 of 24 questions answered, 0 failed" in done.stderr
    journals = [(tmp_path / way / "replies.jsonl").read_text().splitlines() for way in ("rank", "generate")]
    said = [{(line["row"], line["world"]): line["text"] for line in map(json.loads, journal)} for journal in journals]
    assert sum(said[0][key] == said[1][key] for key in said[0]) >= 23


@pytest.mark.slow
def test_the_demo_runs_to_the_end_and_resumes_after_a_stop(tmp_path):
    for _ in range(2):
        done = countersight("demo", "--size", 20, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "embedded:factual" in done.stdout
        assert "visprog:reference" in done.stdout
        assert (tmp_path / "demo/report/report.html").exists()


def test_errors_of_the_library_name_options_on_the_command_line(tmp_path, capsys):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("here")
    dataset(tmp_path / "d", 2)
    with pytest.raises(cs.RunError, match="choose another folder for `out`") as refused:
        cs.run(tmp_path / "d", "chance", out=tmp_path / "full")
    assert "no running event loop" not in "".join(traceback.format_exception(refused.value))
    assert main(["run", str(tmp_path / "d"), "--model", "chance", "-o", str(tmp_path / "full")]) == 2
    assert "choose another folder for -o" in capsys.readouterr().err
    assert main(["run", str(tmp_path / "d"), "--model", "chance", "--rank", "-o", str(tmp_path / "r")]) == 2
    assert "leave out --rank" in capsys.readouterr().err


def test_words_that_are_no_arguments_stay_unchanged():
    assert in_options("give an object with `reply`; or `source`") == "give an object with `reply`; or --from"


def test_a_toml_file_runs_every_model_on_every_dataset(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, seed in (("a", "1"), ("b", "2")):
        assert main(["make", "cvqa-synthetic", "--size", "2", "--seed", seed, "--workers", "1", "-o", name]) == 0
    Path("config.toml").write_text('datasets = ["a", "b"]\nmodel = "chance"\nshown = true\nlimit = 1\n')
    assert main(["run", "config.toml"]) == 0
    for name in ("a", "b"):
        assert len(Path(f"runs/{name}/chance/replies.jsonl").read_text().splitlines()) == 3
    for text, words in (
        ('dataset = "a"', "config.toml does not name a model"),
        ('dataset = "a"\nmodel = "chance"\nmodels = ["chance"]', "config.toml has both model and models"),
        ('dataset = "a"\nmodel = "chance"\nlimti = 1', "config.toml has the unknown key limti; did you mean limit?"),
        ('dataset = "a"\nmodel = "chance"\nlimit = "no"', "config.toml: argument --limit: 'no' is not a whole number"),
        ('dataset = "a"\nmodel = "chance"\nbatch = true\nbudget = 1', "--budget does not work with --batch"),
    ):
        Path("config.toml").write_text(text)
        assert main(["run", "config.toml"]) == 2
        assert words in capsys.readouterr().err


def test_command_line_options_override_those_of_a_toml_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        dataset(tmp_path / name, 4)
    text = 'datasets = ["a", "b"]\nmodels = ["nobody"]\nlimit = 3\noutput = "there"\nseed = 1\n'
    Path("config.toml").write_text(text)
    beside = ["--model", "chance", "--limit", "2", "--seed", "0"]
    assert main(["run", "config.toml", "--dry-run", *beside]) == 0
    assert not Path("there").exists()
    assert capsys.readouterr().out.count("4 questions") == 2
    assert main(["run", *beside, "-o", "here", "config.toml"]) == 0
    for name in ("a", "b"):
        run = cs.Run.open(tmp_path / "here" / name / "chance")
        assert len(list(run.replies())) == 4
        assert run.manifest.settings["seed"] == 0
    assert main(["run", "config.toml", *beside, "--until-metric", "drop"]) == 2
    assert "add --until" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('dataset = "a"\nmodels = ["chance", "openai:gpt-4o"]', "openai: needs a key"),
        ('datasets = ["a", "nowhere"]\nmodel = "chance"', "nowhere is not a folder"),
        ('dataset = "a"\nmodels = ["chance", "chanse"]', "there is no model 'chanse'"),
    ],
)
def test_a_toml_file_is_checked_before_the_first_run_starts(text, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    dataset(tmp_path / "a", 2)
    Path("runs.toml").write_text(text)
    assert main(["run", "runs.toml"]) == 2
    assert words in capsys.readouterr().err
    assert not Path("runs").exists()


def test_after_a_failed_run_of_a_toml_file_the_others_are_run(tmp_path, monkeypatch, capsys):
    """One unreachable server ended the whole file, and nothing listed the runs that were skipped."""
    monkeypatch.chdir(tmp_path)
    dataset(tmp_path / "a", 2)
    closed = "endpoint:http://127.0.0.1:9/v1#m"
    Path("runs.toml").write_text(f'dataset = "a"\nmodels = ["{closed}", "chance"]')
    assert main(["run", "runs.toml"]) == 2
    assert len(list(cs.Run.open("runs/a/chance").replies())) == 4
    said = capsys.readouterr().err
    assert "1 of 2 runs failed:\n  runs/a/endpoint-http-127.0.0.1-9-v1-m: cannot connect" in said


def test_an_estimate_needs_no_key(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    run = ["run", str(dataset(tmp_path / "d", 2)), "--model", "openai:gpt-4o", "-o", str(tmp_path / "run")]
    assert main([*run, "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "4 questions" in said
    assert "No key is set, and the run needs one: openai: needs a key; set OPENAI_API_KEY" in said
    assert main(run) == 2
    assert not (tmp_path / "run").exists()


def test_the_engine_logs_with_log_level(tmp_path):
    countersight("make", "cvqa-synthetic", "--size", 2, "-o", "d", cwd=tmp_path)
    done = countersight("--log-level", "info", "run", "d", "--model", "chance", cwd=tmp_path)
    assert "INFO countersight.engine" in done.stderr
    assert (tmp_path / "runs/d/chance/run.json").is_file()


def test_view_says_that_a_port_is_in_use_and_prints_no_address(tmp_path, capsys):
    cs.run(dataset(tmp_path / "d", 1), "chance", out=tmp_path / "r")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["view", str(tmp_path / "r"), "--port", str(port), "--no-browser"]) == 2
    said = capsys.readouterr()
    assert f"port {port} is already in use; choose another --port" in said.err
    assert "http" not in said.out


@pytest.mark.parametrize("port", ["99999", "0", "x"])
def test_an_invalid_port_gets_a_message(port, capsys):
    with pytest.raises(SystemExit):
        main(["view", "runs", "--port", port])
    assert f"'{port}' is not a port number from 1 to 65535" in capsys.readouterr().err


def test_the_shell_completes_verbs_options_and_paths(tmp_path, capsys):
    assert main(["completion", "bash"]) == 0
    words = [["leader"], ["run", "--mo"], ["audit", "verify", "--sea"], ["list", "mod"], ["report", "run-o"]]
    (tmp_path / "run-one").mkdir()
    tries = "".join(
        f"COMP_WORDS=(countersight {' '.join(each)}); COMP_CWORD={len(each)}; _shtab_countersight; echo $COMPREPLY\n"
        for each in words
    )
    script = capsys.readouterr().out + tries
    done = subprocess.run(["bash"], input=script, capture_output=True, text=True, timeout=280, cwd=tmp_path, check=True)
    assert done.stdout.split() == ["leaderboard", "--model", "--seal", "models", "run-one"]


def test_every_variable_of_the_environment_is_documented():
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    sources = (file.read_text(encoding="utf-8") for file in (ROOT / "src").rglob("*.py"))
    read = {name for source in sources for name in re.findall(r"COUNTERSIGHT_[A-Z_]+", source)}
    assert {name for name in read if f"| `{name}` |" not in page} == set()
