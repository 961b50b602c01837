"""What is true of anything that we drew, and what sentences claim of it."""

from collections.abc import Mapping

from countersight.audits.claims import Claim, claims
from countersight.audits.world_facts import world_claims, world_facts
from countersight.editing import Drawn
from countersight.scenes import Scene, facts_by_name


def facts_of_drawn(drawn: Drawn) -> dict[str, int]:
    """What is true of a scene or a world, by name; what is not named is not so, or 0."""
    return facts_by_name(drawn) if isinstance(drawn, Scene) else world_facts(drawn)


def claims_of(text: str, drawn: Drawn) -> tuple[Claim, ...]:
    """What a text claims of a scene or a world, in order."""
    return claims(text) if isinstance(drawn, Scene) else world_claims(text)


def moved_facts(old: Mapping[str, int], new: Mapping[str, int]) -> set[str]:
    """The facts that a change makes otherwise."""
    return {name for name in (*old, *new) if old.get(name, 0) != new.get(name, 0)}


def is_statement(fact: str) -> bool:
    """Whether a fact is so or is not, and counts nothing."""
    return fact.startswith("the ")
