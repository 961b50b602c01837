"""What a how-many question counts: its noun, what it says of that noun, and what it supposes."""

import re
from functools import lru_cache
from itertools import dropwhile, takewhile

import msgspec

from countersight.reading.language.clauses import asks_of_now, imagines, stated, supposed
from countersight.reading.language.numerals import numerals
from countersight.reading.language.stems import counted_words, spelled, stem
from countersight.reading.language.vocabulary import any_of, words
from countersight.text import NUMBER_WORDS

_HELPING = any_of("questions.helping")
_COUNT = r"\bhow many|(?:\bthe |^)(?:\w+ )?(?:number|count) of|^(?:please )?count(?: up)?(?: all)?(?: of)? the"
_COUNT_THE = re.compile(r"\W*(?:please )?count\b", re.IGNORECASE)
_HOW_MANY = re.compile(
    rf"(?:{_COUNT}) (?!(?:of (?:them|these|those) )?{_HELPING}\b)"
    rf"(?P<what>[^?.,]{{1,60}}?)(?:\s+(?P<verb>{_HELPING})(?P<rest>[^?]*)|[?.,]|$)",
    re.IGNORECASE,
)
# "If one of the swans flew off, how many would be on the lake?"
_HOW_MANY_OF_THEM = re.compile(
    rf"\bhow many(?P<what>(?: of (?:them|these|those))?) (?P<verb>{_HELPING}\b)(?P<rest>[^?]*)", re.IGNORECASE
)
_SHORT_NOT = re.compile(r"(?<=\b(?:do|is))n't\b|(?<=\b(?:are|did|has))n't\b|(?<=\b(?:does|have))n't\b", re.IGNORECASE)
_RIGHT_NOW = re.compile(r"\bright now\b", re.IGNORECASE)  # which is on no side
# "…, including the hidden one", "… in the frame", "… in the whole picture"
_INCLUDING = re.compile(
    r"(?<!not)(?:,| (?=including)) ?(?:including|counting) [^?,]*|\bin (?:the |this )?(?:frame|shot|view)\b"
    r"|(?<=\bthe )(?:whole|entire) (?=image|picture|photo|scene)",
    re.IGNORECASE,
)
_OF_ALL = re.compile(
    r"\b(?:altogether|in total|in all|overall|including|(?:on|in) or (?:above|under|near|beside|around))\b",
    re.IGNORECASE,
)
_ALTOGETHER = re.compile(r",? (?:altogether|in total|in all|overall)(?= (?:is|are)\b)", re.IGNORECASE)
_DIFFERENCE = re.compile(r"(?:more|fewer|less|additional|extra)\b", re.IGNORECASE)
_MORE_THAN = re.compile(r"\b(?:more|fewer|less) than (?:the|a|his|her|its|their)\b", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:(?<!or )not|without|no)\b|n't\b", re.IGNORECASE)
_OF_EACH = re.compile(r"\b(?:each|every|per|apiece)\b", re.IGNORECASE)
_PLACE = re.compile(r"\b(?:in|on|at|by|inside|under|behind|near|aboard) (?:(?:the|a|an|his|her|its|their|this) )?(\w+)")
_DOES = r"[a-z]+ed (?:the|an?|his|her|its|their) .*|[a-z]+(?<!ing)(?<!ed)(?<![^s]s)(?: .*|$)"
_SOMEWHERE = rf"(?: {any_of('questions.prepositions')} (?:the|an?|his|her|its|their|this) \w+(?= \w+ \w))"
# "Rowers wear a cap", "slices of pizza lie on the plate", "people in the queue wear hats"; not "men in the boat",
# "cups standing there", "fishing boats"
_DOING = re.compile(
    rf"(?:\w+ ){{0,3}}?(?:\w*[^\Ws]s|\w*men|{any_of('questions.plurals')})(?: of (?:the )?\w+|{_SOMEWHERE})? "
    rf"(?!{any_of('questions.prepositions', 'questions.no_verbs')})"
    rf"(?P<does>{_DOES})",
    re.IGNORECASE,
)
_DETERMINERS = words("questions.determiners")
_WORD_OR_NUMBER = re.compile(r"[a-z]+|\d+")
_PLURAL = re.compile(rf"\w*[^\Ws]s|\w*men|{any_of('questions.plurals')}")
_OF_THE = _DETERMINERS | {"of", "all", "more", "other", "new", "additional", "extra"} | words("open.colours")
_COUNTERS = (
    frozenset(NUMBER_WORDS) | {"another", "more"},
    _DETERMINERS - {"a", "an"} | {"of", "all", "are", "see", "several", "many"},
    {"a", "an"},
)
"""What stands before a thing that is counted, the surest first."""
_ONE = frozenset({"one", "1", "another", "more", "a", "an"})
_MEANWHILE = frozenset({"still", "already", "currently", "now", "then", "also"})
_PREPOSITIONS = words("questions.prepositions")
_POSSESSION = words("questions.possession")


