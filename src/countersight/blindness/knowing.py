"""The knowledge probe: answers questions from counts of which thing keeps which in place in other pictures.

Counts come from the causal graphs that a dataset was made from, or else from those of its own cases. The probe learns
only how the counts relate to the answers of a group: which of two counts must be larger for "yes", or which rank is
right.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations, permutations

from countersight.blindness.asked import BlindQuestion
from countersight.blindness.choosing import FOLDS, Ints, Table
from countersight.blindness.other_questions_probe import Wording, ranked, wordings
from countersight.case import Case
from countersight.causal import Knowledge, leaning

_NAMED = 3
"""How many names of a question are compared with each other."""


def knowledge_of(cases: Iterable[Case]) -> Knowledge:
    """Count the edges of the cases' causal graphs."""
    found = Knowledge()
    for case in cases:
        nodes, edges = ((case.graph or {}).get(part) or () for part in ("nodes", "edges"))
        names = {str(node.get("id")): str(node.get("obj_name", "")) for node in nodes if isinstance(node, dict)}
        for edge in edges:
            ends = [names.get(str(edge.get(end)), "") for end in ("source", "target")] if isinstance(edge, dict) else []
            if len(ends) == 2 and all(ends):
                found.add(ends[0], ends[1], str(case.provenance.get("img_id") or case.image or case.id))
    return found


def knowing(
    known: Knowledge, questions: Sequence[BlindQuestion], templates: Sequence[str], _folds: Ints
) -> Sequence[Table]:
    """Return the features of each answer from the counts, for every test fold."""
    common = wordings(questions)
    found = [
        (_offered if question.offered else _yes_or_no)(known, question, template, common[question.group])
        for question, template in zip(questions, templates, strict=True)
    ]
    return [Table(questions, found)] * FOLDS


def _names(known: Knowledge, text: str, usual: frozenset[str]) -> list[str]:
    return [name for name in known.names_in(text) if name not in usual]


def _offered(known: Knowledge, question: BlindQuestion, _template: str, wording: Wording) -> list[list[str]]:
    """The options by how often their names keep those of the question, or each other, or are kept by them."""
    asked = _names(known, question.text, wording.usual)
    return ranked([_counted(known, question.picture, answer, asked) for answer in question.answers])


def _counted(known: Knowledge, picture: str, answer: str, asked: list[str]) -> dict[str, float]:
    offered = known.names_in(answer)
    both = [(one, other) for one in offered for other in asked if one != other]
    return {
        "keeps what is asked about": sum(known.keeps(one, other, picture) for one, other in both),
        "is kept by what is asked about": sum(known.keeps(other, one, picture) for one, other in both),
        "keeps it through another thing": sum(known.through(one, other, picture) for one, other in both),
        "is kept by it through another thing": sum(known.through(other, one, picture) for one, other in both),
        "keep each other": sum(known.keeps(one, other, picture) for one, other in permutations(offered, 2)),
    }


def _yes_or_no(known: Knowledge, question: BlindQuestion, template: str, wording: Wording) -> list[list[str]]:
    """Which names of the question keep which more often, and whether the question is turned round by a word."""
    names = _names(known, question.text, wording.usual)[:_NAMED]
    told = []
    for one, other in combinations(range(len(names)), 2):
        forth, back = (known.keeps(names[a], names[b], question.picture) for a, b in ((one, other), (other, one)))
        told.append(f"{one + 1} keeps {other + 1}: {leaning(forth, back)}")
        told.append(f"{one + 1} keeps {other + 1}: {forth > 0}, {back > 0}")
    if len(names) == _NAMED:
        for last in range(_NAMED):
            pair = [place for place in range(_NAMED) if place != last]
            counts = [known.keeps(names[place], names[last], question.picture) for place in pair]
            told.append(f"{pair[0] + 1} keeps {last + 1} more often than {pair[1] + 1} does: {leaning(*counts)}")
    said = set(question.text.casefold().replace(",", " ").replace("?", " ").split())
    ways = [template, *(f"{'with' if word in said else 'without'} “{word}”" for word in wording.turning if word)]
    yes = [f"{what}, {way}" for what in told for way in ways]
    return [yes, *([] for _ in question.answers[1:])]
