"""Whether a clause says in the question's own words what was asked."""

import re

from countersight.reading.language.asked import HIS, Asked, content, first_word
from countersight.reading.language.clauses import MODAL_AT, supposed, supposes_first
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of, found, words
from countersight.reading.language.whereabouts import is_elsewhere
from countersight.reading.yes_or_no.named_only import is_only_named, is_placed_elsewhere
from countersight.reading.yes_or_no.negation import AUXILIARY, NEGATION_WORD, SHORT_NOT, without_negation

LEADS = rf"\W*(?:{any_of('fates.leads')}[\s,]+)*"
"""What a clause may open with and still say the same."""
# The parts of a short answer: "so", "it", "still would", "be", "one", "the case".
_BEGINS = r"^\W*(?:(?:then|so|but|however|i (?:think|believe))\W+)*"
_WHO = (
    r"(?P<subject>it|they|he|she|there|this|that|these|those|we|you|i|(?:the|a|an|his|her|its|their|my)\s\w+"
    r"(?: \w+){0,3}?)"
)
_HELPS = r"(?:'d|\s+(?:\w+ly\s+|still\s+|then\s+)?(?:would|will|is|are|does|do|did|was|were|has|have|can|could|should))"
_IS_SOME = r"(?:\s+(?:\w+ly|still))?(?:\s+(?:be|have|do(?: it| so| that)?))?(?P<some>\s+(?:one|some|ones)(?: there)?)?"
_IS_SO = r"(?:\s+(?:easily|well|so|still|the case|correct|right|true|likely|possible(?: to)?|able to|to))?\W*$"
_ELLIPSIS = re.compile(f"{_BEGINS}{_WHO}{_HELPS}{_IS_SOME}{_IS_SO}", re.IGNORECASE)
_DOES_IT = re.compile(
    rf"{_BEGINS}{_WHO}(?:'d|'ll|\s+(?:would|will|can|could|does|do|did))(?: \w+ly| still)?"
    r" (?P<verb>(?!\w+ing\b|be\b)[a-z]+)(?: to| at| on| in)? (?:it|them|him|one|there)\W*$",
    re.IGNORECASE,
)
_BY = re.compile(r"\bby\b|\bthere\b(?!\W*$)", re.IGNORECASE)
_NO_CONDITION = r"(?! [\w ]{1,20} to spare| such| ease| the (?:current|wind|tide|flow|waves|stream)\b)"
_NO_HELP = r"(?! \w+ing\b| (?:any|some)(?:one|body)\b)"
_CONDITION = re.compile(
    rf"\b(?:with{_NO_CONDITION}|without{_NO_HELP}|unless|only|by(?= \w+ing\b)|until)\b(?P<what>.*)", re.IGNORECASE
)
_OBJECT = re.compile(r"\s+(?:up|off|down|out|back|over) (?:the|an?|his|her|its|their)\b", re.IGNORECASE)
_NO_REASON = re.compile(r"\bno (?:reason|need|cause) (?:to|for)\b", re.IGNORECASE)
_NOT_DONE = found("yes_no.not_done")
_AT_ONCE = r"(?! an? (?:few|while|moment|minute|second|hour|short|long|time))"
_UP_TO_WOULD = r"(?: (?!(?:there|it|he|she|they)(?:'d|'ll| would| will)\b)[^\s,;]+)*"
_LATER = re.compile(
    r"\b(?:once|as soon as|(?:after|when)(?= (?:the|an?|it|he|she|they|his|her|its|\w+ed)\b))"
    rf"{_AT_ONCE}(?P<what>{_UP_TO_WOULD})",
    re.IGNORECASE,
)
_WOULD_BE = re.compile(r"\bwould (?:be|have been)\b|\b(?:should|ought to)\b", re.IGNORECASE)
# "Neither … nor …"; "a photo can't tell whether it is moving"
_LEFT_OPEN = re.compile(
    r"(?:\bnot|n't) mean\b|\bneither\b.{0,200}\bnor\b|\b(?:tell|say|know|show|reveal|judge|determine)s?(?: us| me)?"
    r" (?:whether|if)\b",
    re.IGNORECASE,
)
_OWNED = re.compile(r"^\W*the \w+'s (?P<what>\w+)", re.IGNORECASE)
_AWAY = re.compile(r"\baway from\b", re.IGNORECASE)  # to look away from the ball is not to look at it
_WITHOUT = re.compile(r"\W*(?:but )?without (?P<what>(?:\w+ )?\w+)", re.IGNORECASE)
_IS_SEEN = re.compile(r"\b(?:visible|seen)\b", re.IGNORECASE)
_SIDE_OF = re.compile(r"\b(?:left|right) of\b", re.IGNORECASE)
_HIS_LEFT = re.compile(r"\b(?:his|her|its|their) (?:left|right)\W*$", re.IGNORECASE)
_NO_MORE = re.compile(r"\b(?:ago|used to|formerly|earlier today)\b", re.IGNORECASE)
_OWNER = re.compile(r"\b(?!it|he|she|that|there|what|who|here)\w+'s (?=[a-z]+\b(?<!ing)(?<!ed))", re.IGNORECASE)
_HELD_SO = re.compile(r"\bhave (?:his|her|its|their) \w+ (?P<so>up|down|out|in|on|off|back)\W*$", re.IGNORECASE)
_ASKS_WHAT_IT_IS = re.compile(r"\W*(?:is|are) the [\w ]+ an? (?P<what>\w+)\W*$", re.IGNORECASE)
_LEFT_OR_RIGHT = re.compile(r"\b(?:left|right)\b")
_SEES = re.compile(r"\bsee\b", re.IGNORECASE)
_IF_IT_HAD = re.compile(
    r"\b(?:if|unless) (?:it|he|she|they|there|the \w+) (?:had|were|was|has|is|wore)\b", re.IGNORECASE
)
# "If that were all, he would pass", "were it not for the crates": something else is there.
_IF_ONLY = re.compile(
    r"\bif (?:that|this|it|the \w+) (?:were|was) (?:all|everything|the only|(?:only|just)(?= (?:it|th\w+|an?)\b))"
    r"|\bif it (?:were|was)(?:n't| not) for\b|\bwere it not for\b|^\W*but for the\b",
    re.IGNORECASE,
)
_ITS = re.compile(r"\W*(?:its|his|her|their) ", re.IGNORECASE)  # "its arm would reach it", to whether the crane would
_TAKES_IT = re.compile(
    r"\b(?P<verb>\w+)(?: (?:at|to|for|on|toward|towards|into|onto|over|through|from|by|under|with))?"
    r" (?:it|them|him|(?:her|one|there)(?=\W*$|[,;]| (?:at|in|on|with|and|to|from|by|if|because|as|around)\b))\b",
    re.IGNORECASE,
)
_THE = r"(?:the|an?|his|her|its|their)"
_NAMED = re.compile(
    rf"{LEADS}(?P<who>it|they|he|she|this|(?:{_THE}|one|two|three|some)(?: [a-z]+){{1,3}}?) (?P<verb>[a-z]+)",
    re.IGNORECASE,
)
_NEAR = r"(?:in|on|at|with|behind|near|by|under|from)"
_WITH_A_PLACE = re.compile(
    rf"^\W*\w+ {_THE} (?:\w+ )??(?P<what>\w+) (?P<place>{_NEAR} (?:{_THE} )?(?:\w+ ){{0,2}}?\w+)"
    r" (?=\w+(?:ing|ed)\b|(?:be|have|win|wear|still|already)\b)",
    re.IGNORECASE,
)
_WITH_ITS_OWNER = re.compile(r"\b(?P<kind>[a-z]+)'s (?P<what>[a-z]+)\b")
_OWNERS = re.compile(r"\b[a-z]+(?='s\b)", re.IGNORECASE)
_KINDS = words("questions.kinds")
_WITH_ITS_KIND = re.compile(r"\bthe (?P<kind>[a-z]+) (?P<what>[a-z]+)\b")
GONE = frozenset(map(stem, ("gone", "removed", "away", "taken", "take", "pull", "missing", "moved", "help", "out")))
"""Stems of the words that only say that something is not there."""
_WHOLE = frozenset(map(stem, ("whole", "full", "entire", "long")))
_MOTION = frozenset(map(stem, words("fates.motion")))
PLACES = frozenset(map(stem, words("questions.prepositions")))
"""Stems of the words that tell a place by a thing."""
_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
PRONOUN = re.compile(r"^\W*(?:(?:and|but|so|then)\s+)?(?P<who>it|they|he|she|this|that|these|those)\b", re.IGNORECASE)
HELPING_VERB = re.compile(rf"{AUXILIARY}|'d\b|n't\b", re.IGNORECASE)


