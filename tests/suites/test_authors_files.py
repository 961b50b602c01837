"""Scores by the authors' own formulas, and the authors' own files, where they are at hand.

The whole files are read row by row, without writing datasets; small files of ours are imported elsewhere.
"""

import gzip
import json
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from random import Random
from statistics import fmean

import pytest
from importing import import_suite, json_file
from making import picture
from published import published
from running import Scripted, ask

import countersight as cs
from countersight.cli import main
from countersight.models import Answer
from countersight.reports import write_report
from countersight.scenes import apply
from countersight.suites import BadField, find_suite, rows_of
from countersight.suites.cosim.changes import KINDS
from countersight.suites.cvqa.templates import TEMPLATES

SAYS = {
    "yes": ("Yes.", "Yes, it is."),
    "no": ("No, it is not.", "No."),
    "uncertain": (
        "I cannot determine that.",
        "No image is provided, so that is hard to say.",
        "Charts of this kind often look alike; please upload yours.",  # neither yes nor no
    ),
}


REAL, SYNTHETIC = "cvqa/C-VQA-Real_questions.csv", "cvqa/C-VQA-Synthetic_questions.csv"
OKVQA = {
    split: tuple(
        f"okvqa/{name}.json.gz"
        for name in (
            f"OpenEnded_mscoco_{split}2014_questions",
            f"mscoco_{split}2014_annotations.RECONSTRUCTED",
        )
    )
    for split in ("val", "train")
}
VQAV2 = ("vqav2_sample/questions.json", "vqav2_sample/annotations.json")
DOUBLED = "the right one is listed twice"
DOUBLED_ANSWERS = [(number, "answer2", DOUBLED) for number in (13, 297, 335, 411, 454)]
SUITES_PAGE = Path(__file__).parents[2] / "docs" / "suites.md"


@cache
def cases_of(suite, name, beside=""):
    """The cases of an authors' file, the names of their pictures, and its bad rows."""
    layout = find_suite(suite).open_layout(published(beside) if beside else None)
    cases, pictures, bad = [], [], []
    for number, (line, row) in enumerate(rows_of(layout, published(name)), start=1):
        try:
            if isinstance(row, BadField):
                raise row
            cases.append(layout.as_case(row, number))
            pictures.append(layout.picture(row))
        except BadField as wrong:
            bad.append((line, wrong.field, wrong.reason))
    return cases, pictures, bad


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suite", "title", "files", "count", "bad"),
    [
        ("cvqa-real", "C-VQA-Real", (REAL,), 1569, []),
        ("cvqa-synthetic", "C-VQA-Synthetic", (SYNTHETIC,), 3000, []),
        ("cosim", "CoSIm", ("cosim/train.json",), 1924, []),
        ("okvqa", "OK-VQA", OKVQA["val"], 5046, []),
        ("okvqa", "OK-VQA", OKVQA["train"], 9009, []),
        ("vqav2", "VQAv2", VQAV2, 3, []),
        ("hallusionbench", "HallusionBench", ("suites/HallusionBench.json.gz",), 1129, []),
        ("acquired", "ACQUIRED", ("suites/ACQUIRED_val.json.gz",), 518, DOUBLED_ANSWERS),
        ("acquired", "ACQUIRED", ("suites/ACQUIRED_raw_val.json.gz",), 518, DOUBLED_ANSWERS),
    ],
)
def test_the_page_states_how_many_rows_of_the_authors_file_become_cases(suite, title, files, count, bad):
    cases, _, found = cases_of(suite, *files)
    assert (len(cases), found) == (count, bad)
    [row] = [line for line in SUITES_PAGE.read_text().splitlines() if line.startswith(f"| {title} |")]
    assert f"{count:,} of {count + len(bad):,}" in row


@pytest.mark.slow
def test_cvqa_real_has_the_published_types_answers_and_changes():
    cases, pictures, _ = cases_of("cvqa-real", REAL)
    assert Counter(case.group for case in cases) == {"direct": 586, "indirect": 420, "boolean": 563}
    yes_or_no = [case for case in cases if case.group == "boolean"]
    assert Counter(case.factual.answer for case in yes_or_no) == {"yes": 320, "no": 243}
    assert Counter(case.counterfactual.answer for case in yes_or_no) == {"yes": 249, "no": 314}
    assert {case.factual.kind for case in cases if case.group != "boolean"} == {"number"}
    assert sum(case.factual.answer == case.counterfactual.answer for case in cases) == 43
    untold = [case.counterfactual.text for case in cases if case.change is None]
    assert untold == ["Would any cars be visible in this photo?"]
    told = [case.change.text for case in cases if case.change]
    assert not any("would " in text or text in ("", "?", ".") for text in told)
    assert {path.name for path in published("photos/index.csv").parent.glob("*.jpg")} & set(pictures)


def numbers_by_type(cases):
    """Both right numbers of every case, by type."""
    found = defaultdict(list)
    for case in cases:
        found[case.provenance["type"]].append([int(q.right_text) for q in (case.factual, case.counterfactual)])
    return found


