"""Replies that do nothing but part a whole: "there are 9 people; 2 of them wear hats, so 9 - 2 = 7 do not".

Such a reply is an account: one whole, and parts of it, each with what is said or denied of it. What does not add up, or
has a clause without a count, is left to the rules.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

import msgspec

from countersight.reading.counts.company import names_several
from countersight.reading.counts.places_told import UnclearError
from countersight.reading.language.numerals import numerals
from countersight.reading.language.stems import counted_words, spelled, stem
from countersight.reading.language.vocabulary import any_of, found
from countersight.text import NUMBER_WORDS

_PLAIN_NUMBER = re.compile(rf"\d{{1,4}}|(?:{'|'.join(NUMBER_WORDS)})(?:-[a-z]+)?", re.IGNORECASE)
_VERB = any_of("questions.helping", "questions.possession", "counts.verbs_of_parts")
_UNSURE = found("counts.unsure_of_parts")
NOT = re.compile(r"\b(?:not|no|without)\b|n't\b", re.IGNORECASE)
_PLACE = re.compile(
    rf"\b(?P<how>{any_of('counts.placing')}) (?:the|an?|his|her|its|their|this)(?P<what>(?: (?!{_VERB})[a-z]+)+)",
    re.IGNORECASE,
)
# What stands for no count ("without one"), what says the same of all, or of none, and sums of what is told anyway.
_PLAINLY = (
    (re.compile(r"n't\b", re.IGNORECASE), " not"),
    (re.compile(r" (?:are|is) visible\b", re.IGNORECASE), ""),
    (re.compile(r"\b(without|with|wearing|have|has) 1\b", re.IGNORECASE), r"\1"),
    (re.compile(r"\b(?:none|no one|not (?:a single )?one) of (?:the|these|those) (?=\d)", re.IGNORECASE), "all not "),
    (re.compile(r"\b(?:none|no one|not (?:a single )?one) of (?:them|which|whom)\b", re.IGNORECASE), "they all not"),
    (re.compile(r"\ball (?:of )?(?:them|which|whom)\b", re.IGNORECASE), "they all"),
    (re.compile(r"\b\d+(?: \+ \d+)+ = (?=\d)"), "in total "),
    (re.compile(r"\b\d+ - \d+ = (?=\d)"), ""),
)
_WITHIN_BRACKETS = re.compile(r" ?\((?P<within>[^()]*)\)(?P<behind>[^.;\n]*)")
# "All of the eight riders except two", "all but two of the eight riders"
_ALL_BUT = re.compile(
    r"\ball (?:of )?(?:the )?(?P<all>\d+)(?P<what>(?: [a-z]+){1,2}) (?:except|but|save)(?: for)? (?P<few>\d+)(?= [a-z])"
    r"|\ball (?:but|except)(?: for)? (?P<but>\d+) of (?:the|these|those) (?P<every>\d+)",
    re.IGNORECASE,
)
_BOUNDARY = re.compile(
    r"([,;:.!\n]|\s--?\s|\b(?:and|but|while|whereas|(?:which|that) (?:leaves|means)|leaving)\b)", re.IGNORECASE
)
_LEAD = re.compile(
    rf"^\W*(?:(?:{any_of('counts.opening_parts')}|(?:in|from) (?:the|this) (?:image|picture|photo|scene)) )+",
    re.IGNORECASE,
)
_SOME_OF = re.compile(
    r"(?P<who>\D*?)(?P<some>\d+) (?:out )?of (?:the |these |those |a total of |all )?(?P<all>\d+)(?P<rest>\D*)"
)
_OF_ALL = re.compile(r"(?:out of|of|among) (?:the |these |those |all |all the )?(?P<all>\d+)(?P<rest>\D*)")
_ALL = re.compile(r"all (?P<not>not )?(?:of )?(?:the |these )?(?P<all>\d+)(?P<rest>\D*)")
_TOTAL = re.compile(r"\b(?:for a total of|in total|altogether|in all|together|overall|total|making)\b")
_OF_THEM = re.compile(
    r"(?:(?:of|among) (?:them|these|those|which|whom),? (?:only |just )?(?P<before>\d+)"
    r"|the (?:other|remaining) (?P<others>\d+)|(?P<some>\d+) of (?:them|these|those|which|whom))\b(?P<rest>\D*)"
)
_OF_THE = re.compile(r"(?P<some>\d+) of (?:the|these|those)\b(?P<rest>\D*)")
_ANY = re.compile(r"(?P<before>\D*)\b(?P<some>\d+)\b(?P<rest>\D*)")
_ONLY_A_VERB = re.compile(rf"\s*(?:{_VERB}|without|with)?(?:n't| not)?(?: so)?\s*$")


OTHERS = "others"
"""What those are called that are some besides others: "the remaining two"."""


class Said(msgspec.Struct, frozen=True):
    """What is said of a number of things, in stems: what they are or do, whose they are, and where."""

    words: frozenset[str]
    place: frozenset[str]
    how: str
    negated: bool
    text: str

    @property
    def is_short(self) -> bool:
        """Whether it takes up what was said before: "are not", "without"."""
        return bool(_ONLY_A_VERB.match(self.text))


class Part(msgspec.Struct, frozen=True):
    """Some of the whole."""

    value: int
    said: Said
    name: str = ""
    """What they are called, where they have a name of their own: the men of "12 men are standing"."""
    of_whole: bool = False
    """Whether they are said to be some of others: "three of them"."""
    owner: frozenset[str] = frozenset()
    """Who has them: the father who "carries 4"."""


class Parted(msgspec.Struct, frozen=True):
    """A whole and its parts."""

    whole: int | None
    of: Said
    """What is said of the whole."""
    parts: list[Part]
    mentioned: frozenset[str | None]
    """The numbers of the reply."""


def said_in(text: str) -> Said:
    """What a few words say of things."""
    place = _PLACE.search(text)
    outside = f"{text[: place.start()]} {text[place.end() :]}" if place else text
    denials = NOT.findall(text)
    if len(denials) > 1:
        raise UnclearError
    where = frozenset(counted_words(place["what"])) if place else frozenset[str]()
    how = place["how"].lower() if place else ""
    return Said(frozenset(counted_words(outside)) - {"without"}, where, how, bool(denials), text)


def parted(text: str) -> Parted:
    """The account of a reply."""
    mentioned = frozenset(number.value for number in numerals(text))
    text = _plainly(text)
    if _UNSURE.search(text):
        raise UnclearError
    wholes: list[tuple[int | None, Said]] = []
    parts: list[Part] = []
    left: list[Said] = []
    for piece in _pieces(text):
        _enter(piece, wholes, parts, left)
    parts = [part for i, part in enumerate(parts) if part not in parts[:i]]
    if not wholes and parts and _is_whole(parts[0], parts[1:], left):
        first, *parts = parts
        wholes.append((first.value, first.said))
    values = {value for value, _ in wholes if value is not None}
    whole = values.pop() if values else None
    total = sum(part.value for part in parts)
    if values or (left and (whole is None or len(left) > 1 or parts)):
        raise UnclearError
    if whole is not None and left:
        parts, total = [Part(whole, left[0], of_whole=True)], whole
    adds_up = _are_opposed(parts) if whole is None else total == whole or (total < whole and len(parts) == 1)
    if not parts or _is_torn(parts) or not adds_up:
        raise UnclearError
    words = frozenset[str]().union(*(of.words for _, of in wholes))
    place = next((of for _, of in wholes if of.place), said_in(""))
    said = Said(words, place.place, place.how, negated=False, text="")
    return Parted(whole, said, list(_taken_up(parts)), mentioned)


def _plainly(text: str) -> str:
    """The text in small letters, with figures for number words, and with the same words for the same things."""
    for number in reversed(numerals(text)):
        written = text[number.start : number.end]
        if _PLAIN_NUMBER.fullmatch(written) and number.value and number.value.isdigit():
            text = f"{text[: number.start]}{number.value}{text[number.end :]}"
        elif number.value != "0":
            raise UnclearError
    text = _ALL_BUT.sub(_without_few, _WITHIN_BRACKETS.sub(r"\g<behind>, \g<within>", text))
    for pattern, plainly in _PLAINLY:
        text = pattern.sub(plainly, text)
    return text.lower()


def _without_few(found: re.Match[str]) -> str:
    """ "6 of the 8 riders", of "all of the 8 riders except 2"."""
    every, few = found["all"] or found["every"], found["few"] or found["but"]
    return f"{int(every) - int(few)} of the {every}{found['what'] or ''}"


def _pieces(text: str) -> Iterator[str]:
    """The clauses that count; what is joined to one by an "and" belongs to it."""
    told = ""
    separator = ""
    for i, piece in enumerate(_BOUNDARY.split(text)):
        if i % 2:
            separator = piece
        elif re.search(r"\d|\bthey all\b", piece):
            if told:
                yield told
            told = piece.strip()
        elif separator == "and" and told:
            told = f"{told} and {piece.strip()}"
        elif counted_words(piece) or piece.strip() in ("no", "yes"):
            raise UnclearError
    if told:
        yield told


def _enter(piece: str, wholes: list[tuple[int | None, Said]], parts: list[Part], left: list[Said]) -> None:
    """Takes a clause into the account."""
    piece = _LEAD.sub("", piece)
    if some := _SOME_OF.fullmatch(piece):
        owned = bool(counted_words(some["who"]))
        of, does = (said_in(some["rest"]), said_in(some["who"])) if owned else _named(some["rest"])
        wholes.append((int(some["all"]), of))
        parts.append(Part(int(some["some"]), does, of_whole=True, owner=_who(some["who"])))
    elif every := _ALL.fullmatch(piece):
        of, does = _named(every["rest"])
        wholes.append((int(every["all"]), of))
        parts.append(Part(int(every["all"]), said_in(f"{'not' if every['not'] else ''} {does.text}"), of_whole=True))
    elif every := _OF_ALL.fullmatch(piece):
        wholes.append((int(every["all"]), said_in(every["rest"])))
    elif piece.startswith("they all"):
        left.append(said_in(piece))
    elif some := _OF_THEM.fullmatch(piece):
        if wholes and parts and not some["others"]:
            raise UnclearError  # "three of the five are running, and two of them are laughing"
        value = some["before"] or some["others"] or some["some"]
        name = OTHERS if some["others"] else ""
        parts.append(Part(int(value), said_in(some["rest"]), name, of_whole=not name))
    elif some := _OF_THE.fullmatch(piece):
        of, does = _named(some["rest"])
        wholes.append((None, of))
        parts.append(Part(int(some["some"]), does, of_whole=True))
    elif (some := _ANY.fullmatch(piece)) and re.search(r"\b(?:in|on|at|all)\b", _TOTAL.sub("", some["before"])):
        raise UnclearError  # "on the farm I see 3 cows"
    elif some and _TOTAL.search(piece):
        wholes.append((int(some["some"]), said_in(_TOTAL.sub("", f"{some['before']} {some['rest']}"))))
    elif some:
        first = next(iter(spelled(some["rest"])), "")
        name = stem(first) if first and names_several(first) else ""
        said, owner = said_in(f"{some['before']} {some['rest']}"), _who(some["before"])
        if owner and not re.search(_VERB, some["before"]) and not any(part.owner for part in parts):
            raise UnclearError  # "left bench 3"
        parts.append(Part(int(some["some"]), said, name, owner=owner))
    else:
        raise UnclearError


def _named(rest: str) -> tuple[Said, Said]:
    """What the things are called, and where, and what they do: "riders on the track", "are wearing helmets"."""
    verb = re.search(rf"{_VERB}|\b(?:without|with)\b|\b\w+n't\b", rest)
    if verb is None:
        raise UnclearError
    return said_in(rest[: verb.start()]), said_in(rest[verb.start() :])


def _who(before: str) -> frozenset[str]:
    """Who is said to have something, before a number."""
    return frozenset(counted_words(re.split(_VERB, before)[0]))


def _is_torn(parts: list[Part]) -> bool:
    """Whether what is said of one may be said of those before it as well: "one girl and two boys are wearing …"."""
    verbs = [bool(re.search(_VERB, part.said.text)) for part in parts]
    own = [part.of_whole or part.said.is_short for part in parts]
    return any(later and not (earlier or alone) for (earlier, later), alone in zip(pairwise(verbs), own, strict=False))


def _are_opposed(parts: list[Part]) -> bool:
    """Whether the second of two only takes up what is said of the first, and the "not" is of one of them."""
    return len(parts) == 2 and parts[1].said.is_short and parts[0].said.negated != parts[1].said.negated


def _is_whole(first: Part, parts: list[Part], left: list[Said]) -> bool:
    """Whether the first number is that of all: the others add up to it, or the only other is some of it."""
    if first.said.negated or first.owner or not first.name:
        return False
    if left or len(parts) == 1:
        bare = not re.search(_VERB, first.said.text)
        return bare and all(
            p.value <= first.value and (p.of_whole or not (p.name or p.owner or p.said.place)) for p in parts
        )
    return sum(part.value for part in parts) == first.value


def _taken_up(parts: list[Part]) -> Iterator[Part]:
    """The parts, each with what it takes up from its neighbours: "8 are not wearing hats, but 4 are"."""
    full = [part for part in parts if not part.said.is_short]
    for place, part in enumerate(parts):
        if not part.said.is_short:
            yield part
            continue
        if not full or not re.search(r"[a-z]", part.said.text):
            raise UnclearError  # "so 8"
        source = next((other for other in reversed(parts[:place]) if not other.said.is_short), full[0]).said
        said = Said(source.words, source.place, source.how, negated=part.said.negated, text=part.said.text)
        yield Part(part.value, said, part.name, part.of_whole, part.owner)