def says_it_all(clause: str, asked: Asked) -> bool:
    """Whether a clause says all that was asked and nothing else, denied or not."""
    return without_negation(clause) == asked.words


def is_short_answer(clause: str, asked: Asked) -> bool:
    """Whether the rest of a clause is in the question: "It would not be.", "There would be one."."""
    if asked.words <= {asked.subject}:
        verb = asked.text.rstrip(" ?").rpartition(" ")[2]  # one that means little by itself: "it wouldn't turn"
        clause = clause.rstrip(" .!").removesuffix(f" {verb}")
    if not asked.negated and _does_it(clause, asked):
        return True
    # "It would", to "would it not be wide?", may mean either.
    found = _ELLIPSIS.match(NEGATION_WORD.sub("", SHORT_NOT.sub("", clause)).replace("  ", " "))
    if not found or asked.negated or (found["some"] and (asked.counts or found["subject"].lower() != "there")):
        return False
    return content(found["subject"]) <= asked.words


def _does_it(clause: str, asked: Asked) -> bool:
    """Whether a clause has the question's verb and no more, if that means little by itself: "he'd get it"."""
    deed = _DOES_IT.match(NEGATION_WORD.sub("", SHORT_NOT.sub("", clause)).replace("  ", " "))
    if deed is None or not content(deed["subject"]) <= asked.words:
        return False
    return stem(deed["verb"].lower()) in {stem(word.lower()) for word in _WORD.findall(asked.text)}


