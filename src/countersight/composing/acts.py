"""An act: a verb with what follows it, said of things; and what tells of any verb whether they come or go by it."""

from collections.abc import Callable
from typing import Final, Literal

import msgspec

from countersight.composing.asked import Asked
from countersight.composing.directions import gets_into, gets_there, is_out_of, moves_away
from countersight.composing.places import Words, behind, content, goes_from_there, is_where_asked
from countersight.composing.vocabulary import (
    ABOUT_THEM,
    ADVERBS,
    BROUGHT,
    BROUGHT_IF_MORE,
    COMES,
    GOES,
    INWARDS,
    MAY_FOLLOW,
    MOTION,
    PARTICLES,
    PLACED,
    POSTURES,
    PREPOSITIONS,
    PRESENT,
    STATES,
    TAKEN,
    VERBS,
    thing_of,
)

Way = Literal["coming", "going", "there", "staying"]
Answer = Way | Literal["open"] | None
"""What a rule says: nothing, where it is not about such an act, and "open" where it is and does not decide."""

WHAT_MAY_FOLLOW: Final = PREPOSITIONS | PARTICLES | ADVERBS | MAY_FOLLOW
"""Words behind a verb that begin no object of it."""
OF_STATES: Final = frozenset(verb for state in STATES for verb in state.begins | state.ends) - (
    COMES | GOES | TAKEN | BROUGHT | BROUGHT_IF_MORE | MOTION | PRESENT | PLACED
)
"""Verbs that say nothing where the question does not ask for their state."""
_OUTSIDE: Final = thing_of("outside")


class Act(msgspec.Struct, frozen=True):
    """What happens to things that a question may count."""

    verb: str
    rest: Words
    thing: str
    asked: Asked
    more: bool
    """Whether it is said of more than there are."""

    @property
    def base(self) -> str:
        """The verb without its particle."""
        return self.verb.partition(" ")[0]

    @property
    def particle(self) -> str:
        """What goes with the verb: off, in "roll off"."""
        return self.verb.partition(" ")[2]


Rule = Callable[[Act], Answer]


def decided(rules: tuple[Rule, ...], act: Act) -> Way | None:
    """What the first rule that is about an act says of it."""
    for rule in rules:
        if (answer := rule(act)) is not None:
            return None if answer == "open" else answer
    return None


def into_the_house(act: Act) -> Answer:
    """Who goes in leaves those outside."""
    if _OUTSIDE not in act.asked.words or act.particle not in INWARDS:
        return None
    return "going" if not content(act.rest) else "open"


def present(act: Act) -> Answer:
    """Whether what they do says that they are there."""
    is_new = (act.verb not in POSTURES or not act.asked.is_plain) and act.rest[:1] != ("into",)
    return "there" if act.verb in PRESENT and is_new and is_where_asked(act.rest, act.asked) else None


def moved(act: Act) -> Answer:
    """Where it ends says whether what moved has come or gone."""
    away = moves_away(act.rest, act.asked)
    if away and act.more:  # two more that were put in the other jar need not have been in this one
        return "open"
    return None if away is None else "going" if away else "coming"


def by_direction(act: Act) -> Answer:
    """What the words behind any verb say, known or not: "off the table", one more "into the pan"."""
    if act.base in ABOUT_THEM or act.base in PRESENT or act.asked.is_doing:
        return None
    if act.more and gets_into(act.rest, act.asked):
        return "coming"
    is_off = act.particle in ("off", "out") and bool(content(act.rest) & act.asked.place)
    is_away = act.particle == "away" and act.base not in VERBS
    if (is_off or is_away) and leaves(act):
        return "going"
    elsewhere = behind(act.rest, frozenset({"into", "onto"}))
    return "going" if elsewhere and not act.particle and not act.more and is_out_of(elsewhere, act.asked) else None


def leaves(act: Act) -> bool:
    """Whether what goes is then no longer where the question looks."""
    return goes_from_there(act.rest, act.asked) and not gets_there(act.verb, act.rest, act.asked)
