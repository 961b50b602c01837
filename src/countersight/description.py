"""The statistics of a dataset, counted in one pass, as tables."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

import msgspec
from rich.console import Console

from countersight.authoring import Funnel
from countersight.case import LETTERS, TWO_WORLDS, Case, Question, World
from countersight.html import Grid, Line, TableCell, name, print_grids, shortened, table_html, table_line
from countersight.scoring import NO_GROUP
from countersight.suites import SuiteTally, known_suite, words
from countersight.text import several

ALL: Final = "all"
OTHER: Final = "(other)"
"""The name under which rare open answers are counted together."""
_MAX_DISTINCT_ANSWERS = 10_000
"""The number of distinct open answers counted separately; others are counted as OTHER, to limit memory."""
_RARE_SHARE = 0.005
"""The minimum share of questions with the same right answer for the answer to be listed as frequent."""
_MAX_LENGTHS = 20
_MAX_ANSWERS = 40
"""The maximum number of answers in a table."""
CONTROLLED: Final = "the change must not affect the answer"
_MAX_GROUPS = 24
"""The maximum number of groups for which the balance is shown per group."""
_TOP_ANSWERS = _MAX_REASONS = 3
_MAX_GROUPS_ON_SCREEN = 10
"""The maximum number of groups on one screen; the largest groups are kept."""


class WorldStatistics:
    """The statistics of one group's questions in one world, updated question by question."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.questions = 0
        self.lengths = Counter[int]()
        """The number of questions by length in words."""
        self.answers = Counter[str]()
        """How often each answer is right; for a choice, the answer is the text of the right option."""
        self.options = Counter[str]()
        """How often each offered letter is the right answer, and how often yes and no are."""

    def add(self, question: Question) -> None:
        """Count a question."""
        self.questions += 1
        self.lengths[words(question)] += 1
        if question.hidden:
            return
        answer = question.right_text
        self.answers[answer if len(self.answers) < _MAX_DISTINCT_ANSWERS or answer in self.answers else OTHER] += 1
        if question.kind == "choice":
            self.options.update(dict.fromkeys(LETTERS[: len(question.options)], 0))
        if question.kind in ("choice", "boolean"):
            self.options[question.answer] += 1

    @property
    def mean_words(self) -> float:
        """The mean length of a question in words."""
        return sum(length * n for length, n in self.lengths.items()) / self.questions if self.questions else 0.0

    @property
    def frequent_answers(self) -> list[tuple[str, int]]:
        """The frequent right answers with their counts; empty if nearly every question has a different answer."""
        found = sorted(self.answers.items(), key=lambda item: (-item[1], item[0]))
        return [(answer, n) for answer, n in found if n >= _RARE_SHARE * self.questions]

    @property
    def balance(self) -> str:
        """The shares of the letters, or of yes and no, among the right answers to closed questions."""
        total = self.options.total()
        order = (*LETTERS, "yes", "no")
        listed = [(option, self.options[option]) for option in order if option in self.options]
        return "  ".join(f"{option} {100 * n / total:.1f}%" for option, n in listed) if total else ""


class GroupStatistics:
    """The statistics of one group's cases, updated case by case."""

    def __init__(self, group: str) -> None:
        self.group = group
        self.cases = self.pairs = self.changed = 0
        self.factual, self.counterfactual = WorldStatistics("factual"), WorldStatistics("counterfactual")

    @property
    def worlds(self) -> tuple[WorldStatistics, WorldStatistics]:
        """The statistics of the factual world, then those of the counterfactual one."""
        return self.factual, self.counterfactual

    def add(self, case: Case) -> None:
        """Count a case; with questions in both worlds, it is a pair, which is changed if the right answers differ."""
        self.cases += 1
        for world, question in zip(self.worlds, (case.factual, case.counterfactual), strict=True):
            if question:
                world.add(question)
        if case.factual and case.counterfactual and not case.factual.hidden:
            self.pairs += 1
            self.changed += case.factual.right_text != case.counterfactual.right_text