def taken_up(before: str, clause: str, asked: Asked) -> str:
    """A clause with the verb it is short for, where the question has another: "the rope would sink, it wouldn't"."""
    modal = MODAL_AT.search(before)
    if not modal or modal.group().lower()[:4] not in clause.lower() or not is_short_answer(clause, asked):
        return clause
    verb = first_word(before[modal.end() :])
    return clause if verb in asked.words | {""} else f"{clause.rstrip(' .!')} {before[modal.end() :].strip()}"


def supposes_another(piece: str, asked: Asked) -> bool:
    """Whether a reply answers for a case that the question does not speak of: "If it were awake, yes."."""
    if _IF_ONLY.search(piece) or _holds_later(piece, asked):
        return True
    told = content(supposed(piece)) if supposes_first(piece) or _IF_IT_HAD.search(piece) else frozenset[str]()
    if asked.adds and (without := _WITHOUT.match(piece)) and content(without["what"]) & asked.supposed:
        return True  # "without the cover it would die", to whether it would if it had one
    return bool(told - GONE) and not told & (asked.words | asked.supposed)  # "take it away and …"


def says_no_more(clause: str, asked: Asked) -> bool:
    """Whether a clause says nothing that the question did not ask: "the trees would be bare" is no "snowy"."""
    said = without_negation(clause)
    kind = _ASKS_WHAT_IT_IS.match(asked.text)
    if kind and stem(kind["what"].lower()) not in said and not is_short_answer(clause, asked):
        return False  # "somebody is behind the curtain", to whether the person behind it is a child
    alone = len(said) == 1 and not PRONOUN.match(clause)  # "the wind would get in"
    if said <= {asked.subject} and _IS_SEEN.search(clause) and _SEES.search(asked.text):
        return False  # "the deer would be visible", to whether it would see the hunter
    if _HIS_LEFT.search(clause) or (_SIDE_OF.search(asked.text) and said < asked.words and not PRONOUN.match(clause)):
        return False  # "the woman is on the left", to whether she is to the left of the man
    if (asked.subject in said or alone) and is_turned_round(clause, asked):
        return False
    if asked.subject and said == {asked.subject} and PRONOUN.match(clause):
        return False  # "it couldn't get to the swimmer", to whether she would be safe
    all_of_it = said == (asked.words - named_by(asked) if asked.of_now and PRONOUN.match(clause) else asked.words)
    return bool(said) and said <= asked.words and (all_of_it or bool(HELPING_VERB.search(clause)))


