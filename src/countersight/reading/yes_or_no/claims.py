"""What a clause without a yes or a no in it says to a yes-or-no question."""

import re

from countersight.reading.language.asked import CONTRARY, NOBODY, Asked, compared, content, first_word
from countersight.reading.language.clauses import MODAL, MODAL_AT
from countersight.reading.language.numerals import numerals
from countersight.reading.language.opposites import SIDES, opposed_stems
from countersight.reading.language.stems import counted_words, stem
from countersight.reading.language.vocabulary import any_of, found
from countersight.reading.language.whereabouts import is_elsewhere
from countersight.reading.yes_or_no.contests import bested, won_by_another
from countersight.reading.yes_or_no.degrees import in_degree
from countersight.reading.yes_or_no.fates import befalls
from countersight.reading.yes_or_no.hedges import is_hedged
from countersight.reading.yes_or_no.inferred import (
    is_alone,
    is_only_later,
    is_only_not_done,
    is_seen_from_elsewhere,
    is_taken,
    says_fewer,
)
from countersight.reading.yes_or_no.named_only import done_elsewhere
from countersight.reading.yes_or_no.negation import AUXILIARY, NEGATED, has_denial, is_twice_negated, without_negation
from countersight.reading.yes_or_no.obstacles import STAYING, freed, is_hindered, speaks_past
from countersight.reading.yes_or_no.of_several import is_none_of_them, of_all, of_anyone
from countersight.reading.yes_or_no.presence import is_there
from countersight.reading.yes_or_no.relations import held_against
from countersight.reading.yes_or_no.repetitions import (
    PLACES,
    PRONOUN,
    covers,
    is_not_done,
    is_short_answer,
    is_turned_round,
    leaves_open,
    plain_verb,
    says_no_more,
)
from countersight.reading.yes_or_no.roles import in_its_place, is_of_another
from countersight.reading.yes_or_no.state_told import FIRST_VERB, told_state
from countersight.reading.yes_or_no.thresholds import is_as_large
from countersight.reading.yes_or_no.ways import NO_DIFFERENCE, avails, needed, takes_something_else

_FAILING = found("yes_no.failing")
_FROM_DOING = r" (?P<who>(?:the |a )?\w+) from (?P<what>\w+ing\b)"
_KEEP = r"(?:[\w ]{1,30} and )?(?:prevent|stop|keep|protect|save|spare)"
_WOULD_KEEP_FROM = re.compile(rf"^.{{0,80}}{MODAL} {_KEEP}{_FROM_DOING}", re.IGNORECASE)
_KEPT_FROM = re.compile(
    rf"^.{{0,80}}(?:{MODAL} {_KEEP}|\b(?:prevents|stops|keeps|protects)){_FROM_DOING}", re.IGNORECASE
)
_STOPS_DOING = re.compile(r"\b(?:stops?|ha(?:s|ve)(?: \w+)? stopped)(?= \w+ing\b)", re.IGNORECASE)
_CONNECTED = re.compile(r"^\W*(?:but|yet|and|however),?\s+", re.IGNORECASE)
_ANYBODY = frozenset({stem("person")})
_DONE_BY_NOBODY = re.compile(rf"^\W*(?:nothing|nobody|no one) {MODAL} (?P<verb>\w+) (?P<what>.*)", re.IGNORECASE)
_THEN = re.compile(
    r"\W*(?:even )?(?:at|in|during|on|under|with(?P<out>out)?)\s+(?P<then>[\w ]{1,30}?),?\s+"
    r"(?=(?:it|they|there|he|she|the)\b)",
    re.IGNORECASE,
)
_SO_SUPPOSED = re.compile(
    rf"\W*(?!through|via|over|from|by|without)(?P<then>[\w ]{{4,40}}?),?\s+"
    rf"(?=(?:it|they|there|he|she|the \w+) {MODAL})",
    re.IGNORECASE,
)  # "two metres further forward it would"
_IN_HIS_HAND = re.compile(r"(?:his|her|its|their|one) (?:\w+ )?\w+$", re.IGNORECASE)
_OPINION = re.compile(rf"^\W*(?:(?:and|but|so)\s+)?{any_of('yes_no.opinions')},?\s+", re.IGNORECASE)
_DENYING_OPENING = re.compile(rf"^\W*{any_of('yes_no.denying_openings')}\s+(?=\w)", re.IGNORECASE)
_WITHOUT_TROUBLE = re.compile(rf"\bwith(?:out| no) (?:any )?(?:\w+ )?{any_of('yes_no.obstacles')}", re.IGNORECASE)
_NONE_THERE = re.compile(r"\bthere\b[^,]{0,30}\bnone\b", re.IGNORECASE)
_HALF = re.compile(
    r"^\W*(?:it|the \w+)(?:'s| is| would (?:still )?be) (?:only |just )?half[ -](?:full|empty)\W*$", re.IGNORECASE
)
_HALF_IS_NOT = frozenset({"full", "empty"})
_SIDES_OF_IT = frozenset(map(stem, ("front", "top", "side")))
_CALLS = re.compile(r"\b(?:say|call)\b", re.IGNORECASE)
_FEWER = re.compile(r"\b(?:fewer|less)\b", re.IGNORECASE)
_NONE_BUT = re.compile(r"\b(?:there|contains?|holds?|have|has|shows?) only\b", re.IGNORECASE)
_ONLY_SAID = re.compile(r"\b(?:only|just|nothing|exclusively|all)\b", re.IGNORECASE)
_WITH = re.compile(r"\bwith (?P<what>(?:the|his|her|its|their) \w+)\W*$", re.IGNORECASE)
_AS_MANY = re.compile(
    r"\b(?:same|equal) (?:number|amount|size|length|height|width|weight|age|speed)\b"
    r"|\bequally many\b|\bas many\b.{0,200}\bas\b",
    re.IGNORECASE,
)
_LET_ALONE = re.compile(
    r"(?:\b(?:not|no|hardly|barely|scarcely)\b|n't\b).{0,200}\blet alone (?P<what>\w+(?: \w+)?)", re.IGNORECASE
)
# "It would find it impossible to reach the shelf": denied, though not by a "not" beside the verb.
_OTHER_DENIAL = found("yes_no.other_denials")
_ADDED = re.compile(rf",(?!.*(?:\b(?:not|no|but|if)\b|n't|,|{AUXILIARY}))", re.IGNORECASE)


