"""What common knowledge says of a question, without the picture: it agrees with the answer, disagrees, or is silent.

Questions are chosen so that it agrees about as often as it disagrees; every case says which it is, and is scored so.
"""

from countersight.causal import CausalGraph, Knowledge, leaning
from countersight.suites.cello.tasks.query import Shape, Sought, Supposed, Task
from countersight.suites.cello.terms import PriorVerdict


def hints(known: Knowledge, graph: CausalGraph, query: Supposed) -> tuple[int, ...]:
    """What is known of the things of a question for yes or no: which keeps the other, or the third, more often."""
    names = {thing.id: thing.name for thing in (*graph.things, *graph.others)}
    picture = graph.image or graph.scene

    def keeps(one: str, other: str) -> int:
        return known.keeps(names[one], names[other], picture)

    lost, effect = query.lost, query.effect
    found = [leaning(keeps(lost, effect), keeps(effect, lost))]
    for held in query.held:
        found.append(leaning(keeps(lost, effect), keeps(held, effect)))
        found.append(leaning(keeps(held, lost), keeps(lost, held)))
    return tuple(found)


def standing(task: Task, query: Supposed, hinted: tuple[int, ...]) -> PriorVerdict:
    """Whether what is known guesses the answer to a question for yes or no.

    Of two things, what usually keeps the other does so here. Of three, what the other usually keeps is the nearer.
    """
    guess = hinted[0]
    if query.held:
        guess = hinted[2] or hinted[1]
        if task.short == "NIE":
            guess = -guess
    elif task.short == "SC":
        guess = -guess
    if not guess:
        return "silent"
    return "agrees" if (guess > 0) == query.follows else "disagrees"


def figures(known: Knowledge, task: Task, shape: Shape, query: Sought, name: str) -> tuple[int, int]:
    """How often a name on offer keeps what is asked about, directly and through another; AR asks what is kept."""
    picture = shape.graph.image or shape.graph.scene
    about = shape.names[query.about[-1]]
    ends = (about, name) if task.short == "AR" else (name, about)
    return known.keeps(*ends, picture), known.through(*ends, picture)


def standing_of(counts: list[int]) -> PriorVerdict:
    """Whether the answer, whose count comes first, is what one would choose by counts."""
    if not any(counts):
        return "silent"
    return "agrees" if counts[0] > max(counts[1:]) else "disagrees"
