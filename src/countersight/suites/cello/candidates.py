"""Find what can be asked about a causal graph: queries whose answers are certain and need the picture.

A query is a candidate if none of the rules of its task excludes it.
"""

from countersight.causal import CausalGraph, acting_kind
from countersight.suites.cello.tasks.definitions import queries
from countersight.suites.cello.tasks.query import Candidate, ChoiceQuery, Query, Rule, Task, YesNoQuery
from countersight.suites.cello.tasks.rules import CHOICE_RULES, FORK_RULES, KEEPING_RULES, ONE_WAY
from countersight.suites.cello.things import bystanders


def find_choice_queries(task: Task, graph: CausalGraph) -> list[ChoiceQuery]:
    """Return the queries with options that a task asks of a graph."""
    rules = rules_of(task, graph)
    return [
        query
        for query in queries(task, graph)
        if isinstance(query, ChoiceQuery) and not _is_excluded(rules, task, graph, query)
    ]


def find_yes_no_queries(task: Task, graph: CausalGraph) -> list[YesNoQuery]:
    """Return the yes/no queries that a task asks of a graph and its bystanders."""
    rules = rules_of(task, graph)
    return [
        query
        for query in queries(task, graph, tuple(thing.id for thing in bystanders(graph)))
        if isinstance(query, YesNoQuery) and not _is_excluded(rules, task, graph, query)
    ]


def rules_of(task: Task, graph: CausalGraph) -> tuple[Rule, ...]:
    """Return the rules for the queries of a task about a graph."""
    rules: tuple[Rule, ...] = CHOICE_RULES if task.is_choice else (ONE_WAY,)
    if not acting_kind(graph):
        rules += KEEPING_RULES + task.keeping_rules
    rules += FORK_RULES if graph.kind == "fork" else task.rules
    return rules


def _is_excluded(rules: tuple[Rule, ...], task: Task, graph: CausalGraph, query: Query) -> bool:
    if acting_kind(graph) and graph.kind not in task.acting_kinds:
        return True
    candidate = Candidate.of(task, graph, query)
    return any(rule.excludes(candidate) for rule in rules)
