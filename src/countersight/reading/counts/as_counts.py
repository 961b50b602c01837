"""The numbers of a reply as counts: without units that are asked for, years, names and what brackets add."""

import re

from countersight.reading.counts.question import counted_by
from countersight.reading.counts.told_in_words import with_numbers
from countersight.reading.language.clauses import stated
from countersight.reading.language.numerals import numerals
from countersight.reading.language.rewordings import ORDERED
from countersight.reading.language.stems import counted_words, stem
from countersight.reading.language.vocabulary import any_of
from countersight.text import NUMBER_WORDS

# "How many centimetres": what is counted is the unit, which elsewhere makes a number no count.
_ASKS_FOR_UNITS = re.compile(
    rf"\b(?:how many|what) (?:more )?{any_of('counts.units')}|\bhow (?:much|long|old|far|tall|high|deep)\b",
    re.IGNORECASE,
)
_ASKS_WHAT_IT_READS = re.compile(r"\W*what\b.*\b(?:speed|read|show|display|temperature|needle)\b", re.IGNORECASE)
_UNIT = re.compile(rf"(?<=[\w ])[ -]?(?<!many )(?:km/h\b|{any_of('counts.units')})|(?<=\d) ?%", re.IGNORECASE)
_OF_SO_MANY = re.compile(
    r"(?<![\d/])(\d{1,3}) ?/ ?(\d{1,3})(?= (?!of\b|full\b|cup)[a-z]|\W*$)", re.IGNORECASE
)  # "4/6 seats"
_LABELLED = re.compile(r"^(\W*[a-z][a-z ]{1,30}) --? (?=\d+\W*$)", re.IGNORECASE | re.MULTILINE)  # "Cups - 4"
# "2 vans + 3 cars = 5 vehicles"
_NAMED_SUM = re.compile(
    r"(?:[\w-]+(?: [a-z]+){1,3} ?(?:\+|plus|and) ){1,4}[\w-]+(?: [a-z]+){1,3} ?(?:=|equals|makes) ?(?=[\w-])",
    re.IGNORECASE,
)
_TERMS = re.compile(r" ?(?:\+|\bplus\b|\band\b) | ?(?:=|\bequals|\bmakes) ?", re.IGNORECASE)
# "Out of 12 sheep, one is black"
_OUT_OF_ALL = re.compile(
    r"(?:^|(?<=[.!?\n] ))(?:out )?of (?:a total of |all |the |these |those )?"
    r"(?P<all>[\w-]+) (?P<what>[a-z][a-z ]{1,50}),? "
    r"(?P<some>(?:only |just |exactly )?[\w-]+) (?=(?:is|are|was|were|has|have)\b)",
    re.IGNORECASE,
)
_PARTS_IN_BRACKETS = re.compile(r"\s*\((?=[^()]*[,;&]|[^()]* and )([^()=+*/]{5,200})\)")
_SAYS = re.compile(rf"{any_of('questions.helping')}|\b(?:if|now|before|after|plus|minus|each)\b|'d\b", re.IGNORECASE)
_INTERJECTION = re.compile(r"^\W*(?:yes|no|yeah|nope|sure|okay|ok|well|right)\s*[,.!;:-]+\s+(?=\S)", re.IGNORECASE)
_COUNTING_UP = re.compile(r"\b1,? 2(?:,? (?:and )?\d{1,3}\b){1,40}(?! [-+=*/])")
_COUNTING_EACH = re.compile(r"\b(?<=counting )(?:each|every)(?: one)?\b", re.IGNORECASE)  # and none has so many
_ALL_IN_ALL = re.compile(r"\ball in all\b", re.IGNORECASE)
_EVERY_ONE = re.compile(r"\bevery(?: single)? one of the (?=\w+)", re.IGNORECASE)
_INTO = re.compile(
    r"\b(?:turn|chang|transform|mak)(?:e|es|s|ed|ing)? (?:the |these |those )?\w+(?: \w+)? into (?=\w)", re.IGNORECASE
)
_IN_WHICH_CASE = re.compile(r",? (?:unless|except if)\b[^.;]*\bin which case\b[^.;]*", re.IGNORECASE)
# "Two wheels, the rear ones, would touch the ground"
_APPOSITION = re.compile(
    r", (?:the|all|both|namely)\b[^,.;:\d]{1,40}, (?=(?:would|will|could|is|are|'d)\b)", re.IGNORECASE
)
_ALL_OF = re.compile(r"(?<!\bnot )\ball of (?:the|these|those) (?=[\w-]+ )", re.IGNORECASE)
_BOTH = re.compile(
    r"\bboth(?: of (?:them|the|these|those))?(?P<said>(?: [a-z]+)? (?:would|will|are|have)\b[^.,;:]{0,60})",
    re.IGNORECASE,
)
_STAYS = re.compile(r"\b(stays?|remains?) (?:behind|put|back|where (?:they|it) (?:are|is))\b", re.IGNORECASE)
_HALF = re.compile(r"\b(?:half|partly|partially|almost|nearly)[ -]([a-z]+)", re.IGNORECASE)
_COMPOUND = re.compile(r"\b(?:an? )?(\w+)-([a-z]{3,}?)(?:ed)?\b(?: \w+)?", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_DASH_FIRST = re.compile(r"^(\W*\w+) - (?=[a-z])", re.IGNORECASE)
_PRICE = re.compile(r"[$€£]\d+(?:\.\d\d)?")  # "the $12 pasta"
# "The sign on the table says 14.", "a bottle costs $15"
_WRITTEN = re.compile(
    rf"\b(?P<on>{any_of('counts.written_on')})\b[^.,;:\d]{{0,30}}?"
    r"\b(?:says?|said|reads?|shows?|lists?|is|would (?:say|read|show|be))\b"
    r"[^.,;:\d]{0,20}? (?P<number>[\w-]+)(?=\W*$|[.,;])",
    re.IGNORECASE,
)
# "Twelve cars, six on each side"
_ON_EACH_SIDE = re.compile(
    r"(?P<all>\b[\w-]+\b)(?P<what>[^.;:,\d]{0,60})[:,] (?:with )?(?P<half>[\w-]+) "
    r"(?:of them )?(?:on|at|to) (?:each|either|both) (?:sides?|ends?)(?: of (?:the|it) ?\w*)?(?=\s*(?:[.,;]|$))",
    re.IGNORECASE,
)
# "Open from 8 to 6"
_HOURS = re.compile(
    r"\b(?:open|opens|closed|allowed|permitted|temperature|parking|park|works?|hours)\b[^.,;\d]{0,40}?"
    r"\bfrom [\w:]+(?: ?[ap]m)? (?:to|until|till) [\w:]+(?: ?[ap]m)?",
    re.IGNORECASE,
)
# "There is one zero on the plate"
_COUNTED_NUMBER = re.compile(rf"\bhow many (?P<number>{'|'.join(NUMBER_WORDS)})e?s\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b(?! [a-z]+s\b)")  # "the poster, dated 1998, shows three people"
_NUMBER_AS_A_NAME = re.compile(r"\b(?<=the number )\d+(?= [a-z])", re.IGNORECASE)  # "the number 7 bus"
_BRACKETED = re.compile(r"(?:^|(?<=[.!?\n]))\s*\([^()]{8,300}\)\s*(?=$|[A-Z\n])")


def in_things(text: str, question: str) -> str:
    """The text with its numbers as counts."""
    text = _ALL_IN_ALL.sub("in total", text)
    text = _ON_EACH_SIDE.sub(_both_halves, without_what_is_written(text, question))
    if _ASKS_FOR_UNITS.search(question) or _ASKS_WHAT_IT_READS.match(question):
        text = _UNIT.sub("", text)
    if numbers := _COUNTED_NUMBER.search(question):
        text = re.sub(rf"(?<=\w ){numbers['number']}\b", f"{numbers['number']}s", text, flags=re.IGNORECASE)
    text = with_numbers(text, counted_by(question))
    text = _NAMED_SUM.sub(_list_and_total, _LABELLED.sub(r"\1: ", text))
    text = _OUT_OF_ALL.sub(_some_of_all, _OF_SO_MANY.sub(_so_many_of, text))
    text = _PARTS_IN_BRACKETS.sub(_as_parts, text)
    text = _COUNTING_UP.sub(_last_of_counting, _INTERJECTION.sub("", _unless_empty(_BRACKETED.sub(" ", text), text)))
    text = _COMPOUND.sub(lambda found: _had(found, question), _INTO.sub("make ", _IN_WHICH_CASE.sub("", text)))
    text = _STAYS.sub(r"\1", _APPOSITION.sub(" ", text)) if "behind" not in question else text
    text = _BOTH.sub(lambda found: _two(found, question), _ALL_OF.sub(_all_so_many, text))
    text = _HALF.sub(lambda found: _neither(found, question), text)
    text = ORDERED.sub(r"if you \g<order>, ", text)
    text = _without_what_was_asked(_EVERY_ONE.sub("all ", _COUNTING_EACH.sub("them", text)), question)
    text = _NUMBER_AS_A_NAME.sub("", text) if counted_by(question).nouns else text
    text = text if "=" in text else _DASH_FIRST.sub(r"\1 -- ", text)
    return _unless_empty(_YEAR.sub(" ", text), text)


def _both_halves(found: re.Match[str]) -> str:
    """The whole alone, where it is twice what stands on each of two sides."""
    whole = [int(n.value) for n in numerals(f"{found['all']}{found['what']}") if n.value and n.value.isdigit()]
    half = [int(n.value) for n in numerals(found["half"]) if n.value and n.value.isdigit()]
    return f"{found['all']}{found['what']}" if len(half) == 1 and whole == [2 * half[0]] else found.group()


def without_what_is_written(text: str, question: str) -> str:
    """The text without prices, hours and what a sign says, which count nothing that was asked for."""
    asked = counted_by(question)
    if _ASKS_FOR_UNITS.search(question):
        return text
    priced = _PRICE.sub("", text)
    text = priced if asked.nouns else _unless_empty(priced, text)
    if not asked.nouns:
        return text
    hours, written = _HOURS.search(text), _WRITTEN.search(text)
    if hours and not {*counted_words(hours.group())} & asked.nouns:
        text = text.replace(hours.group(), "")
    if written and numerals(written["number"]) and not {*counted_words(written["on"])} & asked.words:
        text = text.replace(written.group(), "")
    return text


def _unless_empty(outside: str, text: str) -> str:
    """What is left of a text, or all of it where no number is left."""
    return outside if numerals(outside) else text


def _so_many_of(share: re.Match[str]) -> str:
    return f"{share[1]} of the {share[2]}" if int(share[1]) <= int(share[2]) else share.group()


def _list_and_total(added: re.Match[str]) -> str:
    """ "2 vans, 3 cars, in total", where each term has a number and a name of its own."""
    terms = [term for term in _TERMS.split(added.group()) if term]
    names = {term.partition(" ")[2] for term in terms}
    apart = len(names) == len(terms) and all(numerals(term) for term in terms)
    return f"{', '.join(terms)}, in total " if apart else added.group()


def _some_of_all(share: re.Match[str]) -> str:
    """ "There are 12 sheep, one of them is black", where both are numbers."""
    counted = numerals(share["all"]) and numerals(share["some"])
    return f"There are {share['all']} {share['what']}, {share['some']} of them " if counted else share.group()


def _all_so_many(found: re.Match[str]) -> str:
    """ "All 8", of "all of the 8"."""
    return "all " if numerals(found.string[found.end() :].split(maxsplit=1)[0]) else found.group()


def _two(both: re.Match[str], question: str) -> str:
    """ "Two would be open", of "both would be open", where nothing is said of them but what was asked."""
    asked = counted_by(question)
    said = {*counted_words(both["said"])}
    return f"two{both['said']}" if said <= asked.words and (asked.imagined or said & asked.qualities) else both.group()


def _neither(halfway: re.Match[str], question: str) -> str:
    """What is half full is not full, where that was asked."""
    asked = stem(halfway[1].lower()) in counted_by(question).qualities and "half" not in question.lower()
    return "in between" if asked else halfway.group()


def _had(compound: re.Match[str], question: str) -> str:
    """ "Three legs", of a "three-legged table", where legs are asked for and not counted after it."""
    counted = numerals(compound[1]) and not numerals(compound.string[compound.end() :])
    asked = counted and stem(compound[2].lower()) in counted_by(question).nouns
    return f"{compound[1]} {compound[2]}s" if asked else compound.group()


def _as_parts(brackets: re.Match[str]) -> str:
    """ "10 bottles (6 green, 4 brown)" counts as "10 bottles: 6 green, 4 brown" does."""
    listed = len(numerals(brackets[1])) > 1 and not _SAYS.search(brackets[1])
    return f": {brackets[1]}" if listed else brackets.group()


def _without_what_was_asked(text: str, question: str) -> str:
    """The text without numbers that the question has beside the same word: the "under 10" of "children under 10"."""
    main = stated(question)
    for numeral in numerals(main):
        lead = main[: numeral.start].split()[-1:]
        if lead and lead[0].lower() not in ("the", "of", "and"):
            text = re.sub(rf"\b{re.escape(lead[0])} {re.escape(main[numeral.start : numeral.end])}\b", lead[0], text)
    return text


def _last_of_counting(counting: re.Match[str]) -> str:
    """The last number of "1, 2, 3", where it counts up; the text as it is where it does not."""
    values = [int(value) for value in _DIGITS.findall(counting.group())]
    return str(values[-1]) if values == list(range(1, len(values) + 1)) else counting.group()
