"""Questions without a picture are made, asked, scored, shown and exported like any others."""

import json

import pytest
from importing import csv_file, import_suite
from making import picture
from running import Scripted, ask, replies

import countersight as cs
from countersight.case import Case, Question, Reply
from countersight.cli import main
from countersight.exchange.formats import FORMATS, Export
from countersight.models import Answer
from countersight.scoring import judge

ROW = {"image": "cup.png", "counterfactual_question": "How many cups if one broke?", "counterfactual_answer": "2"}
WITHOUT = ROW | {"image": "none", "counterfactual_question": "How many legs if a dog lost one?"}


@pytest.fixture
def mixed(tmp_path):
    """A case with its picture, one without any, and one whose picture is missing."""
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "cup.png").write_bytes(picture())
    rows = [ROW, WITHOUT, ROW | {"image": "lost.png"}]
    _, imported, _ = import_suite("own", csv_file(tmp_path / "t.csv", *rows), tmp_path / "d", tmp_path / "p")
    assert (imported.cases, imported.text_only, imported.without_picture) == (3, 1, 1)
    return tmp_path / "d"


def test_a_question_without_a_picture_is_asked_and_scored(mixed, tmp_path):
    looking = Scripted(lambda request: Answer(str(2 + len(request.pictures))), needs_picture=True)
    tally = ask(mixed, tmp_path / "r", looking)
    assert {reply.row: reply.text for reply in replies(tmp_path / "r")} == {0: "3", 1: "2"}
    assert (tally.total, tally.unasked.total()) == (2, 1)
    line = cs.score(tmp_path / "r").overall
    assert (line.counterfactual.right, line.counterfactual.n, line.missing) == (1, 2, 1)


def test_a_run_that_cannot_ask_everything_says_so(mixed, tmp_path, capsys):
    """The command fails, and the report does not advise to give it again."""
    server = ["--model", "embedded", "-o", str(tmp_path / "r")]
    assert main(["run", str(mixed), *server]) == 1
    err = capsys.readouterr().err
    assert "1 question not asked: the picture is not in the dataset; add it to the folder of --pictures" in err
    assert "1 question not asked: the question has no picture by design, but the model needs one" in err
    assert "failed questions" not in err
    assert main(["report", str(tmp_path / "r"), "-o", str(tmp_path / "page")]) == 0
    told = " ".join(capsys.readouterr().err.split())
    assert "1 question not asked: the picture is not in the dataset; add it to the folder of --pictures" in told
    assert "not asked yet" not in told
    progress = cs.score(tmp_path / "r").progress
    assert "1 not asked because the picture is not in the dataset" in progress
    assert "1 not asked because the question has no picture by design, but the model needs one" in progress


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"inspect", "croissant", "verifiers"}))
def test_a_question_without_a_picture_is_exported(name, tmp_path):
    import_suite("own", csv_file(tmp_path / "t.csv", WITHOUT), tmp_path / "d")
    order = Export(tmp_path / "d", tmp_path / "e", split="all", train_on_test=True)
    written = FORMATS.find(name)[0](order)
    assert written.count == 1
    if name == "vlmevalkit":
        assert "VLMEvalKit skips 1 question without a picture" in written.note


def test_pairs_are_built_from_a_question_without_a_picture(mixed, tmp_path):
    factual = {"factual_question": "How many dogs are there?", "factual_answer": "3"}
    import_suite("own", csv_file(tmp_path / "f.csv", WITHOUT | factual), tmp_path / "questions")
    built = cs.build("cvqa", tmp_path / "questions", tmp_path / "built", size=1, pictures=tmp_path / "p")
    assert (built.cases, built.without_picture) == (1, 0)
    [(_, pair)] = cs.Dataset.open(tmp_path / "built").cases()
    assert pair.text_only


def test_a_text_only_case_must_not_have_a_picture():
    case = Case("x", factual=Question("Why?", "no", "boolean"), image="a.png", text_only=True)
    assert case.fault() == "text_only: must be false for a case with a picture"


UNCERTAIN = [
    "I cannot determine that without the figure.",
    "I'm not sure.",
    "It is unclear.",
    "There is no image provided, so I can’t tell.",
    "Uncertain",
    "Rankings of this kind change from year to year.",
]


def test_a_reply_that_is_neither_yes_nor_no_is_right_if_the_question_accepts_it():
    question = Question("Was it the highest in 2018?", "no", "boolean", accepts_uncertain=True)
    plain = Question("Was it the highest in 2018?", "no", "boolean")
    for said in UNCERTAIN:
        assert judge(Reply("x", 0, "factual", text=said), question).answer == "uncertain", said
        assert judge(Reply("x", 0, "factual", text=said), plain).answer != "uncertain", said
    assert [judge(Reply("x", 0, "factual", text=said), question).answer for said in ("Yes.", "No")] == ["yes", "no"]


def test_the_report_shows_a_question_without_a_picture(tmp_path):
    import_suite("own", csv_file(tmp_path / "t.csv", WITHOUT), tmp_path / "d")
    assert main(["run", str(tmp_path / "d"), "--model", "chance", "-o", str(tmp_path / "r")]) == 0
    main(["report", str(tmp_path / "r"), "-o", str(tmp_path / "page")])
    page = (tmp_path / "page" / "report.html").read_text(encoding="utf-8")
    assert '"picture":null' in page
    assert json.dumps(WITHOUT["counterfactual_question"])[1:-1] in page
