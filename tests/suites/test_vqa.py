"""OK-VQA and VQAv2: official questions joined with the answers of ten people."""

import gzip
import json
from collections import Counter

import pytest
from importing import VQA_ANNOTATION as ANNOTATION
from importing import VQA_ANSWERS as ANSWERS
from importing import VQA_QUESTION as QUESTION
from importing import import_suite, json_file
from published import published

from countersight.case import Question
from countersight.errors import CountersightError
from countersight.reading import answer_in
from countersight.scoring.credit import normalised, soft_accuracy


def read_files(tmp_path, questions, annotations, suite="okvqa", pictures=None, **more):
    asked = json_file(tmp_path / "q.json", {"data_subtype": "val2014", "questions": questions} | more)
    answered = json_file(tmp_path / "a.json", {"annotations": annotations} | more)
    return import_suite(suite, asked, tmp_path / "d", pictures, answered)


def test_a_case_has_a_factual_question_only(tmp_path):
    (case,), imported, _ = read_files(tmp_path, [QUESTION], [ANNOTATION])
    assert case.factual == Question("What is on the desk?", "lamp", "open", answers=tuple(ANSWERS))
    assert case.counterfactual is None
    assert (case.id, case.suite, case.group) == ("okvqa-000001", "okvqa", "plants and animals")
    assert case.provenance == {"question_id": 420, "image_id": 42}
    assert (imported.cases, imported.bad, imported.without_picture) == (1, 0, 1)
    assert soft_accuracy("The lamp.", case.factual.answers) == 1


@pytest.mark.parametrize(
    ("suite", "annotation", "more", "group"),
    [
        ("vqav2", ANNOTATION | {"answer_type": "yes/no"}, {}, "yes/no"),
        ("okvqa", ANNOTATION, {"question_types": {"eight": "Plants and Beasts"}}, "plants and beasts"),
        ("okvqa", {"question_id": 420, "answers": ANNOTATION["answers"]}, {}, ""),
    ],
)
def test_groups_are_types_of_answer_or_categories(tmp_path, suite, annotation, more, group):
    (case,), _, _ = read_files(tmp_path, [QUESTION], [annotation], suite=suite, **more)
    assert (case.id, case.suite, case.group) == (f"{suite}-000001", suite, group)


def test_a_file_without_questions_or_annotations_is_an_error(tmp_path):
    asked, answered = json_file(tmp_path / "q.json", {"questions": []}), json_file(tmp_path / "a.json", {"x": 1})
    for first, second, field in ((answered, answered, "questions"), (asked, asked, "annotations")):
        with pytest.raises(CountersightError, match=f"is not the right file: .* missing required field `{field}`"):
            import_suite("okvqa", first, tmp_path / "d", beside=second)


def test_questions_and_annotations_are_joined_in_any_order(tmp_path):
    questions = [QUESTION | {"question_id": number} for number in (1, 2, 3)]
    annotations = [ANNOTATION | {"question_id": number, "answer_type": str(number)} for number in (3, 1, 2, 9)]
    cases, imported, _ = read_files(tmp_path, questions, annotations, suite="vqav2")
    assert [case.group for case in cases] == ["1", "2", "3"]
    assert imported.bad == 0


def test_questions_without_an_annotation_or_with_several_are_reported(tmp_path):
    questions = [QUESTION | {"question_id": number} for number in (7, 8, 420)]
    annotations = [{"answers": []}, ANNOTATION, 5, *[ANNOTATION | {"question_id": 8}] * 3]
    _, _, bad = read_files(tmp_path, questions, annotations)
    reason = "has no valid annotation, or several"
    assert bad == [(1, "question_id", f"7 {reason}"), (2, "question_id", f"8 {reason}")]


BAD_ANSWERS = [
    None,
    ANNOTATION["answers"][:3],
    ANNOTATION["answers"] * 20,
    [{"answer": 3}] * 10,
    ["lamp"] * 10,
    [{"answer": " "}] * 10,
    [{"answer": "x" * 201}] * 10,
]
BAD_FIELDS = [
    *(("question_id", value) for value in ("420", True, None)),
    *(("image_id", value) for value in (-1, 1.5, 10**30)),
    *(("question", value) for value in ("", ["What?"])),
]


def test_invalid_fields_are_reported_and_the_next_question_is_read(tmp_path):
    annotations = [ANNOTATION | {"question_id": nth, "answers": answers} for nth, answers in enumerate(BAD_ANSWERS)]
    annotations.append({"question_id": len(BAD_ANSWERS), "image_id": 42})
    questions = [QUESTION | {"question_id": nth} for nth in range(len(annotations))]
    questions += [QUESTION | {field: value} for field, value in BAD_FIELDS]
    cases, _, bad = read_files(tmp_path, [*questions, QUESTION], [*annotations, ANNOTATION])
    fields = ["annotation"] * len(annotations) + [field for field, _ in BAD_FIELDS]
    assert [(number, name) for number, name, _ in bad] == list(enumerate(fields, start=1))
    assert [case.id for case in cases] == [f"okvqa-{len(questions) + 1:06d}"]


@pytest.mark.slow
def test_short_answers_of_people_are_extracted_unchanged():
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
