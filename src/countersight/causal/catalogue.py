"""Which relations of a scene graph are causal, of which kind, and which way cause runs: the catalogue, and its use.

What the catalogue knows stands in two files that people can read and mend: `catalogue.toml` for the relations and
`nouns.toml` for the things. This module only reads them and looks up.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Literal

import msgspec

from countersight.errors import CountersightError
from countersight.wording import unknown

Decision = Literal["causal", "none", "ambiguous", "unknown"]
"""There is a cause; there is none; the words are known but do not decide between these things; they are not known."""

Role = Literal["subject", "object"]


class CatalogueError(CountersightError):
    """A catalogue that contradicts itself."""


class Verdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the catalogue says of one relation between two things."""

    decision: Decision
    kind: str = ""
    cause: Role | None = None


AMBIGUOUS = Verdict("ambiguous")
UNKNOWN = Verdict("unknown")
NONE = Verdict("none")

_PREFIX = re.compile(r"^(?:v|pv|p):\s*")
"""FACTUAL marks verbs, passives and prepositions so."""
_WORD = re.compile(r"[a-z'-]+")
_SKIPPED = frozenset(
    "a an the his her its their my your our some it this that these those is are am was were be being been currently "
    "still also just all both only very together now side-by-side".split()
)
_UNREAL = frozenset("not no never without don't doesn't isn't aren't cannot trying ready about preparing attempting".split())
"""Words after which the relation does not hold, or not yet."""
_PARTICIPLES = ("ed", "en", "wn", "ld", "rn", "ung", "ade", "uilt", "it")
_MOST_WORDS = 12
_IRREGULAR_PLURALS = {
    "men": "man", "women": "woman", "people": "person", "children": "child", "feet": "foot", "teeth": "tooth",
    "geese": "goose", "mice": "mouse", "oxen": "ox", "calves": "calf", "leaves": "leaf", "loaves": "loaf",
    "knives": "knife", "shelves": "shelf", "wolves": "wolf", "scarves": "scarf", "hooves": "hoof", "wives": "wife",
    "policemen": "policeman", "firemen": "fireman", "halves": "half",
}  # fmt: skip
_MEASURES = frozenset("bunch bundle cluster couple group herd flock line lot lots pair piece pile row set slice stack".split())
"""Words before "of" that only count what comes after."""


class Rule(msgspec.Struct, frozen=True):
    """A rule of the catalogue, as the file has it; subject and object are those of `say`."""

    kind: str
    say: tuple[str, ...]
    cause: Role | None = None
    inverse: tuple[str, ...] = ()
    subject: tuple[str, ...] = ()
    object: tuple[str, ...] = ()
    not_subject: tuple[str, ...] = ()
    not_object: tuple[str, ...] = ()


class _Entry(msgspec.Struct, frozen=True):
    """A rule as one phrase reads it: subject and object are those of the phrase."""

    verdict: Verdict
    subject: frozenset[str]
    object: frozenset[str]
    not_subject: frozenset[str]
    not_object: frozenset[str]

    def fits(self, subject: frozenset[str], object: frozenset[str]) -> bool:
        return (
            (not self.subject or not self.subject.isdisjoint(subject))
            and (not self.object or not self.object.isdisjoint(object))
            and self.not_subject.isdisjoint(subject)
            and self.not_object.isdisjoint(object)
        )


class Catalogue:
    """The relations and things we know, ready for looking up."""

    def __init__(self, relations: Mapping[str, Any], nouns: Mapping[str, Any]) -> None:
        self.kinds: dict[str, str] = dict(relations["kinds"])
        """Every kind of cause with what it means."""
        rules = msgspec.convert(relations["rule"], tuple[Rule, ...])
        self._classes = _classes(nouns)
        names = {name for classes in self._classes.values() for name in classes}
        self._entries: dict[str, list[_Entry]] = {}
        for rule in rules:
            self._check(rule, names)
            for phrases, inverse in ((rule.say, False), (rule.inverse, True)):
                for phrase in phrases:
                    self._entries.setdefault(" ".join(_words(phrase)), []).append(_entry(rule, inverse))
        self._forms = _forms(self._entries, relations["forms"])
        self.decide = lru_cache(maxsize=1 << 18)(self._decide)
        self._relation = lru_cache(maxsize=1 << 16)(self._read)
        self.classes = lru_cache(maxsize=1 << 16)(self._classes_of)

    def _check(self, rule: Rule, names: set[str]) -> None:
        if rule.kind != "none" and rule.kind not in self.kinds:
            raise CatalogueError(unknown("kind of cause", rule.kind, self.kinds))
        if (rule.kind == "none") != (rule.cause is None):
            raise CatalogueError(f"the rule for {rule.say[0]!r} needs a cause exactly if its kind is not none")
        for name in (*rule.subject, *rule.object, *rule.not_subject, *rule.not_object):
            if name not in names:
                raise CatalogueError(unknown("class of nouns", name, sorted(names)))

    def _decide(self, subject: str, relation: str, object: str) -> Verdict:
        """What the relation between two named things says about cause."""
        phrase, passive = self._relation(relation)
        entries = self._entries.get(phrase)
        if passive and entries is None:  # "held by" is "hold" the other way round
            entries = self._entries.get(phrase.removesuffix(" by"))
            subject, object = object, subject
        else:
            passive = False
        if entries is None:
            return UNKNOWN
        subject_classes, object_classes = self.classes(subject), self.classes(object)
        for entry in entries:
            if entry.fits(subject_classes, object_classes):
                return _exchanged(entry.verdict) if passive else entry.verdict
        return AMBIGUOUS

    def _read(self, relation: str) -> tuple[str, bool]:
        """The relation in the catalogue's words, and whether it is a passive that names who does it."""
        text = relation.strip().casefold()
        words = [word for word in _words(said(text)) if not _is_adverb(word) or word in self._forms]
        if not words or len(words) > _MOST_WORDS or not _UNREAL.isdisjoint(words):
            return "", False
        passive = words[-1] == "by" and len(words) > 1
        passive = passive and (text.startswith("pv:") or words[0].endswith(_PARTICIPLES))
        words[0] = self._forms.get(words[0], words[0])
        return " ".join(words), passive

    def _classes_of(self, name: str) -> frozenset[str]:
        """The classes a name belongs to; none where we do not know it."""
        words = _WORD.findall(name.casefold())
        if "of" in words[1:-1]:
            place = words.index("of")
            words = words[place + 1 :] if words[place - 1] in _MEASURES else words[:place]
        for length in (len(words), 2, 1):
            if length > len(words):
                continue
            for form in _singulars(" ".join(words[-length:])):
                if form in self._classes:
                    return self._classes[form]
        return frozenset()


