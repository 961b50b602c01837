"""Small suites, each imported from a small file of ours in the authors' format."""

import base64
import csv

import pytest
from arro3.core import Array, DataType, Field, Schema, Table, struct_array
from arro3.io import write_parquet
from hypothesis import given
from hypothesis import strategies as st
from importing import import_suite, json_file, jsonl_file
from making import picture
from running import Scripted, ask

import countersight as cs
from countersight.cli import main
from countersight.errors import CountersightError
from countersight.models import Answer
from countersight.suites.rows import picture_in
from countersight.suites.suite import BadField


def embedded(data):
    """A picture as Hugging Face puts it into a table."""
    return {"bytes": data, "path": None}


def parquet(path, rows):
    """A table whose pictures are structs of bytes and path, as `datasets` writes them."""
    columns, fields = [], []
    for name in rows[0]:
        values = [row[name] for row in rows]
        if isinstance(values[0], dict):
            kind = [Field("bytes", DataType.binary()), Field("path", DataType.string())]
            parts = [
                Array([value["bytes"] for value in values], DataType.binary()),
                Array([value["path"] for value in values], DataType.string()),
            ]
            columns.append(struct_array(parts, fields=kind))
            fields.append(Field(name, DataType.struct(kind)))
        else:
            kind = DataType.int64() if isinstance(values[0], int) else DataType.string()
            columns.append(Array(values, kind))
            fields.append(Field(name, kind))
    write_parquet(Table.from_arrays(columns, schema=Schema(fields)), path)
    return path


def red(number):
    return picture((number % 256, 0, 0))


def run(folder, out, says, **how):
    """The scores of a model that says what a function makes of the words and the pictures of a question."""
    ask(folder, out, Scripted(lambda request: Answer(says(request.question, request.pictures)), out.name), **how)
    return cs.score(out)


def run_by_id(folder, out, texts, otherwise=""):
    """The scores of a model that says one text to each case."""
    ask(folder, out, Scripted(lambda request: Answer(texts.get(request.key.partition("/")[0], otherwise)), out.name))
    return cs.score(out)


BIASED = {
    "ID": "logo_1",
    "image_path": "logos/1.png",
    "topic": "Logos",
    "sub_topic": "Adidas",
    "prompt": "How many visible stripes are there in the logo? Answer with a number in curly brackets, e.g., {9}.",
    "ground_truth": "4",
    "expected_bias": "3",
    "with_title": "False",
    "type_of_question": "Q1",
    "pixel": "384",
}


def test_wrong_answers_that_equal_the_prior_are_counted_separately(tmp_path):
    """VLMs Are Biased."""
    rows = [{"image": embedded(red(nth)), **BIASED, "ID": f"logo_{nth}"} for nth in range(4)]
    rows[3] |= {"prompt": "Is this the logo? {Yes} or {No}.", "ground_truth": "No", "expected_bias": "Yes"}
    rows.append(rows[0] | {"ID": "original", "ground_truth": "3"})
    cases, imported, bad = import_suite("vlms-are-biased", parquet(tmp_path / "main.parquet", rows), tmp_path / "d")
    assert (imported.cases, imported.without_picture, bad) == (5, 0, [])
    assert [(c.factual.kind, c.factual.answer, c.factual.prior) for c in cases] == [
        *[("number", "4", "3")] * 3,
        ("boolean", "no", "yes"),
        ("number", "3", ""),
    ]
    said = ["{3}", "{4}", "{7}", "{Yes}", "{3}"]
    texts = {case.id: text for case, text in zip(cases, said, strict=True)}
    overall = run_by_id(tmp_path / "d", tmp_path / "r", texts).overall
    assert (overall.factual.right, overall.factual.n) == (2, 5)
    assert (overall.fell_back.right, overall.fell_back.n) == (2, 4)
    report = cs.report(tmp_path / "r", out=tmp_path / "report")
    assert "| bias ratio" in report.markdown.read_text()
    assert "fell_back,0.5" in report.csv.read_text()


