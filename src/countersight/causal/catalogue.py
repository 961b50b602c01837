"""The catalogue of causal relations: which relations of a scene graph are causal, their kind and direction.

Its content is in two files that people can read and correct: `catalogue.toml` for relations and `nouns.toml` for
things. This module reads both files and looks up relations and nouns.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from typing import Literal

import msgspec

from countersight.causal.lexicon import wider
from countersight.causal.relation_words import RelationWords, Words
from countersight.errors import CatalogueError
from countersight.text import unknown

_WORD = re.compile(r"[a-z'-]+")
_SHORTEST = 4
"""The fewest letters of either part of a compound that is written as one word."""

Decision = Literal["causal", "none", "ambiguous", "unknown"]
"""Causal; not causal; known words that are ambiguous for these things; unknown words."""

Role = Literal["subject", "object"]


class RelationVerdict(msgspec.Struct, frozen=True):
    """The catalogue's decision about one relation between two things."""

    decision: Decision
    kind: str = ""
    cause: Role | None = None

    def exchanged(self) -> "RelationVerdict":
        """Return the same verdict with subject and object exchanged."""
        if self.cause is None:
            return self
        return RelationVerdict(self.decision, self.kind, "object" if self.cause == "subject" else "subject")


NONE, AMBIGUOUS, UNKNOWN = RelationVerdict("none"), RelationVerdict("ambiguous"), RelationVerdict("unknown")
_WITHOUT_CAUSE = {"none": NONE, "undecided": AMBIGUOUS}
"""Kinds of rules without a cause, and their verdicts."""


class RelationRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule of the catalogue file; subject and object are those of the phrases in `say`."""

    kind: str
    say: tuple[str, ...]
    cause: Role | None = None
    inverse: tuple[str, ...] = ()
    subject: tuple[str, ...] = ()
    object: tuple[str, ...] = ()
    not_subject: tuple[str, ...] = ()
    not_object: tuple[str, ...] = ()


class CatalogueFile(msgspec.Struct, frozen=True):
    """The content of the catalogue file."""

    kinds: dict[str, str]
    words: Words
    forms: dict[str, tuple[str, ...]]
    rule: tuple[RelationRule, ...]
    verbs: dict[str, str] = {}
    """Groups of verbs with the same meaning: "{rest} on" is "sit on", "lie on", "lean on", …"""

    def with_each_verb(self, phrase: str) -> Iterator[str]:
        """Return the phrase with each verb of its group."""
        group, _, rest = phrase.removeprefix("{").partition("}")
        yield from (f"{verb}{rest}" for verb in self.verbs[group].split()) if rest else (phrase,)


class NounsFile(msgspec.Struct, frozen=True):
    """The content of the nouns file."""

    measures: str
    plurals: dict[str, str]
    classes: dict[str, str]
    groups: dict[str, tuple[str, ...]]
    vague: str = ""
    endings: dict[str, str] = {}


class Nouns:
    """Names and the classes of things they belong to."""

    def __init__(self, file: NounsFile, wider: Callable[[str], Iterable[str]] = lambda _: ()) -> None:
        """`wider` returns the hypernyms of a noun, the nearest first: an unlisted noun takes its classes from them."""
        self.names = {*file.classes, *file.groups}
        """The names of all classes and groups of classes."""
        self._classes: dict[str, set[str]] = {}
        for name, listed in file.classes.items():
            also = {group for group, members in file.groups.items() if name in members}
            for noun in filter(None, map(str.strip, listed.replace("\n", " ").split(","))):
                self._classes.setdefault(noun, set()).update({name}, also)
        self._plurals, self._endings, self._wider = file.plurals, file.endings, wider
        self._measures, self._vague = frozenset(file.measures.split()), frozenset(file.vague.split())
        self.classes = lru_cache(maxsize=1 << 16)(self._find)
        """Returns the classes that a name belongs to; none if the name is unknown."""

    def _find(self, name: str) -> frozenset[str]:
        words = _WORD.findall(name.casefold())
        if not words:  # "2", "50", "?": Visual Genome has such names
            return frozenset()
        last = words[-1]
        # A compound that is written as one word is what it ends with: a cornfield is a field.
        endings = [last[place:] for place in range(_SHORTEST, len(last) - _SHORTEST + 1)]
        endings += [noun for ending, noun in self._endings.items() if last.endswith(ending)]
        wider = (word for word in self._wider(name) if word not in self._vague)
        return next(
            (frozenset(found) for word in chain((name,), wider, endings) if (found := self._listed(word))), frozenset()
        )

    def _listed(self, name: str) -> set[str]:
        words = _WORD.findall(name.casefold())
        if "of" in words[1:-1]:
            place = words.index("of")
            words = words[place + 1 :] if words[place - 1] in self._measures else words[:place]
        for length in dict.fromkeys((len(words), 2, 1)):
            if 0 < length <= len(words):
                for form in self._singulars(words[:-1][len(words) - length :], words[-1]):
                    if form in self._classes:
                        return self._classes[form]
        return set()

    def _singulars(self, before: list[str], last: str) -> Iterator[str]:
        """Yield the name as written, then its possible singular forms."""
        forms = [last]
        if last in self._plurals:
            forms.append(self._plurals[last])
        elif last.endswith("s") and not last.endswith("ss"):
            forms += [f"{last[:-3]}y"] if last.endswith("ies") else []
            forms.append(last[:-1])
            forms += [last[:-2]] if last.endswith("es") else []
        for form in forms:
            yield " ".join((*before, form))


class Catalogue:
    """The known relations and things, ready for lookup."""

    def __init__(self, file: CatalogueFile, nouns: Nouns) -> None:
        self.kinds = file.kinds
        """The meaning of each kind of cause."""
        self.classes = nouns.classes
        """Returns the classes of things that a name belongs to; none if the name is unknown."""
        listed = [phrase for rule in file.rule for phrase in (*rule.say, *rule.inverse)]
        self._words = RelationWords(
            [phrasing for phrase in listed for phrasing in file.with_each_verb(phrase)], file.forms, file.words
        )
        self._entries: dict[str, list[_Entry]] = {}
        for rule in file.rule:
            self._check(rule, nouns.names)
            for phrases, inverse in ((rule.say, False), (rule.inverse, True)):
                for phrase in (phrasing for listed in phrases for phrasing in file.with_each_verb(listed)):
                    self._entries.setdefault(self._words.bare(phrase), []).append(_entry(rule, inverse))
        self._read = lru_cache(maxsize=1 << 16)(self._words.read)
        self.decide = lru_cache(maxsize=1 << 18)(self._decide)
        """Returns whether and how the relation between two named things is causal."""

    def _check(self, rule: RelationRule, classes: set[str]) -> None:
        if rule.kind not in _WITHOUT_CAUSE and rule.kind not in self.kinds:
            raise CatalogueError(unknown("kind of cause", rule.kind, self.kinds))
        if (rule.kind in _WITHOUT_CAUSE) != (rule.cause is None):
            named = " or ".join(_WITHOUT_CAUSE)
            raise CatalogueError(f"the rule for {rule.say[0]!r} must name a cause unless its kind is {named}")
        for name in (*rule.subject, *rule.object, *rule.not_subject, *rule.not_object):
            if name not in classes:
                raise CatalogueError(unknown("class of nouns", name, sorted(classes)))

    def _decide(self, subject: str, relation: str, object: str) -> RelationVerdict:
        phrase = self._read(relation)
        verdicts = [self._between(subject, phrase.words, object)]
        if phrase.done_by:
            done = self._between(object, phrase.done_by, subject)
            verdicts.append(done and done.exchanged())
        if AMBIGUOUS not in verdicts:  # unless a rule says that it is ambiguous, try less detailed phrases
            verdicts += [self._between(subject, words, object) for words in phrase.wider]
        decided = (verdict for verdict in verdicts if verdict and verdict.decision in ("causal", "none"))
        return next(decided, UNKNOWN if all(verdict == UNKNOWN for verdict in verdicts) else AMBIGUOUS)

    def _between(self, subject: str, phrase: str, object: str) -> RelationVerdict | None:
        """Return the verdict of the first rule that fits; None if the words are known but no rule fits."""
        entries = self._entries.get(phrase)
        if entries is None:
            return UNKNOWN
        ends = self.classes(subject), self.classes(object)
        return next((entry.verdict for entry in entries if entry.fits(*ends)), None)


@cache
def catalogue() -> Catalogue:
    """Return the catalogue that comes with Countersight."""
    relations, nouns = (
        tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))
        for name in ("catalogue.toml", "nouns.toml")
    )
    return Catalogue(msgspec.convert(relations, CatalogueFile), Nouns(msgspec.convert(nouns, NounsFile), wider))


def classes_of(name: str) -> frozenset[str]:
    """Return the classes of things that a name belongs to, according to the built-in catalogue."""
    return catalogue().classes(name)


def verdict_on(subject: str, relation: str, object: str) -> RelationVerdict:
    """Return whether and how the relation between two named things is causal, according to the built-in catalogue."""
    return catalogue().decide(subject, relation, object)


class _Entry(msgspec.Struct, frozen=True):
    """A rule applied to one phrase: the classes that the subject and object of the phrase must have, and must not
    have."""

    verdict: RelationVerdict
    subject: tuple[frozenset[str], frozenset[str]]
    object: tuple[frozenset[str], frozenset[str]]

    def fits(self, subject: frozenset[str], object: frozenset[str]) -> bool:
        return all(
            not (wanted and wanted.isdisjoint(classes)) and unwanted.isdisjoint(classes)
            for (wanted, unwanted), classes in ((self.subject, subject), (self.object, object))
        )


def _entry(rule: RelationRule, inverse: bool) -> _Entry:
    if rule.cause is None:
        verdict, never = _WITHOUT_CAUSE[rule.kind], frozenset[str]()
    else:  # immaterial things do not hold anything and are not held, unless the rule names their class
        verdict, never = RelationVerdict("causal", rule.kind, rule.cause), frozenset({"immaterial"})
    subject, object = (
        (frozenset(wanted), frozenset(unwanted) | (frozenset() if wanted else never))
        for wanted, unwanted in ((rule.subject, rule.not_subject), (rule.object, rule.not_object))
    )
    return _Entry(verdict.exchanged(), object, subject) if inverse else _Entry(verdict, subject, object)
