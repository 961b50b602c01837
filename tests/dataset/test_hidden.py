"""Hidden answers: others run the dataset, only the holder of the key scores it, and changes are detected."""

import json
import stat

import pytest
from msgspec.structs import replace
from running import ask, replies

import countersight as cs
from countersight.blindness import measure
from countersight.case import Question
from countersight.cli import main
from countersight.dataset import Dataset, hidden_in, open_key
from countersight.description import describe
from countersight.errors import CountersightError, DatasetError, RunError


@pytest.fixture(scope="module")
def hidden(tmp_path_factory):
    """A hidden dataset with controls, its key, and a run of it."""
    place = tmp_path_factory.mktemp("hidden")
    cs.make("cvqa-synthetic", place / "d", size=6, controls=True, hidden=place / "gold.key", workers=1)
    ask(place / "d", place / "r", "chance")
    return place


def copied(place, tmp_path):
    for name in ("d", "r", "gold.key"):
        source = place / name
        for file in [source] if source.is_file() else source.rglob("*"):
            if file.is_file():
                target = tmp_path / file.relative_to(place)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(file.read_bytes())
    return tmp_path


def test_no_file_in_the_folder_reveals_an_answer(hidden):
    rows = [json.loads(line) for line in (hidden / "d" / "metadata.jsonl").read_text().splitlines()]
    assert len(rows) == 12
    for row in rows:
        for name in ("factual_question", "counterfactual_question"):
            question = row[name]
            assert question["answer"] == ""
            assert question["hidden"] is True
            assert not any("role" in option for option in question["options"])
        assert "provenance" not in row
    written = {file.name for file in (hidden / "d").iterdir()}
    assert written == {"metadata.jsonl", "images", "README.md", "croissant.json", "hidden.json"}
    assert "seed" not in (hidden / "d" / "README.md").read_text()
    assert stat.S_IMODE((hidden / "gold.key").stat().st_mode) == 0o600
    assert [path.name for path in hidden.iterdir() if path.name.startswith(".")] == []


def test_hidden_datasets_have_no_changed_pictures_and_shown_is_refused(hidden, tmp_path):
    cases = [case for _, case in Dataset.open(hidden / "d").cases()]
    assert {(case.counterfactual_image, case.counterfactual_digest, case.shown) for case in cases} == {(None, "", None)}
    kept = {file.relative_to(hidden / "d").as_posix() for file in (hidden / "d" / "images").rglob("*.*")}
    assert kept == {case.image for case in cases}
    assert "Pictures after the change, and the questions about them, are left out" in (
        hidden / "d" / "README.md"
    ).read_text().replace("\n", " ")
    with pytest.raises(CountersightError, match="no pictures after the change, which would reveal"):
        cs.run(hidden / "d", "chance", out=tmp_path / "r", shown=True)
    assert not (tmp_path / "r").exists()


def test_damaged_lines_of_a_submitted_run_are_counted(hidden, tmp_path, capsys):
    place = copied(hidden, tmp_path)
    lines = (place / "r" / "replies.jsonl").read_bytes().splitlines(keepends=True)
    lines[3] = lines[3].replace(b'"case"', b'"cake"', 1)
    lines[5] = lines[5][:-20] + b"\n"
    (place / "r" / "replies.jsonl").write_bytes(b"".join(lines))
    assert main(["score", str(place / "r"), "--gold", str(place / "gold.key")]) == 0
    assert "2 lines of replies.jsonl are damaged and cannot be read" in capsys.readouterr().out
    assert cs.score(place / "r", gold=place / "gold.key").damaged == 2
    assert cs.score(hidden / "r", gold=hidden / "gold.key").damaged == 0


def test_a_run_works_without_gold_and_only_the_key_scores_it(hidden):
    assert len(list(replies(hidden / "r"))) == 24
    with pytest.raises(RunError, match=r"are hidden: submit the run to the holder of the key"):
        cs.score(hidden / "r")
    with pytest.raises(RunError, match="are hidden"):
        cs.report(hidden / "r", out=hidden / "none")
    scores = cs.score(hidden / "r", gold=hidden / "gold.key")
    whole = open_key(hidden / "gold.key").cases
    said = {(reply.case, reply.world, reply.telling): reply.text for reply in replies(hidden / "r")}
    right = sum(
        said[name, "factual", "told"] == case.factual.answer for name, case in whole.items() if not case.control_of
    )
    assert (scores.overall.factual.right, scores.overall.factual.n) == (right, 6)
    assert scores.alarms


def test_a_report_and_a_leaderboard_are_made_with_the_key(hidden, tmp_path, capsys):
    files = cs.report(hidden / "r", out=tmp_path / "report", gold=hidden / "gold.key")
    assert files.data.suite == "cvqa-synthetic"
    key = ["--gold", str(hidden / "gold.key"), "-o"]
    assert main(["report", str(hidden / "r"), *key, str(tmp_path / "again")]) == 0
    assert main(["leaderboard", str(hidden / "r"), *key, str(tmp_path / "board")]) == 0
    assert "C-VQA-Synthetic: 1 run" in capsys.readouterr().out


