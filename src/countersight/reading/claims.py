"""What a clause without a yes or a no in it says to a yes-or-no question."""

import re

from countersight.reading.asked import CONTRARY, NOBODY, Asked, compared, content, first_word, same_order
from countersight.reading.clauses import MODAL
from countersight.reading.negation import AUXILIARY, NEGATED, NEGATION_WORD, SHORT_NOT, without_negation
from countersight.reading.numerals import numerals
from countersight.reading.obstacles import STAYING, freed, is_hindered
from countersight.reading.of_several import is_none_of_them, of_all, of_anyone
from countersight.reading.opposites import SIDES, opposed, opposed_stems, states, told_of
from countersight.reading.stems import counted_words, stem
from countersight.reading.vocabulary import any_of, found, words

_VERB = re.compile(rf"{AUXILIARY}|'d\b|n't\b", re.IGNORECASE)
_FIRST_VERB = re.compile(
    rf"{MODAL}|\b(?:is|are|was|were|has|have|had)\b|{any_of('yes_no.change_verbs')}|'s\b|'re\b|n't\b", re.IGNORECASE
)
_HEDGE = found("yes_no.hedges")
_CAN = re.compile(r"\b(?:can|could)\b", re.IGNORECASE)
_FAILING = found("yes_no.failing")
_KEPT_FROM = re.compile(
    rf"^.{{0,80}}{MODAL} (?:prevent|stop|keep) (?P<who>(?:the |a )?\w+) from (?P<what>\w+ing\b)", re.IGNORECASE
)
_STOPS_DOING = re.compile(r"\bstops?(?= \w+ing\b)", re.IGNORECASE)
_BY = re.compile(r"\bby\b|\bthere\b", re.IGNORECASE)
_SPEAKER = re.compile(r"\W*i\b", re.IGNORECASE)
_ANYBODY = frozenset({stem("person")})
_DONE_BY_NOBODY = re.compile(rf"^\W*(?:nothing|nobody|no one) {MODAL} (?P<verb>\w+) (?P<what>.*)", re.IGNORECASE)
# The word right before a state, where the state is what the verb says of its subject.
_LINK = re.compile(rf"{any_of('yes_no.links')}\s+$", re.IGNORECASE)
# "Pressing the switch would turn it on": "it" is what was asked about, whoever turns it on.
_CAUSE = re.compile(rf"{any_of('yes_no.causing')}\s+(?P<what>it|them|the \w+(?: \w+)?)\s+$", re.IGNORECASE)
_THEN = re.compile(
    r"\W*(?:at|in|during|on|under|with)\s+(?P<then>[\w ]{1,30}?),?\s+(?=(?:it|they|there|he|she|the)\b)", re.IGNORECASE
)
# The parts of a short answer: "so", "it", "still would", "be", "one", "the case".
_BEGINS = r"^\W*(?:(?:then|so|but|however|i (?:think|believe))\W+)*"
_WHO = (
    r"(?P<subject>it|they|he|she|there|this|that|these|those|we|you|i|(?:the|a|an|his|her|its|their|my)\s\w+"
    r"(?: \w+){0,3}?)"
)
_HELPS = r"(?:'d|\s+(?:\w+ly\s+|still\s+|then\s+)?(?:would|will|is|are|does|do|did|was|were|has|have|can|could|should))"
_IS_SOME = r"(?:\s+(?:\w+ly|still))?(?:\s+(?:be|have|do))?(?P<some>\s+(?:one|some|ones)(?: there)?)?"
_IS_SO = r"(?:\s+(?:so|still|the case|correct|right|true|likely|possible(?: to)?|able to|to))?\W*$"
_ELLIPSIS = re.compile(f"{_BEGINS}{_WHO}{_HELPS}{_IS_SOME}{_IS_SO}", re.IGNORECASE)
_OPINION = re.compile(rf"^\W*(?:(?:and|but|so)\s+)?{any_of('yes_no.opinions')},?\s+", re.IGNORECASE)
_DENYING_OPENING = re.compile(rf"^\W*{any_of('yes_no.denying_openings')}\s+(?=\w)", re.IGNORECASE)
_PRONOUN = re.compile(r"^\W*(?:(?:and|but|so|then)\s+)?(?P<who>it|they|he|she|this|that|these|those)\b", re.IGNORECASE)
_PEOPLE = frozenset({"he", "she"})
_WITHOUT_TROUBLE = re.compile(rf"\bwith(?:out| no) (?:any )?(?:\w+ )?{any_of('yes_no.obstacles')}", re.IGNORECASE)
_NONE_THERE = re.compile(r"\bthere\b[^,]{0,30}\bnone\b", re.IGNORECASE)
# "Not impossible" is less than a yes and no "no" at all.
_NOT = re.compile(r"\b(?:not|never|cannot)\b|n't\b", re.IGNORECASE)
_TWICE = re.compile(
    r"(?:\bnot|n't|\bnever|\bnor)\b.{0,30}\b(?:impossible|unlikely|unable)\b"
    r"|\b(?:impossible|unlikely|unable)\b.{0,30}(?:\bnot|n't|\bnever|\bno)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:with|without|unless|only|by(?= \w+ing\b)|until)\b(?P<what>.*)", re.IGNORECASE)
