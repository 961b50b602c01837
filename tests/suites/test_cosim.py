"""CoSIm: import of instances, and of types of change that people assigned."""

import msgspec
import pytest
from importing import COSIM as INSTANCE
from importing import csv_file, import_suite, json_file

from countersight.case import Change, Option, Question, Reply
from countersight.errors import CountersightError
from countersight.scoring import OUTCOMES, outcomes
from countersight.suites.cosim.files import FIELDS

RESPONSES = INSTANCE["answer_choices"]


def read(tmp_path, *instances, pictures=None, kinds=None):
    source = json_file(tmp_path / "in.json", list(instances))
    return import_suite("cosim", source, tmp_path / "d", pictures, kinds)


def test_an_instance_has_only_a_counterfactual_question(tmp_path):
    (case,), imported, _ = read(tmp_path, INSTANCE)
    assert case.factual is None
    options = tuple(Option(response) for response in RESPONSES)
    assert case.counterfactual == Question("Could we sit on the bench?", "B", "choice", options)
    assert case.context == "Yes, because the bench is dry."
    assert case.change == Change("Add a puddle on the bench.", ("object addition",))
    assert (case.id, case.suite) == ("cosim-000001", "cosim")
    assert case.provenance == {"img_path": "genome_1/12.jpg", "kinds": "proposed", "type": "normal"}
    assert (imported.cases, imported.bad, imported.without_picture) == (1, 0, 1)


def test_either_copy_of_a_doubled_right_answer_is_right(tmp_path):
    """Five published cases list their right answer twice."""
    (case,), _, bad = read(tmp_path, INSTANCE | {"answer_choices": [RESPONSES[1], *RESPONSES[1:]]})
    assert bad == []
    reply = Reply(case.id, 0, "counterfactual", "told")
    said = [msgspec.structs.replace(reply, text=letter) for letter in "ABCD"]
    found = [OUTCOMES[outcomes([(0, case)], [one]).codes[0, 1]] for one in said]
    assert found == ["right", "right", "wrong", "wrong"]


def test_types_and_numbers_assigned_by_people_replace_proposed_ones(tmp_path):
    rows = [
        {"id": "cosim-000002", "kinds": "Event Description; object  addition", "changes": ""},
        {"id": "cosim-000003", "kinds": "object addition", "changes": "3"},
    ]
    (first, *others), _, _ = read(tmp_path, *[INSTANCE] * 3, kinds=csv_file(tmp_path / "kinds.csv", *rows))
    assert (first.change.kinds, first.provenance["kinds"]) == (("object addition",), "proposed")
    assert [case.change.kinds for case in others] == [("object addition", "event description"), ("object addition",)]
    assert [case.provenance["kinds"] for case in others] == ["assigned", "assigned"]
    assert [case.provenance.get("changes") for case in others] == [None, 3]


FIRST = {"id": "cosim-000001", "kinds": "human addition"}


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([FIRST | {"kinds": "object adition"}], "did you mean 'object addition'"),
        ([FIRST | {"kinds": " "}], "line 2: kinds: is empty"),
        ([FIRST | {"id": ""}], "line 2: id: is empty"),
        ([{"id": "cosim-000001"}], "line 1: kinds: is not a column"),
        ([FIRST | {"changes": "0"}], "line 2: changes: '0' is not"),
        ([FIRST, FIRST], "line 3: id: 'cosim-000001' is already on an earlier line"),
        (
            [FIRST, FIRST | {"id": "cosim-000003"}],
            "'cosim-000003' is not a case of .*; the cases are cosim-000001 to cosim-000002",
        ),
        ([FIRST | {"id": "1593041.jpg"}], "'1593041.jpg' is not a case of"),
    ],
)
def test_a_mistake_in_the_file_of_types_stops_the_import(tmp_path, rows, sentence):
    with pytest.raises(CountersightError, match=sentence):
        read(tmp_path, INSTANCE, INSTANCE, kinds=csv_file(tmp_path / "kinds.csv", *rows))
    assert not (tmp_path / "d").exists()


BAD = {
    "question": ["", 3],
    "answer_orig": [None],
    "change": ["  ", ["Add a cat."]],
    "answer_choices": [RESPONSES[:3], "yes", [*RESPONSES[:3], 4], [*RESPONSES[:3], ""]],
    "answer_label": [4, -1, True, "1", 1.0],
    "folder": [""],
    "img_fn": [None, "../../../etc/passwd"],
}


def test_an_invalid_instance_is_reported_and_the_next_one_is_read(tmp_path):
    wrong = [(field, INSTANCE | {field: value}) for field, values in BAD.items() for value in values]
    wrong += [(field, {name: value for name, value in INSTANCE.items() if name != field}) for field in FIELDS]
    cases, _, bad = read(tmp_path, *(row for _, row in wrong), INSTANCE, pictures=tmp_path)
    assert [(number, name) for number, name, _ in bad] == [
        (nth, field) for nth, (field, _) in enumerate(wrong, start=1)
    ]
    assert {reason for _, _, reason in bad[-len(FIELDS) :]} == {"is missing"}
    assert [case.id for case in cases] == [f"cosim-{len(wrong) + 1:06d}"]