class DatasetStatistics(msgspec.Struct, frozen=True):
    """The statistics of a dataset."""

    cases: int
    groups: tuple[GroupStatistics, ...]
    """The groups in order of first appearance."""
    total: GroupStatistics
    suites: dict[str, SuiteTally] = {}
    """The statistics that the papers of these suites report, computed for these cases; by suite name."""
    funnel: Funnel | None = None
    """The steps from questions to pairs, with counts; None if the dataset was not built from questions."""
    controls: int = 0
    """The number of cases whose change does not affect the answer; they are not counted above."""

    def __repr__(self) -> str:
        in_groups = ", ".join(f"{group.group or 'no group'} {group.cases:,}" for group in self.groups)
        controls = f" and {several(self.controls, 'control')}" if self.controls else ""
        return f"Statistics of {several(self.cases, 'case')}{controls}: {in_groups}"

    def _repr_html_(self) -> str:
        return "".join(map(table_html, all_tables(self)))


def describe(cases: Iterable[Case], funnel: Funnel | None = None) -> DatasetStatistics:
    """Return the statistics of cases in one pass, without storing them; datasets written by `build` have a `funnel`."""
    groups: dict[str, GroupStatistics] = {}
    total, controls = GroupStatistics(ALL), 0
    suites: dict[str, SuiteTally | None] = {}
    for case in cases:
        if case.control_of:
            controls += 1
            continue
        if case.suite not in suites:
            suite = known_suite(case.suite)
            suites[case.suite] = suite.tally() if suite else None
        if own := suites[case.suite]:
            own.add(case)
        for each in (groups.setdefault(case.group, GroupStatistics(case.group)), total):
            each.add(case)
    of_suites = {name: own for name, own in suites.items() if own}
    return DatasetStatistics(total.cases, tuple(groups.values()), total, of_suites, funnel, controls)


def _answer_lines(group: GroupStatistics) -> list[Line]:
    """Return the share of each right answer: words by frequency, then numbers in order; empty if none is frequent."""
    if not any(world.frequent_answers for world in group.worlds):
        return []
    both = group.factual.answers + group.counterfactual.answers
    kept = sorted(both.keys() - {OTHER}, key=lambda answer: (-both[answer], answer))[:_MAX_ANSWERS]
    kept.sort(key=lambda answer: (_is_number(answer), float(answer) if _is_number(answer) else 0.0))
    lines = [_shares(group, answer, "answers", [answer]) for answer in kept]
    rest = both.keys() - set(kept)
    return [*lines, _shares(group, OTHER, "answers", rest)] if rest else lines


