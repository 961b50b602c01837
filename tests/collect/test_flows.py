"""Every flow from its pictures or its dataset to what it ends in, over HTTP."""

import json
import re
from pathlib import Path

import pytest
from answers import ANSWERS
from collecting import Visitor, make_campaign, opened, states
from making import case, dataset

from countersight.audits import read_labels
from countersight.case import Option, Question
from countersight.cli import main
from countersight.collect import Sources, export_campaign, list_people
from countersight.collect.flows.verify import CaseVerdict, verified_case
from countersight.collect.managing import new_campaign
from countersight.dataset import Dataset
from countersight.engine import RunFolder
from countersight.suites import supposed


def cases(folder: Path) -> list:
    return [case for _, case in Dataset.open(folder).cases()]


def test_cosim_goes_from_pictures_to_a_dataset_that_is_asked(tmp_path: Path, opening) -> None:
    enter, campaign = opening("cosim", 2)
    ada, ben, cleo = map(enter, ("ada", "ben", "cleo"))
    for _ in range(2):
        ada.contribute("question")
        ben.contribute("change")
        cleo.contribute("distractor")
    assert states(campaign) == ["done", "done"]
    export_campaign(campaign, tmp_path / "out")
    made = [each for split in (tmp_path / "out").iterdir() for each in cases(split)]
    assert len(made) == 2
    question = made[0].counterfactual
    assert question.options["ABCD".index(question.answer)].text.startswith("No, because there are a hundred")
    assert made[0].context == "Yes, because there are only a few in each circle"
    assert made[0].change.kinds == ("object addition",)
    for split in (tmp_path / "out").iterdir():  # its card is about its own items
        number = len(cases(split))
        assert f"to {number} finished item" in (split / "README.md").read_text(encoding="utf-8")
    assert main(["run", str(split), "--model", "chance", "-o", str(tmp_path / "run")]) == 0


def test_cfmm_goes_from_pictures_to_a_dataset_and_disagreement_to_a_reviewer(tmp_path: Path, opening) -> None:
    enter, campaign = opening("cfmm", 3)
    ada, ben = enter("ada"), enter("ben")
    for _ in range(3):
        ada.contribute("write")
    ben.contribute("blind")
    ben.contribute("blind", basic_answer="A")
    ben.contribute("blind", counterfactual_answer="?")
    assert states(campaign) == ["done", "flagged", "flagged"]
    cleo = enter("cleo", "reviewer")
    assert "gave a different answer" in cleo.get("/review").text
    cleo.post("/review/1", outcome="fair", note="the circles overlap")
    cleo.post("/review/2", outcome="unfair", note="it is quite clear")
    assert states(campaign) == ["done", "removed", "done"]
    export_campaign(campaign, tmp_path / "out")
    made = cases(tmp_path / "out")
    assert [(each.group, each.factual.answer, each.counterfactual.answer) for each in made] == [("count", "B", "A")] * 2


def test_a_leak_that_is_kept_goes_to_a_reviewer(opening) -> None:
    enter, campaign = opening("cfmm", 1)
    leaky = {"counterfactual": "If I painted this bus blue, what color would it be?", "option_a": "blue"}
    enter("ada").contribute("write", **leaky, keep_leak="1")
    enter("ben").contribute("blind")
    assert states(campaign) == ["flagged"]
    assert "It may give its answer away" in enter("rita", "reviewer").get("/review/1").text


