"""What somebody has or gets: "it had two more legs", "a fox got one"."""

from countersight.composing.asked import Asked
from countersight.composing.changes import added, come, gone
from countersight.composing.effects import Effect
from countersight.composing.phrases import Phrase, is_restricted
from countersight.composing.places import is_of_the_scene
from countersight.composing.vocabulary import HUNTERS, PLACES, PREPOSITIONS, thing_of


def had(theme: Phrase, agent: Phrase | None, verb: str, behind: list[str], asked: Asked) -> Effect | None:
    """What "it had two more legs" does, or "the zoo got five giraffes": only what is asked about can have them."""
    if behind and not set(behind) <= PREPOSITIONS | PLACES | {"the", "it", "there"}:
        return None
    if theme.quantity.fewer:
        return Effect("remove", theme.quantity.amount) if isinstance(theme.quantity.amount, int) else None
    if theme.quantity.more:
        return added(theme)
    if verb == "get" and agent is not None and not asked.is_plain:
        if (agent.head or "").removesuffix("s") in HUNTERS:  # "a fox got one"
            return gone(theme, asked)
        is_ours = is_of_the_scene((agent.head or "",), asked)
        return come(theme, asked) if is_ours else None
    if verb == "get":
        return come(theme, asked)
    owner = agent is not None and thing_of(agent.head or "") in asked.place
    amount = theme.quantity.amount
    return Effect("set", amount) if owner and isinstance(amount, int) and not is_restricted(theme, asked) else None
