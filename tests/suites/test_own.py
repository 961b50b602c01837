"""A user's own table: mistakes are reported, and answers are normalised."""

import pytest
from making import picture

import countersight as cs
from countersight.cli import main


@pytest.fixture
def photos(tmp_path):
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "a.png").write_bytes(picture((1, 2, 3)))
    (folder / "b.png").write_text("no picture at all")
    return folder


def imported(folder, rows, header="id,image,counterfactual_question,counterfactual_answer"):
    bad = []
    (folder / "t.csv").write_text("\n".join([header, *rows]))
    made = cs.make(
        "own",
        folder / "d",
        source=folder / "t.csv",
        pictures=folder / "photos",
        on_bad=lambda line, field, reason: bad.append((line, field, reason)),
    )
    return [case for _, case in made.cases()], bad


def test_a_repeated_id_and_an_invalid_picture_are_reported_and_skipped(tmp_path, photos):
    rows = ["x,a.png,How many if?,3", "x,a.png,How many if so?,4", "y,b.png,How many if?,3"]
    cases, bad = imported(tmp_path, rows)
    assert [(case.id, case.counterfactual.answer) for case in cases] == [("x", "3")]
    assert bad == [
        (3, "id", "'x' is already on an earlier line"),
        (4, "image", "'b.png' is not a PNG, JPEG, GIF or WebP picture"),
    ]


SAID = {
    "Yes.": ("boolean", "yes"),
    "no!": ("boolean", "no"),
    "two": ("number", "2"),
    "3.": ("number", "3"),
    "2.5": ("number", "2.5"),
    "No idea.": ("open", "No idea."),
    "a cat.": ("open", "a cat."),
}


def test_answers_are_read_as_people_write_them(tmp_path, photos):
    header = "image,counterfactual_question,counterfactual_answer,options"
    rows = [f"a.png,How many if {nth}?,{said}," for nth, said in enumerate(SAID)]
    cases, bad = imported(tmp_path, [*rows, "a.png,How many if?,two,one | two"], header)
    asked = [(case.counterfactual.kind, case.counterfactual.answer) for case in cases]
    assert (asked, bad) == ([*SAID.values(), ("choice", "B")], [])


def test_rows_that_can_only_be_slips_are_skipped(tmp_path, photos):
    header = "image,factual_question,factual_answer,counterfactual_question,counterfactual_answer,options"
    rows = [
        "a.png,,3,How many if?,4,",
        "a.png,Which?,red,Which if?,blue,red | blue | Blue | yellow",
        'a.png,Which?,red,Which if?,yellow,"red, blue, yellow"',
        "a.png,Which?,red,Which if?,yellow,red | blue",
        "a.png,Which?,red,Which if?,blue,red | blue",
    ]
    cases, bad = imported(tmp_path, rows, header)
    assert [case.id for case in cases] == ["own-000005"]
    assert bad == [
        (2, "factual_answer", "is filled in, but factual_question is empty"),
        (3, "options", "'blue' is listed twice"),
        (4, "options", "there is only one option, 'red, blue, yellow'; separate options with |"),
        (5, "counterfactual_answer", "'yellow' is neither the letter nor the text of an option: red | blue"),
    ]


def test_repeated_rows_are_reported(tmp_path, photos):
    source = tmp_path / "t.csv"
    source.write_text(
        "image,counterfactual_question,counterfactual_answer\n"
        "a.png,How many if one came?,3\na.png,How many if one came?,4\na.png,How many if two came?,4\n,,\na.png,,4\n"
    )
    with pytest.warns(UserWarning, match="1 bad row skipped: line 6: counterfactual_question") as warned:
        made = cs.make("own", tmp_path / "d", source=source, pictures=photos)
    assert (len(made), made.details.notes) == (
        3,
        ("Cases with the picture and the questions of an earlier case: own-000002, as own-000001 (line 3)",),
    )
    assert f"{made.details.notes[0]}." in str(warned[0].message)
    assert warned[0].filename == __file__