def test_a_changed_key_is_refused(hidden, tmp_path):
    place = copied(hidden, tmp_path)
    key = place / "gold.key"
    head, *rows = key.read_bytes().splitlines(keepends=True)
    changed = json.loads(rows[0])
    changed["factual_question"]["answer"] = "A" if changed["factual_question"]["answer"] != "A" else "B"
    key.chmod(0o600)
    key.write_bytes(head + json.dumps(changed).encode() + b"\n" + b"".join(rows[1:]))
    with pytest.raises(DatasetError, match="do not match the commitment"):
        cs.score(place / "r", gold=key)
    key.write_bytes(head[:20])
    with pytest.raises(CountersightError):
        cs.score(place / "r", gold=key)


def test_another_datasets_key_is_refused(hidden, tmp_path):
    cs.make("cvqa-synthetic", tmp_path / "d", size=6, hidden=tmp_path / "other.key", workers=1)
    with pytest.raises(DatasetError, match="is not the key of"):
        cs.score(hidden / "r", gold=tmp_path / "other.key")
    first, second = (open_key(place).cases for place in (hidden / "gold.key", tmp_path / "other.key"))
    name = "cvqa-synthetic-000001"
    assert first[name].factual != second[name].factual or first[name].image_digest != second[name].image_digest


def test_rows_that_were_changed_after_they_were_hidden_are_refused(hidden, tmp_path):
    place = copied(hidden, tmp_path)
    rows = (place / "d" / "metadata.jsonl").read_text()
    (place / "d" / "metadata.jsonl").write_text(rows.replace("How many", "Just how many", 1))
    ask(place / "d", place / "again", "chance")
    with pytest.raises(DatasetError, match="were changed after its answers were hidden"):
        cs.score(place / "again", gold=place / "gold.key")
    (place / "d" / "hidden.json").write_text("{}")
    with pytest.raises(DatasetError, match="is damaged"):
        hidden_in(Dataset.open(place / "d"))


def test_a_table_of_guesses_does_not_open_a_hidden_dataset(hidden, tmp_path):
    (tmp_path / "guess.csv").write_text("case,world,answer\ncvqa-synthetic-000001,factual,A\n")
    with pytest.raises(RunError, match="are hidden"):
        cs.score(hidden / "r", gold=tmp_path / "guess.csv")


def test_a_key_is_not_for_an_open_dataset(hidden, tmp_path):
    cs.make("cvqa-synthetic", tmp_path / "d", size=6, workers=1)
    ask(tmp_path / "d", tmp_path / "r", "chance")
    with pytest.raises(DatasetError, match="are not hidden; leave out the key"):
        cs.score(tmp_path / "r", gold=hidden / "gold.key")


def test_options_that_would_reveal_the_answers_are_refused(hidden, tmp_path):
    with pytest.raises(CountersightError, match="leave out `seed`"):
        cs.make("cvqa-synthetic", tmp_path / "d", size=6, seed=7, hidden=tmp_path / "k")
    with pytest.raises(CountersightError, match="inside the dataset"):
        cs.make("cvqa-synthetic", tmp_path / "d", size=6, hidden=tmp_path / "d" / "k")
    with pytest.raises(CountersightError, match="may be the only key"):
        cs.make("cvqa-synthetic", tmp_path / "d", size=6, hidden=hidden / "gold.key")
    assert list(tmp_path.iterdir()) == []


def test_describe_and_blind_see_no_hidden_answers(hidden, capsys):
    cases = [case for _, case in Dataset.open(hidden / "d").cases()]
    found = describe(cases)
    assert (found.total.factual.questions, found.total.factual.answers, found.total.pairs) == (6, {}, 0)
    assert measure(cases).questions == 0
    assert main(["blind", str(hidden / "d")]) != 0
    said = capsys.readouterr()
    assert "are hidden, so the probes cannot be scored" in said.err
    assert "too few" not in said.out + said.err


def test_hidden_answers_are_neither_shown_as_examples_nor_exported(hidden, tmp_path):
    with pytest.raises(RunError, match="there is no example for this question"):
        ask(hidden / "d", tmp_path / "r", "chance", prompt="1-shot")
    with pytest.raises(CountersightError, match="so it cannot be exported"):
        cs.export(hidden / "d", tmp_path / "out", to="hf")
    question = Question("How many?", "", "number", hidden=True)
    assert question.fault() is None
    assert question.right_text == ""
    assert replace(question, answer="3").fault() == "answer: must be empty, because `hidden` is set"


def test_the_command_says_where_the_answers_are_and_to_submit_the_run(tmp_path, capsys):
    arguments = ["make", "cvqa-synthetic", "--size", "6", "--workers", "1"]
    assert main([*arguments, "--hidden", str(tmp_path / "k"), "-o", str(tmp_path / "d")]) == 0
    said = capsys.readouterr().out
    assert f"6 cases in {tmp_path / 'd'}\nThe answers are stored only in {tmp_path / 'k'}" in said
    assert main(["run", str(tmp_path / "d"), "--model", "chance", "-o", str(tmp_path / "r")]) == 0
    assert "submit this folder to the holder of the key" in capsys.readouterr().out
    assert main(["score", str(tmp_path / "r"), "--gold", str(tmp_path / "k")]) == 0
    assert "12 of 12 questions scored" in capsys.readouterr().out
