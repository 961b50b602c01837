from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, expect

from countersight.case import Case, Question
from countersight.html import balanced_sample
from countersight.reports import write_report
from countersight.reports.gallery import pair_outcome
from countersight.scoring import Outcome

from .running import answered


@pytest.mark.parametrize(
    ("factual", "counterfactual", "outcome"),
    [
        ("right", "wrong", "lost"),
        ("wrong", "right", "gained"),
        ("right", "right", "both-right"),
        ("wrong", "wrong", "both-wrong"),
        ("right", "unread", "unread"),
        ("unread", "failed", "failed"),
        ("missing", "right", "missing"),
        ("missing", "failed", "failed"),
        (None, "right", "right"),
        ("wrong", None, "wrong"),
        (None, None, "missing"),
    ],
)
def test_every_case_stands_under_one_heading(
    factual: Outcome | None, counterfactual: Outcome | None, outcome: str
) -> None:
    assert pair_outcome(factual, counterfactual) == outcome


strata_of_a_run = st.integers(1, 80).flatmap(
    lambda cases: st.lists(
        st.lists(st.integers(0, 6), min_size=cases, max_size=cases).map(lambda values: np.array(values, np.int64)),
        min_size=1,
        max_size=3,
    )
)


@given(strata_of_a_run, st.integers(1, 100))
def test_with_one_run_strata_are_filled_evenly(strata: list[np.ndarray], size: int) -> None:
    sample = balanced_sample(strata[:1], size, 0).tolist()
    assert sample == sorted(set(sample))
    assert len(sample) == min(size, len(strata[0]))
    there, taken = Counter(strata[0].tolist()), Counter(strata[0][sample].tolist())
    most = max(taken.values())
    assert all(taken[stratum] >= min(there[stratum], most - 1) for stratum in there)


def test_a_rare_outcome_of_any_run_is_in_the_sample() -> None:
    first, second = np.zeros(100_000, np.int64), np.zeros(100_000, np.int64)
    first[123], second[99_000] = 1, 1
    assert {123, 99_000} <= set(balanced_sample([first, second], 10, 0).tolist())


@pytest.mark.browser
def test_a_causal_graph_is_told_in_words_and_can_be_searched(browser: Browser, tmp_path: Path) -> None:
    graph = {
        "nodes": [{"id": "s", "obj_name": "shelf"}, {"id": "b", "obj_name": "books"}],
        "edges": [{"source": "s", "target": "b", "relation": "supports"}],
    }
    asked = Question("Would the books fall?", "yes", "boolean")
    cases = [Case(id="told", suite="cello", counterfactual=asked, graph=graph)]
    cases.append(Case(id="plain", suite="cello", counterfactual=asked, graph={"edges": "none"}))
    files = write_report([answered(tmp_path / "run", cases, lambda case, question: question.answer)], tmp_path / "out")
    page = browser.new_page()
    page.goto(files.html.as_uri() + "#cases")
    expect(page.locator(".card")).to_have_count(2)
    expect(page.locator(".graph")).to_have_count(1)
    for words in ("No picture: this case consists of", "shelf supports books"):
        expect(page.locator(".graph")).to_contain_text(words)
    page.locator("#search").fill("supports books")
    expect(page.locator(".card")).to_have_count(1)
    page.close()
