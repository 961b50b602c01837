"""Scores by the authors' own formulas, and the authors' own files, where they are at hand."""

import gzip
import json
from collections import defaultdict
from random import Random

import pytest
from importing import import_suite, json_file
from making import picture
from published import published
from running import ask

import countersight as cs
from countersight.models import Answer
from countersight.reports import write_report

SAYS = {
    "yes": ("Yes.", "Yes, it is."),
    "no": ("No, it is not.", "No."),
    "uncertain": (
        "I cannot determine that.",
        "No image is provided, so that is hard to say.",
        "Charts of this kind often look alike; please upload yours.",  # neither yes nor no
    ),
}


class Scripted:
    """A model that says to each question of a list what was made up for it, in the order of their keys."""

    name, settings, needs_picture = "scripted", {}, False

    def __init__(self, said):
        self._said = said

    async def reply(self, request):
        return Answer(self._said[request.key.partition("/")[0]])

    async def close(self):
        pass


def rows_of(name):
    return json.loads(gzip.decompress(published(f"suites/{name}").read_bytes()))


def answered(rows, where):
    """HallusionBench, answered by chance: yes, no or neither."""
    cases, imported, bad = import_suite("hallusionbench", json_file(where / "HallusionBench.json", rows), where / "d")
    chance = Random(3)
    made_up = [chance.choices(list(SAYS), (5, 5, 2))[0] for _ in rows]
    said = {case.id: chance.choice(SAYS[answer]) for case, answer in zip(cases, made_up, strict=True)}
    ask(where / "d", where / "r", Scripted(said))
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


def test_hallusionbench_is_scored_by_the_authors_formula(tmp_path):
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


@pytest.mark.slow
def test_every_question_of_the_authors_hallusionbench_is_asked_and_scored_by_their_formula(tmp_path):
    rows = rows_of("HallusionBench.json.gz")
    made_up, imported, bad, scores = answered(rows, tmp_path)
    assert (imported.cases, imported.text_only, bad) == (1129, 178, [])
    assert (scores.overall.questions, scores.overall.missing) == (1129, 0)
    hold(rows, made_up, scores)
    assert [n for _, n in ours(scores)] == [1129, 455, 346]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ACQUIRED_val.json.gz", "ACQUIRED_raw_val.json.gz"])
def test_acquired_is_read_with_colons_in_names_and_scored(name, tmp_path):
    """Pairwise accuracy is the share of right answers, in all and by domain; five rows offer one answer twice."""
    rows = rows_of(name)
    for video in {row["video_id"] for row in rows}:
        (tmp_path / "frames" / video).mkdir(parents=True)
        (tmp_path / "frames" / video / "1.png").write_bytes(picture())
    source = json_file(tmp_path / "val.json", rows)
    cases, imported, bad = import_suite("acquired", source, tmp_path / "d", tmp_path / "frames")
    assert (imported.cases, imported.without_picture) == (518, 0)
    assert {reason for _, _, reason in bad} == {"the right one is listed twice"}
    ask(tmp_path / "d", tmp_path / "r", Scripted({case.id: "A" for case in cases}))
    kept = [row for row in rows if row["answer1"] != row["answer2"]]
    assert sum(":" in case.image for case in cases) == sum(":" in row["video_id"] for row in kept) == 131
    scores = cs.score(tmp_path / "r")
    assert set(scores.groups) == {"Physical", "Social", "Time"}
    for domain, line in scores.groups.items():
        of_domain = [row["correct_answer_key"] == "answer1" for row in kept if row["domain"] == domain]
        assert (line.counterfactual.right, line.counterfactual.n) == (sum(of_domain), len(of_domain))
    assert scores.overall.counterfactual.n == len(kept)
