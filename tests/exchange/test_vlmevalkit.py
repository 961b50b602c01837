"""VLMEvalKit: exported tables, and the import of predictions."""

import base64

import pandas
import pytest
from making import case, dataset

import countersight as cs
from countersight.case import Option, Question
from countersight.errors import ExchangeError
from countersight.exchange import Export, export_to, import_run
from countersight.exchange.vlmevalkit import LONGEST_CELL

COUNT = Question("How many dogs\r\nare\rthere?", "3", "number")
NONE = Question("Which is it?", "A", "choice", (Option("None"), Option("NA")))


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    base = tmp_path_factory.mktemp("kit")
    cases = [case(number) for number in range(3)] + [case(3, factual=COUNT), case(4, factual=NONE, group="")]
    folder = dataset(base / "tiny", cases)
    written = export_to("vlmevalkit", Export(folder, base / "tiny_kit"))
    assert written.count == 15
    return folder, {file.stem: pandas.read_csv(file, sep="\t") for file in (base / "tiny_kit").iterdir()}


def predicted(tables, said="The answer is B.") -> pandas.DataFrame:
    every = pandas.concat(tables[1].values())
    return every.drop(columns="image").assign(prediction=said)


def test_controls_have_their_own_split(controlled, tmp_path):
    export_to("vlmevalkit", Export(controlled, tmp_path / "kit"))
    table = pandas.concat(pandas.read_csv(file, sep="\t") for file in (tmp_path / "kit").iterdir())
    of_controls = table["key"].str.startswith("case-10")
    assert of_controls.sum() * 2 == len(table)
    assert set(table[of_controls]["split"]) == {"factual, control", "counterfactual, control", "shown, control"}
    assert set(table[~of_controls]["split"]) == {"factual", "counterfactual", "shown"}


def test_there_is_one_table_per_number_of_options(tables):
    assert {name: len(table) for name, table in tables[1].items()} == {
        "tiny_kit_4": 13,
        "tiny_kit_2": 1,
        "tiny_kit_text": 1,
    }
    assert tables[1]["tiny_kit_4"].columns.tolist()[:8] == ["index", "image", "question", "hint", "A", "B", "C", "D"]
    assert tables[1]["tiny_kit_4"]["A"].tolist() == [3] * 13
    row = tables[1]["tiny_kit_2"].iloc[0]  # pandas reads no option as an empty cell
    assert (row["A"].strip(), row["B"].strip(), row["answer"], row["category"]) == ("None", "NA", "A", "all")


def test_a_picture_is_stored_once_per_pair(tables):
    table = tables[1]["tiny_kit_4"].astype({"image": str})
    factual, counterfactual, shown = table["image"][:3]
    assert base64.b64decode(factual).startswith(b"\x89PNG")
    assert counterfactual == str(table["index"][0])
    assert len(shown) > 64
    assert shown != factual


def test_predictions_are_imported_with_the_model_of_their_folder(tables, tmp_path):
    out = tmp_path / "qwen"
    out.mkdir()
    predicted(tables).to_csv(out / "qwen_tiny_kit_4.tsv", sep="\t", index=False)
    predicted(tables, "A").assign(hit=1).to_csv(out / "qwen_tiny_kit_4_result.tsv", sep="\t", index=False)
    back = cs.import_run(out, tables[0], tmp_path / "back", tool="vlmevalkit")
    assert back.manifest.model == "qwen"
    assert {reply.text for reply in back.replies()} == {"The answer is B."}
    assert len(list(back.replies())) == 15
    assert back.scores().overall.counterfactual.value == 1.0


def test_a_full_cell_is_a_truncated_reply(tables, tmp_path):
    said = predicted(tables, "no answer yet " * 3000)
    said["prediction"] = [text[:LONGEST_CELL] for text in said["prediction"]]
    said.iloc[0, said.columns.get_loc("prediction")] = "Failed to obtain answer via API."
    file = tmp_path / "predictions.xlsx"
    said.to_excel(file, index=False)
    come = import_run("vlmevalkit", file, tables[0], tmp_path / "back", model="m")
    row = cs.Run.open(come.run.path).scores().overall
    assert (come.failed, row.failed, row.cut, row.scored) == (1, 1, 14, 0)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("x.tsv", b"index\tquestion\n1\tWhat?\n", "contains no predictions"),
        ("x.tsv", b"", "contains no predictions"),
        ("x.xlsx", b"PK\x03\x04", "is not a sheet of predictions"),
        ("x.tsv", b"key\tprediction\nelsewhere:factual\tA\n", "its first answer is for 'elsewhere:factual'"),
    ],
)
def test_a_file_without_predictions_is_an_error(tables, tmp_path, name, content, sentence):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ExchangeError, match=sentence):
        import_run("vlmevalkit", tmp_path / name, tables[0], tmp_path / "back", model="m")


def test_a_single_prediction_for_another_question_is_reported_and_skipped(tables, tmp_path):
    said = tables[1]["tiny_kit_4"].drop(columns="image").assign(prediction="A")
    said.iloc[3, said.columns.get_loc("question")] = "How many cats are there?"
    said["question"] = [text.replace(" ", "  ") for text in said["question"]]
    said.to_csv(tmp_path / "p.tsv", sep="\t", index=False)
    told: list[str] = []
    come = import_run("vlmevalkit", tmp_path / "p.tsv", tables[0], tmp_path / "back", model="m", on_bad=told.append)
    assert come.answers == 12
    assert [line.partition(": ")[0] for line in told] == ["case-1:factual"]


def test_names_with_a_special_meaning_are_refused(tables, tmp_path):
    with pytest.raises(ExchangeError, match="choose another"):
        export_to("vlmevalkit", Export(tables[0], tmp_path / "my_circular"))
