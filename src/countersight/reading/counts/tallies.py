"""Counts that stand beside labels, as in lists, tables and JSON: "With gloves: 6", "| left | 4 |", {"cows": 3}."""

import json
import re

import msgspec
from msgspec.structs import replace

from countersight.reading.counts.company import names_several
from countersight.reading.counts.question import Counted
from countersight.reading.language.clauses import IF_AT, sentences
from countersight.reading.language.numerals import numerals
from countersight.reading.language.ranks import Rank, Ranked, ranks_in
from countersight.reading.language.stems import counted_words, spelled, stem
from countersight.reading.language.vocabulary import any_of, found

_MAY_BE_LABELLED = re.compile(r":[^:]*:|\||\d(?: [a-z]+){0,2}[,;/] (?:and )?[a-z]+[a-z ]* \d", re.IGNORECASE)
_LABELLED = re.compile(r"\W{0,4}(?:so |then )?(?P<label>[^:|\n]{1,60}?)\W{0,4}:\s*(?P<value>\S[^:]*)", re.IGNORECASE)
_SIDE_BY_SIDE = re.compile(  # "Left team 4, right team 5"
    r"\W{0,4}(?:and )?(?P<label>[a-z]+(?: [a-z]+){0,2}) (?P<value>\d+(?: [a-z]+){0,2})\W{0,4}", re.IGNORECASE
)
_SEVERAL = re.compile(r"[\w-]+ [a-z]+(?:(?:, (?:and )?| and )[\w-]+ [a-z]+)+\W*", re.IGNORECASE)
_AND = re.compile(r",? and |, |\W+$")
_NEXT = re.compile(r"[,;/]\s+(?:and )?")
_HAS_A_VERB = found("questions.helping")
_ROW = re.compile(r"\s*\|.*\|\s*")
_NO_WORDS = re.compile(r"[\s|:-]+")
_NEGATED = re.compile(r"\b(?:not|without|no|none)\b|n't\b", re.IGNORECASE)
_LEFT = re.compile(r"\b(?<!the )left\b(?= [a-z]|\W*$)", re.IGNORECASE)
_TOTAL = found("counts.totals")
_AS_IT_IS = re.compile(rf"{any_of('worlds.now')}|\b(?:before|today|at first|initial)\b", re.IGNORECASE)
_SUPPOSED = re.compile(
    rf"{any_of('worlds.suppositions', 'worlds.modals')}|\b(?:after|afterwards|then|new|final)\b"
    r"|^\W*(?:\w+(?<!ing) )?(?:left|remaining)\W*$",
    re.IGNORECASE,
)
_WITH = re.compile(r"\W*with(?:out)?\b", re.IGNORECASE)
_HEADING = re.compile(r"\W*(?:let me|let's|let us|i|we|here|now|so)\b", re.IGNORECASE)
_BRACKETS = re.compile(r"\([^()]*\)")
GRAMMAR = frozenset(
    map(stem, ("without", "after", "before", "along", "across", "through", "against", "initial", "sum", "everything"))
)
"""Stems of words that do not tell one label from another."""
_NOUGHTS = frozenset({"no", "none of the", "nobody"})
_NOTHING: frozenset[str] = frozenset()


class Entry(msgspec.Struct, frozen=True):
    """A count with the words that stand beside it; what has no count of its own ("boy: a red cap") has no value."""

    label: str
    value: str | None
    words: frozenset[str]
    unit: str = ""
    """What is counted, where that stands behind the count: "7 cows"."""
    aside: frozenset[str] = frozenset()
    """The words of what its brackets count."""
    is_prose: bool = False
    concludes: bool = False

    @property
    def is_total(self) -> bool:
        return self.concludes or bool(_TOTAL.search(self.label))

    @property
    def negated(self) -> bool:
        return bool(_NEGATED.search(self.label))


def entries_in(text: str, asked: Counted) -> list[Entry]:
    """The entries that may answer, where a reply counts by labels; none where it does not, or counts otherwise too."""
    if asked.joins or not _MAY_BE_LABELLED.search(text):
        return []
    every = _from_json(text) or _from_lines(text)
    last = max((place for place, entry in enumerate(every) if not entry.is_prose), default=0)
    if sum(not entry.is_prose for entry in every) < 2:
        return []
    every = [replace(entry, concludes=place > last) for place, entry in enumerate(every)]
    if any(entry.value is not None for entry in every):
        every = [entry for entry in every if entry.value is not None]
    supposed = [entry for entry in every if _is_supposed(entry, asked)]
    if asked.imagined:
        return [] if any(entry.is_prose for entry in supposed) else supposed
    two_worlds = any(_AS_IT_IS.search(entry.label) for entry in every)
    return [entry for entry in every if not (IF_AT.search(entry.label) or (two_worlds and entry in supposed))]


