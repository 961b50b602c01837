"""Replies that tell both what is and what would be, and which part of them was asked for."""

import re
from typing import Literal

from countersight.reading.language.asked import content
from countersight.reading.language.clauses import (
    HOW_MANY,
    IF_AT,
    MODAL,
    NOW_AT,
    asks_of_now,
    contrasted,
    imagines,
    sentences,
    stated,
    supposed,
)
from countersight.reading.language.numerals import numerals
from countersight.reading.language.vocabulary import any_of, found

World = Literal["now", "then", "between"]

_OF_NOW = found("worlds.now_labels", "worlds.now")
_OF_THEN = found("worlds.then_labels", "worlds.suppositions", "worlds.modals")
_OF_THE_CHANGE = found("worlds.change_labels")
_LABELLED = re.compile(r"\W*(?P<label>[^:|\n]{1,60}?)\s*:\s*(?P<value>[^:\n]+)")
# "Right now, 3. Afterwards, 2."
_LED = re.compile(rf"\W*(?P<label>{any_of('worlds.leading_labels')}), (?P<value>[\w' -]+)\W*", re.IGNORECASE)
_RULE = re.compile(r"[\s|:-]+")
_ARROW = re.compile(r"\s+=+>?\s+(?=[^:=]{1,60}:)|,\s+(?=[^:,]{1,60}:)")
_PARTING = re.compile(rf"[,;]?\s+(?={any_of('worlds.partings')})", re.IGNORECASE)
_PARTED = re.compile(rf"\W*(?:but\s+)?{any_of('worlds.partings')},?\s+", re.IGNORECASE)
_COMMA = re.compile(r",\s+")
# "It is on at present and would be off …", "the floor, which is dry now, would be wet"
_SUBJECT = r"(?P<subject>(?:[\w'-]+ ){0,5}?[\w'-]+)"
_TWO_VERBS = re.compile(
    rf"{_SUBJECT}(?P<now> (?:is|are)\b[^,;]*?),? (?:and|but) (?P<then>{MODAL} .*)"
    rf"|{_SUBJECT.replace('subject', 'who')}, (?:which|who|that)(?P<what> (?:is|are)\b[^,;]*), (?P<would>{MODAL} .*)",
    re.IGNORECASE,
)
_PRESENT = re.compile(r"\b(?:is|are|shows?|has|have)\b|'s\b|'re\b", re.IGNORECASE)
_OTHERWISE = re.compile(r"^\W*otherwise\b|\botherwise\W*$", re.IGNORECASE)
_OPENING = re.compile(
    rf"^\W*(?:(?:so|but|and),? )?(?:{any_of('worlds.right_now')}|then|afterwards),?\s+", re.IGNORECASE
)
# "There are seven men in the picture" counts all that are there, whoever was asked for: of a count that stays.
_IN_THE_PICTURE = re.compile(rf"^\W*{any_of('worlds.now')},?\s+|,?\s+{any_of('worlds.now')}(?=\W*$)", re.IGNORECASE)
_THINGS = re.compile(r" (\w{2,}[^\Ws]s)\b")
_THEN_FIRST = re.compile(r"\W*(?:then|afterwards?|later)\b(?!.*\b(?:is|are)\b)", re.IGNORECASE)
_STILL = re.compile(r"(?:(?<=\bis)|(?<=\bare)) still\b", re.IGNORECASE)
_IF_THEN = re.compile(rf"^\W*if [^,]*, then (?!.*{MODAL})", re.IGNORECASE)  # "If it fell, then broken"
_CLOSING = re.compile(rf",?\s+{any_of('worlds.right_now')}(?=\W*$)", re.IGNORECASE)
_WOULD = re.compile(
    r"(?<!\bi)(?<!\bwe)(?<!\byou)(?<!\bone) (?:would|will)\b|\b(?:it|he|she|they|there)'(?:d|ll)\b", re.IGNORECASE
)
_FEW = 2  # words of a count that stands beside a label: "5 dogs"; more may be said of some of them only
_MANY = 12
_WHOLE = 4  # words of a question that tells its world
_THEN_BEFORE_NOW = re.compile(r"\bthen\b.*\bnow\b", re.IGNORECASE | re.DOTALL)
_MIGHT = re.compile(r"\b(?:could|might|may|should)\b", re.IGNORECASE)


def of_the_world_asked(said: str, question: str) -> str:
    """The part of a text that tells of the world in question, where it tells of another too; or else all of it."""
    asked: World = "now" if asks_of_now(question) or not imagines(question) else "then"
    if len(question.split()) < _WHOLE or (_THEN_BEFORE_NOW.search(said) and not imagines(said)):
        return said  # "How many?" asks of either, and what was then may be past
    if value := labelled(said, asked, _FEW if HOW_MANY.search(question) else _MANY):
        return value
    if ":" in said or "|" in said:
        return said  # labels of something else besides
    parts = [part for piece in sentences(said) for half in contrasted(piece) for part in _parts(half)]
    worlds = [_world(part) for part in parts]
    if worlds == [asked] and (IF_AT if asked == "then" else NOW_AT).search(said):
        ending = said.rstrip()[-1:]
        return _told(said, asked, question) + (ending if ending in ".!" else "")
    if sorted(map(str, worlds)) != ["now", "then"]:
        return said
    now, then = (parts[worlds.index(world)] for world in ("now", "then"))
    # A story sets out from what is; only what is told beside the answer, and says so, is left out.
    if not (NOW_AT.search(now) or _OTHERWISE.search(now) or (asked == "now" and IF_AT.search(then))):
        return said
    if asked == "then" and IF_AT.search(then) and not content(supposed(then)) & content(supposed(question)):
        return said
    if HOW_MANY.search(question) and _names_others(now, then):
        return said
    return f"{_told(now if asked == 'now' else then, asked, question)}."