def said(relation: str) -> str:
    """The relation without the marks that FACTUAL puts before it."""
    return _PREFIX.sub("", relation.strip())


@cache
def catalogue() -> Catalogue:
    """The catalogue that comes with Countersight."""
    folder = files(__package__)
    relations, nouns = (
        tomllib.loads((folder / name).read_text(encoding="utf-8")) for name in ("catalogue.toml", "nouns.toml")
    )
    return Catalogue(relations, nouns)


def _words(phrase: str) -> list[str]:
    return [word for word in _WORD.findall(phrase) if word not in _SKIPPED]


def _is_adverb(word: str) -> bool:
    return word.endswith("ly") and len(word) > 4


def _entry(rule: Rule, inverse: bool) -> _Entry:
    verdict = NONE if rule.cause is None else Verdict("causal", rule.kind, rule.cause)
    # What is no thing can hold nothing and be held by nothing, unless a rule asks for it by name.
    sides = [
        (frozenset(wanted), frozenset(unwanted) | (frozenset() if wanted or rule.cause is None else {"immaterial"}))
        for wanted, unwanted in ((rule.subject, rule.not_subject), (rule.object, rule.not_object))
    ]
    if inverse:
        sides.reverse()
        verdict = _exchanged(verdict)
    (subject, not_subject), (object, not_object) = sides
    return _Entry(verdict, subject, object, not_subject, not_object)


def _exchanged(verdict: Verdict) -> Verdict:
    if verdict.cause is None:
        return verdict
    return Verdict(verdict.decision, verdict.kind, "object" if verdict.cause == "subject" else "subject")


def _classes(nouns: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """The classes of every noun, with the groups these belong to."""
    found: dict[str, set[str]] = {}
    for name, listed in nouns["classes"].items():
        groups = {group for group, members in nouns["groups"].items() if name in members}
        for noun in listed.replace("\n", " ").split(","):
            if noun.strip():
                found.setdefault(noun.strip(), set()).update({name}, groups)
    for group, members in nouns["groups"].items():
        for member in members:
            if member not in nouns["classes"]:
                raise CatalogueError(f"group {group!r}: " + unknown("class of nouns", member, nouns["classes"]))
    return {noun: frozenset(classes) for noun, classes in found.items()}


def _singulars(name: str) -> Iterator[str]:
    """The name as it stands, then what its singular may be."""
    yield name
    rest, _, last = name.rpartition(" ")
    before = f"{rest} " if rest else ""
    if last in _IRREGULAR_PLURALS:
        yield before + _IRREGULAR_PLURALS[last]
    elif last.endswith("s") and not last.endswith("ss"):
        if last.endswith("ies"):
            yield f"{before}{last[:-3]}y"
        yield before + last[:-1]
        if last.endswith("es"):
            yield before + last[:-2]


def _forms(phrases: Iterable[str], irregular: Mapping[str, list[str]]) -> dict[str, str]:
    """The plain form of every form of every verb: regular ones are made, the others are listed."""
    forms: dict[str, str] = {}
    for verb in dict.fromkeys(phrase.split()[0] for phrase in phrases):
        stem = verb[:-1] if verb.endswith("e") else verb
        stem_y = f"{verb[:-1]}i" if re.search(r"[^aeiou]y$", verb) else stem
        doubled = verb + verb[-1] if re.search(r"[^aeiou][aeiou][bdgklmnprt]$", verb) else stem
        made = [f"{verb}s", f"{verb}es", f"{stem_y}es", f"{stem}ing", f"{stem_y}ed", f"{doubled}ing", f"{doubled}ed"]
        for form in (verb, *made):
            forms.setdefault(form, verb)
    for verb, listed in irregular.items():
        for form in listed:
            forms[form] = verb
    return forms