def asserted(clause: str, asked: Asked) -> str | None:
    """Yes or no, where a clause affirms or denies just what was asked; None where it says something else."""
    told = _said_to(_CONNECTED.sub("", clause), asked)
    if told != "yes":
        return told
    elsewhere = None if asked.negated else done_elsewhere(clause, asked)  # "sitting on the floor, not the bench"
    return "no" if elsewhere == "no" else None if elsewhere or is_not_done(clause, asked) else told


def _said_to(clause: str, asked: Asked) -> str | None:
    if clause.endswith("?") or leaves_open(clause) or asked.twice_negated or is_only_not_done(clause, asked):
        return None
    if opening := _DENYING_OPENING.match(clause):
        rest = clause[opening.end() :]
        called = _CALLS.search(opening.group()) and _is_only_called(rest, asked)
        claimed = "yes" if called else asserted(rest, asked)
        if claimed is None and avails(clause, asked) is False:
            return "yes" if asked.negated else "no"  # "there is no way out"
        return None if claimed is None else ("no" if claimed == "yes" else "yes")
    if is_twice_negated(clause) or is_only_later(clause, asked):
        return None
    if (done := needed(clause, asked)) is not None:
        return "yes" if done else "no"
    if takes_something_else(clause, asked):
        return None
    clause = _WITHOUT_TROUBLE.sub(" ", _OPINION.sub("", _after_then(clause, asked)))
    if (held := held_against(clause, asked)) is not None:
        return None if held == "open" else "yes" if held != asked.negated else "no"
    if (won := won_by_another(clause, asked)) is None:
        won = bested(clause, asked)
    if won is not None:
        return None if won == "open" else "yes" if won != asked.negated else "no"
    barred = None if NEGATED.search(clause) else _WOULD_KEEP_FROM.match(clause)
    if barred and content(barred["what"]) & asked.words and content(barred["who"]) <= asked.words:
        return "yes" if asked.negated else "no"  # "it would keep the drawer from closing", to whether he could close it
    if is_of_another(clause, asked) or is_seen_from_elsewhere(clause, asked):
        return None
    if (role := in_its_place(clause, asked)) is not None:
        return None if role == "open" else "yes" if role != asked.negated else "no"
    if degree := in_degree(clause, asked):
        return None if degree == "open" else degree if not asked.negated else "no" if degree == "yes" else "yes"
    if is_elsewhere(clause, asked.text) and _says_only_where(clause, asked):
        denied_or_hedged = NEGATED.search(clause) or asked.negated or not asked.of_now or is_hedged(clause, asked)
        return None if denied_or_hedged else "no"  # "the cat is on the chair", to whether it is under it
    if _HALF.search(clause) and _HALF_IS_NOT.intersection(asked.states):
        return "yes" if asked.negated else "no"
    open_fate = " fail" in clause or is_hedged(clause, asked)
    if not open_fate and (fate := befalls(CONTRARY.split(clause)[0], asked)) is not None:
        return "yes" if fate != asked.negated else "no"
    if not NEGATED.search(clause):
        # "The lid prevents it" is of the world asked about where the lid is to stay.
        keeps = _KEPT_FROM if asked.of_now or asked.supposed & STAYING else _WOULD_KEEP_FROM
        kept = keeps.sub(r"\g<who> would not \g<what>", clause)
        failing = _FAILING.search(kept)
        asks_for_it = failing and content(failing.group()) & asked.words  # "he would lose his hat", to whether he would
        clause = kept if asks_for_it else _FAILING.sub("does not", _STOPS_DOING.sub("does not", kept))
    if (beyond := _LET_ALONE.search(clause)) and content(beyond["what"]) & asked.words:
        return "yes" if asked.negated else "no"  # "hardly room for a cart, let alone a bus"
    if _FEWER.search(asked.text) and _NONE_THERE.search(clause):
        return "no" if asked.negated else "yes"  # "there would be none left"
    if is_none_of_them(clause, asked):
        return "yes" if asked.negated else "no"
    if (large := is_as_large(clause, asked)) is not None:
        return "yes" if large != asked.negated else "no"
    if asked.of_all and not asked.negated and (several := of_all(clause, asked, negated=bool(NEGATED.search(clause)))):
        return None if several == "open" else several
    if asked.counts and (others := {n.value for n in numerals(clause)}) and not others & asked.numbers:
        return "no" if says_fewer(clause, asked) else None
    nobody = _DONE_BY_NOBODY.match(clause)
    if nobody and not asked.negated and stem(nobody["verb"].lower()) in asked.words & content(nobody["verb"]):
        return "no" if content(nobody["what"]) & asked.words else None  # "nothing would stop the dog"
    contrary = None if asked.compares else CONTRARY.search(clause)
    if contrary:
        # "Blue, not yellow" denies what was asked; "yellow, not blue" affirms it.
        said, left = content(contrary["denied"]), content(clause[: contrary.start()])
        if said == {asked.subject} and MODAL_AT.search(clause) and not left & asked.words:
            return None  # "the cat would be trapped, not the mouse", to whether the mouse would escape
        if said and said <= asked.words:
            return "yes" if asked.negated else "no"
        if said - asked.words and left - asked.words - asked.supposed and said.isdisjoint(asked.supposed):
            return None  # "she would reach the lower shelf, but not the top one"
        if said & asked.supposed and left - asked.words - asked.supposed:
            return None  # "the bridge would hold a car, but not the truck", to whether it would hold if that came
        clause = clause[: contrary.start()]
    if _NONE_BUT.search(asked.text) and not _ONLY_SAID.search(clause) and not is_short_answer(clause, asked):
        return None  # "there are cherries in the bowl", to whether there are only cherries
    told = _claimed(clause, asked)
    if told is None and not asked.order and (added := _ADDED.search(clause)):
        told = _claimed(clause[: added.start()], asked)  # "it still could, through the gap"
    return None if told is None else ("yes" if told != asked.negated else "no")


