"""How many there are, said outright: "there were two more dogs", "it had three windows instead of two"."""

import re
from typing import Final

from countersight.composing.accounted import is_known_of_events
from countersight.composing.asked import WORD, Asked
from countersight.composing.changes import added
from countersight.composing.effects import Effect
from countersight.composing.likeness import is_counted
from countersight.composing.phrases import Phrase, is_restricted, read_phrase
from countersight.composing.vocabulary import PLACES, PREPOSITIONS, PRESENT, number_of, thing_of, verb_of

_INSTEAD: Final = re.compile(r"\binstead of (?:the |just |only )?\w+(?: (?!there|it)\w+)?")
_HAD_INSTEAD: Final = re.compile(
    r"(?P<owner>it|the (?:\w+ )?\w+) had (?P<what>\w+ \w+(?: \w+)?) instead of (?:the |just |only )?(?P<many>\w+)"
)


def of_being(text: str, asked: Asked) -> Effect | None:
    """What "there were two more dogs" does, or "there were three dogs instead of one"."""
    if found := _HAD_INSTEAD.fullmatch(text):
        return _had_instead(found, asked)
    words = WORD.findall(_INSTEAD.sub("instead", text))
    instead = "instead" in words
    said = ["only" if word == "just" else word for word in words if word not in ("instead", "also", "too")]
    if said[:1] != ["there"] or len(said) < 3 or verb_of(said[1]) not in ("be", "exist"):
        return None
    negated = said[2] == "not"
    begin = 3 if negated else 2
    only = said[begin] == "only" if begin < len(said) else False
    if negated and said[begin : begin + 1] == ["any"]:
        phrase = read_phrase(["no", *said[begin + 1 :]], asked)
    else:
        phrase = None if negated else read_phrase(said[begin:], asked)
    if phrase is None or not is_counted(phrase, asked):
        return None
    tail = [*phrase.after, *said[begin + phrase.end :]]
    if len(said) != len(words) - instead:
        return added(phrase) if not instead else None
    return _how_many_there_are(phrase, tail, asked, only=only)


def _how_many_there_are(phrase: Phrase, tail: list[str], asked: Asked, *, only: bool) -> Effect | None:
    amount, quantity = phrase.quantity.amount, phrase.quantity
    if not isinstance(amount, int) or phrase.definite or {"total", "each", "every"} & set(tail):
        return None
    where = {thing_of(verb_of(word)) for word in tail if word not in PREPOSITIONS | PLACES | PRESENT | {"the", "this"}}
    if quantity.indefinite or not is_known_of_events(tuple(tail), asked):  # "there was a dog": one, or one more?
        return None
    if quantity.more or quantity.given:  # "there was a fifth dog"
        return added(phrase) if amount and (asked.is_plain or where <= asked.words) else None
    if where - asked.words or is_restricted(phrase, asked) or phrase.of:
        return None
    if quantity.fewer:
        return Effect("remove", amount)
    return Effect("keep", amount) if only else Effect("set", amount)


def _had_instead(found: re.Match[str], asked: Asked) -> Effect | None:
    """What "it had two sinks instead of one" does where there is one: the place asked about has to have them."""
    phrase, many = read_phrase(found["what"].split(), asked), number_of(found["many"])
    is_ours = bool(asked.place) and (found["owner"] == "it" or thing_of(found["owner"].split()[-1]) in asked.place)
    if phrase is None or not many or not is_ours or not is_counted(phrase, asked) or is_restricted(phrase, asked):
        return None
    amount = phrase.quantity.amount
    is_number = isinstance(amount, int) and not phrase.quantity.more and not phrase.definite
    return Effect("set", amount, given=many) if is_number and isinstance(amount, int) else None
