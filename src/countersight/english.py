"""English words: numbers, fractions, singular and plural, verb forms, articles and lists."""

import re
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from fractions import Fraction

UNITS: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
"""The words for 0 to 19; the index of each word is its value."""
TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
NUMBER_WORDS: Final = {word: value for value, word in enumerate(UNITS)} | {
    word: 10 * value for value, word in enumerate(TENS, 2)
}
"""The value of each one-word number up to ninety; all other numbers are combined from these words and SCALES."""
FUNCTION_WORDS: Final = frozenset(
    {"a", "an", "the", "of", "in", "on", "at", "to", "with", "and", "or", "it", "its", "is", "are", "was", "were"}
    | {"no", "not", "all", "from", "by", "for", "this", "that", "these", "those"}
)
"""Common words that are part of the grammar and do not name anything."""
SCALES: Final = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_QUANTITIES: Final = NUMBER_WORDS | {"a": 1, "an": 1, "another": 1, "single": 1, "couple": 2, "pair": 2, "twice": 2}
_MULTIPLES: Final = SCALES | {"dozen": 12}
_PARTS: Final = {"half": 2, "halve": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "tenth": 10}
_LONGEST_NUMBER = 6
"""The maximum number of digits; counts of things in a picture have fewer."""
_MOST_WORDS = 8
"""The maximum number of words read before "hundred", "thousand" or "million"."""


def _by_form(table: str) -> dict[str, str]:
    """Map each form in a table such as "base:form form, base:form" to its base."""
    entries = (entry.strip().split(":") for entry in table.replace("\n", " ").split(","))
    return {form: base for base, forms in entries for form in forms.split()}