def _says_only_where(clause: str, asked: Asked) -> bool:
    """Whether a clause has the question's words and another place: "the cat is on the table", to whether under it."""
    turned = is_turned_round(clause, asked) and not PRONOUN.match(clause)
    said = without_negation(clause) - PLACES - _SIDES_OF_IT
    return said <= asked.words and not turned and not _is_on_the_other_side(clause, asked)


def _claimed(clause: str, asked: Asked) -> bool | None:
    """Whether a clause says that what the question names is so, its own "not" aside."""
    negated = bool(NEGATED.search(clause))
    if not negated and is_hedged(clause, asked):
        return None
    if (use := avails(clause, asked)) is not None:
        return use
    free = freed(clause, asked)
    if free is not None:
        return None if speaks_past(clause, asked) else free or None
    if (there := is_there(clause, asked, negated=negated)) is not None:
        return there
    if (alone := is_alone(clause, asked)) is not None:
        return alone
    if NO_DIFFERENCE.search(clause) or (not negated and is_hindered(clause, asked)):
        return None
    if asked.of_anyone and (of_some := of_anyone(clause, asked, negated=negated)) is not None:
        return of_some
    if not negated and is_taken(clause, asked):
        return False
    if asked.order and not negated and _AS_MANY.search(clause):
        return False
    if (asked.order or asked.of_being) and not negated and _is_on_the_other_side(clause, asked):
        return None  # of the cats in the right cage, to those in the left one
    if asked.order and compared(clause):
        return None
    told = told_state(clause, asked)
    pronoun = PRONOUN.match(clause) if asked.order else None
    if told is not None and asked.order and not pronoun and is_turned_round(clause, asked):
        return False if told and not negated else None  # "the boy is taller", to whether the girl is
    if told is not None:
        return told
    if not negated and _is_on_the_other_side(clause, asked):
        return _is_said_of_the_other(clause, asked)
    if asked.order and not is_short_answer(clause, asked):
        return None
    if is_short_answer(clause, asked) or says_no_more(clause, asked):
        return None if not negated and has_denial(clause) else not negated
    return True if not negated and not _OTHER_DENIAL.search(clause) and covers(clause, asked) else None


