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


def test_cases_are_counted_by_task_rung_and_graph():
    cello = describe(CASES).suites["cello"].statistics()
    assert cello.cases == 3
    assert cello.graphs == {"direct": 1, "chain": 1, "confounding": 0, "collision": 1}
    assert len(cello.tasks) == 12
    tasks = {task.short: task for task in cello.tasks}
    assert (tasks["SC"].rung, tasks["SC"].cases, tasks["SC"].mean_words) == ("counterfactual", 2, 6.5)
    assert tasks["SC"].graphs["chain"] == 1
    assert tasks["CB"].rung == "association"
    assert tasks["BAS"].cases == 0


def test_a_task_or_graph_that_nobody_knows_is_counted_as_such():
    cello = describe([causal(1, "daydreaming", "ring")]).suites["cello"].statistics()
    assert cello.graphs["other"] == 1
    assert (cello.tasks[-1].task, cello.tasks[-1].rung) == ("daydreaming", "other")


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