@pytest.mark.slow
def test_cvqa_synthetic_has_the_published_numbers():
    cases, _, _ = cases_of("cvqa-synthetic", SYNTHETIC)
    theirs = numbers_by_type(cases)
    for template in TEMPLATES:
        puzzles = [template.random_puzzle(Random(index), "red") for index in range(200)]
        ours = [[each.count(each.scene), each.count(apply(each.scene, each.edits))] for each in puzzles]
        pairs = theirs[template.published_type]
        assert len(pairs) == 500
        for column, allowed in enumerate((template.answers, template.new_answers)):
            values = [pair[column] for pair in pairs]
            assert (min(values), max(values)) == (allowed[0], allowed[-1])
            expected, found = fmean(values), fmean(pair[column] for pair in ours)
            spread = fmean((value - expected) ** 2 for value in values) ** 0.5
            assert abs(found - expected) < 0.3 * spread, (template.number, column, expected, found)


@pytest.mark.slow
def test_cosim_has_letters_contexts_and_types():
    cases, _, _ = cases_of("cosim", "cosim/train.json")
    assert Counter(case.counterfactual.answer for case in cases) == {"A": 468, "B": 483, "C": 507, "D": 466}
    assert all(case.context and case.change.text for case in cases)
    assert {kind for case in cases for kind in case.change.kinds} == set(KINDS)
    assert sum(not case.change.kinds for case in cases) < 20


@pytest.mark.slow
def test_okvqa_has_ten_answers_eleven_categories_and_names_of_cocos_pictures():
    cases, pictures, _ = cases_of("okvqa", *OKVQA["val"])
    assert {len(case.factual.answers) for case in cases} == {10}
    groups = Counter(case.group for case in cases)
    assert len(groups) == 11
    assert groups.most_common(1)[0][0] == "plants and animals"
    assert {path.name for path in published("photos/index.csv").parent.glob("*.jpg")} & set(pictures)
    sample, shown, _ = cases_of("vqav2", *VQAV2)
    assert [case.factual.answer for case in sample] == ["net", "pitcher", "orange"]
    assert set(shown) == {"COCO_train2014_000000458752.jpg"}


def says(texts):
    """A model that says one text to each case."""
    return Scripted(lambda request: Answer(texts[request.key.partition("/")[0]]))


def authors_rows(name):
    return json.loads(gzip.decompress(published(f"suites/{name}").read_bytes()))


def answered(rows, where):
    """HallusionBench, answered by chance: yes, no or neither."""
    cases, imported, bad = import_suite("hallusionbench", json_file(where / "HallusionBench.json", rows), where / "d")
    chance = Random(3)
    made_up = [chance.choices(list(SAYS), (5, 5, 2))[0] for _ in rows]
    said = {case.id: chance.choice(SAYS[answer]) for case, answer in zip(cases, made_up, strict=True)}
    ask(where / "d", where / "r", says(said))
    return made_up, imported, bad, cs.score(where / "r")


def rows_like_theirs():
    """Sets with two questions and figures 0 to 2; figure 0 of VS is withheld."""
    return [
        {
            "category": category,
            "subcategory": subcategory,
            "set_id": str(number),
            "figure_id": str(figure),
            "visual_input": str(min(2, figure + (category == "VD"))),
            "question_id": str(question),
            "question": f"Was it the highest in {2000 + number + question}?",
            "gt_answer": str((number + figure + question) % 2),
        }
        for category, subcategory in (("VD", "chart"), ("VD", "map"), ("VS", "chart"), ("VS", "table"))
        for number in range(5)
        for figure in range(3)
        for question in range(2)
    ]


def is_unseen(row):
    return row["category"] == "VS" and row["figure_id"] == "0"


def by_the_authors(rows, answers):
    """aAcc, qAcc and fAcc as the authors' utils.py has them: (right, of how many).

    An answer is right where it is the right one, and where it is "uncertain" and there was no figure to look at.
    Questions count over all figures of their set, figures without those that were withheld.
    """
    right = [
        answer == ("yes" if row["gt_answer"] == "1" else "no") or (answer == "uncertain" and is_unseen(row))
        for row, answer in zip(rows, answers, strict=True)
    ]
    questions, figures = defaultdict(list), defaultdict(list)
    for row, is_right in zip(rows, right, strict=True):
        place = (row["category"], row["subcategory"], row["set_id"])
        questions[*place, row["question_id"]].append(is_right)
        if not is_unseen(row):
            figures[*place, row["figure_id"]].append(is_right)
    return (
        (sum(right), len(right)),
        (sum(map(all, questions.values())), len(questions)),
        (sum(map(all, figures.values())), len(figures)),
    )


def ours(scores, category=""):
    """The same of a run: of all, or of the groups of VD or VS."""
    groups = [line for line in scores.groups.values() if line.group.startswith(category)] or [scores.overall]
    sets = [line for line in scores.sets if line.group.startswith(category) and line.group != "all"]
    rates = (
        [line.factual for line in groups],
        [line.question.rate for line in sets],
        [line.picture.rate for line in sets],
    )
    return tuple((sum(rate.right for rate in each), sum(rate.n for rate in each)) for each in rates)


