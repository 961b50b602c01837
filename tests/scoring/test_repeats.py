"""Asking several times, and how many cases a difference needs."""

import random

import pytest
from making import dataset
from running import ask, run_command

from countersight import report
from countersight.engine import RunFolder
from countersight.models import Answer
from countersight.scoring import cases_needed, judge_run, repeats


class Says:
    """Answers by a rule of the question's key."""

    needs_picture = True

    def __init__(self, rule, name) -> None:
        self.name = name
        self.settings = {}
        self.rule = rule

    async def reply(self, request):
        return Answer(self.rule(int(request.key.split("/")[0].removeprefix("case-"))))

    async def close(self) -> None:
        pass


def judged(folder, output, *rules):
    found = []
    for nth, rule in enumerate(rules):
        ask(folder, output / str(nth), Says(rule, f"says {nth}"))
        found.append(judge_run(RunFolder.open(output / str(nth))).outcomes)
    return repeats(found)


def test_expected_accuracy_and_flips(tmp_path) -> None:
    """The right answer to case n is the n-th letter; cases 0 and 1 flip in one of three runs."""
    folder = dataset(tmp_path / "data", 8)

    def right(n):
        return "ABCD"[n % 4]

    def at_times(n):
        return "D" if n < 2 else right(n)

    factual = judged(folder, tmp_path / "runs", right, right, at_times)[0]
    assert (factual.variant, factual.runs, factual.cases) == ("factual", 3, 8)
    assert factual.expected == pytest.approx(22 / 24)
    assert factual.flips == pytest.approx(0.25)
    assert judged(folder, tmp_path / "same", at_times, at_times)[0].flips == 0


def test_the_command_asks_several_times(tmp_path) -> None:
    folder = dataset(tmp_path / "data", 6)
    done = run_command(folder, tmp_path / "run", "chance", "--repeat", "3")
    assert done.returncode == 0, done.stderr
    assert "factual: 3 times 6 cases" in done.stdout
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["1", "2", "3"]
    made = report(tmp_path / "run", out=tmp_path / "report")
    (analysis,) = (each for each in made.data.analyses if each.tables[0].key == "repeats")
    figures = repeats([judge_run(RunFolder.open(tmp_path / "run" / str(nth))).outcomes for nth in (1, 2, 3)])
    for line, found in zip(analysis.tables[0].lines, figures, strict=True):
        times, cases, expected, flips = line.cells[1:]
        assert (times.text, cases.text) == ("3", "6")
        assert (expected.figure.value, flips.figure.value) == (found.expected, found.flips)
    assert "Repeated runs" in made.html.read_text()
    assert "repeats" in made.csv.read_text()


def test_so_many_cases_see_the_difference_four_times_in_five() -> None:
    """Simulated: McNemar's z on that many cases exceeds 1.96 in about 80 % of trials."""
    needed = cases_needed(0.05, 0.2)
    rng = random.Random(1)
    seen = 0
    for _ in range(300):
        draws = [rng.random() for _ in range(needed)]
        better, worse = sum(draw < 0.125 for draw in draws), sum(0.125 <= draw < 0.2 for draw in draws)
        seen += (better - worse) ** 2 / (better + worse) > 1.96**2
    assert 0.72 < seen / 300 < 0.88


@pytest.mark.parametrize(("difference", "discordant"), [(0, 0.2), (0.3, 0.2), (0.1, 1.5)])
def test_what_cannot_be_is_refused(difference, discordant) -> None:
    with pytest.raises(ValueError, match="difference"):
        cases_needed(difference, discordant)


def test_describe_says_how_many_cases_a_difference_needs(tmp_path, capsys) -> None:
    from countersight.cli import main

    assert main(["describe", str(dataset(tmp_path / "data", 4)), "--power", "0.03"]) == 0
    printed = capsys.readouterr().out
    assert "difference of 3.0 points between two models (power 80%, significance level 5%)" in printed
    assert f"{cases_needed(0.03, 0.2):,} cases if they differ on 20%" in printed
    assert "This dataset has 4." in printed
