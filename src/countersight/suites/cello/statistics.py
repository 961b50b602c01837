"""CELLO's own statistics (CELLO 4): cases by rung, task and kind of causal graph, beside how they are described."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

import msgspec

from countersight.case import Case
from countersight.html import Grid, Line, TableCell
from countersight.suites.statistics import Chart, ChartBar

GRAPHS: Final = ("direct", "chain", "confounding", "collision")
"""The kinds of causal graph."""
FORK: Final = "fork"
"""Two effects of one cause: none of the four, but what our indirect effects that are nothing are asked of."""
OTHER: Final = "other"
DESCRIBED: Final = "described in the paper: four kinds of graphs, twelve tasks on four rungs, 100 cases per task"
"""What is told of the published data. Of its questions there is one for each task, whose length stands beside ours."""
EXAMPLE_WORDS: Final = {
    "CaI": 10, "CA": 6, "AR": 8, "CB": 6, "CoI": 6, "BAS": 23, "CDE": 17, "CR": 13, "NDE": 13, "NIE": 15, "SC": 10,
    "NC": 11,
}  # fmt: skip
"""Words of the question that is told of each task (CELLO 4.2)."""


class TaskStatistics(msgspec.Struct, frozen=True):
    """The cases of one task."""

    task: str
    short: str
    rung: str
    options: str
    """As the paper describes the task: four options, or yes and no."""
    cases: int
    mean_words: float
    """Of the questions, their options not counted."""
    example_words: int | None
    """Of the published example, where the task has one."""
    graphs: tuple[tuple[str, int], ...]
    """Cases by kind of causal graph."""

    @property
    def title(self) -> str:
        """Its short name, where it has one, and what it is."""
        return f"{self.short} {self.task.replace('_', ' ')}".strip()

    @property
    def told(self) -> str:
        """How many cases it has, and how long its questions are beside the published one."""
        ours = f"{self.cases:,} · {self.mean_words:.1f} words" if self.cases else "none"
        return f"{ours} · published example {self.example_words}" if self.example_words else ours


class CelloStatistics(msgspec.Struct, frozen=True):
    """Cases by task and by graph."""

    cases: int
    graphs: tuple[tuple[str, int], ...]
    tasks: tuple[TaskStatistics, ...]
    """The twelve in the order of the rungs, then what is none of them."""
    words: tuple[tuple[int, int], ...]
    """How many questions have that many words, their options not counted."""

    def tables(self) -> Iterator[Grid]:
        """Cases by rung, task and kind of causal graph."""
        kinds = [kind for kind, _ in self.graphs]
        head = ("rung and task", "cases", "words", "of the example", *kinds)
        lines, rung = [], ""
        for task in self.tasks:
            if task.rung != rung:
                rung = task.rung
                lines.append(_line(f"{rung}:", *[""] * (len(head) - 1)))
            counts = dict(task.graphs)
            by_kind = (f"{counts[kind]:,}" if counts.get(kind) else "" for kind in kinds)
            words = f"{task.mean_words:.1f}" if task.cases else "–"
            lines.append(
                _line(task.short or task.task, f"{task.cases:,}", words, str(task.example_words or ""), *by_kind)
            )
        mean = sum(length * n for length, n in self.words) / (self.cases or 1)
        by_kind = (f"{n:,}" for _, n in self.graphs)
        lines.append(_line("all", f"{self.cases:,}", f"{mean:.1f}", "", *by_kind, total=True))
        yield Grid("Causal tasks and graphs", head, tuple(lines), DESCRIBED)

    def charts(self) -> Iterator[Chart]:
        """A bar a causal task, cut by kind of graph, under the heading of its rung."""
        kinds = [kind for kind, _ in self.graphs]
        bars = (
            ChartBar(
                task.title,
                tuple(dict(task.graphs).get(kind, 0) for kind in kinds),
                task.told,
                under=task.rung,
                aside=task.options,
            )
            for task in self.tasks
        )
        yield Chart("Causal tasks and graphs (CELLO)", DESCRIBED, tuple(bars), tuple(kinds))


def _line(*cells: str, total: bool = False) -> Line:
    return Line(tuple(map(TableCell, cells)), total=total)


class CelloTally:
    """Counts, while cases stream by."""

    def __init__(self) -> None:
        self._words: Counter[int] = Counter()
        self._tasks: Counter[str] = Counter()
        self._words_of: Counter[str] = Counter()
        self._graphs: Counter[tuple[str, str]] = Counter()

    def add(self, case: Case) -> None:
        """Count a case of the suite."""
        asked = case.counterfactual or case.factual
        if asked is None:
            return
        kind = str(case.provenance.get("graph_type", ""))
        words = len(asked.text.split())
        self._words[words] += 1
        self._tasks[case.group] += 1
        self._words_of[case.group] += words
        self._graphs[case.group, kind if kind in (*GRAPHS, FORK) else OTHER] += 1

    def statistics(self) -> CelloStatistics:
        """What was counted."""
        from countersight.suites.cello.tasks import RUNGS, TASKS

        tasks = [
            self._task(name, task.short, RUNGS[task.rung], "A to D" if task.is_choice else "yes or no")
            for name, task in TASKS.items()
        ]
        tasks += [self._task(name, "", OTHER, "") for name in self._tasks if name not in TASKS]
        return CelloStatistics(
            cases=self._tasks.total(),
            graphs=self._by_graph(tuple(self._tasks)),
            tasks=tuple(tasks),
            words=tuple(sorted(self._words.items())),
        )

    def _task(self, name: str, short: str, rung: str, options: str) -> TaskStatistics:
        cases = self._tasks[name]
        mean = self._words_of[name] / cases if cases else 0.0
        by_graph = self._by_graph((name,))
        return TaskStatistics(name, short, rung, options, cases, mean, EXAMPLE_WORDS.get(short), by_graph)

    def _by_graph(self, tasks: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
        counts = ((kind, sum(self._graphs[task, kind] for task in tasks)) for kind in (*GRAPHS, FORK, OTHER))
        return tuple((kind, n) for kind, n in counts if n or kind in GRAPHS)
