"""The authors' own files, where they are at hand: how many rows are read, and scores by the authors' own formulas."""

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

SAYS = {"yes": "Yes.", "no": "No, it is not.", "uncertain": "I cannot determine that."}


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


@pytest.fixture(scope="module")
def hallusion(tmp_path_factory):
    """HallusionBench, answered by chance: yes, no or "uncertain"."""
    where = tmp_path_factory.mktemp("hallusion")
    rows = rows_of("HallusionBench.json.gz")
    cases, imported, bad = import_suite("hallusionbench", json_file(where / "HallusionBench.json", rows), where / "d")
    chance = Random(3)
    made_up = [chance.choices(list(SAYS), (5, 5, 2))[0] for _ in rows]
    said = {case.id: SAYS[answer] for case, answer in zip(cases, made_up, strict=True)}
    ask(where / "d", where / "r", Scripted(said))
    return rows, made_up, imported, bad, cs.score(where / "r")


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


@pytest.mark.slow
def test_every_question_of_hallusionbench_is_read_and_asked(hallusion):
    _, _, imported, bad, scores = hallusion
    assert (imported.cases, imported.text_only, bad) == (1129, 178, [])
    assert (scores.overall.questions, scores.overall.missing) == (1129, 0)


@pytest.mark.slow
def test_hallusionbench_is_scored_by_the_authors_formula(hallusion):
    rows, made_up, _, _, scores = hallusion
    line, accuracy = scores.sets[-1], scores.overall.factual
    ours = (
        (accuracy.right, accuracy.n),
        (line.question.rate.right, line.question.rate.n),
        (line.picture.rate.right, line.picture.rate.n),
    )
    assert ours == by_the_authors(rows, made_up)
    assert [n for _, n in ours] == [1129, 455, 346]


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
    assert {reason for _, _, reason in bad} == {"the right one stands there twice"}
    ask(tmp_path / "d", tmp_path / "r", Scripted({case.id: "A" for case in cases}))
    kept = [row for row in rows if row["answer1"] != row["answer2"]]
    assert sum(":" in case.image for case in cases) == sum(":" in row["video_id"] for row in kept) == 131
    scores = cs.score(tmp_path / "r")
    assert set(scores.groups) == {"Physical", "Social", "Time"}
    for domain, line in scores.groups.items():
        of_domain = [row["correct_answer_key"] == "answer1" for row in kept if row["domain"] == domain]
        assert (line.counterfactual.right, line.counterfactual.n) == (sum(of_domain), len(of_domain))
    assert scores.overall.counterfactual.n == len(kept)