@pytest.mark.parametrize("outcome", ["kept", "edited"])
def test_a_leak_that_a_reviewer_accepts_is_not_flagged_again_when_the_second_person_is_replaced(
    opening, outcome: str
) -> None:
    enter, campaign = opening("cfmm", 1)
    leaky = {"counterfactual": "If I painted this bus blue, what color would it be?", "option_a": "blue"}
    enter("ada").contribute("write", **leaky, keep_leak="1")
    ben, lead, rita = enter("ben"), enter("lea", "lead"), enter("rita", "reviewer")
    ben.contribute("blind")
    edited = ANSWERS["cfmm/write"] | leaky | {"basic": "What color is this bus?", "keep_leak": "1"}
    if outcome == "kept":
        rita.post("/review/1", outcome="unfair", note="It does not.")
    else:
        assert rita.post("/review/1/edit/1", **edited, note="It reads better.").status_code == 303
    assert states(campaign) == ["done"]
    lead.post(f"/lead/people/{ben.id}/work", fate="redo", pay="yes", sure="1")
    assert states(campaign) == ["open"]
    enter("cleo").contribute("blind")
    assert states(campaign) == ["done"]


def supposing(text: str, answer: str) -> dict[str, object]:
    return {"counterfactual": Question(text, answer, "number"), "change": supposed(text)}


def test_cvqa_verifies_pairs_by_two_and_a_third_and_has_indirect_questions_written(tmp_path: Path, opening) -> None:
    number = Question("How many dots are there?", "3", "number")
    asked = Question("How many dots are there without the blue one?", "3", "number")
    pairs = [
        case(0, group="direct", factual=number, **supposing("How many if 2 came?", "5")),
        case(1, group="direct", factual=number, **supposing("How many if 2 went?", "1")),
        case(2, group="indirect", factual=asked, counterfactual=None, shown=None, change=None),
    ]
    enter, campaign = opening("cvqa", source=dataset(tmp_path / "pairs", pairs))
    ada, ben, cleo, dan = map(enter, ("ada", "ben", "cleo", "dan"))
    ada.contribute("verify")
    ben.contribute("verify")  # agreed
    ada.contribute("verify", right="no", answer="two")
    ben.contribute("verify", right="unclear", words="it depends")
    assert ada.begin("adjudicate") is None
    cleo.contribute("adjudicate", right="no", answer="2")
    same = {"question": "HOW MANY dots are there, without the blue one ?", "answer": "2"}
    assert "is the same as “The given question”" in cleo.post(cleo.begin("write"), **same).text
    cleo.contribute("write")
    ada.contribute("verify")
    assert cleo.begin("verify") is None  # never one's own
    dan.contribute("verify")
    assert states(campaign) == ["done"] * 3
    export_campaign(campaign, tmp_path / "out")
    made = cases(tmp_path / "out")
    assert [(each.group, each.counterfactual.answer) for each in made] == [
        ("direct", "5"),
        ("direct", "2"),
        ("indirect", "0"),
    ]


def test_what_became_of_every_pair_comes_back_with_who_and_when(tmp_path: Path, opening) -> None:
    enter, campaign = opening("cvqa", 3)
    for name in ("ada", "ben"):
        visitor = enter(name)
        visitor.contribute("verify")
        visitor.contribute("verify", right="no", answer="C", words="there are more")
        visitor.contribute("verify", related="no", words="no dots to be seen")
    export_campaign(campaign, tmp_path / "out")
    pseudonyms = {person.pseudonym for person in list_people(campaign)}
    lines = [json.loads(line) for line in (tmp_path / "out" / "verdicts.jsonl").read_text("utf-8").splitlines()]
    assert [line["outcome"] for line in lines] == ["accepted", "corrected", "rejected"]
    assert [line["answer"] for line in lines[1:2]] == ["C"]
    assert lines[2]["case"]["counterfactual_question"]["text"].startswith("How many dots would there be")
    for line in lines:
        assert {said["person"] for said in line["said"]} == pseudonyms
        assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", said["at"]) for said in line["said"])
    made = cases(tmp_path / "out")  # what was thrown out is no part of the benchmark
    assert [each.provenance["verdict"] for each in made] == ["accepted", "corrected"]
    assert [(each.counterfactual.answer, each.shown.answer) for each in made] == [("B", "B"), ("C", "C")]
    assert Dataset.open(tmp_path / "out").picture(made[0].counterfactual_image, made[0].counterfactual_digest)
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    for words in ("2 people made 4 contributions", "1 accepted, 1 corrected, 1 rejected", "Gwet's AC1"):
        assert words in card


