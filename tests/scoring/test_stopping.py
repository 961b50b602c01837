"""`run --until`: asking stops when the figure is known well enough, and what is reported holds although it stopped."""

import csv
import hashlib
import json
import re

import numpy as np
import pytest
from chat_server import ChatServer, question_of
from hypothesis import given, settings
from hypothesis import strategies as st
from making import case, dataset, picture

import countersight as cs
from countersight.cli import main
from countersight.dataset import DatasetWriter
from countersight.engine import RunFolder
from countersight.errors import CountersightError
from countersight.scoring import anytime_interval, anytime_p, stopping_status
from countersight.scoring.estimates import ANYTIME

CASES = 600


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two cases to a picture."""
    where = tmp_path_factory.mktemp("until") / "cases"
    with DatasetWriter(where, name="pairs", description="", license="CC0-1.0", provenance={"seed": 0}) as writer:
        for number in range(CASES):
            image = f"images/{number // 2}.png"
            (writer.staging / image).write_bytes(picture((number // 2 % 256, number // 512, 0)))
            writer.add(case(number, image=image, counterfactual_image=None, shown=None))
    return where


class Scripted:
    """A model that is right about most pictures as they are, and about fewer under a change."""

    def __init__(self, drop=0.3, factual=0.9):
        self.drop, self.factual, self.asked = drop, factual, 0

    def __call__(self, picture, question):
        self.asked += 1
        luck = int(hashlib.sha256(question.encode()).hexdigest()[:8], 16) / 16**8
        number = int(re.search(r"picture (\d+)", question)[1])
        changed = " if " in question
        gold = "B" if changed else "ABCD"[number % 4]
        return gold if luck < self.factual - changed * self.drop else "D"


@given(
    st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=60),
    st.integers(0, 60),
    st.sampled_from([None, 0.02, 0.2]),
)
@settings(deadline=None, max_examples=60)
def test_an_interval_lies_where_the_mean_can_still_be(values, left, aim):
    units = len(values) + left
    found = anytime_interval(values, units, low=-1, high=1, aim=aim)
    total = sum(values)
    assert (total - left) / units - 1e-5 <= found.low <= found.high <= (total + left) / units + 1e-5
    if not left:
        assert found.low == pytest.approx(found.high, abs=1e-5)
    for supposed in (-0.5, 0.0, 0.5):
        inside = found.low + 1e-5 < supposed < found.high - 1e-5
        outside = supposed < found.low - 1e-5 or supposed > found.high + 1e-5
        is_refuted = anytime_p(values, units, supposed, low=-1, high=1, aim=aim) <= 0.05
        assert not (inside and is_refuted)
        assert not (outside and not is_refuted)


def test_the_truth_is_hardly_ever_left_out_at_any_moment():
    generator, moments = np.random.default_rng(5), range(10, 200, 20)
    for aim in (None, 0.05):
        values = np.repeat([1.0, -1.0, 0.0], [60, 20, 120])
        drawn = (generator.permutation(values) for _ in range(100))
        missed = sum(
            any(anytime_p(each[:asked], each.size, each.mean(), low=-1, high=1, aim=aim) <= 0.05 for asked in moments)
            for each in drawn
        )
        assert missed <= 0.05 * 100 + 3 * (0.05 * 0.95 * 100) ** 0.5


def test_a_run_stops_when_the_width_is_reached_and_goes_on_for_a_smaller_one(folder, tmp_path):
    model = Scripted()
    run = cs.run(folder, model, out=tmp_path / "run", until=15)
    found = stopping_status(RunFolder.open(run.path))
    assert found is not None
    assert found.met
    assert found.high - found.low <= 0.3
    assert model.asked == 2 * found.cases < CASES
    rows = {json.loads(line)["row"] for line in (tmp_path / "run" / "replies.jsonl").read_text().splitlines()}
    assert rows == {row ^ 1 for row in rows}  # pictures are drawn with all of their cases
    drop = cs.score(run).overall.drop
    assert drop is not None
    assert (drop.low, drop.high) == pytest.approx((found.low, found.high))
    assert drop.n == found.cases

    told = cs.report([run], out=tmp_path / "report").finding
    assert f"is known to ± 15 points ({100 * found.low:.1f} to {100 * found.high:.1f}) after {found.cases:,} of" in told
    assert "were not run" in told
    with (tmp_path / "report" / "tables.csv").open() as lines:
        methods = {row["method"] for row in csv.DictReader(lines) if row["measure"] in ("drop", "factual")}
    assert methods == {ANYTIME}
    assert "betting confidence sequences" in (tmp_path / "report" / "report.html").read_text()

    asked = model.asked
    cs.run(folder, model, out=tmp_path / "run", until=20)
    assert model.asked == asked
    again = cs.run(folder, model, out=tmp_path / "run", until=12)
    finer = stopping_status(RunFolder.open(again.path))
    assert finer is not None
    assert model.asked == 2 * finer.cases > asked
    assert finer.high - finer.low <= 0.24
    whole = cs.run(folder, model, out=tmp_path / "run")  # asked everything since: intervals are the ordinary ones
    assert stopping_status(RunFolder.open(whole.path)) is None
    assert cs.score(whole).overall.drop.method != ANYTIME


@pytest.mark.parametrize("more", ["--batch", "--limit 5", "--again unread", "--until-metric factual"])
def test_options_that_draw_or_send_cases_otherwise_are_refused(folder, tmp_path, capsys, more):
    run = ["run", str(folder), "--model", "chance", "-o", str(tmp_path / "run")]
    alone = more.startswith("--until")
    assert main([*run, *more.split(), *(() if alone else ("--until", "10"))]) == 2
    assert ("add --until" if alone else "chooses the number of cases itself") in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_the_end_of_a_run_names_unread_replies_and_the_drops_that_they_leave_possible(folder, tmp_path, capsys):
    def third_unread(server, number, body):  # by the question, so that the order of requests does not matter
        question = question_of(body)
        is_unread = " if " in question and int(re.search(r"picture (\d+)", question)[1]) % 3 > 0
        return "say:That is hard to tell." if is_unread else "answer"

    for behaviour, named in (("answer", False), (third_unread, True)):
        with ChatServer(behaviour) as server:
            out = tmp_path / str(named)
            assert main(["run", str(folder), "--model", server.name, "-o", str(out), "--until", "25"]) == 0
        said = re.search(
            r"But (\d+)% of the replies are unread: the drop is (\S+) to (\S+) points", capsys.readouterr().err
        )
        assert bool(said) is named
    row = cs.score(tmp_path / "True").overall
    ends = (f"{100 * end:.1f}" for end in (row.drop.bounds.low, row.drop.bounds.high))
    assert said.groups() == (f"{100 * row.unread_rate:.0f}", *ends)


def test_a_metric_without_its_questions_is_refused(tmp_path):
    where = dataset(tmp_path / "told", [case(number, factual=None) for number in range(4)])
    with pytest.raises(CountersightError, match=r"no case of .* choose another"):
        cs.run(where, Scripted(), out=tmp_path / "run", until=10)


def test_a_drop_is_decided_soon_and_no_drop_takes_every_case(folder, tmp_path):
    large, none = Scripted(0.5), Scripted(0.0, 1.0)
    cs.run(folder, large, out=tmp_path / "large", until="decided")
    run = cs.run(folder, large, out=tmp_path / "large", until="decided")
    drop = cs.score(run).overall.drop
    assert drop is not None
    assert drop.low > 0
    assert drop.p < 0.05
    assert large.asked < CASES / 2
    small = folder.parent / "small"
    dataset(small, 20)
    undecided = cs.run(small, none, out=tmp_path / "none", until="decided")
    assert none.asked == 40
    assert "is not decided (0.0 to 0.0) after 20 of 20 cases" in str(stopping_status(RunFolder.open(undecided.path)))


class Failing:
    """Says B to everything; every fourth case fails under a change until it is mended."""

    def __init__(self):
        self.mended, self.asked = False, 0

    def __call__(self, picture, question):
        self.asked += 1
        if not self.mended and " if " in question and int(re.search(r"picture (\d+)", question)[1]) % 4 == 0:
            raise OSError("no")
        return "B"


def test_a_failed_answer_is_right_or_wrong_and_the_answer_of_the_other_world_is_known(tmp_path):
    """Five of twenty fail under the change and are wrong as they are: each drop is -1 or 0. Ten others have -1."""
    run = cs.run(dataset(tmp_path / "small", 20), Failing(), out=tmp_path / "run", until=10)
    found = stopping_status(RunFolder.open(run.path))
    assert found is not None
    assert found.cases == 20
    assert (found.low, found.high) == pytest.approx((-15 / 20, -10 / 20), abs=1e-4)


def test_both_worlds_cannot_be_right_where_one_is_wrong(tmp_path):
    where = dataset(tmp_path / "small", 20)
    run = cs.run(where, Failing(), out=tmp_path / "run", until=0.5, until_metric="both_right")
    found = stopping_status(RunFolder.open(run.path))
    assert (found.low, found.high) == pytest.approx((5 / 20, 5 / 20), abs=1e-4)


def test_what_failed_is_asked_again_although_the_rule_is_met(folder, tmp_path):
    model = Failing()
    cs.run(folder, model, out=tmp_path / "run", until=40)
    before, asked = stopping_status(RunFolder.open(tmp_path / "run")), model.asked
    assert before.met
    model.mended = True
    cs.run(folder, model, out=tmp_path / "run", until=45)
    after = stopping_status(RunFolder.open(tmp_path / "run"))
    assert after.rule == before.rule
    assert after.met
    assert after.pictures == before.pictures
    states = [json.loads(line).get("state") for line in (tmp_path / "run" / "replies.jsonl").read_text().splitlines()]
    failures = states.count("failed")
    assert failures
    assert len(states) == 2 * after.cases + failures
    asked = model.asked
    cs.run(folder, model, out=tmp_path / "run", until=45)
    assert model.asked == asked


def test_the_command_says_what_was_saved_and_asks_nothing_twice(folder, tmp_path, capsys):
    command = ["run", str(folder), "--model", "chance", "-o", str(tmp_path / "run")]
    assert main([*command, "--until", "25"]) == 0
    said = capsys.readouterr().err
    assert "were not run" in said
    replies = (tmp_path / "run" / "replies.jsonl").read_bytes()
    assert main([*command, "--until", "30"]) == 0
    again = capsys.readouterr().err
    assert "No question was asked" not in again
    assert again.strip().splitlines()[-1] == said.strip().splitlines()[-1]
    assert (tmp_path / "run" / "replies.jsonl").read_bytes() == replies


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [({"until": 0}, "between 0 and 100"), ({"until": "decided", "until_metric": "factual"}, "works only for the drop"),
     ({"until": 3, "cases": 5}, "chooses the number of cases itself"), ({"until_metric": "drop"}, "add `until`")],
)  # fmt: skip
def test_what_makes_no_sense_is_said(folder, tmp_path, wanted, sentence):
    with pytest.raises(CountersightError, match=sentence):
        cs.run(folder, Scripted(), out=tmp_path / "run", **wanted)