def covers(clause: str, asked: Asked) -> bool:
    """Whether a clause says all that the question asked, of its own subject, and something more."""
    verb = HELPING_VERB.search(clause) or (plain_verb(clause, asked) if asked.of_now else None)
    of_it = PRONOUN.match(clause)
    if (
        of_it
        and of_it["who"].lower() in ("he", "she")
        and not (asked.people or asked.persons or HIS.search(asked.text))
    ):
        return False  # "he would go out", to whether the fire would
    if not verb or not asked.words or (is_turned_round(clause, asked) and not of_it):
        return False
    if _NO_MORE.search(clause) or NEGATION_WORD.search(clause[: verb.end()]):
        return False  # "it was red a moment ago"
    own = clause if _OWNER.search(asked.text) else _OWNER.sub(" ", clause)  # the bird's shadow is no bird
    said, subject = content(own), content(clause[: verb.start()])
    elsewhere = (content(_up_to(clause, asked.words)) - asked.words) & PLACES  # "off the table" is not on it
    if has_a_condition(clause, asked) or (_AWAY.search(clause) and not _AWAY.search(asked.text)):
        return False
    told = _up_to(clause, asked.words)
    if _OBJECT.match(clause, len(told)) and not _MOTION & content(told.split(" ")[-1]):
        return False  # "the bridge would hold up the traffic", to whether it would hold
    if len({*_LEFT_OR_RIGHT.findall(clause.lower())}) > 1 and _LEFT_OR_RIGHT.search(asked.text.lower()):
        return False  # "it is on the left and points to the right"
    if asked.of_now and (is_only_named(clause, asked) or is_placed_elsewhere(clause, asked)):
        return False
    if asked.words == {asked.subject} or is_elsewhere(clause, asked.text):
        return False  # "it would melt", to whether it would still be there
    needed = asked.words - named_by(asked) if of_it or _ITS.match(clause) else asked.words
    needed -= _called_it(clause[verb.end() :], asked) | _left_out(clause, asked)
    known = asked.words | (asked.supposed if asked.subject in asked.words | {""} else frozenset())
    return bool(needed) and needed <= said and subject <= known and not elsewhere


def plain_verb(clause: str, asked: Asked) -> re.Match[str] | None:
    """What stands before a verb of the question that no "is" or "does" helps: "it chases the ball across the sand"."""
    lead = _NAMED.match(clause)
    if not lead or stem(lead["verb"].lower()) not in asked.words - {asked.subject}:
        return None
    return re.compile(re.escape(lead["who"])).match(clause, lead.start("who"))


def _left_out(clause: str, asked: Asked) -> frozenset[str]:
    """Words that only tell which one, where a clause goes without: the "black" of "the black rook", in "the rook"."""
    said = clause.lower()
    named = (pair for pair in _WITH_ITS_KIND.finditer(asked.text.lower()) if f"the {pair['what']}" in said)
    place = _WITH_A_PLACE.match(asked.text)
    which = content(place["place"]) if place and f"the {place['what'].lower()} " in said else frozenset[str]()
    owned = (pair for pair in _WITH_ITS_OWNER.finditer(asked.text.lower()) if f"the {pair['what']}" in said)
    kinds = (pair["kind"] for pairs in (named, owned) for pair in pairs)
    return frozenset(stem(kind) for kind in kinds if kind not in said) | (which - content(clause))


