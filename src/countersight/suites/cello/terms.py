"""CELLO's scores and statistics in the terms of its paper: twelve tasks on the four rungs of causation."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, Literal

from countersight.case import Case
from countersight.html import Grid, Line, TableCell
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
"""Whether common knowledge agrees with an answer; see `common_knowledge`."""
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

_GRAPHS: Final = ("direct", "chain", "confounding", "collision")
"""CELLO's kinds of causal graph. Forks (two effects of one cause) are added if a dataset has any."""
_FORK: Final = "fork"
_OTHER: Final = "other"
_DESCRIBED: Final = "described in the paper: four kinds of graphs, twelve tasks on four rungs, 100 cases per task"


class CelloTally:
    """Counts cases by task and kind of causal graph for `describe`, while they are read."""

    def __init__(self) -> None:
        self._words: Counter[str] = Counter()
        self._graphs: Counter[tuple[str, str]] = Counter()

    def add(self, case: Case) -> None:
        """Count a case of the suite."""
        asked = case.counterfactual or case.factual
        if asked is None:
            return
        kind = str(case.provenance.get("graph_type", ""))
        self._words[case.group] += len(asked.text.split())
        self._graphs[case.group, kind if kind in (*_GRAPHS, _FORK) else _OTHER] += 1

    def tables(self) -> Iterator[Grid]:
        """Return a table of the cases so far, by rung, task and kind of causal graph."""
        found = {kind for _, kind in self._graphs}
        kinds: list[str] = [kind for kind in (*_GRAPHS, _FORK, _OTHER) if kind in _GRAPHS or kind in found]
        rungs = {rung.partition(" ")[2]: [task.replace(" ", "_") for task in tasks] for rung, tasks in RUNGS.items()}
        others = [task for task in self._words if plain_name(task) not in _TASKS]
        rungs |= {_OTHER: others} if others else {}
        lines = []
        for rung, tasks in rungs.items():
            lines.append(_line(f"{rung}:", *[""] * (len(kinds) + 2)))
            for task in tasks:
                name = plain_name(task)
                lines.append(self._line_of(SHORT[_TASKS.index(name)] if name in _TASKS else task, [task], kinds))
        lines.append(self._line_of("all", list(self._words), kinds, total=True))
        yield Grid("Causal tasks and graphs", ("rung and task", "cases", "words", *kinds), tuple(lines), _DESCRIBED)

    def _line_of(self, name: str, tasks: list[str], kinds: list[str], *, total: bool = False) -> Line:
        """Return the number of cases of some tasks, the mean number of words per question, and the cases by kind."""
        counts = [sum(self._graphs[task, kind] for task in tasks) for kind in kinds]
        cases, words = sum(counts), sum(self._words[task] for task in tasks)
        by_kind = (f"{number:,}" if number else "" for number in counts)
        return _line(name, f"{cases:,}", f"{words / cases:.1f}" if cases else "–", *by_kind, total=total)


def _line(*cells: str, total: bool = False) -> Line:
    return Line(tuple(map(TableCell, cells)), total=total)
