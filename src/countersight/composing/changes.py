"""What becomes of the number when so many come, go, stay or are there."""

from countersight.composing.acts import Way
from countersight.composing.asked import Asked
from countersight.composing.effects import Effect
from countersight.composing.likeness import may_be_others
from countersight.composing.phrases import Phrase, is_of_others, is_restricted, kin
from countersight.composing.places import is_elsewhere
from countersight.composing.quantities import Part
from countersight.composing.vocabulary import HUNTERS, STATES


def change(phrase: Phrase, way: Way, asked: Asked, *, is_negated: bool, is_perfect: bool = False) -> Effect | None:
    """The change of the number, or None where it is open."""
    if phrase.quantity.amount == 0 and (phrase.definite or phrase.head in (None, "nobody")) and not is_negated:
        return _of_none(phrase, way, asked, is_perfect=is_perfect)
    if is_negated:
        return gone(phrase, asked) if way == "there" else None
    match way:
        case "coming":
            return come(phrase, asked)
        case "going":
            return gone(phrase, asked)
        case "staying":
            return _kept(phrase, asked)
        case "there":
            return _are_there(phrase, asked)


def _of_none(phrase: Phrase, way: Way, asked: Asked, *, is_perfect: bool) -> Effect | None:
    """None left: all are there still. None had been put there, or none was there: there are none."""
    if is_restricted(phrase, asked) or way == "staying" or (way == "going" and is_perfect):
        return None  # "if none had left": how many did?
    are_none = way == "there" or (way == "coming" and is_perfect)
    return Effect("set", 0, given=phrase.quantity.given) if are_none else Effect("add", 0)


def added(phrase: Phrase) -> Effect | None:
    """So many more, where a number says how many."""
    amount = phrase.quantity.amount
    return Effect("add", amount, given=phrase.quantity.given) if isinstance(amount, int) and amount else None


def come(phrase: Phrase, asked: Asked) -> Effect | None:
    """What comes is added, unless it is there already, or comes to eat the others."""
    if _were_not_so(phrase, asked):
        return added(phrase)
    if phrase.definite or phrase.possessive or phrase.but or phrase.quantity.fewer or may_be_others(phrase, asked):
        return None
    if kin(phrase, asked) == "member" and (phrase.head or "").removesuffix("s") in HUNTERS:
        return None
    return added(phrase)


def _were_not_so(phrase: Phrase, asked: Asked) -> bool:
    """Whether they are called what those asked for are not: one of the closed windows, where the open ones are."""
    opposite = {word for state in STATES for mine in asked.states if state.begins & mine.ends for word in state.alike}
    return bool(opposite & set(phrase.modifiers)) and not phrase.possessive and phrase.but is None


def gone(phrase: Phrase, asked: Asked) -> Effect | None:
    """What goes is taken off: a number of them, a part, or all where nothing says that only some are meant."""
    amount, is_part = phrase.quantity.amount, is_restricted(phrase, asked)
    if phrase.quantity.fewer or phrase.possessive or is_of_others(phrase, asked) or "without" in phrase.after:
        return None  # "two men without ties left"
    if may_be_others(phrase, asked) and amount not in ("all", None):  # two trees need not be tall, all of them are
        return None
    if is_elsewhere(phrase.after, asked) or (isinstance(amount, Part | str) and phrase.definite and phrase.is_one):
        return None  # "two cups on the shelf", "half of the cake"
    if phrase.but is not None:
        return _all_but(phrase, is_part=is_part)
    match amount:
        case Part():
            part, of = amount
            return Effect("part", of - part, of) if not is_part and part <= of else None
        case int():  # "no dogs left" may say that none is there
            return Effect("remove", amount) if amount else None
        case "all":
            return None if is_part else Effect("remove_all", given=phrase.quantity.given)
    if phrase.definite and phrase.is_one:
        return Effect("remove", 1)
    return Effect("remove_all") if phrase.is_plural and not is_part else None


def _all_but(phrase: Phrase, *, is_part: bool) -> Effect | None:
    kept = phrase.but.amount if phrase.but else None
    if phrase.quantity.amount != "all" or is_part:
        return None
    if isinstance(kept, Part):  # "all but a third of them left"
        return Effect("part", *kept)
    return Effect("keep", kept) if isinstance(kept, int) else None


def _kept(phrase: Phrase, asked: Asked) -> Effect | None:
    amount = phrase.quantity.amount
    if isinstance(amount, Part) and not is_restricted(phrase, asked):
        return Effect("part", *amount)
    if amount == "all" and not is_restricted(phrase, asked):
        return Effect("add", 0)
    return Effect("keep", amount) if isinstance(amount, int) and not phrase.quantity.more else None


def _are_there(phrase: Phrase, asked: Asked) -> Effect | None:
    """How many there are, said outright: "two more were there", "no dogs were there", "3 cows were lying"."""
    amount, is_part = phrase.quantity.amount, is_restricted(phrase, asked)
    if isinstance(amount, Part) and not is_part and asked.is_doing:  # half of the cows were eating: these are asked for
        return Effect("part", *amount)
    if not isinstance(amount, int):
        return None
    if phrase.quantity.more:
        return come(phrase, asked)
    if phrase.quantity.fewer:
        return Effect("remove", amount)
    if phrase.definite or is_part:
        return None
    return Effect("at_least", amount) if amount else Effect("set", 0, given=phrase.quantity.given)