def called_by(asked: Asked) -> frozenset[str]:
    """The words for what was asked about: of the old man, the man too."""
    kind = _WITH_ITS_KIND.search(asked.text.lower())
    if not kind or kind["kind"] not in _KINDS or stem(kind["kind"]) != asked.subject:
        return frozenset({asked.subject})
    return frozenset({asked.subject} | ({stem(kind["what"])} if asked.whole.count(kind["what"]) == 1 else set()))


def named_by(asked: Asked) -> frozenset[str]:
    """The words that a pronoun stands for: the woman in the green coat."""
    place = _WITH_A_PLACE.match(asked.text)
    owners = content(" ".join(_OWNERS.findall(asked.text)))
    return frozenset({*called_by(asked), *owners, *(content(place["place"]) if place else ())})


def _called_it(told: str, asked: Asked) -> frozenset[str]:
    """What is called "it" and named in the question after the same verb: the shelf, in "she could reach it"."""
    for taken in _TAKES_IT.finditer(told):
        verb = stem(taken["verb"].lower())
        places = [found.end() for found in _WORD.finditer(asked.text) if stem(found.group().lower()) == verb]
        if verb in asked.words and places:
            return content(asked.text[places[0] :]) - {verb}
    return frozenset()


def leaves_open(clause: str) -> bool:
    """Whether a clause says "neither … nor …", or that something cannot tell whether it is so."""
    return bool(_LEFT_OPEN.search(clause))


def is_of_the_owned(clause: str, asked: Asked) -> bool:
    """Whether a clause is about what somebody has: "the boy's hat would fall", to whether he would."""
    owned = _OWNED.match(clause)
    return owned is not None and not content(owned["what"]) & asked.words


def is_not_done(clause: str, asked: Asked) -> bool:
    """Whether a clause has the question's words, but only wants it, ends it, or holds it at another time."""
    held = _HELD_SO.search(asked.text) if content(clause) - asked.words else None
    if _NO_REASON.search(clause) or (held and f" {held['so']}" not in clause.lower()):
        return True  # "it has lowered its head", to whether it has its head up
    if NEGATION_WORD.search(clause):
        return False
    if any(found.group() not in asked.text.lower() for found in _NOT_DONE.finditer(clause.lower())):
        return True
    return _holds_later(clause, asked) or (asked.of_now and bool(_WOULD_BE.search(clause)))  # "… be sleeping at night"


def _holds_later(clause: str, asked: Asked) -> bool:
    """Whether it is so only after something else: "it would work once a new bulb is put in"."""
    return _brings_in_another(_LATER.search(clause), asked)


def is_turned_round(clause: str, asked: Asked) -> bool:
    """Whether a clause begins with another word of the question: "the bird sees the cat", for the cat the bird."""
    return first_word(clause) in asked.words - {asked.subject, ""} and not _BY.search(clause)


def has_a_condition(clause: str, asked: Asked) -> bool:
    """Whether a clause holds on another condition than the question's: "it would start with jumper cables"."""
    return not asked.of_now and _brings_in_another(_CONDITION.search(clause), asked)


def _brings_in_another(condition: re.Match[str] | None, asked: Asked) -> bool:
    """Whether a condition speaks of what the question neither asks nor supposes."""
    if condition is None:
        return False
    told = content(condition["what"])
    # "once the pawn is gone", to "if it was removed"
    return bool(told - asked.words - asked.supposed - (GONE | _WHOLE if told & asked.supposed else frozenset()))


def _up_to(clause: str, asked: frozenset[str]) -> str:
    """The clause up to the last of its words that was asked: what follows adds to it."""
    ends = (found.end() for found in _WORD.finditer(clause) if stem(found.group().lower()) in asked)
    return clause[: max(ends, default=None)]