def test_a_wrong_factual_answer_of_a_pair_is_corrected_and_a_third_decides_who_is_right(
    tmp_path: Path, opening
) -> None:
    enter, campaign = opening("verify", 2)
    ada, ben, cleo = map(enter, ("ada", "ben", "cleo"))
    assert "Choose one: Is the first answer right?" in ada.post(ada.begin("verify"), related="yes", right="yes").text
    for visitor in (ada, ben):
        visitor.contribute("verify", factual_right="no", factual_answer="C")
    ada.contribute("verify", factual_right="no", factual_answer="D")
    ben.contribute("verify")
    task = cleo.begin("adjudicate")
    assert "As it is: 9</p>" in cleo.get(task).text  # D, in words
    cleo.contribute("adjudicate", factual_right="no", factual_answer="D")
    assert states(campaign) == ["done", "done"]
    export_campaign(campaign, tmp_path / "out")
    made = cases(tmp_path / "out")
    assert [(each.factual.answer, each.counterfactual.answer) for each in made] == [("C", "B"), ("D", "B")]
    assert {each.provenance["verdict"] for each in made} == {"corrected"}
    lines = [json.loads(line) for line in (tmp_path / "out" / "verdicts.jsonl").read_text("utf-8").splitlines()]
    assert [(line["factual_answer"], "answer" in line) for line in lines] == [("C", False), ("D", False)]


def test_a_corrected_option_is_the_right_one_in_all_that_the_case_says(tmp_path: Path, opening) -> None:
    """A question of discovery as CELLO has them: options with roles, a reason for the answer, nothing supposed."""
    options = tuple(Option(*each) for each in (("desk", "text"), ("stool", "answer"), ("wagon", "graph")))
    question = Question("Which of these does the man depend on?", "B", "choice", options)
    alone = {"factual": None, "change": None, "shown": None, "counterfactual_image": None}
    made = case(0, **alone, counterfactual=question, provenance={"task": "CaI", "why": "he sits on the stool"})
    source = dataset(tmp_path / "causal", [made])
    enter, campaign = opening("verify", source=source)
    ada, ben, cleo = map(enter, ("ada", "ben", "cleo"))
    ada.contribute("verify", right="no", answer="C", words="look")
    ben.contribute("verify")
    page = cleo.get(cleo.begin("adjudicate")).text
    assert "As it is: wagon</p>" in page
    assert "What if" not in page
    cleo.contribute("adjudicate", right="no", answer="C")
    export_campaign(campaign, tmp_path / "out")
    [mended] = cases(tmp_path / "out")
    assert (mended.counterfactual.answer, mended.provenance["task"], "why" in mended.provenance) == ("C", "CaI", False)
    assert [option.role for option in mended.counterfactual.options] == ["text", "", "answer"]


def test_answer_ends_in_a_run_that_report_shows_as_a_row(
    tmp_path: Path, opening, capsys: pytest.CaptureFixture[str]
) -> None:
    enter, campaign = opening("answer", 3)
    for name in ("ada", "ben"):
        visitor = enter(name)
        while visitor.contribute("answer"):
            pass
    export_campaign(campaign, tmp_path / "run")
    run = RunFolder.open(tmp_path / "run")
    assert len(list(run.replies())) == 6
    assert run.manifest.settings["people"] == 2
    assert "1.00" in run.manifest.settings["raw agreement"]
    assert main(["report", str(tmp_path / "run"), "-o", str(tmp_path / "report")]) == 0
    assert "people" in capsys.readouterr().out


def test_judge_ends_in_labels_of_people(tmp_path: Path, opening, audited: Path) -> None:
    enter, campaign = opening("judge", source=audited)
    for name in ("ada", "ben", "cleo"):
        visitor = enter(name)
        task = visitor.begin("judge")
        page = visitor.get(task).text
        assert "PCS" not in page  # nothing of what judges said, nor of how they say it
        while visitor.contribute("judge"):
            pass
    edits = len(states(campaign))
    export_campaign(campaign, tmp_path / "labels")
    labels = list(read_labels(tmp_path / "labels"))
    assert len(labels) == 3 * edits
    assert {(label.pcs, label.ncc) for label in labels} == {(1, 0)}
    assert len({label.person for label in labels}) == 3


