"""The catalogue of causal relations: which relations of a scene graph are causal, their kind and direction.

Its content is in two files that people can read and correct: `catalogue.toml` for relations and `nouns.toml` for
things. Relations are first reduced to the words of the catalogue by removing inflections, articles, auxiliaries and
adverbs.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from typing import Literal

import msgspec

from countersight.causal.lexicon import entry, singular, wider

_WORD = re.compile(r"[a-z'-]+")
_PREFIX = re.compile(r"^(?:v|pv|p):\s*", re.IGNORECASE)
"""The prefixes by which FACTUAL marks verbs, passives and prepositions."""
_PARTICIPLES = ("ed", "en", "wn", "ld", "rn", "ung", "ade", "uilt", "it")
_MOST = 12
_SAME = {
    "amongst": "among",
    "atop": "on top of",
    "beneath": "under",
    "infront": "in front",
    "onto": "on",
    "toward": "towards",
    "underneath": "under",
    "upon": "on",
    "within": "inside",
}
"""Prepositions that the catalogue replaces with another word."""
_RESTING = frozenset({"against", "from", "in", "inside", "on", "under"})
"""Words that say where a thing rests, whatever verb precedes them."""
_SOMEWHERE = frozenset({
    "above", "across", "along", "alongside", "among", "around", "at", "away", "behind", "below", "beside", "between",
    "beyond", "by", "close", "near", "next", "off", "opposite", "outside", "over", "past", "through", "towards",
})  # fmt: skip
"""Words that give a location without implying contact, whatever verb precedes them."""
_PARTICLES = frozenset({"up", "down", "out", "off", "back", "high", "together", "along"})
_SHORTEST = 4
"""The minimum number of letters in each part of a compound that is written as one word."""

Decision = Literal["causal", "none", "ambiguous", "unknown"]
"""The possible verdicts: causal; not causal; known words that are ambiguous for these things; unknown words."""

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
"""Kinds of rules that have no cause, and their verdicts."""


class Words(msgspec.Struct, frozen=True):
    """Words that can occur in any relation; each field is a list of words separated by spaces."""

    skipped: str
    """Words that do not change the meaning of a relation."""
    unreal: str
    """Words that negate a relation."""
    spots: str = ""
    """Words for parts of a place: "on the edge of" means "on", and "in the middle of" means "in"."""
    airborne: str = ""
    """Verbs for things that touch nothing, even if they are "on" something."""


class Phrase(msgspec.Struct, frozen=True):
    """A normalised relation; empty if it does not hold or cannot be parsed."""

    words: str
    done_by: str = ""
    """The active form of a passive with its agent: "hold up" for "held up by"."""
    wider: tuple[str, ...] = ()
    """Less detailed phrases that it implies: a horse that trots on the edge of something is on it."""


def without_prefix(relation: str) -> str:
    """Return the relation without the prefixes that FACTUAL adds."""
    return _PREFIX.sub("", relation.strip())


class RelationWords:
    """Normalises relations, given the verbs of some phrases."""

    def __init__(self, phrases: Iterable[str], forms: Mapping[str, Iterable[str]], words: Words) -> None:
        self._skipped, self._unreal = frozenset(words.skipped.split()), frozenset(words.unreal.split())
        self._spots, self._airborne = frozenset(words.spots.split()), frozenset(words.airborne.split())
        self._past = frozenset(form for listed in forms.values() for form in listed)
        self._plain = _plain_forms((*(phrase.split()[0] for phrase in phrases), *self._airborne), forms)

    def bare(self, phrase: str) -> str:
        """Return a phrase without the words that do not change its meaning."""
        kept = " ".join(_SAME.get(word, word) for word in _WORD.findall(phrase) if word not in self._skipped)
        return kept.replace("inside of", "inside").replace(" of of", " of")

    def read(self, relation: str) -> Phrase:
        """Return the normalised relation."""
        text = relation.strip().casefold()
        words = [word for word in self.bare(without_prefix(text)).split() if not self._is_adverb(word)]
        if not words or len(words) > _MOST or not self._unreal.isdisjoint(words):
            return Phrase("")
        is_passive = text.startswith("pv:") or words[0].endswith(_PARTICIPLES) or words[0] in self._past
        words[0] = self._plain.get(words[0], words[0])
        by = len(words) > 1 and words[-1] == "by" and is_passive
        return Phrase(" ".join(words), " ".join(words[:-1]) if by else "", tuple(self._wider(words, is_passive)))

    def _wider(self, words: list[str], is_passive: bool) -> Iterator[str]:
        """Yield the relation without "edge of" etc., then without the verb if the rest says where a thing is."""
        if len(words) > 3 and words[-1] == "of" and words[-2] in self._spots:
            words = words[:-2]
            yield " ".join(words)
        if len(words) == 3 and words[1] in _PARTICLES:
            words = [words[0], words[2]]
            yield " ".join(words)
        if is_passive and words[-1] == "into":  # what was put into a thing is in it; what runs into it is not
            words = [*words[:-1], "in"]
        if len(words) < 2 or (words[1] in _RESTING and words[0] in self._airborne) or (is_passive and words[1] == "by"):
            return
        if words[1] in _RESTING or words[1] in _SOMEWHERE:
            yield " ".join(words[1:])

    def _is_adverb(self, word: str) -> bool:
        return word.endswith("ly") and len(word) > 4 and word not in self._plain


def _plain_forms(verbs: Iterable[str], irregular: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return the base form for every form of every verb; regular forms are generated, irregular ones are listed."""
    forms: dict[str, str] = {}
    for verb in dict.fromkeys(verbs):
        stem = verb[:-1] if verb.endswith("e") else verb
        stem_y = f"{verb[:-1]}i" if re.search(r"[^aeiou]y$", verb) else stem
        doubled = verb + verb[-1] if re.search(r"(?:[^aeiou]|qu)[aeiou][bdgklmnprt]$", verb) else stem
        made = [f"{verb}s", f"{verb}es", f"{stem_y}es", f"{stem}ing", f"{stem_y}ed", f"{doubled}ing", f"{doubled}ed"]
        for form in (verb, *made):
            forms.setdefault(form, verb)
    return forms | {form: verb for verb, listed in irregular.items() for form in listed}


class RelationRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule of the catalogue file; subject and object are those of the phrases in `say`."""

    kind: str
    say: tuple[str, ...]
    cause: Role | None = None
    inverse: tuple[str, ...] = ()
    subject: frozenset[str] = frozenset()
    object: frozenset[str] = frozenset()
    not_subject: frozenset[str] = frozenset()
    not_object: frozenset[str] = frozenset()

    def verdict(self, subject: frozenset[str], object: frozenset[str]) -> RelationVerdict | None:
        """Return the verdict on things of these classes; None if the rule is not about them.

        Immaterial things do not hold anything and are not held, unless the rule names their class.
        """
        for classes, wanted, unwanted in (
            (subject, self.subject, self.not_subject),
            (object, self.object, self.not_object),
        ):
            if not unwanted.isdisjoint(classes) or (wanted and wanted.isdisjoint(classes)):
                return None
            if self.cause and not wanted and "immaterial" in classes:
                return None
        return RelationVerdict("causal", self.kind, self.cause) if self.cause else _WITHOUT_CAUSE[self.kind]


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
    classes: dict[str, str]
    groups: dict[str, tuple[str, ...]]
    vague: str = ""
    endings: dict[str, str] = {}


class Nouns:
    """Names, and the classes of things that they belong to."""

    def __init__(self, file: NounsFile, wider: Callable[[str], Iterable[str]] = lambda _: ()) -> None:
        """`wider` returns the hypernyms of a noun, the nearest first: an unlisted noun takes its classes from them."""
        self._classes: dict[str, set[str]] = {}
        for name, listed in file.classes.items():
            also = {group for group, members in file.groups.items() if name in members}
            for noun in filter(None, map(str.strip, listed.replace("\n", " ").split(","))):
                self._classes.setdefault(noun, set()).update({name}, also)
        self._endings, self._wider = file.endings, wider
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
                for last in (words[-1], singular(words[-1]), words[-1].removesuffix("s"), words[-1].removesuffix("es")):
                    form = " ".join((*words[:-1][len(words) - length :], last))
                    if form in self._classes:
                        return self._classes[form]
        return set()


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
        self._rules: dict[str, list[tuple[RelationRule, bool]]] = {}
        """The rules about each phrase; for each rule, whether the phrase is one of its inverse phrases."""
        for rule in file.rule:
            for phrases, inverse in ((rule.say, False), (rule.inverse, True)):
                for phrase in (phrasing for listed in phrases for phrasing in file.with_each_verb(listed)):
                    self._rules.setdefault(self._words.bare(phrase), []).append((rule, inverse))
        self._read = lru_cache(maxsize=1 << 16)(self._words.read)
        self.decide = lru_cache(maxsize=1 << 18)(self._decide)
        """Returns whether and how the relation between two named things is causal."""

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
        rules = self._rules.get(phrase)
        if rules is None:
            return UNKNOWN
        one, other = self.classes(subject), self.classes(object)
        for rule, inverse in rules:
            if found := rule.verdict(other, one) if inverse else rule.verdict(one, other):
                return found.exchanged() if inverse else found
        return None


@cache
def catalogue() -> Catalogue:
    """Return the catalogue that is part of Countersight."""
    relations, nouns = (
        tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))
        for name in ("catalogue.toml", "nouns.toml")
    )
    return Catalogue(msgspec.convert(relations, CatalogueFile), Nouns(msgspec.convert(nouns, NounsFile), wider))


def classes_of(name: str) -> frozenset[str]:
    """Return the classes of things that a name belongs to, according to the built-in catalogue."""
    return catalogue().classes(name)


def is_person(name: str) -> bool:
    """Return whether the name refers to a person or to people."""
    classes, known = classes_of(name), entry(name)
    return "person" in classes if classes else known is not None and known.kind == "person"


def verdict_on(subject: str, relation: str, object: str) -> RelationVerdict:
    """Return whether and how the relation between two named things is causal, according to the built-in catalogue."""
    return catalogue().decide(subject, relation, object)
