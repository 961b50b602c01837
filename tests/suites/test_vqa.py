"""OK-VQA and VQAv2: official questions joined with the answers of ten people."""

import gzip
import json
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from importing import import_suite, json_file
from making import picture
from published import published

from countersight.case import Question
from countersight.errors import CountersightError
from countersight.reading import answer_in
from countersight.scoring.soft import normalised, soft_accuracy
from countersight.suites.importing import Imported

QUESTION = {"question_id": 420, "image_id": 42, "question": "What is on the desk?"}
ANSWERS = ["lamp"] * 5 + ["a lamp"] * 4 + ["book"]
ANNOTATION = {
    "question_id": 420,
    "image_id": 42,
    "question_type": "eight",
    "answer_type": "other",
    "answers": [{"answer": answer, "answer_id": nth, "answer_confidence": "yes"} for nth, answer in enumerate(ANSWERS)],
}


def read_files(tmp_path, questions, annotations, suite="okvqa", pictures=None, **more):
    asked = json_file(tmp_path / "q.json", {"data_subtype": "val2014", "questions": questions} | more)
    answered = json_file(tmp_path / "a.json", {"annotations": annotations} | more)
    return import_suite(suite, asked, tmp_path / "d", pictures, answered)


def test_a_question_asks_about_the_picture_as_it_is(tmp_path):
    (case,), imported, _ = read_files(tmp_path, [QUESTION], [ANNOTATION])
    assert case.factual == Question("What is on the desk?", "lamp", "open", answers=tuple(ANSWERS))
    assert case.counterfactual is None
    assert (case.id, case.suite, case.group) == ("okvqa-000001", "okvqa", "plants and animals")
    assert case.provenance == {"question_id": 420, "image_id": 42}
    assert imported == Imported(1, 0, 1)
    assert soft_accuracy("The lamp.", case.factual.answers) == 1


def test_vqav2_is_grouped_by_the_type_of_its_answer(tmp_path):
    (case,), _, _ = read_files(tmp_path, [QUESTION], [ANNOTATION | {"answer_type": "yes/no"}], suite="vqav2")
    assert (case.id, case.suite, case.group) == ("vqav2-000001", "vqav2", "yes/no")


def test_the_files_own_words_for_a_category_come_first(tmp_path):
    named = {"question_types": {"eight": "Plants and Beasts"}}
    (case,), _, _ = read_files(tmp_path, [QUESTION], [ANNOTATION], **named)
    assert case.group == "plants and beasts"


def test_a_question_without_types_has_no_group(tmp_path):
    bare = {"question_id": 420, "answers": ANNOTATION["answers"]}
    (case,), _, _ = read_files(tmp_path, [QUESTION], [bare])
    assert case.group == ""


@pytest.mark.parametrize("folder", ["", "val2014", "train2014"])
def test_pictures_have_the_names_of_coco(tmp_path, folder):
    place = tmp_path / "pictures" / folder
    place.mkdir(parents=True)
    (place / "COCO_val2014_000000000042.jpg").write_bytes(picture(kind="JPEG"))
    questions = [QUESTION, QUESTION | {"question_id": 421, "image_id": 43}]
    annotations = [ANNOTATION, ANNOTATION | {"question_id": 421, "image_id": 43}]
    (first, second), imported, _ = read_files(tmp_path, questions, annotations, pictures=tmp_path / "pictures")
    assert (first.image, second.image) == ("images/COCO_ofval2014_000000000042.jpg", None)
    assert imported.without_picture == 1


def test_without_a_subset_the_names_of_pictures_are_not_known(tmp_path):
    with pytest.raises(CountersightError, match="is a case of okvqa"):
        read_files(tmp_path, [QUESTION], [ANNOTATION], pictures=tmp_path, data_subtype="../..")


def test_questions_and_annotations_are_joined_in_any_order(tmp_path):
    questions = [QUESTION | {"question_id": number} for number in (1, 2, 3)]
    annotations = [ANNOTATION | {"question_id": number, "answer_type": str(number)} for number in (3, 1, 2, 9)]
    cases, imported, _ = read_files(tmp_path, questions, annotations, suite="vqav2")
    assert [case.group for case in cases] == ["1", "2", "3"]
    assert imported.bad == 0


def test_a_question_without_an_annotation_is_a_bad_row(tmp_path):
    _, _, bad = read_files(tmp_path, [QUESTION, QUESTION | {"question_id": 7}], [ANNOTATION])
    assert bad == [(2, "question_id", "7 has no annotation")]