def _names_others(now: str, then: str) -> bool:
    """Whether two statements count things of two names: "6 girls have wet hands now; then 4 hands would be"."""
    things = [_THINGS.match(part, n.end) for part in (now, then) for n in numerals(part)]
    return len({thing[1].lower() for thing in things if thing}) > 1


def _told(part: str, asked: World, question: str) -> str:
    """A statement without what only says of which world it is, the question's own supposition too."""
    own = asked == "then" and IF_AT.search(part) and _supposes(part) == _supposes(question)
    told = _bare((own and stated(_bare(part)).strip(" ,.")) or _STILL.sub("", part))
    return told if HOW_MANY.search(question) else _IN_THE_PICTURE.sub("", told)


def _supposes(text: str) -> tuple[frozenset[str], list[str | None]]:
    """What a text supposes, by its words and numbers."""
    what = supposed(text)
    return content(what), [numeral.value for numeral in numerals(what)]


def labelled(said: str, asked: World, most: int) -> str | None:
    """What stands beside the label of one world, where a text is labels of both and nothing else."""
    told: dict[World | None, list[str]] = {"now": [], "then": [], "between": [], None: []}
    for label, value in _cells(said) or _lines(said):
        told[_world_of_label(label)].append(value)
    told[None] += [value for value in (*told["now"], *told["then"]) if len(value.split()) > most]
    both = len(told["now"]) == len(told["then"]) == 1 and not told[None]
    return told[asked][0].strip(" .,;*") or None if both else None


def _cells(said: str) -> list[tuple[str, str]]:
    """The cells of a table that has one row or one column, each with its heading."""
    lines = [line for line in said.split("\n") if line.strip()]
    if len(lines) < 2 or not all("|" in line for line in lines):
        return []
    rows = [line.strip().strip("|").split("|") for line in lines if not _RULE.fullmatch(line)]
    if len({*map(len, rows)}) != 1:
        return []
    if len(rows) == 2:
        return [(head, cell) for head, cell in zip(*rows, strict=True) if _world_of_label(head)]
    return [(row[0], row[1]) for row in rows if _world_of_label(row[0])] if len(rows[0]) == 2 else []


def _lines(said: str) -> list[tuple[str, str]]:
    pieces = [piece for sentence in sentences(said) for piece in _ARROW.split(sentence)]
    every = [_LABELLED.fullmatch(piece) or _LED.fullmatch(piece) for piece in pieces]
    return [(entry["label"], entry["value"]) for entry in every if entry] if all(every) else []


def _world_of_label(label: str) -> World | None:
    then, now = _OF_THEN.search(label), _OF_NOW.search(label)
    if then and now:
        return None
    return "then" if then else "now" if now else "between" if _OF_THE_CHANGE.search(label) else None


def _parts(sentence: str) -> list[str]:
    """The statements of a sentence on either side of what parts two worlds: "though", "whereas", a comma."""
    if two := _TWO_VERBS.fullmatch(sentence):
        who, now, then = (two[a] or two[b] for a, b in (("subject", "who"), ("now", "what"), ("then", "would")))
        return [f"{who}{now}", f"{who} {then}"] if not imagines(who + now) else [sentence]
    parts = [part for part in _PARTING.split(sentence) if part.strip()]
    if len(parts) > 1:
        return parts
    # "While it would be wet, it is dry now.", "3 now, 2 if one left."
    for comma in _COMMA.finditer(sentence):
        halves = [sentence[: comma.start()], sentence[comma.end() :]]
        parted = _PARTED.match(sentence) or not _PRESENT.search(sentence)
        if parted and {*map(_world, halves)} == {"now", "then"}:
            return halves
    return [sentence]


def _world(part: str) -> World | None:
    """Which world a statement tells of; None where it tells of both, or of neither."""
    if imagines(part):
        told = (_WOULD.search(part) or IF_AT.search(part)) and not _MIGHT.search(part)
        return "then" if told and not (NOW_AT.search(part) and _PRESENT.search(part)) else None
    if _THEN_FIRST.match(part):
        return "then"
    return "now" if NOW_AT.search(part) or _PRESENT.search(part) or _OTHERWISE.search(part) else None


def _bare(part: str) -> str:
    """A statement without the words that only tell its world."""
    bare = _IF_THEN.sub("", _OPENING.sub("", _PARTED.sub("", part.strip(" ,;."))))
    return _CLOSING.sub("", bare).strip(" ,;.")