def _is_on_the_other_side(clause: str, asked: Asked) -> bool:
    """Whether a clause repeats the question with the opposite place in it: "to the right of it", to "to the left"."""
    said, wanted = frozenset(counted_words(clause)), frozenset(counted_words(asked.text))
    places = {word for word in said - wanted if any(opposed_stems(word, other) for other in (wanted - said) & SIDES)}
    rest = said - wanted - places
    # "The boy on the right is smiling" is said of another boy.
    verb = FIRST_VERB.search(clause) or plain_verb(clause, asked)
    return bool(places & {*counted_words(clause[verb.end() :])} and not rest) if verb and not asked.negated else False


def _is_said_of_the_other(clause: str, asked: Asked) -> bool | None:
    """Whether the boy is to the right of the girl, who then is to his left; None where he is just "on the right"."""
    turned = is_turned_round(clause, asked)
    return None if turned and asked.subject not in content(clause) else turned


def _is_only_called(words: str, asked: Asked) -> bool:
    """Whether a few words without a verb are what was asked: the "impassable" of "I wouldn't say impassable"."""
    said = content(words)
    return bool(said) and said <= asked.words - {asked.subject} and not asked.negated and not FIRST_VERB.search(words)


def denied(clause: str, asked: Asked) -> str | None:
    """No, where a clause denies nothing but what the question asks or supposes: the weakest reading."""
    if (
        clause.endswith("?")
        or leaves_open(clause)
        or is_twice_negated(clause)
        or is_only_later(clause, asked)
        or is_only_not_done(clause, asked)
        or asked.negated
        or not NEGATED.search(clause)
        or freed(clause, asked) is not None
        or is_elsewhere(clause, asked.text)
        or in_its_place(clause, asked) == "open"
        or won_by_another(clause, asked) is not None
    ):
        return None
    if is_of_another(_OPINION.sub("", clause), asked) or speaks_past(clause, asked) or in_degree(clause, asked):
        return None
    said = without_negation(_OPINION.sub("", clause)) - (_ANYBODY if NOBODY.search(clause.lower()) else frozenset())
    if asked.order and first_word(clause) in asked.words - {asked.subject, ""}:
        return None  # "the trees would no longer be taller", to whether the statue would
    with_it = _WITH.search(clause)
    if with_it and content(with_it["what"]) & asked.supposed:
        return None  # "she couldn't open it with the bags", to whether she could if she put them down
    to_the_point = said & asked.words - {asked.subject} or _NONE_THERE.search(clause)
    return "no" if to_the_point and said <= asked.words | asked.supposed | STAYING | {"think", "believ"} else None


def _after_then(clause: str, asked: Asked) -> str:
    """The clause without the supposition in another form: "at night it would be", to "if it was night"."""
    then = _THEN.match(clause) or (None if asked.of_now else _SO_SUPPOSED.match(clause))
    if not then:
        return clause
    if then.groupdict().get("out") and "without" not in asked.whole:
        return clause
    if content(then["then"]) and content(then["then"]) <= asked.supposed:
        return clause[then.end() :]
    if asked.of_now and (content(then["then"]) <= asked.words - {asked.subject} or _IN_HIS_HAND.match(then["then"])):
        return f"{clause[then.end() :].rstrip(' .!')} {then.group().strip(' ,')}"  # its subject stands first again
    return clause
