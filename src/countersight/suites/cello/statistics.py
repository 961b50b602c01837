"""Statistics of CELLO's cases for `describe`: cases by rung, task and kind of causal graph."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

import msgspec

from countersight.case import Case
from countersight.html import Grid, Line, TableCell

GRAPHS: Final = ("direct", "chain", "confounding", "collision")
"""CELLO's kinds of causal graph. Our forks (two effects of one cause) are added if a dataset has any."""
FORK: Final = "fork"
OTHER: Final = "other"
DESCRIBED: Final = "described in the paper: four kinds of graphs, twelve tasks on four rungs, 100 cases per task"


class TaskStatistics(msgspec.Struct, frozen=True):
    """The cases of one task."""

    task: str
    short: str
    """Its abbreviation; "" for a task that CELLO does not have."""
    rung: str
    cases: int
    mean_words: float
    """Words per question, without the options."""
    graphs: dict[str, int]
    """Cases by kind of causal graph."""


class CelloStatistics(msgspec.Struct, frozen=True):
    """Cases by task and by kind of causal graph."""

    cases: int
    graphs: dict[str, int]
    tasks: tuple[TaskStatistics, ...]
    """CELLO's twelve tasks in the order of the rungs, then any others."""

    def tables(self) -> Iterator[Grid]:
        """Return a table of cases by rung, task and kind of causal graph."""
        head = ("rung and task", "cases", "words", *self.graphs)
        lines, rung = [], ""
        for task in self.tasks:
            if task.rung != rung:
                rung = task.rung
                lines.append(_line(f"{rung}:", *[""] * (len(head) - 1)))
            by_kind = (f"{task.graphs[kind]:,}" if task.graphs[kind] else "" for kind in self.graphs)
            words = f"{task.mean_words:.1f}" if task.cases else "–"
            lines.append(_line(task.short or task.task, f"{task.cases:,}", words, *by_kind))
        mean = sum(task.mean_words * task.cases for task in self.tasks) / (self.cases or 1)
        by_kind = (f"{number:,}" for number in self.graphs.values())
        lines.append(_line("all", f"{self.cases:,}", f"{mean:.1f}", *by_kind, total=True))
        yield Grid("Causal tasks and graphs", head, tuple(lines), DESCRIBED)


def _line(*cells: str, total: bool = False) -> Line:
    return Line(tuple(map(TableCell, cells)), total=total)


class CelloTally:
    """Counts cases while they are read."""

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
        self._graphs[case.group, kind if kind in (*GRAPHS, FORK) else OTHER] += 1

    def tables(self) -> Iterator[Grid]:
        """Return a table of the cases so far."""
        return self.statistics().tables()

    def statistics(self) -> CelloStatistics:
        """Return the statistics of all cases so far."""
        from countersight.suites.cello.tasks import RUNGS, TASKS

        found = {kind for _, kind in self._graphs}
        kinds: list[str] = [kind for kind in (*GRAPHS, FORK, OTHER) if kind in GRAPHS or kind in found]
        tasks = [self._task(name, task.short, RUNGS[task.rung], kinds) for name, task in TASKS.items()]
        tasks += [self._task(name, "", OTHER, kinds) for name in self._words if name not in TASKS]
        graphs = {kind: sum(task.graphs[kind] for task in tasks) for kind in kinds}
        return CelloStatistics(self._graphs.total(), graphs, tuple(tasks))

    def _task(self, name: str, short: str, rung: str, kinds: list[str]) -> TaskStatistics:
        graphs = {kind: self._graphs[name, kind] for kind in kinds}
        cases = sum(graphs.values())
        return TaskStatistics(name, short, rung, cases, self._words[name] / cases if cases else 0.0, graphs)