_PLURALS: Final = _by_form("""
    birdie:birdies, brownie:brownies, canoe:canoes, cookie:cookies, hoodie:hoodies, movie:movies, selfie:selfies,
    shoe:shoes, smoothie:smoothies, toe:toes, trellis:trellises, iris:irises, veggie:veggies, sheep:sheep, deer:deer,
    fish:fish, cattle:cattle, bus:buses busses, cactus:cacti, calf:calves, child:children, die:dice, foot:feet,
    goose:geese, hoof:hooves, life:lives, knife:knives, wife:wives, leaf:leaves, loaf:loaves, half:halves, mouse:mice,
    ox:oxen, thief:thieves,
    person:people persons, scarf:scarves, shelf:shelves, tooth:teeth, taxi:taxis, ski:skis, kiwi:kiwis, tv:tvs,
    wolf:wolves, elf:elves, man:men, woman:women, lens:lenses, octopus:octopuses
""")
_PLURAL_ENDINGS: Final = (
    *(("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("xes", "x"), ("zes", "z"), ("oes", "o"), ("ses", "s")),
    *(("ies", "y"), ("men", "man"), ("s", "")),
)
_FIRST_PLURAL: Final = {one: many for many, one in reversed(_PLURALS.items())}
_NOT_MEN: Final = frozenset({"specimen", "abdomen", "omen", "ramen", "stamen", "semen", "human", "german", "roman"})
_VERB_FORMS: Final = _by_form("""
    arise:arose arisen, be:is are was were been being, begin:began begun, bite:bit bitten, blow:blew blown,
    break:broke broken, bring:brought, build:built, burn:burnt, buy:bought, catch:caught, come:came, creep:crept,
    cut:cut, die:dying, dig:dug, dive:dove, do:did done, draw:drew drawn, drink:drank drunk, drive:drove driven,
    eat:ate eaten, fall:fell fallen, feed:fed, find:found, flee:fled, fling:flung, fly:flew flown, get:got gotten,
    give:gave given, go:went gone, grow:grew grown, hang:hung, have:had has, hide:hid hidden, hold:held, lay:laid,
    lead:led, leap:leapt, leave:left, lend:lent, lie:lay lain lying, light:lit, lose:lost, make:made, put:put,
    ride:rode ridden, rise:rose risen, run:ran, see:saw seen, sell:sold, send:sent, set:set, shake:shook shaken,
    shoot:shot, show:shown, shut:shut, sink:sank sunk, sit:sat, slide:slid, spend:spent, spring:sprang sprung,
    stand:stood, steal:stole stolen, stick:stuck, sweep:swept, swim:swam swum, swing:swung, take:took taken,
    tear:tore torn, throw:threw thrown, wake:woke woken, wear:wore worn, withdraw:withdrew withdrawn
""")


def number_of(word: str) -> int | None:
    """Return the value of digits or of a single number word: "12", "two", "a", "another", "dozen"."""
    if word.isascii() and word.isdigit() and len(word) <= _LONGEST_NUMBER:
        return int(word)
    return _QUANTITIES.get(word, _MULTIPLES.get(word))


def number_at(words: Sequence[str], start: int = 0) -> tuple[int, int] | None:
    """Return the number that starts at this word, and the index after it: "twenty five", "two hundred and five"."""
    if list(words[start : start + 3]) == ["half", "a", "dozen"]:
        return 6, start + 3
    value = number_of(words[start]) if start < len(words) else None
    if value is None:
        return None
    second = words[start + 1] if start + 1 < len(words) else ""
    if words[start] == "a" and second in ("couple", "pair", "single"):
        return _QUANTITIES[second], start + 2
    end = start + 1
    if words[start] in TENS and second in UNITS[1:10]:
        value, end = value + UNITS.index(second), start + 2
    while end < len(words) and value < (scale := _MULTIPLES.get(words[end], 0)):
        value, end = value * scale, end + 1
        after = end + (words[end : end + 1] == ["and"])
        rest = words[after : after + _MOST_WORDS]
        if scale > 12 and rest and rest[0] in NUMBER_WORDS and (below := number_at(rest)) and 0 < below[0] < scale:
            value, end = value + below[0], after + below[1]
    return value, end


def fraction_at(words: Sequence[str], start: int = 0) -> "tuple[Fraction, int] | None":
    """Return the fraction that starts at this word, and the index after it: "half", "two thirds", "25%", "1/3"."""
    from fractions import Fraction  # imported here because this import is slow

    first, second, third = (*words[start : start + 3], "", "", "")[:3]
    if found := re.fullmatch(r"(\d{1,2})%|(\d{1,3})/([1-9]\d{0,2})", first):
        share = Fraction(int(found[1]), 100) if found[1] else Fraction(int(found[2]), int(found[3]))
        return (share, start + 1) if 0 < share < 1 else None
    if first == "half" and (second, third) != ("a", "dozen"):
        return Fraction(1, 2), start + 1
    above = number_of(first)
    of = 100 if second == "percent" else _PARTS.get(second.removesuffix("s"))
    return (Fraction(above, of), start + 2) if above and of and above < of else None


def is_plural(noun: str) -> bool:
    """Whether a noun looks like a plural."""
    if noun in _PLURALS or (noun.endswith("men") and noun not in _NOT_MEN):
        return True
    return len(noun) > 3 and noun.endswith("s") and not noun.endswith(("ss", "us", "is"))


def singular(noun: str, known: Container[str] = ()) -> str:
    """Return the singular of a noun (benches: bench); a singular is returned unchanged. Forms in `known` are
    preferred."""
    if noun in _PLURALS:
        return _PLURALS[noun]
    forms = (noun.removesuffix(ending) + instead for ending, instead in _PLURAL_ENDINGS if noun.endswith(ending))
    if (listed_form := next((form for form in forms if form in known), None)) is not None:
        return listed_form
    if not is_plural(noun):
        return noun
    if noun.endswith("men"):
        return f"{noun[:-3]}man"
    if noun.endswith("ies") and len(noun) > 4:
        return f"{noun[:-3]}y"
    return noun[:-2] if noun.endswith(("sses", "xes", "ches", "shes", "zzes", "oes")) else noun[:-1]


def plural(noun: str) -> str:
    """Return the plural of a noun (bench: benches); a plural is returned unchanged."""
    if is_plural(noun):
        return noun
    if noun in _FIRST_PLURAL:
        return _FIRST_PLURAL[noun]
    if noun.endswith("man") and noun not in _NOT_MEN:
        return f"{noun[:-3]}men"
    if noun.endswith("y") and noun[-2:-1] not in ("", *"aeiou"):
        return f"{noun[:-1]}ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh", "z", "ato")) else "s")


def article(noun: str) -> str:
    """Return the indefinite article for a noun: "a" or "an"."""
    return "an" if noun[:1].casefold() in tuple("aeiou") else "a"


def listed(items: Iterable[object]) -> str:
    """Join items into one string: "3, 5 and 2"."""
    *rest, last = map(str, items)
    return f"{', '.join(rest)} and {last}" if rest else last


def regular(word: str) -> str:
    """Return the base form of an irregular verb, such as "hold" for "held"; any other word stays as it is."""
    return _VERB_FORMS.get(word, word)


def base_verb(word: str, known: Container[str]) -> str | None:
    """Return the base form of a verb if it is in `known`: disappeared, disappears and disappearing give disappear."""
    if word in _VERB_FORMS:
        return _VERB_FORMS[word] if _VERB_FORMS[word] in known else None
    if word in known:
        return word
    for ending, instead in (("ied", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"), ("es", ""), ("s", "")):
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < 2:
            continue
        if stem + instead in known:
            return stem + instead
        if len(stem) > 2 and stem[-1] == stem[-2] and stem[:-1] in known:  # hopped, stepping
            return stem[:-1]
    return None
