"""The twelve causal tasks on four rungs (CELLO 4.2): what each can ask of a causal graph, and the gold answer.

Gold answers follow from the paths of the graph. Each task also puts the same question to a structural model of the
graph, by simulating and intervening; what is asked is only what both agree on.

A thing is lost when it is no longer as the picture shows it. Every cause in a graph is needed: a thing stays as it is
while all its causes do.
"""

from countersight.causal import CausalGraph
from countersight.suites.cello.tasks import association, counterfactual, discovery, intervention
from countersight.suites.cello.tasks.query import Query, Shape, Sought, Supposed, Task

__all__ = ["RUNGS", "TASKS", "Query", "Shape", "Sought", "Supposed", "Task", "queries"]

RUNGS = ("discovery", "association", "intervention", "counterfactual")
"""The rungs of the ladder of causation, by number."""

TASKS = {
    task.name: task
    for task in (
        discovery.CAUSALITY_IDENTIFICATION,
        discovery.CAUSAL_ATTRIBUTION,
        discovery.ABSTRACT_REASONING,
        association.COLLIDER_BIAS,
        intervention.CONFOUNDER_IDENTIFICATION,
        intervention.BACKDOOR_ADJUSTMENT_SET,
        intervention.CONTROLLED_DIRECT_EFFECT,
        counterfactual.COUNTERFACTUAL_REASONING,
        counterfactual.NATURAL_DIRECT_EFFECT,
        counterfactual.NATURAL_INDIRECT_EFFECT,
        counterfactual.SUFFICIENT_CAUSE,
        counterfactual.NECESSARY_CAUSE,
    )
}
"""The tasks by their published names, in the order of the rungs."""


def queries(task: Task, graph: CausalGraph, bystanders: tuple[str, ...] = ()) -> list[Query]:
    """Return all queries of a task for a graph and bystanders whose answers the structural model confirms."""
    if graph.kind not in task.kinds:
        return []
    shape = Shape.of(graph, bystanders)
    model = shape.model()
    return [query for query in task.queries(shape) if task.agrees(model, query)]