def _is_supposed(entry: Entry, asked: Counted) -> bool:
    """Whether an entry says itself that it is what would be: "after", "if he left"."""
    if _AS_IT_IS.search(entry.label):
        return False
    without = _WITH.match(entry.label) and entry.words & asked.supposition
    return bool(_SUPPOSED.search(entry.label) or without)


def _from_json(text: str) -> list[Entry]:
    """The entries of an object that is all of a reply, and has numbers by name."""
    if text[:1] != "{" or text[-1:] != "}":
        return []
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    every = [_entry(str(key).replace("_", " "), str(count)) for key, count in value.items() if _is_count(count)]
    nested = any(isinstance(count, dict | list) for count in value.values())
    return [] if nested else [entry for entry in every if entry]


def _is_count(value: object) -> bool:
    return (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, str) and value.isdigit())


def _from_lines(text: str) -> list[Entry]:
    every: list[Entry] = []
    rows: list[list[str]] = []
    for line in text.split("\n"):
        if _ROW.fullmatch(line):
            if not _NO_WORDS.fullmatch(line):
                rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
            continue
        every += _of_a_table(rows)
        rows = []
        for piece in sentences(line):
            told = _of_a_sentence(piece)
            if told is None:
                return []
            every += told
    return every + _of_a_table(rows)


def _of_a_table(rows: list[list[str]]) -> list[Entry]:
    """The cells that have a count, each with the words of its row and its column."""
    if len(rows) < 2 or len({len(row) for row in rows}) > 1:
        return []
    (corner, *heads), *lines = rows
    cells = [
        _entry(f"{name} {corner} {head}", cell) for name, *line in lines for head, cell in zip(heads, line, strict=True)
    ]
    return [cell for cell in cells if cell]


def _of_a_sentence(piece: str) -> list[Entry] | None:
    """The entries of a sentence; None where it has counts of another form."""
    if beside := _side_by_side(piece):
        return beside
    label = _LABELLED.fullmatch(piece)
    if label and not _counts_itself(label["label"]):
        every = _of_one_label(label["label"], label["value"])
        return [entry for entry in every if entry] if all(every) else None
    counts = _counts(piece)
    if len(counts) > 1:
        return None
    return [Entry(piece, n.value, _words(piece), is_prose=True) for n in counts if n.numeral.word != "one"]


def _side_by_side(piece: str) -> list[Entry]:
    """The entries of a sentence that is nothing else: "Left: 4, right: 5", "On the rack: cups 4, plates 5"."""
    first, *others = _NEXT.split(piece)
    if not others:
        return []
    if _SIDE_BY_SIDE.fullmatch(others[0]):
        first = first.rpartition(":")[2]
    parts = [_LABELLED.fullmatch(part) or _SIDE_BY_SIDE.fullmatch(part) for part in (first, *others)]
    every = [_entry(part["label"], part["value"]) for part in parts if part and _is_label(part["label"])]
    return [entry for entry in every if entry and entry.value] if len(every) == len(parts) else []


def _of_one_label(label: str, value: str) -> list[Entry | None]:
    """The entry of a label, or those of "On the left: 3 girls, 2 boys"."""
    several = _SEVERAL.fullmatch(value) and [part for part in _AND.split(value) if part]
    return [_entry(f"{label} , {part}", part) for part in several] if several else [_entry(label, value)]


def _is_label(text: str) -> bool:
    says = bool(counted_words(text)) or bool(_TOTAL.search(text) or _LEFT.search(text))
    return says and not _HAS_A_VERB.search(text) and not _counts_itself(text)


def _counts_itself(label: str) -> bool:
    """Whether what stands before a colon has a count of its own ("3 bags", not "cage 3"), or only announces one."""
    counts = any(n.value != "0" and label[n.end :].strip() for n in numerals(label))
    return counts or bool(_HEADING.match(label))


def _entry(label: str, value: str) -> Entry | None:
    """An entry, or None where there is more than one count beside a label."""
    outside = _BRACKETS.sub(" ", value)
    counts = _counts(outside)
    if len(counts) > 1 or (counts and _HAS_A_VERB.search(outside)):
        return None
    label = _LEFT.sub("the left", label)
    counted_aside = len(numerals(value)) > len(numerals(outside))  # "4 (2 of them tied to the fence)"
    unit = spelled(outside[counts[0].numeral.end :])[:1] if counts else []
    return Entry(
        label,
        counts[0].value if counts else None,
        _words(f"{label}, {outside if counted_aside else value}"),
        aside=_words(value) if counted_aside else _NOTHING,
        unit=stem(unit[0]) if unit and names_several(unit[0]) else "",
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(counted_words(text)) - GRAMMAR


def _counts(text: str) -> list[Ranked]:
    """The numbers that count something; a "no" beside a label ("boy: no hat") does not."""
    numbers = ranks_in(text, first=False, last=False).numbers
    return [n for n in numbers if n.rank > Rank.ASIDE and n.numeral.word not in _NOUGHTS]
