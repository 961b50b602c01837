"""What people corrected or verified stays a case that can be asked, and what they cannot judge is not given to them."""

from pathlib import Path

import pytest
from collecting import Visitor, make_campaign, opened
from making import case, dataset

from countersight.case import Option, Question
from countersight.collect import export_campaign
from countersight.collect.flows.verify import CaseVerdict, verified_case
from countersight.collect.making import new_campaign

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
def test_what_people_cannot_judge_is_told_and_not_given_to_them(tmp_path: Path, flow: str) -> None:
    hidden = Question("How many?", "", "number", hidden=True)
    several = case(1, **ALONE | {"further_images": ("images/1-2.png",)})
    source = dataset(tmp_path / "asked", [case(0, **ALONE | {"counterfactual": hidden}), several, case(2)])
    told: list[str] = []
    new_campaign(tmp_path / "campaign", flow, title="", source=source, on_bad=told.append)
    with opened(tmp_path / "campaign") as (_, campaign):
        assert campaign.store.read(lambda c: c.exec_driver_sql("select key from item").scalars().all()) == ["case-2"]
    assert told == [
        "case-0: its answer is hidden, so it cannot be verified",
        "case-1: it has several pictures, but people would see only the first",
    ]


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
    assert "from `first`" in card
    assert card.endswith("Its card says:\n\nGraphs of Visual Genome (CC BY 4.0).\n")
    (tmp_path / "verified1").rename(tmp_path / "moved")
    with opened(tmp_path / "campaign2") as (_, campaign):
        export_campaign(campaign, tmp_path / "late")
    assert "was not available at export" in (tmp_path / "late/README.md").read_text(encoding="utf-8")