_OBJECT = re.compile(r"\s+(?:up|off|down|out|back|over) (?:the|an?|his|her|its|their)\b", re.IGNORECASE)
_ONLY = re.compile(r"\W*(?:only|just) ", re.IGNORECASE)
_WITH = re.compile(r"\bwith (?P<what>(?:the|his|her|its|their) \w+)\W*$", re.IGNORECASE)
_AS_MANY = re.compile(r"\b(?:same|equal) (?:number|amount)\b|\bequally many\b|\bas many\b.*\bas\b", re.IGNORECASE)
_EMPTINESS = frozenset({"empty", "deserted", "vacant"})
_NO_ONE_THERE = re.compile(
    r"^\W*(?:there(?:'s| is| are| would be) )?(?:not a (?:soul|single person)|nobody|no one|nothing)\b", re.IGNORECASE
)
_EMPTY_PLACE = re.compile(
    r"^\W*(?:then |so )?(?P<what>it|the \w+(?: \w+)?)(?:'s| is| was|'d be| would(?: then| probably| just)? (?:be|look))"
    r" (?:\w+ly )?(?:empty|bare|deserted|vacant)\b",
    re.IGNORECASE,
)
_LET_ALONE = re.compile(
    r"(?:\b(?:not|no|hardly|barely|scarcely)\b|n't\b).*\blet alone (?P<what>\w+(?: \w+)?)", re.IGNORECASE
)
# "It would find it impossible to reach the shelf": denied, though not by a "not" beside the verb.
_OTHER_DENIAL = found("yes_no.other_denials")
_NEITHER = re.compile(r"\bneither\b.*\bnor\b", re.IGNORECASE)
_PLACES = frozenset(map(stem, words("questions.prepositions")))
_ADDED = re.compile(rf",(?!.*(?:\b(?:not|no|but|if)\b|n't|,|{AUXILIARY}))", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_ADVERBS = re.compile(
    r"^\W*(?:very|quite|rather|pretty|still|really|\w{2,}ly)\s+|,? (?:indeed|i imagine|i think)\b", re.IGNORECASE
)


def asserted(clause: str, asked: Asked) -> str | None:
    """Yes or no, where a clause affirms or denies just what was asked; None where it says something else."""
    if clause.endswith("?") or _NEITHER.search(clause):
        return None
    if opening := _DENYING_OPENING.match(clause):
        claimed = asserted(clause[opening.end() :], asked)
        return None if claimed is None else ("no" if claimed == "yes" else "yes")
    if _is_twice_negated(clause):
        return None
    clause = _WITHOUT_TROUBLE.sub(" ", _OPINION.sub("", _after_then(clause, asked)))
    if asked.subject and _SPEAKER.match(clause):
        return None  # "I can't see a bird", to whether the cat sees one
    if not NEGATED.search(clause):
        kept = _KEPT_FROM.sub(r"\g<who> would not \g<what>", clause)
        clause = _FAILING.sub("does not", _STOPS_DOING.sub("does not", kept))
    if (beyond := _LET_ALONE.search(clause)) and content(beyond["what"]) & asked.words:
        return "yes" if asked.negated else "no"  # "hardly room for a cart, let alone a bus"
    if is_none_of_them(clause):
        return "yes" if asked.negated else "no"
    if asked.counts and (others := {n.value for n in numerals(clause)}) and not others & asked.numbers:
        return "no" if _ONLY.match(clause) and not asked.negated else None  # "only one could", to whether two could
    nobody = _DONE_BY_NOBODY.match(clause)
    if nobody and not asked.negated and stem(nobody["verb"].lower()) in asked.words & content(nobody["verb"]):
        return "no" if content(nobody["what"]) & asked.words else None  # "nothing would stop the dog"
    if asked.of_all and not asked.negated and (several := of_all(clause, asked, negated=bool(NEGATED.search(clause)))):
        return None if several == "open" else several
    contrary = None if asked.compares else CONTRARY.search(clause)
    if contrary:
        # "Blue, not yellow" denies what was asked; "yellow, not blue" affirms it.
        said = content(contrary["denied"])
        if said and said <= asked.words:
            return "yes" if asked.negated else "no"
        clause = clause[: contrary.start()]
    told = _claimed(clause, asked)
    if told is None and not asked.order and (added := _ADDED.search(clause)):
        told = _claimed(clause[: added.start()], asked)  # "it still could, through the gap"
    return None if told is None else ("yes" if told != asked.negated else "no")


def _claimed(clause: str, asked: Asked) -> bool | None:
    """Whether a clause says that what the question names is so, its own "not" aside."""
    negated = bool(NEGATED.search(clause))
    if _is_hedged(clause, asked) and not negated:
        return None
    free = freed(clause, asked)
    if free is not None:
        return free or None
    nobody = _NO_ONE_THERE.match(clause) if {*asked.states} & _EMPTINESS else None
    if nobody and content(clause[nobody.end() :]) <= asked.words:
        return True  # "there's not a soul on it", to whether the beach is empty
    if asked.of_being and (place := _EMPTY_PLACE.match(clause)) and content(place["what"]) <= asked.words:
        return False
    if not negated and is_hindered(clause, asked):
        return None
    if asked.of_anyone and (of_some := of_anyone(clause, asked, negated=negated)) is not None:
        return of_some
    if asked.order and not negated and _AS_MANY.search(clause):
        return False
    if asked.order and (order := compared(clause)):
        return None if negated else _ordered(clause, order, asked)
    told = _told(clause, asked)
    pronoun = _PRONOUN.match(clause) if asked.order else None
    if pronoun and pronoun["who"].lower() in _PEOPLE - asked.people:
        return None  # "he would be taller", to whether the girl would
    if told is not None and asked.order and not pronoun and _is_turned_round(clause, asked):
        return False if told and not negated else None  # "the boy is taller", to whether the girl is
    if told is not None:
        return told
    if not negated and _is_on_the_other_side(clause, asked):
        return False
    if asked.order and not _is_short_answer(clause, asked):
        return None
    if _is_short_answer(clause, asked) or _repeats(clause, asked):
        return not negated
    return True if not negated and not _OTHER_DENIAL.search(clause) and _covers(clause, asked) else None


def _is_on_the_other_side(clause: str, asked: Asked) -> bool:
    """Whether a clause repeats the question with the opposite place in it: "to the right of it", to "to the left"."""
    said, wanted = frozenset(counted_words(clause)), frozenset(counted_words(asked.text))
    places = {word for word in said - wanted if any(opposed_stems(word, other) for other in (wanted - said) & SIDES)}
    rest = said - wanted - places
    return bool(places) and not rest and not asked.negated


def repeats(clause: str, asked: Asked) -> bool:
    """Whether a clause says all that was asked and nothing else, denied or not."""
    return without_negation(clause) == asked.words


def _is_twice_negated(clause: str) -> bool:
    return bool(_TWICE.search(clause)) or len(_NOT.findall(clause)) > 1


def denied(clause: str, asked: Asked) -> str | None:
    """No, where a clause denies nothing but what the question asks or supposes: the weakest reading."""
    if (
        clause.endswith("?")
        or _is_twice_negated(clause)
        or asked.negated
        or not NEGATED.search(clause)
        or freed(clause, asked) is not None
    ):
        return None
    if asked.subject and _SPEAKER.match(_OPINION.sub("", clause)):
        return None
    # "It would not be blue" says neither that it would be yellow nor that it would not.
    if any(opposed(found.group().lower(), state) for found in states(clause) for state in asked.states):
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
    then = _THEN.match(clause)
    return clause[then.end() :] if then and content(then["then"]) <= asked.supposed else clause


def _is_hedged(clause: str, asked: Asked) -> bool:
    """Whether a clause leaves it open. To what could be, "could" is an answer."""
    return bool(_HEDGE.search(_CAN.sub(" ", clause) if asked.of_ability else clause))


def _told(clause: str, asked: Asked) -> bool | None:
    """Whether a clause tells the state that was asked for, or the opposite of it."""
    if not asked.states:
        return None
    bare = _ADVERBS.sub("", clause).strip(" .!,").lower()
    told = states(clause)
    if any(bare == state.group().lower() for state in states(bare)):
        return told_of(asked.states, [bare], negated=False)  # "Closed.", "Very dark indeed."
    verb = _FIRST_VERB.search(clause)
    if not verb:
        return None
    leads = [(state.group().lower(), clause[max(0, state.start() - 30) : state.start()]) for state in told]
    of_the_asked = content(SHORT_NOT.sub("", clause[: verb.start()])) <= asked.words
    said = [word for word, lead in leads if _is_made_so(lead, asked) or (of_the_asked and _LINK.search(lead))]
    return told_of(asked.states, said, negated=bool(NEGATED.search(clause)))


def _is_made_so(lead: str, asked: Asked) -> bool:
    """Whether something makes what was asked about so: "it would make the table unstable"."""
    cause = _CAUSE.search(lead)
    return cause is not None and content(cause["what"]) <= {asked.subject}


def _ordered(clause: str, order: tuple[str, ...], asked: Asked) -> bool | None:
    """Whether a comparison is the one asked for (True), the same the other way round, or the opposite one (False)."""
    same = same_order(clause, order, asked)
    # "The girl is shorter than the boy", to whether she is taller; "the boy is shorter" is left open.
    return _told(clause, asked) if same is None and order[0] == asked.order[0] else same


def _is_short_answer(clause: str, asked: Asked) -> bool:
    """Whether the rest of a clause is in the question: "It would not be.", "There would be one."."""
    # "It would", to "would it not be wide?", may mean either.
    found = _ELLIPSIS.match(NEGATION_WORD.sub("", SHORT_NOT.sub("", clause)).replace("  ", " "))
    if not found or asked.negated or (found["some"] and (asked.counts or found["subject"].lower() != "there")):
        return False
    return content(found["subject"]) <= asked.words


def _repeats(clause: str, asked: Asked) -> bool:
    """Whether a clause says nothing that the question did not ask: "the trees would be bare" is no "snowy"."""
    said = without_negation(clause)
    alone = len(said) == 1 and not _PRONOUN.match(clause)  # "the wind would get in"
    if (asked.subject in said or alone) and _is_turned_round(clause, asked):
        return False
    return bool(said) and said <= asked.words and (said == asked.words or bool(_VERB.search(clause)))


def _is_turned_round(clause: str, asked: Asked) -> bool:
    """Whether a clause begins with another word of the question: "the bird sees the cat", for the cat the bird."""
    return first_word(clause) in asked.words - {asked.subject, ""} and not _BY.search(clause)


def _covers(clause: str, asked: Asked) -> bool:
    """Whether a clause says all that the question asked, of its own subject, and something more."""
    verb = _VERB.search(clause)
    if not verb or not asked.words or _is_turned_round(clause, asked):
        return False
    said, subject = content(clause), content(clause[: verb.start()])
    elsewhere = (content(_up_to(clause, asked.words)) - asked.words) & _PLACES  # "off the table" is not on it
    condition = _CONDITION.search(clause)
    if condition and content(condition["what"]) - asked.words - asked.supposed:
        return False  # "it would start with jumper cables"
    if _OBJECT.match(clause, len(_up_to(clause, asked.words))):
        return False  # "the bridge would hold up the traffic", to whether it would hold
    needed = asked.words - {asked.subject} if _PRONOUN.match(clause) else asked.words
    return bool(needed) and needed <= said and subject <= asked.words | asked.supposed and not elsewhere


def _up_to(clause: str, asked: frozenset[str]) -> str:
    """The clause up to the last of its words that was asked: what follows adds to it."""
    ends = (found.end() for found in _WORD.finditer(clause) if stem(found.group().lower()) in asked)
    return clause[: max(ends, default=None)]
