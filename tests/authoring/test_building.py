"""Pairs built by the grammar: checked, balanced, and with a reason for every rejected question."""

import re
from collections import Counter
from pathlib import Path

import pytest
from making import case, dataset, picture
from pairing import NOUNS, build, questions, rejected, write_csv, write_vqa

from countersight.authoring import read_funnel
from countersight.case import Option, Question
from countersight.cli import main
from countersight.composer import compose, supposition
from countersight.dataset import Dataset
from countersight.errors import CountersightError


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    build(write_csv(folder / "questions.csv"), folder / "pairs", size=80, groups=("direct",), seed=3)
    return folder / "pairs"


def test_the_composer_computes_every_count(built: Path) -> None:
    cases = [case for _, case in Dataset.open(built).cases()]
    assert len(cases) == 80
    for each in cases:
        assert each.factual
        assert each.counterfactual
        assert compose(int(each.factual.answer), each.counterfactual.text) == int(each.counterfactual.answer)
        assert each.counterfactual.answer != each.factual.answer


def test_operations_are_balanced_and_suppositions_vary(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    funnel = read_funnel(built)
    assert funnel is not None
    shares = [count / 80 for _, count in funnel.operations]
    assert len(shares) == 8
    assert max(shares) <= 0.2
    assert funnel.patterns >= 30
    assert main(["describe", str(built), "--all"]) == 0
    assert "From questions to pairs" in capsys.readouterr().out


@pytest.mark.slow
def test_no_wording_predicts_its_answer(tmp_path: Path) -> None:
    small = [(f"How many {noun} are there?", str(count)) for noun in NOUNS for count in (1, 1, 1, 2, 2, 3, 4, 6, 8)]
    build(write_csv(tmp_path / "questions.csv", small), tmp_path / "pairs", size=150, groups=("direct",))
    answers: dict[object, Counter[str]] = {}
    for _, each in Dataset.open(tmp_path / "pairs").cases():
        assert each.counterfactual
        answers.setdefault(each.provenance["pattern"], Counter())[each.counterfactual.answer] += 1
    assert all(max(said.values()) <= max(2, -(-said.total() // 3)) for said in answers.values())
    halved = Counter[str]()
    for wording in answers:
        halved += answers[wording] if "halve" in str(wording) or "half as" in str(wording) else Counter()
    assert {"1", "2", "3"} <= halved.keys()


def test_every_question_becomes_a_pair_or_is_rejected_with_a_reason(built: Path) -> None:
    funnel = read_funnel(built)
    assert funnel is not None
    read, *steps = funnel.steps
    left = read.passed
    for step in steps:
        left -= sum(count for _, count in step.reasons)
        assert step.passed == left
    assert left == 80
    untried = dict(steps[1].reasons).get("there were enough pairs", 0) + dict(steps[0].reasons).get(
        "of another group", 0
    )
    assert read.passed == 80 + len(rejected(built)) + untried


def test_pairs_record_their_provenance_and_the_card_the_accuracy_without_the_pictures(built: Path) -> None:
    assert "## Accuracy without the pictures" in (built / "README.md").read_text()
    assert (built / "blind.json").is_file()
    _, first = next(iter(Dataset.open(built).cases()))
    assert (first.suite, first.group, first.provenance["writer"]) == ("cvqa-real", "direct", "grammar")
    assert {"source", "img_path", "operation", "pattern", "seed"} <= first.provenance.keys()
    assert first.change is not None


def test_a_seed_determines_the_dataset(tmp_path: Path) -> None:
    source = write_csv(tmp_path / "questions.csv")
    rows = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        build(source, tmp_path / name, size=12, seed=seed)
        rows.append((tmp_path / name / "metadata.jsonl").read_text())
    assert rows[0] == rows[1] != rows[2]


def test_a_name_of_several_nouns_is_not_treated_as_its_last_noun(tmp_path: Path) -> None:
    names = ("hot dogs", "train cars", "toilet paper rolls", "rolls of plastic bags", "trellises", "TVs")
    rows = [(f"How many {name} are there?", str(count)) for name in names for count in range(1, 9)]
    build(write_csv(tmp_path / "questions.csv", rows), tmp_path / "pairs", size=len(rows), groups=("direct",))
    texts = [case.counterfactual.text for _, case in Dataset.open(tmp_path / "pairs").cases()]  # type: ignore[union-attr]
    assert len(texts) > len(rows) / 2
    assert not [text for text in texts if re.search(r"cats|bicycle|ran|left|joined|eaten|ate|trellise\b|\btv", text)]


def test_suppositions_name_the_place_in_the_question(tmp_path: Path) -> None:
    places = {"suitcases": "on the floor", "flowers": "inside the red polygons", "people": "on the white animal"}
    rows = [(f"How many {x} are {place}?", str(n)) for x, place in places.items() for n in range(1, 9)]
    rows.append(("How many dogs are on a leash?", "3"))  # "there" is no leash
    build(write_csv(tmp_path / "questions.csv", rows), tmp_path / "pairs", size=len(rows), groups=("direct",))
    cases = [case for _, case in Dataset.open(tmp_path / "pairs").cases()]
    assert len(cases) == len(rows) - 1
    for each in cases:
        assert each.counterfactual
        assert each.change
        supposed = supposition(each.counterfactual.text)
        assert supposed
        assert re.search(r" there\b|on the floor|inside the red|on the white", supposed[1]), each
        assert re.search(r"on the floor|inside the red|on the white", each.change.text), each  # by itself, too


def test_hostile_rows_are_rejected_and_counted(tmp_path: Path) -> None:
    rows = [
        ("How many dogs are there?", "3"),
        ("How many dogs are there?", "3.5"),
        ("How many {n} dogs are there?", "3"),
    ]
    rows += [("How many \x1b[31mdogs are there?", "3"), ("How many dogs are there?", "9" * 20), ("Is?", "yes")]
    built = build(write_csv(tmp_path / "questions.csv", rows), tmp_path / "pairs", size=9)
    assert (built.cases, built.rejected) == (1, 4)
    reasons = {each["question"]: each["reason"] for each in rejected(tmp_path / "pairs") if "{" in each["question"]}
    assert reasons == {"How many {n} dogs are there?": "the grammar does not cover the question"}


def test_sensitive_and_joined_names_are_rejected(tmp_path: Path) -> None:
    sensitive = ("corpses", "dead fish", "naked people", "black people", "rifles")
    joined = ("cars whose wheels are black", "cars and trucks", "people, and how many dogs")
    rows = [(f"How many {name} are there?", "3") for name in ("bullet trains", *sensitive, *joined)]
    assert build(write_csv(tmp_path / "questions.csv", rows), tmp_path / "pairs", groups=("direct",)).cases == 1
    reasons = Counter(each["reason"] for each in rejected(tmp_path / "pairs"))
    assert reasons == {"sensitive": len(sensitive), "the grammar does not cover the question": len(joined)}


def test_fractions_are_not_counts(tmp_path: Path) -> None:
    asked = [("HOW MANY DOGS ARE THERE?", [answer] * 10) for answer in ("3", "3.5", "3 1/2", "3 and a half")]
    questions, annotations = write_vqa(tmp_path, asked)
    build(questions, tmp_path / "pairs", annotations=annotations)
    neither = "the answer is neither a number nor yes or no"
    assert [each["reason"] for each in rejected(tmp_path / "pairs")] == [
        "the answer is not a whole number",
        neither,
        neither,
    ]
    [(_, only)] = Dataset.open(tmp_path / "pairs").cases()
    assert only.counterfactual
    assert "DOGS" not in only.counterfactual.text


def test_only_clear_majorities_of_vqa_are_used(tmp_path: Path) -> None:
    source, annotations = write_vqa(
        tmp_path,
        [
            ("How many dogs are there?", ["2"] * 6 + ["two"] * 3 + ["3"]),
            ("How many cups are there?", ["2"] * 5 + ["3"] * 5),
            ("How many plates are there?", ["2"] * 5 + ["lots"] * 3 + ["3"] * 2),
            ("What is this?", ["dog"] * 10),
            ("Is there a dog?", ["yes"] * 10),
            ("How many birds are there?", ["many"] * 10),
        ],
    )
    built = build(source, tmp_path / "pairs", annotations=annotations, size=4)
    assert built.cases == 1
    reasons = Counter(each["reason"] for each in rejected(tmp_path / "pairs"))
    assert reasons["no clear majority"] == 2
    assert reasons["neither a counting nor a yes/no question"] == 1
    assert reasons["the answer is neither a number nor yes or no"] == 1
    _, first = next(iter(Dataset.open(tmp_path / "pairs").cases()))
    assert first.provenance["agreement"] == "0.9"


def test_annotations_of_other_questions_are_an_error(tmp_path: Path) -> None:
    source, _ = write_vqa(tmp_path, [("How many dogs are there?", ["2"] * 10)])
    others = tmp_path / "others.json"
    others.write_text('{"annotations": [{"question_id": 7, "answers": []}]}')
    with pytest.raises(CountersightError, match="question_id: N has no valid annotation"):
        build(source, tmp_path / "pairs", annotations=others)
    source, annotations = write_vqa(
        tmp_path, [(f"How many {noun} are there?", ["2"] * 10) for noun in ("dogs", "cups")]
    )
    annotations.write_text(annotations.read_text().replace('"image_id": 1', '"image_id": 7'))
    assert build(source, tmp_path / "pairs", annotations=annotations, groups=("direct",)).cases == 1
    details = "annotation: is about another picture; the annotations belong to other questions"
    found = [(each["reason"], each["details"]) for each in rejected(tmp_path / "pairs")]
    assert found == [("an invalid row", details)]


def test_pictures_are_copied_and_missing_ones_are_a_reason(tmp_path: Path) -> None:
    source = write_csv(tmp_path / "questions.csv", questions()[:6])
    (tmp_path / "pictures/val2014").mkdir(parents=True)
    for number in range(3):
        (tmp_path / f"pictures/val2014/{number:04d}.png").write_bytes(picture())
    built = build(source, tmp_path / "pairs", pictures=tmp_path / "pictures", size=6, groups=("direct",))
    assert (built.cases, built.without_picture) == (3, 0)
    assert Counter(each["reason"] for each in rejected(tmp_path / "pairs"))["no such picture"] == 3
    opened = Dataset.open(tmp_path / "pairs")
    assert all(case.image and opened.picture(case.image, case.image_digest) for _, case in opened.cases())


def test_any_dataset_with_factual_questions_is_a_source(tmp_path: Path) -> None:
    """A choice whose right option is a number is a count, too."""
    options = tuple(Option(text) for text in ("7", "10", "many"))
    cases = [
        case(n, factual=Question(f"How many {noun} are there?", letter, "choice", options))
        for n, (noun, letter) in enumerate((("dogs", "B"), ("cups", "A"), ("birds", "C")))
    ]
    cases.append(case(3, factual=Question("How many kites are there?", "4", "number")))
    built = build(dataset(tmp_path / "source", cases), tmp_path / "pairs", size=4, groups=("direct",))
    factual = {case.factual.answer for _, case in Dataset.open(tmp_path / "pairs").cases() if case.factual}
    assert (built.cases, built.without_picture, factual) == (3, 0, {"10", "7", "4"})


def test_a_dataset_without_pictures_uses_a_given_folder(tmp_path: Path) -> None:
    source = write_csv(tmp_path / "questions.csv", questions()[:4])
    build(source, tmp_path / "source", size=4, groups=("direct",))
    built = build(tmp_path / "source", tmp_path / "pairs", size=4, groups=("direct",))
    assert (built.cases, built.without_picture) == (4, 4)
    (tmp_path / "pictures").mkdir()
    for number in range(4):
        (tmp_path / f"pictures/{number:04d}.png").write_bytes(picture())
    found = build(tmp_path / "source", tmp_path / "found", size=4, groups=("direct",), pictures=tmp_path / "pictures")
    assert (found.cases, found.without_picture) == (4, 0)


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("q.json", '{"questions": []}', [], "contains no answers; pass VQA's annotations as --annotations"),
        ("a.json", '{"annotations": []}', [], "a.json contains no questions"),
        ("photo.jpg", "\x7f\x00", [], "photo.jpg contains no questions"),
        ("cosim.json", '[{"id": 1}]', [], "cosim.json contains no questions"),
        ("notes.csv", "a,b\n1,2\n", [], "contains no questions"),
        ("notes.csv", "", ["--annotations", "notes.csv"], "C-VQA's CSV contains its answers"),
        ("notes.csv", "", ["--groups", "indirect"], "there is no group 'indirect'"),
        (
            "q.csv",
            "",
            ["--groups", "boolean"],
            "the grammar writes how-many questions only",
        ),
        ("q.json", "{}", ["--annotations", "q.json"], "is not the right file"),
        ("q.json", "{", ["--annotations", "q.json"], "is not a complete JSON file"),
        ("gone.csv", None, [], "gone.csv does not exist"),
        ("q.csv", "", ["--writer", "nobody:x"], "there is no"),
    ],
)
def test_unusable_input_is_an_error_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name, content, options, message
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        (tmp_path / name).write_text(content)
    if name == "q.csv":
        write_csv(tmp_path / name)
    assert main(["build", "cvqa", "--questions", name, "-o", "pairs", *options]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "pairs").exists()


def test_orders_that_cannot_be_built_are_refused(built: Path, tmp_path: Path) -> None:
    source = built.with_name("questions.csv")
    with pytest.raises(CountersightError, match="shared options would reveal the answer to a how-many question"):
        build(source, tmp_path / "pairs", suite="cfmm")
    with pytest.raises(CountersightError, match="exists already"):
        build(source, built)
    with pytest.raises(CountersightError, match=r"no writer 'gramar'; did you mean 'grammar'\? The names are: grammar"):
        build(source, tmp_path / "pairs", writer="gramar")
