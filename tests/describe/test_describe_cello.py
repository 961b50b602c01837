"""What `describe` tells of causal cases: rungs, tasks and kinds of graph."""

import pytest
from making import case
from rich.console import Console

from countersight.case import Question
from countersight.description import describe, render


def causal(number, task, kind, text="Would the cup fall?", suite="cello"):
    return case(
        number,
        suite=suite,
        group=task,
        factual=None,
        counterfactual=Question(text, "yes", "boolean"),
        shown=None,
        provenance={"graph_type": kind},
    )


CASES = [
    causal(1, "sufficient_cause", "direct"),
    causal(2, "sufficient_cause", "chain", "If the table were gone, would the cup fall?"),
    causal(3, "collider_bias", "collision"),
]


def rows(cases):
    """The cells of every line of the table, by the first of them."""
    (grid,) = describe(cases).suites["cello"].tables()
    written = [list(grid.head), *([cell.text for cell in line.cells] for line in grid.lines)]
    return {name: cells for name, *cells in written}


def test_cases_are_counted_by_task_rung_and_graph():
    found = rows(CASES)
    assert found["rung and task"] == ["cases", "words", "direct", "chain", "confounding", "collision"]
    assert found["SC"] == ["2", "6.5", "1", "1", "", ""]
    assert found["CB"] == ["1", "4.0", "", "", "", "1"]
    assert found["BAS"] == ["0", "–", "", "", "", ""]
    assert found["all"] == ["3", "5.7", "1", "1", "", "1"]
    names = list(found)
    assert names.index("association:") < names.index("CB") < names.index("intervention:")


def test_a_task_or_graph_that_nobody_knows_is_counted_as_such():
    found = rows([causal(1, "daydreaming", "ring")])
    assert found["rung and task"][-1] == "other"
    assert found["daydreaming"][-1] == "1"
    assert list(found)[-3:] == ["other:", "daydreaming", "all"]


def test_other_suites_have_no_causal_statistics():
    assert set(describe([case(1), causal(2, "count", "", suite="cfmm")]).suites) == {"cfmm"}


@pytest.mark.parametrize("width", [80, 200])
def test_the_table_fits_the_terminal(width):
    console = Console(width=width, record=True)
    render(describe(CASES), console)
    told = console.export_text()
    line = next(line for line in told.splitlines() if line.split()[:1] == ["SC"])
    assert line.split() == ["SC", "2", "6.5", "1", "1"]
    assert "…" not in told.partition("Causal tasks and graphs")[2]
    assert "twelve tasks on four rungs" in " ".join(told.split())