def test_answers_as_spreadsheets_write_them(tmp_path, photos):
    header = "image;counterfactual_question;counterfactual_answer"
    rows = [
        "none;Would it if?;TRUE",
        "none;Would it be if?;FALSE",
        "none;How long if?;2,5",
        "none;How many if?;1.000",
        "none;How many more if?;1.0",
        *(f"none;Would it if?;{answer}" for answer in ("ja", "WAHR", "Oui")),
    ]
    cases, bad = imported(tmp_path, rows, header)
    answers = [(case.counterfactual.answer, case.counterfactual.kind) for case in cases]
    assert answers == [("yes", "boolean"), ("no", "boolean"), ("2.5", "number"), ("1", "number")]
    decimal = "1.000 can be read as a whole number or as a decimal; write 1000 or 1.0000"
    english = "must be written as yes or no, because replies are read in English"
    reasons = (decimal, f"'ja' {english}", f"'WAHR' {english}", f"'Oui' {english}")
    assert bad == [(line, "counterfactual_answer", reason) for line, reason in zip((5, 7, 8, 9), reasons, strict=True)]


@pytest.mark.parametrize(
    ("name", "meant"), [("factual_qestion", "factual_question"), ("answer", "factual_answer"), ("grp", "group")]
)
def test_a_misspelt_column_is_an_error(name, meant, tmp_path, photos):
    header, row = "image,counterfactual_question,counterfactual_answer,", "a.png,How many if?,two,something"
    with pytest.raises(cs.DatasetError, match=f"did you mean '{meant}'"):
        imported(tmp_path, [row], header + name)
    assert imported(tmp_path, [row], header + "notes")[1] == []


def test_unknown_columns_are_reported(tmp_path, photos, capsys):
    source = tmp_path / "t.csv"
    source.write_text("image,counterfactual_question,counterfactual_answer,notes\na.png,How many if?,two,x\n")
    given = ["make", "own", "--from", str(source), "--pictures", str(photos), "-o", str(tmp_path / "d")]
    assert main(given) == 0
    assert "Unknown columns, which are ignored: notes" in capsys.readouterr().out
    source.write_text("image,counterfactual_question,factual_answer,counter_answer\na.png,How many if?,two,x\n")
    given[-1] = str(tmp_path / "e")
    assert main(given) == 2
    assert (
        "counterfactual_answer is not a column of the file, which has: image, counterfactual_question, factual"
        in capsys.readouterr().err
    )
    assert main([*given[:3], str(tmp_path / "s.csv"), *given[4:]]) == 2
    assert f"there is no file {tmp_path / 's.csv'}. Did you mean {source}?" in capsys.readouterr().err


def test_column_names_ignore_case_and_missing_pictures_are_reported(tmp_path, photos, capsys):
    (tmp_path / "t.csv").write_text(
        "Image, Counterfactual_Question,COUNTERFACTUAL_ANSWER,Change\nc.png,How many if?,two,One leaves.\n"
    )
    given = ["--from", str(tmp_path / "t.csv"), "--pictures", str(photos), "-o", str(tmp_path / "d")]
    assert main(["make", "own", *given]) == 0
    [case] = cs.open_dataset(tmp_path / "d")
    assert (case.change.text, case.counterfactual.answer) == ("One leaves.", "2")
    said = capsys.readouterr().out
    assert "1 case cannot be asked because the picture is missing (not in" in said
    assert f"after a correction, remove the folder first: rm -r {tmp_path / 'd'}\n" in said


def test_json_values_can_be_numbers_booleans_and_lists(tmp_path, photos):
    source = tmp_path / "t.jsonl"
    same = '"image": "a.png", "counterfactual_question": "What if?"'
    answers = ("5", "2.5", "true", '"B", "options": ["red", 3]', '["a|b"]')
    rows = (f'{{"id": {id}, {same}, "counterfactual_answer": {answer}}}' for id, answer in enumerate(answers))
    source.write_text("\n".join(rows))
    bad = []
    made = cs.make("own", tmp_path / "d", source=source, pictures=photos, on_bad=lambda *told: bad.append(told))
    asked = [case.counterfactual for _, case in made.cases()]
    assert [question.right_text for question in asked] == ["5", "2.5", "yes", "3"]
    assert [case.id for _, case in made.cases()] == ["0", "1", "2", "3"]
    assert bad == [(5, "counterfactual_answer", "is not text")]
