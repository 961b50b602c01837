"""The public functions: names, cost of importing them, and use in scripts, threads and event loops."""

import asyncio
import inspect
import pickle
import pydoc
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

import countersight as cs
from countersight.models import Turn


def test_no_package_hides_the_function_of_its_name():
    house = Path(cs.__file__).parent
    packages = {path.stem for path in house.glob("*.py")} | {path.parent.name for path in house.glob("*/__init__.py")}
    assert packages & set(cs.__all__) == set()


def test_a_verb_is_a_function_to_those_who_look():
    assert "judges" in inspect.signature(cs.audit).parameters
    assert pydoc.getdoc(cs.audit).startswith("Test whether a model's explanations")
    assert pickle.loads(pickle.dumps(cs.audit)) is cs.audit


@pytest.mark.parametrize(
    ("script", "heavy"),
    [
        ("import countersight", {"numpy", "PIL", "msgspec", "aiohttp", "rich", "skia", "torch", "onnxruntime"}),
        (
            "from countersight.cli import main; main([])",
            {"numpy", "skia", "PIL", "aiohttp", "rich", "msgspec", "asyncio"},
        ),
    ],
)
def test_nothing_heavy_is_imported(script, heavy):
    script = f"{script}; import sys; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=280, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


@pytest.mark.slow
def test_the_script_of_the_readme_runs_twice_and_ends_in_a_finding(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    readme = Path(__file__).parents[1] / "README.md"
    (script,) = re.findall(r"```python\n(.*?)```", readme.read_text(encoding="utf-8"), re.DOTALL)
    for _ in range(2):
        exec(compile(script, "README.md", "exec"), {})
        assert "embedded:factual loses" in capsys.readouterr().out
    with pytest.raises(cs.CountersightError, match="seed: 7, not 8"):
        cs.make("cvqa-synthetic", "few", size=60, seed=8, exist_ok=True)


def story(folder: Path) -> tuple[cs.Run, cs.Run, cs.Audit]:
    """The README's, in small."""
    flowers = cs.make("cvqa-synthetic", folder / "flowers", size=6, seed=7, workers=1)
    run = cs.run(flowers, "embedded", out=folder / "runs/embedded")
    always = cs.run(flowers, lambda picture, question: "3", out=folder / "runs/always", name="always three")
    assert [each.label for each in cs.report(folder / "runs", out=folder / "report").data.runs] == [
        "always three",
        "embedded",
    ]
    assert cs.leaderboard([run, always], out=folder / "board").html.is_file()
    audit = cs.audit(
        flowers, "embedded", extractor="rules", editor="exact", judges=["exact"], cases=2, out=folder / "audit"
    )
    return run, always, audit


@pytest.fixture(scope="module")
def told(tmp_path_factory) -> tuple[cs.Run, cs.Run, cs.Audit]:
    return story(tmp_path_factory.mktemp("story"))


def test_a_script_runs_from_dataset_to_report(told):
    run, always, audit = told
    drop = run.scores().overall.drop
    assert drop.n == 6
    assert drop.low <= drop.value <= drop.high
    assert len(run.frame()) == 12
    assert len(list(run.cases())) == 6
    assert "always three" in repr(always)
    assert cs.verify(audit).sound
    assert audit.page.is_file()
    assert audit.scores().kept.ccs.concepts


def test_it_prints_nothing(told, capfd):
    run, *_ = told
    cs.score(run)
    assert capfd.readouterr() == ("", "")


def test_an_existing_run_resumes_and_asks_nothing_again(told, tmp_path):
    run, *_ = told
    before = (run.path / "replies.jsonl").read_bytes()
    cs.run(run.dataset(), "embedded", out=run.path)
    assert (run.path / "replies.jsonl").read_bytes() == before


def test_it_works_in_a_thread_and_under_a_running_loop(told, tmp_path):
    flowers = told[0].dataset()
    thread = threading.Thread(target=lambda: cs.run(flowers, "chance", out=tmp_path / "thread"))
    thread.start()
    thread.join()

    async def in_a_notebook() -> cs.Run:
        return cs.run(flowers, "chance", out=tmp_path / "loop")

    async def peer() -> cs.Run:
        return await cs.run_async(flowers, "chance", out=tmp_path / "peer")

    runs = [cs.Run.open(tmp_path / "thread"), asyncio.run(in_a_notebook()), asyncio.run(peer())]
    texts = [sorted(reply.text for reply in run.replies()) for run in runs]
    assert texts[0] == texts[1] == texts[2]


def test_progress_reports_every_step(told, tmp_path):
    heard = []

    @contextmanager
    def progress(what, total, unit):
        yield lambda done: heard.append((done, total, unit))

    cs.run(told[0].dataset(), "chance", out=tmp_path / "run", progress=progress)
    assert heard[-1] == (12, 12, "questions")


@pytest.mark.slow
def test_a_plain_script_without_a_guard_makes_a_dataset_in_several_processes(tmp_path):
    script = tmp_path / "plain.py"
    script.write_text(
        "import countersight as cs\n"
        f"print(cs.make('cvqa-synthetic', {str(tmp_path / 'flowers')!r}, size=40, seed=7, workers=2).count)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=280, check=False)
    assert done.stdout == "40\n", done.stderr


def test_a_sample_of_cases_can_be_extended_later(told, tmp_path):
    few = list(cs.run(told[0].dataset(), "chance", out=tmp_path / "run", cases=2).replies())
    more = list(cs.run(told[0].dataset(), "chance", out=tmp_path / "run", cases=4).replies())
    assert len({reply.case for reply in few}) == 2
    assert len({reply.case for reply in more}) == 4
    assert more[: len(few)] == few
    with pytest.raises(cs.CountersightError, match="budget"):
        cs.run(told[0].dataset(), "endpoint:http://127.0.0.1:9/v1#m", out=tmp_path / "paid", budget=1)


def test_another_function_in_the_same_folder_is_refused(told, tmp_path):
    cs.run(told[0].dataset(), lambda picture, question: "A", out=tmp_path / "run")
    with pytest.raises(cs.RunError, match="a different set of settings"):
        cs.run(told[0].dataset(), lambda picture, question: "B", out=tmp_path / "run")


def test_a_closure_over_another_value_in_the_same_folder_is_refused(told, tmp_path):
    def always(letter):
        return lambda picture, question: letter

    for _ in range(2):
        cs.run(told[0].dataset(), always("A"), out=tmp_path / "run")
    with pytest.raises(cs.RunError, match="a different set of settings"):
        cs.run(told[0].dataset(), always("B"), out=tmp_path / "run")


def moody(picture, question):
    if "would" in question.casefold():
        raise ValueError("no")
    return "3"


class Moody:
    """A model that raises what it should not."""

    name, needs_picture, settings = "moody", False, {}

    async def reply(self, request):
        return cs.Answer(moody(None, request.question))

    async def close(self) -> None:
        pass


@pytest.mark.parametrize("model", [moody, Moody()])
def test_a_function_or_a_model_that_raises_fails_its_question_and_no_other(told, tmp_path, model):
    run = cs.run(told[0].dataset(), model, out=tmp_path / "moody", retry=cs.RetryPolicy(attempts=1))
    states = [reply.state for reply in run.replies()]
    assert (states.count("failed"), states.count("answered")) == (6, 6)
    assert any("ValueError" in reply.reason for reply in run.replies())


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"model": None}, "None is not a model: pass a name, an object with a `reply` method, or a function"),
        ({"model": lambda picture: "3"}, "must take two arguments, the picture and the question"),
        ({"answering": "maybe"}, "answering must be 'generate' or 'rank', not 'maybe'"),
        ({"until": "decidd"}, "until must be 'decided', not 'decidd'"),
        ({"prompt": "zero-shot"}, "'zero-shot'; did you mean '0-shot'"),
        ({"budget": -1}, "budget must be an amount of dollars above 0, such as 5.00 or 0.005, not -1"),
        ({"cases": "5"}, "cases must be a whole number of at least 1, not '5'"),
        (lambda told: cs.run(None, "chance", out="out"), "None is not a dataset: pass its folder"),
        (lambda told: cs.make("discs", "out", size=1.5), "size must be a whole number of at least 1, not 1.5"),
        (lambda told: cs.read("3", "How many?", kind="count"), "kind must be one of number, boolean, choice, open"),
        (lambda told: cs.open_model("gpt-4o"), "did you mean openai:gpt-4o"),
        (lambda told: cs.make("own", "out", source=Path(__file__).parent), "`source` must be the file of own"),
        (lambda told: cs.make("own", "out", source="nowhere.csv"), "there is no file nowhere.csv"),
        (lambda told: cs.make("discs", "out", size=0), "size must be a whole number of at least 1, not 0"),
        (lambda told: cs.verify(told[0]), "is not an audit"),
        (lambda told: cs.ModelSettings(max_tokens=-3), "max_tokens must be a whole number of at least 1, not -3"),
        (lambda told: cs.ModelSettings(temperature="hot"), "temperature must be a number from 0 to 2"),
        (lambda told: cs.ModelSettings(seed="one"), "seed must be a whole number, not 'one'"),
        (lambda told: cs.ModelSettings(timeout=0), "timeout must be a number of seconds above 0, not 0"),
        (lambda told: cs.ModelSettings(price_in="a"), "price_in must be a price in dollars, such as 2.5, not 'a'"),
        (lambda told: cs.ModelSettings(dtype="int4"), "there is no dtype 'int4'"),
        (lambda told: cs.ModelSettings(detail="ultra"), "there is no detail 'ultra'"),
        (lambda told: cs.RetryPolicy(concurrency=0), "concurrency must be a whole number of at least 1, not 0"),
        (lambda told: cs.RetryPolicy(concurrency=1.5), "concurrency must be a whole number of at least 1, not 1.5"),
        (lambda told: cs.RetryPolicy(attempts=True), "attempts must be a whole number of at least 1, not True"),
    ],
)
def test_invalid_arguments_get_a_message(told, tmp_path, monkeypatch, wrong, sentence):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(cs.CountersightError, match=sentence):
        cs.run(told[0].dataset(), out="out", **{"model": "chance"} | wrong) if isinstance(wrong, dict) else wrong(told)
    assert list(tmp_path.iterdir()) == []