def _length_lines(group: GroupStatistics) -> list[Line]:
    """Return the share of questions of each length in words, with lengths grouped into at most 20 lines."""
    lengths = group.factual.lengths + group.counterfactual.lengths
    low, high = min(lengths), max(lengths)
    step = -(-(high - low + 1) // _MAX_LENGTHS)
    ranges = (range(start, start + step) for start in range(low, high + 1, step))
    return [_shares(group, f"{each[0]}–{each[-1]}" if step > 1 else str(each[0]), "lengths", each) for each in ranges]


def _shares(
    group: GroupStatistics, label: str, counter: Literal["answers", "lengths"], keys: Iterable[int | str]
) -> Line:
    """Return a table line with the share of questions in each world that have one of these answers or lengths."""
    keys = list(keys)
    counts = [sum(getattr(world, counter)[key] for key in keys) for world in group.worlds]
    shares = (n / (world.questions or 1) for n, world in zip(counts, group.worlds, strict=True))
    return table_line(shortened(name(label), 24), *(f"{share:.1%}" for share in shares))


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False


def summary(statistics: DatasetStatistics) -> Iterator[Grid]:
    """Return tables for one screen: the groups, and the balance of right options over all cases."""
    shown = sorted(statistics.groups, key=lambda group: -group.cases)[:_MAX_GROUPS_ON_SCREEN]
    groups = [group for group in statistics.groups if group in shown]
    left = len(statistics.groups) - len(groups)
    yield _groups(statistics, groups, f"{several(left, 'smaller group')} not shown" if left else "", top=1)
    yield from _balance([statistics.total])


def all_tables(statistics: DatasetStatistics) -> Iterator[Grid]:
    """Yield every table."""
    yield _groups(statistics, statistics.groups, "", top=_TOP_ANSWERS)
    if statistics.cases:
        if answers := _answer_lines(statistics.total):
            yield Grid("Right answers", ("answer", *TWO_WORLDS), tuple(answers))
        lengths = tuple(_length_lines(statistics.total))
        yield Grid("Words per question, including options", ("words", *TWO_WORLDS), lengths)
    groups = statistics.groups if 1 < len(statistics.groups) <= _MAX_GROUPS else ()
    yield from _balance([*groups, statistics.total], by_group=True)
    for suite in statistics.suites.values():
        yield from suite.tables()
    if statistics.funnel:
        yield funnel_table(statistics.funnel)


def _balance(groups: Iterable[GroupStatistics], *, by_group: bool = False) -> Iterator[Grid]:
    """Yield a table of the balance of right answers, if there are closed questions."""
    rows = [[group.group or NO_GROUP, world.world, world.balance] for group in groups for world in group.worlds]
    first = 0 if by_group else 1
    lines = tuple(table_line(*row[first:]) for row in rows if row[-1])
    if lines:
        yield Grid("Balance of right answers", ("group", "world", "share of each")[first:], lines)


def _groups(statistics: DatasetStatistics, groups: Sequence[GroupStatistics], note: str, *, top: int) -> Grid:
    """Return a table of these groups and of all cases, with the `top` most frequent answers in each world."""

    def frequent(world: WorldStatistics) -> str:
        found = world.frequent_answers[:top]
        return ", ".join(f"{shortened(name(answer), 20)} {n / world.questions:.0%}" for answer, n in found)

    lines = (
        table_line(
            group.group or NO_GROUP,
            group.cases,
            *(f"{world.mean_words:.2f}" if world.questions else "" for world in group.worlds),
            f"{group.changed / group.pairs:.1%}" if group.pairs else "",
            *map(frequent, group.worlds),
            total=group is statistics.total,
        )
        for group in (*groups, statistics.total)
    )
    most = "most frequent answer" if top == 1 else "most frequent answers"
    head = ("group", "cases", "words factual", "words counterfactual", "answer changes", f"{most} factual")
    controls = f"and {several(statistics.controls, 'control')}: {CONTROLLED}" if statistics.controls else ""
    note = "; ".join(filter(None, (controls, note, "words: mean length of a question with its options")))
    return Grid(several(statistics.cases, "case"), (*head, "counterfactual"), tuple(lines), note)


def funnel_table(funnel: Funnel) -> Grid:
    """Return a table of the steps, the number left after each, and the reasons for the losses."""
    steps = [(step.name, step.passed, step.reasons) for step in funnel.steps]
    steps.append(("different changes", funnel.patterns, funnel.operations))
    lines = (table_line(TableCell(name, (_why(reasons),)), left) for name, left, reasons in steps)
    return Grid(f"From questions to pairs, written by {funnel.writer}", ("step", "left"), tuple(lines))


def _why(reasons: tuple[tuple[str, int], ...]) -> str:
    listed = ", ".join(f"{count:,} {reason}" for reason, count in reasons[:_MAX_REASONS])
    return f"{listed}, …" if len(reasons) > _MAX_REASONS else listed


def render(statistics: DatasetStatistics, console: Console, *, everything: bool = True) -> None:
    """Print tables to the terminal: all of them, or those that fit on one screen."""
    print_grids(all_tables(statistics) if everything else summary(statistics), console)
