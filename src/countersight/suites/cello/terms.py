"""CELLO's scores in its paper's terms: twelve tasks on the four rungs of the ladder of causation."""

from collections.abc import Iterable
from typing import Final, Literal

from countersight.case import Case
from countersight.scoring import Axis
from countersight.suites.paper_terms import Terms, plain_name

RUNGS: Final = {
    "0 discovery": ("causality identification", "causal attribution", "abstract reasoning"),
    "1 association": ("collider bias",),
    "2 intervention": ("confounder identification", "backdoor adjustment set", "controlled direct effect"),
    "3 counterfactual": (
        "counterfactual reasoning",
        "natural direct effect",
        "natural indirect effect",
        "sufficient cause",
        "necessary cause",
    ),
}
SHORT: Final = ("CaI", "CA", "AR", "CB", "CoI", "BAS", "CDE", "CR", "NDE", "NIE", "SC", "NC")
_TASKS: Final = [task for tasks in RUNGS.values() for task in tasks]
_RUNG_OF: Final = {
    name: rung
    for rung, tasks in RUNGS.items()
    for task in tasks
    for name in (task, SHORT[_TASKS.index(task)].casefold())
}
PriorVerdict = Literal["agrees", "disagrees", "silent"]
"""What common knowledge says about an answer; see `common_knowledge`."""
PRIOR_VERDICTS: Final[tuple[PriorVerdict, ...]] = ("agrees", "disagrees", "silent")
BINARY: Final = "binary"
MULTIPLE: Final = "multiple choice"


def _rung(case: Case) -> Iterable[str]:
    return (_RUNG_OF.get(plain_name(case.group), ""),) if case.group else ()


def _graph_type(case: Case) -> Iterable[str]:
    graph = case.provenance.get("graph_type")
    return (plain_name(graph),) if isinstance(graph, str) and graph else ()


def _form(case: Case) -> Iterable[str]:
    question = case.counterfactual
    if question is None:
        return ()
    return (BINARY if question.kind == "boolean" or len(question.options) == 2 else MULTIPLE,)


def _prior_verdict(case: Case) -> Iterable[str]:
    verdict = case.provenance.get("knowledge")
    return (verdict,) if isinstance(verdict, str) else ()


TERMS: Final = Terms(
    about="about causes and effects in the picture",
    group="task",
    groups={task.replace(" ", "_"): f"{task} ({short})" for task, short in zip(_TASKS, SHORT, strict=True)},
    measures={"counterfactual": "accuracy"},
    axes=(
        Axis("rung", tuple(RUNGS), _rung),
        Axis("causal graph", ("direct", "confounding", "collision", "chain"), _graph_type),
        Axis("form of the answer", (BINARY, MULTIPLE), _form),
        Axis(
            "common knowledge",
            PRIOR_VERDICTS,
            _prior_verdict,
            "Whether the usual relations in other pictures suggest the right answer.",
        ),
    ),
)