class Counted(msgspec.Struct, frozen=True):
    """What is counted, in stems."""

    nouns: frozenset[str] = frozenset()
    qualities: frozenset[str] = frozenset()
    """What is said of the noun: "red" cars, people "wearing hats", cats "on the sofa"."""
    kinds: frozenset[str] = frozenset()
    """Those of them that stand before the noun: "red"."""
    predicate: frozenset[str] = frozenset()
    """Those that the verb brings: people in the boat "wearing hats"."""
    places: frozenset[str] = frozenset()
    """Those that name a place: "in the boat"."""
    owner: frozenset[str] = frozenset()
    """Whose they are: "how many balloons would the girl have"."""
    portioned: frozenset[str] = frozenset()
    """Those of the nouns that are counted by another: the shoes of "pairs of shoes"."""
    supposition: frozenset[str] = frozenset()
    supposed_numbers: frozenset[str | None] = frozenset()
    stages: tuple[frozenset[str | None], ...] = ()
    """The words and numbers that only one of several changes has, in order: "if three flew away and one came back"."""
    negated: bool = False
    joins: bool = False
    """Whether it asks of two places or kinds together: "on the table and the shelf"."""
    difference: bool = False
    """Whether it asks by how many: "how many more cats than dogs"."""
    of_each: bool = False
    """Whether it asks how many one of several things has: "how many chairs does each table have"."""
    of_all: bool = False
    """Whether it says that it asks for all there are: "altogether", "on or above the pier"."""
    of_now: bool = False
    imagined: bool = False
    """Whether it asks what would be, and not just "how many?"."""
    text: str = ""
    """What it asks, without what it supposes."""

    @property
    def words(self) -> frozenset[str]:
        return self.nouns | self.qualities | self.owner | self.supposition

    @property
    def doing(self) -> frozenset[str]:
        """What the things do or are, wherever that is: "wearing hats" of those "wearing hats in the queue"."""
        return self.predicate - self.places


@lru_cache(maxsize=512)
def counted_by(question: str) -> Counted:
    """Reads a question once, for all the numbers that are held against it."""
    of_all = bool(_OF_ALL.search(question))
    question = _ALTOGETHER.sub("", question)
    question = _INCLUDING.sub("", _RIGHT_NOW.sub("now", _SHORT_NOT.sub(" not", question)))
    main = stated(question)
    searched = (how.search(text) for how in (_HOW_MANY, _HOW_MANY_OF_THEM) for text in (main, question))
    asked = next(filter(None, searched), None)
    of_now = asks_of_now(question) or (bool(_COUNT_THE.match(main)) and not imagines(question))
    if not asked:
        return Counted(of_now=of_now)
    what, rest = _noun_and_verb(asked["what"]) if not asked["verb"] else (asked["what"], asked["rest"])
    supposition = supposed(question)
    nouns, portioned, kinds, places = _noun_phrase(what)
    if asked.re is _HOW_MANY_OF_THEM:
        nouns = _counted_before(f"{asked.string[: asked.start()]} {supposition}")
    rest = stated(rest)
    of_now = of_now or (bool(counted_words(rest) or places) and not imagines(question))
    owner, said = (set(), counted_words(rest)) if _is_had(asked["verb"], rest) else _owner_and_rest(rest)
    told = {*kinds, *places, *said} - nouns - owner
    return Counted(
        nouns=frozenset(nouns),
        qualities=frozenset(told),
        kinds=frozenset(kinds) & told,
        predicate=frozenset(said) & told - places,
        places=frozenset(stem(place) for place in _PLACE.findall(main.lower())) & told,
        owner=frozenset(owner),
        portioned=frozenset(portioned),
        supposition=frozenset(counted_words(supposition)) - told - nouns - owner,
        supposed_numbers=frozenset(numeral.value for numeral in numerals(supposition)),
        stages=_stages(supposition),
        joins=" and " in rest,
        difference=bool(_DIFFERENCE.match(asked["what"]) or _MORE_THAN.search(rest)),
        negated=bool(_NEGATED.search(rest)),
        of_each=bool(_OF_EACH.search(main)),
        of_all=of_all,
        of_now=of_now,
        imagined=imagines(question) and not asks_of_now(question),
        text=main,
    )


