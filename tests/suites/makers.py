"""The contract of everything that makes cases: nothing but the picture tells which answer is right.

A maker's test hands its cases to `gives_nothing_away`, at the size it is published at or near it.
"""

from collections import Counter
from statistics import NormalDist

from countersight.blindness import ALL_GROUPS, measure
from countersight.case import LETTERS


def gives_nothing_away(cases, *, points=0.0):
    """No probe answers more than chance does, by more than so many points; letters, yes and no are even."""
    found = measure(cases)
    assert found.groups, "too few cases to tell anything"
    of_all = [group for group in found.groups if group.group == ALL_GROUPS]
    for group in found.groups:
        allowed = group.chance + points / 100
        # Chance alone passes some of many looks: those at all cases are held to 5 % together, those at few to 1 %.
        together, alike = (
            (0.025, of_all) if group.group == ALL_GROUPS else (0.01, [x for x in found.groups if x not in of_all])
        )
        surprise = NormalDist().inv_cdf(1 - together / sum(len(one.probes) for one in alike))
        spread = surprise * (group.chance * (1 - group.chance) / group.questions) ** 0.5
        over = {name: share for name, share in group.probes.items() if share.right > allowed + spread}
        assert not over, f"{group.group}, {group.world}: {over}; cues: {found.cues[:3]}"
    right_answers_are_even(cases)


def right_answers_are_even(cases):
    """Every letter that is offered, and yes and no, are right as often, as far as the numbers go."""
    for world in ("factual", "counterfactual"):
        counts = {}
        for case in cases:
            question = case.question(world)
            if question and question.kind in ("choice", "boolean"):
                offered = LETTERS[: len(question.options)] if question.options else ("yes", "no")
                counts.setdefault((case.group, offered), Counter())[question.answer] += 1
        for (group, offered), right in counts.items():
            even = right.total() / len(offered)
            assert all(abs(right[answer] - even) <= max(2, 0.1 * even) for answer in offered), (group, world, right)