def test_annotations_that_belong_to_no_question_by_their_own_fault_are_named(tmp_path):
    _, _, bad = read_files(tmp_path, [QUESTION], [{"answers": []}, ANNOTATION, 5, ANNOTATION])
    assert bad == [
        (1, "annotations", "entry 1 of a.json has no whole number as its question_id"),
        (3, "annotations", "entry 3 of a.json has no whole number as its question_id"),
        (4, "annotations", "entry 4 of a.json question_id 420 is already on an earlier row"),
    ]


def without(field):
    return {name: value for name, value in ANNOTATION.items() if name != field}


@pytest.mark.parametrize(
    ("annotation", "field"),
    [
        (without("answers"), "annotation.answers"),
        (ANNOTATION | {"answers": None}, "annotation.answers"),
        (ANNOTATION | {"answers": ANNOTATION["answers"][:3]}, "annotation.answers"),
        (ANNOTATION | {"answers": ANNOTATION["answers"] * 20}, "annotation.answers"),
        (ANNOTATION | {"answers": [{"answer": 3}] * 10}, "annotation.answers"),
        (ANNOTATION | {"answers": ["lamp"] * 10}, "annotation.answers"),
        (ANNOTATION | {"answers": [{"answer": " "}] * 10}, "annotation.answers"),
        (ANNOTATION | {"answers": [{"answer": "x" * 201}] * 10}, "annotation.answers"),
    ],
)
def test_a_bad_annotation_is_named(tmp_path, annotation, field):
    good = QUESTION | {"question_id": 5}, ANNOTATION | {"question_id": 5}
    _, _, bad = read_files(tmp_path, [QUESTION, good[0]], [annotation, good[1]])
    assert [(number, name) for number, name, _ in bad] == [(1, field)]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("question_id", "420"),
        ("question_id", True),
        ("question_id", None),
        ("image_id", -1),
        ("image_id", 1.5),
        ("image_id", 10**30),
        ("question", ""),
        ("question", ["What?"]),
    ],
)
def test_a_bad_field_is_named_and_the_next_question_is_read(tmp_path, field, value):
    cases, _, bad = read_files(tmp_path, [QUESTION | {field: value}, QUESTION], [ANNOTATION])
    assert [(number, name) for number, name, _ in bad] == [(1, field)]
    assert [case.id for case in cases] == ["okvqa-000002"]


def test_hugging_face_opens_it_with_all_answers(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    (tmp_path / "COCO_val2014_000000000042.jpg").write_bytes(picture(kind="JPEG"))
    read_files(tmp_path, [QUESTION], [ANNOTATION], pictures=tmp_path)
    folder = {"data_dir": str(tmp_path / "d"), "cache_dir": str(tmp_path / "cache")}
    (row,) = datasets.load_dataset("imagefolder", **folder)["train"]
    assert row["factual_question"]["answers"] == ANSWERS


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["okvqa", "vqav2"]),
    st.lists(st.tuples(st.sampled_from([*QUESTION, "annotation"]), JSON), max_size=3),
    st.lists(st.tuples(st.sampled_from([*ANNOTATION, "question_types"]), JSON), max_size=3),
)
def test_no_entry_makes_the_import_fail(tmp_path_factory, suite, asked, answered):
    folder = tmp_path_factory.mktemp("hostile")
    questions = [QUESTION | {field: value} for field, value in asked] + [QUESTION | {"question_id": 2**40}]
    annotations = [ANNOTATION | {field: value} for field, value in answered] + [ANNOTATION | {"question_id": 2**40}]
    cases, _, _ = read_files(folder, questions, annotations, suite, pictures=folder)
    assert cases[-1].provenance["question_id"] == 2**40


@pytest.mark.slow
def test_what_people_answer_is_read_as_it_stands():
    """A short answer passes through; only what says that there is none ("not sure") is unread."""
    annotations = json.loads(
        gzip.decompress(published("okvqa/mscoco_val2014_annotations.RECONSTRUCTED.json.gz").read_bytes())
    )["annotations"]
    said = Counter(answer["answer"] for annotation in annotations for answer in annotation["answers"])
    question = Question("What is it?", "", "open")
    other = Counter(
        {text: n for text, n in said.items() if normalised(answer_in(text, question) or "\0") != normalised(text)}
    )
    assert said.total() == 50_460
    assert other.total() < 0.002 * said.total(), other.most_common(20)