def _stages(supposition: str) -> tuple[frozenset[str | None], ...]:
    parts = [part for part in re.split(r",? and (?:then )?", supposition) if numerals(part)]
    bags = [frozenset((*counted_words(part), *(n.value for n in numerals(part)))) for part in parts]
    own = [bag - frozenset[str | None]().union(*bags[:place], *bags[place + 1 :]) for place, bag in enumerate(bags)]
    return tuple(own) if len(own) > 1 and all(own) else ()


def _noun_and_verb(what: str) -> tuple[str, str]:
    """The things, and what they do, where no helping verb parts them: "rowers" who "wear a cap"."""
    found = _DOING.match(what)
    return (what[: found.start("does")], found["does"]) if found else (what, "")


def _counted_before(text: str) -> set[str]:
    """What "how many?" may be asked of after a text: the shells of "she picked up one more shell"."""
    every = _WORD_OR_NUMBER.findall(text.lower())
    for counters in _COUNTERS:
        found = set[str]()
        for place, word in enumerate(every):
            if word in counters or (word.isdigit() and counters is _COUNTERS[0]):
                phrase = list(dropwhile(lambda each: each in _OF_THE or each in _COUNTERS[0], every[place + 1 :]))[:3]
                phrase = list(takewhile(lambda each: each not in _PREPOSITIONS, phrase))
                single = phrase[:1] if word in _ONE else []
                found.update(next(([each] for each in phrase if _PLURAL.fullmatch(each)), single))
        if found:
            return {stem(each) for each in found}
    return set()


def _noun_phrase(what: str) -> tuple[set[str], set[str], set[str], set[str]]:
    """The nouns, those of them that come in portions, their kinds and their places.

    "Red cars", "of the birds", "slices of pizza", "people in the boat".
    """
    every = spelled(what)
    while every and (every[0] == "of" or every[0] in _DETERMINERS):
        every = every[1:]
    stop = next((i for i, word in enumerate(every) if word in _PREPOSITIONS), len(every))
    phrase, place = every[:stop], every[stop:]
    while len(phrase) > 1 and phrase[-1] in _MEANWHILE:
        phrase = phrase[:-1]  # "sheep still have their wool"
    if len(phrase) > 1 and phrase[-1].endswith("ing"):
        phrase, place = phrase[:-1], [phrase[-1], *place]
    if len(phrase) > 1 and phrase[-2].endswith("s") and place and not phrase[-1].endswith("s"):
        phrase, place = phrase[:-1], [phrase[-1], *place]  # "lanterns hang from the ceiling"
    first = phrase.index("of") if "of" in phrase else len(phrase)
    portioned = {stem(word) for word in phrase[first + 1 :] if word not in _DETERMINERS}
    nouns = {stem(word) for word in phrase[max(0, first - 1) : first]} | portioned
    kinds = counted_words(" ".join(phrase[: max(0, first - 1)]))
    return nouns, portioned, {*kinds}, {*counted_words(" ".join(place))}


def _is_had(verb: str | None, rest: str) -> bool:
    """Whether the things asked for have what follows: "how many houses have a red roof"."""
    return (verb or "").lower() in _POSSESSION and not _POSSESSION.intersection(spelled(rest))


def _owner_and_rest(rest: str) -> tuple[set[str], list[str]]:
    """Whose the things are, and what else is said: "the girl have", "be on the sofa"."""
    every = spelled(rest)
    if not every or every[0] not in _DETERMINERS:
        return set(), counted_words(rest)
    stop = next((i for i, word in enumerate(every) if word in _POSSESSION or word in _PREPOSITIONS), len(every))
    return {*counted_words(" ".join(every[:stop]))}, counted_words(" ".join(every[stop:]))
