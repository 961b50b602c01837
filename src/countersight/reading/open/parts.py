"""Which part of a reply takes up an open question, and which of its words can be the answer."""

import re
from typing import Final

from countersight.reading.language.clauses import MODAL, clauses, stated
from countersight.reading.language.opposites import states
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of, found, words

DETERMINER: Final = any_of("questions.determiners")
PALE: Final = words("questions.empty") | words("options.pale") | words("open.passing")
"""Words that answer nothing by themselves."""
WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*(?:'(?!s\b|re\b|d\b|ll\b)[^\W\d_]+)?|[$€£]?\d+(?:[.:]\d\d)?")
GENERAL: Final = words("open.general")
"""Names that everybody goes by, or every thing: who or what it is remains to be said."""
CONCLUSION: Final = found("yes_no.conclusions")
COLOUR_ASKED: Final = re.compile(r"\bcolou?r\b", re.IGNORECASE)
ASKS_WHO: Final = re.compile(r"\W*who\b", re.IGNORECASE)
ASKS_WHO_OR_WHAT: Final = re.compile(r"\W*(?:who|what) (?:is|are|was|were)\b", re.IGNORECASE)
ASIDE: Final = re.compile(rf"\W*(?:but |and |so )?{any_of('open.asides')}", re.IGNORECASE)
"""What speaks of the looking, or of what one might think: "it's hard to see"."""
LEAD: Final = re.compile(
    rf"^\W*{any_of('open.leads')}\b.*?,\s+(?=[^,]*?(?:{any_of('worlds.clause_verbs')}|{MODAL}|\b(?:look|seem|appear)s?\b)"
    r"|(?:i|he|she|it|they|we|you)\b)",
    re.IGNORECASE,
)
"""Where an answer is taken from: "judging by its shape, …"."""
IS_SENTENCE: Final = re.compile(
    rf"\W*(?:(?:the|this|that|his|her|an?) \w+ \w+[^su\W]s \w+\W*$"
    rf"|an? \w+ \w+[^su\W]s {any_of('questions.determiners', 'questions.prepositions')})",
    re.IGNORECASE,
)
"""What has a verb that does not help: "the headline contains umlauts", "a wok hangs on the wall"."""
_PREPOSITION = any_of("questions.prepositions")
_BY = re.compile(rf" {_PREPOSITION}", re.IGNORECASE)
_ASKS_WHERE = re.compile(r"\W*where\b", re.IGNORECASE)
_UNIT = re.compile(rf" {any_of('counts.units')}", re.IGNORECASE)
_SHOP = re.compile(r"'s(?=\W*$)")  # "a barber's"
# "The woman across from him", "the man in the back row with the beard": who it is.
_BESIDE = re.compile(
    rf"(?: (?:across from|next to|in front of|{_PREPOSITION}) (?:him|her|it|them|{DETERMINER} (?:[\w-]+ )??[\w-]+))+"
    rf"(?=\W*$|[,;:]| to |\s*{MODAL}| (?:is|are|was|were|has)\b)",
    re.IGNORECASE,
)
# "What is the man in the vest pushing", "what is she looking for": the last of such words, and what goes with it.
_ASKS_WHAT_IT_DOES = re.compile(
    rf"\W*(?:what|who|where|which)(?: \w+)? (?:is|are|was|were) (?!the \w+ of\b)(?:{DETERMINER}|he|she|it|they|you)\b"
    rf".*\b(?!{any_of('open.no_verbs')})(?P<verb>\w{{2,}}ing)\b(?: (?P<by>{_PREPOSITION}|for|of|as|like)(?=\W*$))?",
    re.IGNORECASE,
)
_HELPING = any_of("questions.helping")
_ASKS_WHAT_DOES_IT = re.compile(
    rf"\W*(?:(?:what|who|which)(?: \w+){{0,3}} (?:is|are|was|were) (?:\w+ly )?(?=\w+ing\b)"
    rf"|(?:who|what(?= \w+s\b)) (?!{_HELPING}|\w+ {_HELPING}))(?P<verb>\w+)",
    re.IGNORECASE,
)
_RANK = re.compile(r"\b(?:second|third|fourth|fifth|next)\b", re.IGNORECASE)
_RANKED = re.compile(r"\b(?:\w{3,}est|most|least|first)\b|\w, \w", re.IGNORECASE)
_SIDE = re.compile(r"\b(?:the|his|her|its|their|far) (left|right)\b")
_DOER = re.compile(r"\W*(?:but |and |so )?(?P<who>the (?:[\w'-]+ ){1,3}?)(?:is|are|was|were) \w+ing\b", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:not|nobody|no one|never|without)\b|n't\b", re.IGNORECASE)
_IT_IS = re.compile(
    r"\W*(?:but |so |and )?(?:it|this|that|they|these|those)(?:'s|'re| is| are| was| were)\b(?! \w+ing\b| what\b)",
    re.IGNORECASE,
)
ASKS_HOW_IT_IS: Final = re.compile(
    r"\b(?:colou?r|look|like|weather|kind|sort|state|condition|mood|expression|feel\w*|shape|style|pattern)\b|\bbe\W*$",
    re.IGNORECASE,
)
_IS_BEFORE = re.compile(
    rf"(?:\b(?:been|being|is|are|was|were|has|have|had|gets|looks|seems|appears)|{any_of('open.being')}|'s|'re|'ve)"
    r"(?: \w+ly| not| still| all| very| too)*\s*$",
    re.IGNORECASE,
)
_SUBJECT_BEFORE = re.compile(r"\b(?:he|she|it|they|who|that|which|i|you|we)(?: \w+ly| also| all)*\s*$", re.IGNORECASE)
_COLOUR = any_of("open.colours")
_COLOURS = re.compile(rf"{_COLOUR}(?:(?:,? and |, |[- ]){_COLOUR})*", re.IGNORECASE)
_PLACE_OF = re.compile(rf" (?:{_PREPOSITION}|that|which|who|of) ", re.IGNORECASE)
_ADJECTIVES: Final = words("open.adjectives")
_ENDINGS = ("ed", "ing", "ful", "less", "ous", "able", "ible")
_SHORT = 5  # letters of a word that may be a name in spite of its ending: "bed", "ring"
_NO_NAMES: Final = words("open.no_names")
# "A lighthouse, painted in red", "oil, I think": one or two words and a remark on them, which is no further thing.
_NAMED_FIRST = re.compile(
    rf"\W*(?P<name>(?:{DETERMINER} (?:[\w-]+ )?)?[\w-]+(?: [\w-]+)?), (?:i(?:'m)? (?:think|guess|believe|afraid)\b"
    rf"|(?P<rest>(?:\w+(?:ed|ing),? {_PREPOSITION}|(?:with|like|judging by)\b|\w+ly(?: enough)?\W*$).*))",
    re.IGNORECASE | re.DOTALL,
)
_FINITE = re.compile(rf"{any_of('worlds.clause_verbs')}|'re\b|{MODAL}", re.IGNORECASE)


def stems_of(text: str) -> set[str]:
    """The words of a text that say something, without their endings."""
    return {stem(word.lower()) for word in WORD.findall(text) if word.lower() not in PALE}


def part_taking_up(parts: list[str], question: str) -> str | None:
    """The part that says most of what the question asks, of several alike the first, unless a later one concludes."""
    known, asked = stems_of(question), verb_asked(question)
    best, chosen = -1, None
    every = [clause for part in parts for clause in clauses(part)]
    for part in _of_the_asked(every, question):
        has_verb = place_by_its_verb(part, question) is not None
        if asked and not has_verb and not _IT_IS.search(part):
            continue  # "there's a cement mixer behind him", to what he is pushing
        share = len(known & stems_of(part)) + 2 * has_verb + bool(_IT_IS.match(part))
        if share > best or (share == best and CONCLUSION.search(part)):
            best, chosen = share, part
    return chosen


def _of_the_asked(parts: list[str], question: str) -> list[str]:
    own = [part for part in parts if not is_of_another(part, question)]
    if _NEGATED.search(question):  # what is not so is concluded from what is
        return [part for part in own if len(parts) == 1 or CONCLUSION.search(part)]
    return [part for part in own if not _NEGATED.search(part)]


def colour_told(parts: list[str], question: str) -> str | None:
    """The colour that a reply gives to what was asked: "the scarf is red", "a red scarf"; None where it gives two."""
    known, told = stems_of(question), {}
    for part in _of_the_asked(parts, question):
        for colour in _COLOURS.finditer(part):
            before, noun = part[: colour.start()], WORD.match(part, colour.end() + 1)
            subject = stems_of(_PLACE_OF.split(before)[0])
            is_its_own = noun and (stem(noun.group().lower()) in known or noun.group().lower() in ("one", "ones"))
            is_said = (not noun or noun.group().lower() in PALE) and _IS_BEFORE.search(before)
            if is_its_own or (is_said and (not subject or subject & known)):
                told[colour.group().lower()] = colour.group()
    return next(iter(told.values())) if len(told) == 1 else None


def is_elsewhere(part: str, question: str) -> bool:
    """Whether it tells of the other side: "in his right hand …", to what is in the left."""
    said, asked = (set(_SIDE.findall(text.lower())) for text in (part, question))
    return bool(asked) and bool(said) and not said & asked


def is_of_another(part: str, question: str) -> bool:
    """Whether a part tells of the other side, of the tallest where the second was asked for, or of who else does it."""
    rank = _RANK.search(question)
    if rank and rank.group().lower() not in part.lower() and _RANKED.search(part):
        return True
    if is_elsewhere(part, question):
        return True
    doer = _DOER.match(part)
    return bool(doer and _ASKS_WHAT_IT_DOES.match(stated(question)) and not stems_of(doer["who"]) & stems_of(question))


def verb_asked(question: str) -> re.Match[str] | None:
    """The verb of what somebody or something does, where a question asks who does it, or what is done."""
    return _ASKS_WHAT_DOES_IT.match(question) or _ASKS_WHAT_IT_DOES.match(stated(question))


def place_by_its_verb(main: str, question: str) -> tuple[int, int] | None:
    """Where the answer stands in a clause that has the question's own verb: behind it, or before it."""
    asked = verb_asked(question)
    said = [
        token for token in WORD.finditer(main) if asked and stem(token.group().lower()) == stem(asked["verb"].lower())
    ]
    if not asked or not said:
        return None
    if by := asked.groupdict().get("by"):
        place = re.compile(rf" (?:\w+ ){{0,2}}?{by}\b", re.IGNORECASE).match(main, said[-1].end())
        return (place.end(), len(main)) if place else None
    # "At the end stands a lighthouse", to what stands there, has its answer behind the verb, too.
    is_before = asked.re is _ASKS_WHAT_DOES_IT and stems_of(main[: said[-1].start()]) - stems_of(question)
    if is_before:
        return 0, said[-1].start()
    is_beside = asked.re is _ASKS_WHAT_IT_DOES and _BY.match(main, said[-1].end()) and not _ASKS_WHERE.match(question)
    return (0, 0) if is_beside else (said[-1].end(), len(main))  # "she is drawing with chalk", to what she is drawing


def can_answer(last: str, before: str, question: str) -> bool:
    """Whether new words can be a name: not what is done ("is kneeling"), how it is ("it's difficult"), or a remark."""
    word = last.lower()
    if word in GENERAL and ASKS_WHO_OR_WHAT.match(question):
        return False  # "the person holding it", to who is holding it
    if word in _NO_NAMES or ASKS_HOW_IT_IS.search(stated(question)):
        return word not in _NO_NAMES
    if _IS_BEFORE.search(before):
        return not (word in _ADJECTIVES or states(word) or (word.endswith(_ENDINGS) and len(word) > _SHORT))
    return not _SUBJECT_BEFORE.search(before)


def named_first(piece: str) -> str | None:
    """The name that a sentence opens with where all else is a remark: "A lighthouse, painted in red and white."."""
    opening = _NAMED_FIRST.match(piece)
    if not opening or _FINITE.search(opening["rest"] or ""):
        return None
    last = opening["name"].split()[-1].lower()
    return None if last in PALE or last in _NO_NAMES or last.endswith("ly") else opening["name"]


def end_of_the_name(main: str, last: re.Match[str], question: str) -> int:
    """Where a name ends that has its last new word there: a unit, the question's own noun, or who it is, may follow."""
    more = (_UNIT if last.group().isdigit() else _SHOP).match(main, last.end())
    if not more and ASKS_WHO.match(question):
        more = _BESIDE.match(main, last.end())
    elif not more and (noun := WORD.match(main, last.end() + 1)) and not COLOUR_ASKED.search(question):
        is_asked = rf"\b(?:(?:{DETERMINER}|of)(?: \w+)?|which) {re.escape(noun.group())}s?\b"
        more = noun if noun.group().lower() not in PALE and re.search(is_asked, question, re.IGNORECASE) else None
    return (more or last).end()