def natural(group, answers=("Yes", "No", "No", "Yes"), kind="yes_no"):
    questions = ("Is it red?", "Is it dark?")
    if kind == "multiple_choice":
        questions = ("Which? Option: A: red; B: blue;", "Where? Option: A: left; B: right;")
    return [
        {
            "Index": 4 * group + place,
            "Image": embedded(red(10 * group + place % 2)),
            "Question": questions[place // 2],
            "Answer": answers[place],
            "Question_Type": kind,
        }
        for place in range(4)
    ]


@pytest.fixture
def groups(tmp_path):
    rows = [*natural(0), *natural(1), *natural(2, ("A", "B", "B", "A"), "multiple_choice")]
    cases, _, bad = import_suite("naturalbench", parquet(tmp_path / "n.parquet", rows), tmp_path / "d")
    assert bad == []
    return tmp_path / "d", cases


def test_naturalbench_is_scored_by_question_picture_and_group(groups, tmp_path):
    """NaturalBench: G-Acc, Q-Acc and I-Acc, as lmms-eval counts them; who does not look has no question right."""
    folder, cases = groups
    assert [option.text for option in cases[8].factual.options] == ["red", "blue"]
    assert cases[8].factual.text == "Which?"
    gold = {case.id: case.factual.answer for case in cases}
    scores = run_by_id(folder, tmp_path / "r", gold | {"naturalbench-00000-q1i1": "no"})
    line = scores.sets[-1]
    assert (line.answers.right, line.question.rate.right, line.picture.rate.right) == (11, 5, 5)
    assert (line.whole.rate.right, line.whole.rate.n) == (2, 3)
    assert (line.question.chance, line.whole.chance) == (0.25, 0.0625)
    assert line.answers == scores.overall.factual  # one number, one interval
    assert "G-Acc" in cs.report(tmp_path / "r", out=tmp_path / "report").html.read_text()
    line = run(folder, tmp_path / "blind", lambda question, _: "yes" if "red" in question else "A").sets[-1]
    assert (line.question.rate.right, line.whole.rate.right) == (0, 0)
    assert line.answers.right == 4
    cut = run_by_id(folder, tmp_path / "cut", {"naturalbench-00000-q0i0": ""}, "yes")
    assert cut.sets[-1].whole.rate.n == 2


def test_a_group_with_missing_rows_is_reported_and_not_scored_as_a_group(tmp_path, capsys):
    rows = [*natural(0), *natural(1)[:2], *natural(2)[1:]]
    cases, imported, bad = import_suite("naturalbench", parquet(tmp_path / "n.parquet", rows), tmp_path / "d")
    assert (len(cases), bad) == (9, [])
    assert imported.incomplete == ("'1' has 2 of 4 cases", "'2' has 3 of 4 cases")
    assert main(["make", "naturalbench", "--from", str(tmp_path / "n.parquet"), "-o", str(tmp_path / "again")]) == 0
    assert "2 incomplete sets, excluded from the scores of sets: '1' has 2 of 4 cases; " in capsys.readouterr().out
    gold = {case.id: case.factual.answer for case in cases}
    scores = run_by_id(tmp_path / "d", tmp_path / "r", gold)
    line = scores.sets[-1]
    assert (line.answers.n, line.question.rate.n, line.picture.rate.n, line.whole.rate.n) == (4, 2, 2, 1)
    assert scores.overall.factual.right == 9  # each answer counts as ever


@pytest.mark.parametrize("size", [4, 300])
def test_a_tsv_with_pictures_as_base64_is_read(tmp_path, size):
    """NaturalBench as VLMEvalKit has it; a short text is no file name."""
    with (tmp_path / "NaturalBenchDataset.tsv").open("w", newline="") as file:
        table = csv.writer(file, delimiter="\t")
        table.writerow(["index", "image", "question", "answer", "type"])
        for place in range(4):
            shown = base64.b64encode(picture((place % 2, 9, 9), size=size)).decode()
            table.writerow([place, shown, "Is it red?", "Yes" if place in (0, 3) else "No", "yes_no"])
    cases, imported, bad = import_suite("naturalbench", tmp_path / "NaturalBenchDataset.tsv", tmp_path / "d")
    assert (imported.cases, imported.without_picture, bad) == (4, 0, [])
    assert cases[0].image == cases[2].image != cases[1].image


def test_vismin_asks_each_caption_about_both_pictures(tmp_path):
    """VisMin."""
    row = {
        "id": "7",
        "image_0": embedded(red(1)),
        "text_0": "A cat on a mat.",
        "image_1": embedded(red(2)),
        "text_1": "A dog on a mat.",
        "category": "object",
    }
    same = row | {"id": "8", "text_1": "A cat on a mat."}
    cases, _, bad = import_suite("vismin", parquet(tmp_path / "v.parquet", [row, same]), tmp_path / "d")
    assert [(c.cell.question, c.cell.picture, c.factual.answer) for c in cases] == [
        ("0", "0", "yes"),
        ("0", "1", "no"),
        ("1", "0", "no"),
        ("1", "1", "yes"),
    ]
    assert {(line, field) for line, field, _ in bad} == {(2, "text_1")}
    assert {case.group for case in cases} == {"object"}


def test_coco_counterfactuals_asks_each_caption_about_both_pictures(tmp_path):
    """COCO-Counterfactuals; a file with two caption fields of other names is read, too."""
    row = {"id": "236308_0", "caption_0": "A man.", "caption_1": "A woman."}
    row |= {f"image_{nth}": f"236308_0_img_{nth}" for nth in (0, 1)}
    (tmp_path / "p" / "images").mkdir(parents=True)
    for nth in (0, 1):
        (tmp_path / "p" / "images" / f"236308_0_img_{nth}.jpg").write_bytes(picture((nth, 0, 0), kind="JPEG"))
    cases, imported, _ = import_suite(
        "coco-counterfactuals", jsonl_file(tmp_path / "examples.jsonl", row), tmp_path / "d", tmp_path / "p"
    )
    assert (imported.cases, imported.without_picture) == (4, 0)
    assert [case.image for case in cases][:2] == [f"images/236308_0_img_{nth}.jpg" for nth in (0, 1)]
    rows = [
        {"id": "7_0", "counterfactual_caption": "A cat sits.", "coco_caption": "A dog sits."},
        {"id": "8_0", "text": "A dog sits."},
    ]
    source = jsonl_file(tmp_path / "captions.jsonl", *rows)
    for nth in (0, 1):
        (tmp_path / "p" / f"7_0_img_{nth}.jpg").write_bytes(picture())
    cases, imported, bad = import_suite("coco-counterfactuals", source, tmp_path / "other", tmp_path / "p")
    assert (imported.cases, imported.without_picture) == (4, 0)
    assert '"A dog sits."' in cases[0].factual.text
    assert (cases[0].factual.answer, cases[0].image) == ("yes", "images/7_0_img_0.jpg")
    assert bad == [(2, "caption_0", "is missing; the row has these fields: id, text")]


def test_mmvp_is_scored_by_pairs(tmp_path):
    """MMVP."""
    (tmp_path / "Questions.csv").write_text(
        "Index,Question,Options,Correct Answer\n1,Is it open?,(a) Open (b) Closed,(a)\n"
        "2,Is it open?,(a) Open (b) Closed,(b)\n3,Is it?,open or closed,(a)\n"
    )
    cases, _, bad = import_suite("mmvp", tmp_path / "Questions.csv", tmp_path / "d")
    assert [(case.factual.answer, case.cell.set, case.cell.picture) for case in cases] == [
        ("A", "0", "0"),
        ("B", "0", "1"),
    ]
    assert bad == [(4, "Options", "is not written as: (a) Open (b) Closed")]
    line = run(tmp_path / "d", tmp_path / "r", lambda question, _: "A").sets[-1]
    assert (line.whole.rate.right, line.answers.right, line.picture) == (0, 1, None)


def mmvp(folder, **part):
    """MMVP with twenty pairs, or a part of it."""
    rows = "".join(f"{n},Is it {n}?,(a) Yes (b) No,(a)\n" for n in range(1, 41))
    (folder / "Questions.csv").write_text(f"Index,Question,Options,Correct Answer\n{rows}")
    return cs.make("mmvp", folder / "d", source=folder / "Questions.csv", **part)


@pytest.mark.parametrize(("part", "pairs"), [({"size": 7}, 3), ({"size": 1}, 1), ({"sample": 0.25}, 5)])
def test_sets_are_drawn_whole(tmp_path, part, pairs):
    drawn = mmvp(tmp_path, **part)
    sets = [case.cell.set for _, case in drawn.cases()]
    assert (len(sets), len(set(sets))) == (2 * pairs, pairs)


def test_an_incomplete_run_counts_complete_sets_only(tmp_path):
    done = cs.run(mmvp(tmp_path), lambda picture, question: "B", out=tmp_path / "r", cases=25, prompt="text-only")
    found = cs.score(done)
    assert found.overall.n == 25
    line = found.sets[-1]
    assert line.whole.rate.right == line.answers.right == 0
    assert 2 * line.whole.rate.n + line.whole.left_out == 25  # of a pair that is left out, one was asked


def hallusion(**fields):
    return {
        "category": "VD",
        "subcategory": "illusion",
        "visual_input": "1",
        "set_id": "0",
        "figure_id": "0",
        "sample_note": "circle",
        "question_id": "0",
        "question": "Is the right circle as large as the left one?",
        "gt_answer_details": "It is.",
        "gt_answer": "1",
        "filename": "./hallusion_bench/VD/illusion/0_0.png",
    } | fields


def test_pictures_of_hallusionbench_are_found_by_set_and_figure(tmp_path):
    """HallusionBench; its scores are compared with the authors' formula in test_authors_files."""
    rows = [
        hallusion(),
        hallusion(category="VS", subcategory="map", visual_input="0"),
        hallusion(category="VS", subcategory="map", visual_input="2", figure_id="1"),
        hallusion(gt_answer="2"),
    ]
    (tmp_path / "p" / "VD" / "illusion").mkdir(parents=True)
    (tmp_path / "p" / "VD" / "illusion" / "0_0.png").write_bytes(red(1))
    cases, imported, bad = import_suite(
        "hallusionbench", json_file(tmp_path / "HallusionBench.json", rows), tmp_path / "d", tmp_path / "p"
    )
    assert [case.image for case in cases] == ["images/VD/illusion/0_0.png", None, None]
    assert (imported.text_only, imported.without_picture) == (1, 1)
    assert imported.not_found == {"VS/map/0_1.png": 3}  # the second has none by design
    assert bad == [(4, "gt_answer", "'2' is neither 1 nor 0")]


def test_visual_counterfact_asks_what_is_seen_and_what_is_known(tmp_path):
    """Visual CounterFact."""
    row = {
        "correct_answer": "red",
        "incorrect_answer": "blue",
        "object": "strawberry",
        "original_image": embedded(red(1)),
        "counterfact_image": embedded(red(2)),
    }
    cases, _, _ = import_suite("visual-counterfact", parquet(tmp_path / "color.parquet", [row]), tmp_path / "c")
    assert [(c.factual.text, c.factual.answer, c.factual.prior) for c in cases] == [
        ("What color is this strawberry?", "blue", "red"),
        ("What color are most strawberries?", "red", ""),
        ("What color is this strawberry?", "red", ""),
    ]
    assert cases[0].image == cases[1].image != cases[2].image
    scores = run(tmp_path / "c", tmp_path / "r", lambda question, _: "Red.")
    assert (scores.overall.fell_back.right, scores.overall.fell_back.n) == (1, 1)
    size = [row | {"correct_answer": "whale", "incorrect_answer": "fly"}] * 2
    sized, _, _ = import_suite("visual-counterfact", parquet(tmp_path / "size.parquet", size), tmp_path / "s")
    seen, known = sized[0].factual, sized[1].factual
    assert (seen.right_text, known.right_text) == ("fly", "whale")
    assert seen.options[ord(seen.prior) - ord("A")].text == "whale"
    assert [each.factual.answer for each in sized[::3]] == ["A", "B"]  # the order takes turns


def test_cp_bench_asks_whether_everything_presupposed_is_there(tmp_path):
    """CP-Bench."""
    row = {"image": embedded(red(1)), "image_name": "1.jpg", "query": "What color is the dog's hat?", "tag": "cpq"}
    rows = [row, row | {"tag": "tpq"}, row | {"tag": "other"}]
    cases, _, bad = import_suite("cp-bench", parquet(tmp_path / "cp.parquet", rows), tmp_path / "d")
    assert [(case.group, case.factual.answer) for case in cases] == [
        ("false presupposition", "no"),
        ("true presupposition", "yes"),
    ]
    assert bad == [(3, "tag", "'other' is not one of cpq, tpq")]
    accepting = run(tmp_path / "d", tmp_path / "r", lambda question, _: "Yes.").overall
    assert (accepting.factual.right, accepting.fell_back.right, accepting.fell_back.n) == (1, 1, 1)


def frames(folder, number):
    folder.mkdir(parents=True)
    for nth in range(number):
        (folder / f"frame_{nth}.png").write_bytes(red(nth))


def test_clevrer_shows_frames_and_is_scored_per_option_and_per_question(tmp_path):
    """CLEVRER."""
    choices = [
        {"choice_id": nth, "choice": f"the cube {what}", "program": [], "answer": right}
        for nth, what, right in (
            (0, "falls", "correct"),
            (1, "turns", "wrong"),
        )
    ]
    scene = {
        "scene_index": 10000,
        "video_filename": "video_10000.mp4",
        "questions": [
            {"question_id": 0, "question": "How many cubes are there?", "question_type": "descriptive", "answer": "2"},
            {
                "question_id": 1,
                "question": "What will happen if the red cube is removed?",
                "question_type": "counterfactual",
                "choices": choices,
            },
            {"question_id": 2, "question_type": "predictive"},
        ],
    }
    frames(tmp_path / "p" / "video_10000", 20)
    cases, _, bad = import_suite(
        "clevrer", json_file(tmp_path / "validation.json", [scene]), tmp_path / "d", tmp_path / "p"
    )
    assert [(c.group, (c.factual or c.counterfactual).answer) for c in cases] == [
        ("descriptive", "2"),
        ("counterfactual", "yes"),
        ("counterfactual", "no"),
    ]
    assert bad == [(1, "questions", "number 2 has no question or no question_type")]
    shown = (cases[1].image, *cases[1].further_images)
    assert shown == tuple(f"images/video_10000/frame_{nth}.png" for nth in (0, 2, 5, 7, 10, 12, 15, 17))
    seen = []
    scores = run(tmp_path / "d", tmp_path / "r", lambda question, pictures: seen.append(len(pictures)) or "yes")
    assert set(seen) == {8}
    [line] = scores.sets[-1:]
    assert (line.answers.right, line.answers.n, line.whole.rate.right, line.whole.rate.n) == (1, 2, 0, 1)
    tables = cs.report(tmp_path / "r", out=tmp_path / "report").markdown.read_text()
    assert "has an accuracy under a change of 50.0%" in tables  # two worlds, and no case in both: there is no drop


def test_acquired_shows_frames_and_has_two_answers(tmp_path):
    """ACQUIRED."""
    row = {
        "video_id": "oopsqa-train-1",
        "domain": "Physical",
        "type": "Counterfactual",
        "question": "What if the cat had been smaller?",
        "answer1": "It would jump.",
        "answer2": "It would fall.",
        "correct_answer_key": "answer2",
        "video_url": "https://example.org/1.mp4",
    }
    colon, absent = row | {"video_id": "ego4d:scod-1"}, row | {"video_id": "ego4d:scod-2"}
    rows = [row, row | {"correct_answer_key": "answer3"}, colon, absent]
    frames(tmp_path / "p" / "oopsqa-train-1", 3)
    frames(tmp_path / "p" / "ego4d_scod-1", 1)  # Windows keeps no colon
    source = json_file(tmp_path / "val.json", rows)
    cases, imported, bad = import_suite("acquired", source, tmp_path / "d", tmp_path / "p")
    only, second, third = cases
    (tmp_path / "p" / "ego4d_scod-1" / "frame_0.png").write_bytes(b"no picture")
    *_, broken = import_suite("acquired", source, tmp_path / "e", tmp_path / "p")[2]
    assert broken == (3, "video_id", "'ego4d_scod-1/frame_0.png' is not a PNG, JPEG, GIF or WebP picture")
    assert (second.image, third.image) == ("images/ego4d:scod-1/frame_0.png", None)
    assert imported.not_found == {"ego4d:scod-2/": 4}
    assert (only.counterfactual.answer, only.group, len(only.further_images)) == ("B", "Physical", 2)
    assert bad == [(2, "correct_answer_key", "'answer3' is not one of answer1, answer2")]


def test_a_damaged_parquet_file_is_an_error(tmp_path):
    (tmp_path / "t.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(CountersightError, match=r"t\.parquet is not a Parquet file"):
        import_suite("vlms-are-biased", tmp_path / "t.parquet", tmp_path / "d")


def test_a_missing_column_and_a_broken_picture_are_errors(tmp_path):
    row = {"image": embedded(b"no picture"), **BIASED}
    with pytest.raises(CountersightError, match="is a valid case of vlms-are-biased; no dataset was made"):
        import_suite("vlms-are-biased", parquet(tmp_path / "a.parquet", [row]), tmp_path / "a")
    del row["topic"]
    with pytest.raises(CountersightError, match=r"b\.parquet: topic is not a column of the file"):
        cs.make("vlms-are-biased", tmp_path / "b", source=parquet(tmp_path / "b.parquet", [row]))


@given(st.recursive(st.none() | st.text(max_size=5) | st.binary(max_size=5) | st.integers(), st.lists, max_leaves=5))
def test_any_value_is_a_picture_a_name_or_a_bad_field(value):
    try:
        found = picture_in({"image": value}, "image")
    except BadField:
        return
    assert isinstance(found, str | bytes)
    assert value in (found, base64.b64encode(found).decode() if isinstance(found, bytes) else None)


def test_a_damaged_picture_is_reported_with_its_row(tmp_path, capsys):
    """NaturalBench: base64 text that cannot be decoded, and such that is no picture."""
    whole = base64.b64encode(picture(size=4)).decode()
    shown = [whole, whole[:21] + "?" + whole[22:], "AAAA" + whole[4:], whole]
    rows = [f"{place}\t{image}\tIs it red?\tYes\tyes_no" for place, image in enumerate(shown)]
    (tmp_path / "n.tsv").write_text("\n".join(["index\timage\tquestion\tanswer\ttype", *rows]))
    _, imported, bad = import_suite("naturalbench", tmp_path / "n.tsv", tmp_path / "d")
    assert (imported.cases, imported.without_picture) == (2, 0)
    assert bad == [
        (3, "image", "is a damaged picture: its base64 text cannot be decoded"),
        (4, "image", "is a damaged picture: it is not a PNG, JPEG, GIF or WebP picture"),
    ]