def hold(rows, made_up, scores):
    assert ours(scores) == by_the_authors(rows, made_up)
    for category in ("VD", "VS"):
        pairs = [(row, answer) for row, answer in zip(rows, made_up, strict=True) if row["category"] == category]
        assert ours(scores, category) == by_the_authors(*zip(*pairs, strict=True))


def test_hallusionbench_is_scored_by_the_authors_formula(tmp_path, capsys):
    rows = rows_like_theirs()
    made_up, imported, bad, scores = answered(rows, tmp_path)
    assert (imported.cases, imported.text_only, bad) == (120, 20, [])
    hold(rows, made_up, scores)
    [divided] = [
        each
        for each in write_report([tmp_path / "r"], tmp_path / "page").data.runs[0].divisions
        if each.name == "category"
    ]
    accuracies = {line.group: (line.factual.right, line.factual.n) for line in divided.lines}
    assert accuracies == {category: ours(scores, category)[0] for category in ("VD", "VS")}
    page = (tmp_path / "page" / "tables.md").read_text()
    assert "| group | n | aAcc | qAcc | fAcc | unread | failed | missing |" in page
    assert main(["report", str(tmp_path / "r"), "-o", str(tmp_path / "again"), "--to", "markdown"]) == 0
    summary, score_table = capsys.readouterr().out, str(scores)
    shares = [f"{100 * right / n:.1f}%" for right, n in ours(scores)]
    for name, share in zip(("aAcc", "qAcc", "fAcc"), shares, strict=True):
        assert name in summary and name in score_table  # noqa: PT018
        assert share.rstrip("%") in summary


def test_a_missing_answer_leaves_out_its_question_and_figure_only(tmp_path):
    """HallusionBench: not the whole set. The authors' script needs every answer."""
    rows = rows_like_theirs()
    cases, _, _ = import_suite("hallusionbench", json_file(tmp_path / "h.json", rows), tmp_path / "d")
    missing = {cases[0].id, cases[7].id}  # question 0 about figure 0 of one set, question 1 about figure 0 of the next
    said = {case.id: SAYS[case.factual.answer][0] for case in cases if case.id not in missing}
    ask(tmp_path / "d", tmp_path / "r", says(said))
    line = cs.score(tmp_path / "r").sets[-1]
    assert [metric.rate.n for metric in line.metrics.values()] == [40 - 2, 50 - 2, 20 - 2]
    assert (line.answers.n, {metric.left_out for metric in line.metrics.values()}) == (118, {2})
    write_report([tmp_path / "r"], tmp_path / "page")
    note = "Not counted, because an answer is missing: 2 questions, 2 pictures, 2 sets."
    assert note in (tmp_path / "page" / "tables.md").read_text()
    assert note in " ".join(str(cs.score(tmp_path / "r")).split())


@pytest.mark.slow
def test_all_questions_of_hallusionbench_are_asked_and_scored_by_the_authors_formula(tmp_path):
    rows = authors_rows("HallusionBench.json.gz")
    made_up, imported, bad, scores = answered(rows, tmp_path)
    assert (imported.cases, imported.text_only, bad) == (1129, 178, [])
    assert (scores.overall.questions, scores.overall.missing) == (1129, 0)
    hold(rows, made_up, scores)
    assert [n for _, n in ours(scores)] == [1129, 455, 346]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ACQUIRED_val.json.gz", "ACQUIRED_raw_val.json.gz"])
def test_acquired_is_read_and_scored_although_video_ids_contain_colons(name, tmp_path):
    """Pairwise accuracy is the share of right answers, in all and by domain; five rows offer one answer twice."""
    rows = authors_rows(name)
    for video in {row["video_id"] for row in rows}:
        (tmp_path / "frames" / video).mkdir(parents=True)
        (tmp_path / "frames" / video / "1.png").write_bytes(picture())
    source = json_file(tmp_path / "val.json", rows)
    cases, imported, bad = import_suite("acquired", source, tmp_path / "d", tmp_path / "frames")
    assert (imported.cases, imported.without_picture) == (518, 0)
    assert {reason for _, _, reason in bad} == {"the right one is listed twice"}
    ask(tmp_path / "d", tmp_path / "r", says({case.id: "A" for case in cases}))
    kept = [row for row in rows if row["answer1"] != row["answer2"]]
    assert sum(":" in case.image for case in cases) == sum(":" in row["video_id"] for row in kept) == 131
    scores = cs.score(tmp_path / "r")
    assert set(scores.groups) == {"Physical", "Social", "Time"}
    for domain, line in scores.groups.items():
        of_domain = [row["correct_answer_key"] == "answer1" for row in kept if row["domain"] == domain]
        assert (line.counterfactual.right, line.counterfactual.n) == (sum(of_domain), len(of_domain))
    assert scores.overall.counterfactual.n == len(kept)