ALONE = {"factual": None, "change": None, "shown": None, "counterfactual_image": None}


def corrected(question: Question, answer: str) -> Question:
    made = verified_case(case(0, **ALONE, counterfactual=question), CaseVerdict("correct", True, answer))
    assert made.fault() is None
    return made.counterfactual


def test_an_option_that_stands_twice_can_be_the_right_one_and_can_cease_to_be() -> None:
    options = tuple(map(Option, ("oak", "oak", "elm")))
    assert corrected(Question("Which tree?", "C", "choice", options), "A").doubled
    assert not corrected(Question("Which tree?", "A", "choice", options, doubled=True), "C").doubled


def test_a_prior_that_is_right_now_is_none_in_whatever_spelling() -> None:
    question = Question("What colour?", "red", "open", prior="Blue")
    assert (corrected(question, "blue").prior, corrected(question, "green").prior) == ("", "Blue")


@pytest.mark.parametrize("flow", ["verify", "cvqa"])
def test_what_people_cannot_judge_is_told_and_not_given_to_them(tmp_path: Path, opening, flow: str) -> None:
    hidden = Question("How many?", "", "number", hidden=True)
    several = case(1, **ALONE | {"further_images": ("images/1-2.png",)})
    source = dataset(tmp_path / "asked", [case(0, **ALONE | {"counterfactual": hidden}), several, case(2)])
    told: list[str] = []
    new_campaign(tmp_path / "campaign", flow, Sources(source=source, on_bad=told.append), title="")
    _, campaign = opening()
    assert campaign.store.read(lambda c: c.exec_driver_sql("select key from item").scalars().all()) == ["case-2"]
    assert told == [
        "case-0: its answer is hidden, so it cannot be verified",
        "case-1: it has several pictures, but people would see only the first",
    ]


def test_both_questions_of_cases_with_long_ids_are_asked(tmp_path: Path, opening) -> None:
    source = dataset(tmp_path / "asked", [case(number, id=f"{'x' * 200}{number}") for number in range(2)])
    told: list[str] = []
    new_campaign(tmp_path / "campaign", "answer", Sources(source=source, on_bad=told.append), title="")
    _, campaign = opening()
    keys = campaign.store.read(lambda c: c.exec_driver_sql("select key from item").scalars().all())
    assert (len(set(keys)), max(map(len, keys)) <= 200, told) == (4, True, [])


def test_cases_that_are_verified_again_keep_whose_they_were(tmp_path: Path) -> None:
    attributed = "## Licence and attribution\n\nGraphs of Visual Genome (CC BY 4.0).\n"
    source = dataset(tmp_path / "first", [case(0)], [lambda _: attributed])
    for number in (1, 2):
        make_campaign(tmp_path / f"campaign{number}", "verify", source=source)
        with opened(tmp_path / f"campaign{number}") as (app, campaign):
            for name in ("ada", "ben"):
                Visitor(app, campaign, name).contribute("verify")
            export_campaign(campaign, source := tmp_path / f"verified{number}")
    card = (source / "README.md").read_text(encoding="utf-8")
    assert "from `verified1`" in card
    assert "The cases come from `first` (fingerprint " in card
    assert card.startswith("---\nlicense: cc0-1.0\n")
    assert card.endswith("Its card says:\n\nGraphs of Visual Genome (CC BY 4.0).\n")
    (tmp_path / "verified1").rename(tmp_path / "moved")
    with opened(tmp_path / "campaign2") as (_, campaign):
        export_campaign(campaign, tmp_path / "late")
    assert "was not available at export" in (tmp_path / "late/README.md").read_text(encoding="utf-8")