def test_equivalent_types_of_arguments_are_accepted(told, tmp_path):
    import numpy as np

    assert cs.make("supports", tmp_path / "d", size=np.int64(1), workers=1, difficulty="easy").count == 1
    assert cs.report((run for run in told[:2]), out=tmp_path / "report").html.is_file()


def test_results_have_short_representations(told, tmp_path):
    run, *_ = told
    assert len(repr(cs.report(run, out=tmp_path / "report"))) < 200
    assert "6 cases" in repr(run.dataset())
    first = next(run.cases())
    assert repr(first).startswith(f"Case({first.id!r}: {first.factual.text}")
    assert repr(cs.describe(run.dataset())).startswith("Statistics of 6 cases")
    assert "'3'" in repr(next(told[1].replies()))
    assert repr(cs.open_model("embedded:factual")) == "Model('embedded:factual')"
    assert "<th>seed</th><td>0</td>" in cs.open_model("chance")._repr_html_()
    turn = Turn("user", "What is it?", run.dataset().picture(first.image))
    assert repr(turn.picture).startswith("Picture(image/png, 448 × 448, ")
    assert turn.picture._repr_mimebundle_()["image/png"] == turn.picture.data
    assert "CCS  1.000 (" in repr(told[2].scores())
    assert repr(cs.blind(run.dataset())) == "Blind(12 questions, right without the pictures: too few questions)"
    assert repr(cs.Request("k", (turn,), "open")) == "Request('k': 'What is it?', open, 1 picture)"


def test_results_can_be_opened_by_path(told):
    run, *_ = told
    assert repr(cs.Run(run.path)) == repr(cs.Run(str(run.path))) == repr(run)
    assert cs.Dataset(run.dataset().path).fingerprint == run.dataset().fingerprint
