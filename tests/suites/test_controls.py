"""Controls of C-VQA-Synthetic: changes that do not affect the answer, and the scores computed from them."""

import re

import pytest
from making import case, choice, dataset, read_scenes
from msgspec.structs import replace
from running import Scripted, ask
from suites.makers import gives_nothing_away

import countersight as cs
from countersight.dataset import Dataset
from countersight.description import describe
from countersight.engine import RunFolder, Sample
from countersight.errors import CountersightError
from countersight.models import Answer
from countersight.programs.reference import as_steps
from countersight.scenes import apply
from countersight.scoring import judge_run
from countersight.suites.cvqa.synthetic import make_case, make_control
from countersight.suites.cvqa.templates import TEMPLATES

SEED = 1


def number(template, index):
    return 1000 * template.number + index


def pairs(each):
    """Some cases of every template and their controls, without pictures."""
    return [
        (make_case(t, SEED, index, number(t, index)), make_control(t, SEED, index, number(t, index)))
        for t in TEMPLATES
        for index in range(each)
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("controls") / "d"
    cs.make("cvqa-synthetic", out, size=12, seed=SEED, workers=1, controls=True)
    return out


def test_the_answer_changes_in_a_case_and_stays_in_its_control():
    some = pairs(24)
    for made, control in some:
        assert made.case.counterfactual.right_text != made.case.factual.right_text
        assert control.case.counterfactual.right_text == control.case.factual.right_text
        assert control.case.control_of == made.case.id
        assert control.case.factual == made.case.factual
        assert apply(control.record.scene, control.record.change) == control.changed != control.record.scene
        if said := re.search(r"removed (\d+) flowers?", control.case.change.text):
            assert int(said[1]) == len(control.record.change[0].ids)
    for _, control in some[::7]:
        assert as_steps(control.case.counterfactual.text)  # the reference programs cover every control


@pytest.mark.slow
def test_a_control_cannot_be_answered_without_the_picture():
    gives_nothing_away([control.case for _, control in pairs(100)])


def test_pictures_of_controls_show_only_their_own_change(folder):
    cases = {case.id: case for _, case in Dataset.open(folder).cases()}
    records = read_scenes(folder / "scenes.jsonl")
    assert len(cases) == len(records) == 24
    for each in filter(lambda one: one.control_of, cases.values()):
        before, after, other = (
            (folder / name).read_bytes()
            for name in (each.image, each.counterfactual_image, cases[each.control_of].counterfactual_image)
        )
        assert len({before, after, other}) == 3
        assert each.image == cases[each.control_of].image


def test_controls_do_not_change_the_other_cases_and_are_described(folder, tmp_path):
    plain = tmp_path / "plain"
    cs.make("cvqa-synthetic", plain, size=12, seed=SEED, workers=1)
    every = [case for _, case in Dataset.open(folder).cases()]
    assert [case for _, case in Dataset.open(plain).cases()] == [case for case in every if not case.control_of]
    assert "## Controls" in (folder / "README.md").read_text()
    assert (describe(every).cases, describe(every).controls) == (12, 12)


def test_a_sample_contains_the_controls_of_its_cases(folder):
    dataset = Dataset.open(folder)
    chosen = [case for row, case in dataset.cases() if row in Sample(5).rows(dataset)]
    assert len(chosen) == 10
    assert {case.control_of for case in chosen if case.control_of} == {c.id for c in chosen if not c.control_of}


def test_controls_are_refused_for_suites_without_controls(tmp_path):
    with pytest.raises(CountersightError, match="`controls` works only with cvqa-synthetic as generated"):
        cs.make("cfmm", tmp_path / "d", controls=True)


def minded(folder, out, how):
    """The scores of a model that answers what `how` says of a case, given whether it is a control."""
    gold = {}
    for _, each in Dataset.open(folder).cases():
        gold[f"{each.id}/factual/told"] = each.factual.answer
        gold[f"{each.id}/counterfactual/told"] = how(each)
    ask(folder, out, Scripted(lambda request: Answer(gold[request.key]), out.name))
    return judge_run(RunFolder.open(out))


def tiny(number, **changes):
    """A pair whose options are the same in both worlds, so that keeping an answer is one of them."""
    return case(number, factual=choice("How many?", "A"), counterfactual=choice("How many if?", "B"), **changes)


@pytest.fixture
def eight(tmp_path):
    cases = [tiny(number) for number in range(8)]
    controls = [tiny(100 + number, control_of=f"case-{number}", group=cases[number].group) for number in range(8)]
    return dataset(tmp_path / "d", [*cases, *(keeping(one) for one in controls)])


def keeping(one):
    return replace(one, counterfactual=replace(one.counterfactual, answer="A"))


_SILENT = {"": "B", "case-0": "A", "case-1": "A"}
"""What a model says that leaves all but two controls unanswered, by what a case is the control of."""


@pytest.mark.parametrize(
    ("name", "how", "misses", "false_alarms", "unread", "balance"),
    [
        ("sound", lambda each: each.counterfactual.answer, 0, 0, 0, 1.0),
        ("deaf", lambda each: each.factual.answer, 8, 0, 0, 0.5),
        ("jumpy", lambda each: "B", 0, 8, 0, 0.5),
        ("astray", lambda each: "D", 8, 8, 0, 0.0),
        ("silent", lambda each: _SILENT.get(each.control_of, "I do not know."), 0, 0, 6, 0.625),
    ],
)
def test_misses_and_false_alarms_distinguish_ignoring_changes_from_following_any_change(
    eight, tmp_path, name, how, misses, false_alarms, unread, balance
):
    scores = minded(eight, tmp_path / name, how).scores()
    line = scores.alarms[-1]
    assert (line.misses.right, line.false_alarms.right, line.unread.right) == (misses, false_alarms, unread)
    assert line.balance.value == balance
    assert line.balance.low <= balance <= line.balance.high
    assert line.balance.n == 8
    assert line.ignoring == 0.5  # the old answer is always among the options
    assert scores.overall.n == 8  # controls are no cases
    assert [each.group for each in scores.alarms] == ["group 0", "group 1", "all"]


def test_there_is_no_balance_if_no_reply_to_a_control_was_read(eight, tmp_path):
    run = minded(eight, tmp_path / "mute", lambda each: "I do not know." if each.control_of else "B")
    assert run.scores().alarms == ()


def test_the_balance_of_ignoring_every_change_is_reported(folder, tmp_path):
    cases = [each for _, each in Dataset.open(folder).cases() if not each.control_of]
    offered = sum(each.factual.right_text in [one.text for one in each.counterfactual.options] for each in cases)
    assert offered < len(cases)
    scores = minded(folder, tmp_path / "sound", lambda each: each.counterfactual.answer).scores()
    assert scores.alarms[-1].ignoring == pytest.approx((1 + (1 - offered / len(cases)) / 4) / 2)
    assert f"ignores every change has a balance of {100 * scores.alarms[-1].ignoring:.1f}%" in str(scores)


def test_a_report_has_a_table_of_misses_and_false_alarms(eight, tmp_path):
    minded(eight, tmp_path / "deaf", lambda each: each.factual.answer)
    found = cs.report(tmp_path / "deaf", out=tmp_path / "report")
    [analysis] = [each for each in found.data.analyses if each.heading == "Misses and false alarms"]
    [table] = analysis.tables
    assert [(cell.text, *cell.details) for cell in table.lines[-1].cells[:4]] == [
        ("all",),
        ("8",),
        ("100.0", "63.1 to 100.0"),
        ("0.0", "0.0 to 36.9"),
    ]
    assert found.data.controls == 8
    assert "Misses and false alarms" in found.html.read_text()
    assert "alarms,deaf,,all,balance counterfactual,0.5" in found.csv.read_text()
    assert found.data.bad_rows == 0
