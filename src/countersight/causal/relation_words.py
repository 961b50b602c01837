"""Normalise relations to the catalogue's words: without inflections, articles, auxiliaries and adverbs."""

import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec

_PREFIX = re.compile(r"^(?:v|pv|p):\s*", re.IGNORECASE)
"""The prefixes by which FACTUAL marks verbs, passives and prepositions."""
_WORD = re.compile(r"[a-z'-]+")
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
"""Prepositions that the catalogue replaces by another word."""
_RESTING = frozenset({"against", "from", "in", "inside", "on", "under"})
"""Words that say where a thing rests, whatever the verb before them."""
_SOMEWHERE = frozenset({
    "above", "across", "along", "alongside", "among", "around", "at", "away", "behind", "below", "beside", "between",
    "beyond", "by", "close", "near", "next", "off", "opposite", "outside", "over", "past", "through", "towards",
})  # fmt: skip
"""Words that give a location without implying contact, whatever verb precedes them."""
_PARTICLES = frozenset({"up", "down", "out", "off", "back", "high", "together", "along"})


class Words(msgspec.Struct, frozen=True):
    """Words that play a role in every relation; each field is a list of words separated by spaces."""

    skipped: str
    """Words that do not change the meaning of a relation."""
    unreal: str
    """Words that negate a relation."""
    spots: str = ""
    """Words for parts of a place: "on the edge of" means "on", and "in the middle of" means "in"."""
    airborne: str = ""
    """Verbs of things that touch nothing, even if they are "on" something."""


class Phrase(msgspec.Struct, frozen=True):
    """A normalised relation; empty if it does not hold or cannot be read."""

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
        """Yield the relation without the part of the place, then without the verb if the rest says where a thing is."""
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
    """Return the plain form of every form of every verb: regular forms are generated, irregular ones are listed."""
    forms: dict[str, str] = {}
    for verb in dict.fromkeys(verbs):
        stem = verb[:-1] if verb.endswith("e") else verb
        stem_y = f"{verb[:-1]}i" if re.search(r"[^aeiou]y$", verb) else stem
        doubled = verb + verb[-1] if re.search(r"(?:[^aeiou]|qu)[aeiou][bdgklmnprt]$", verb) else stem
        made = [f"{verb}s", f"{verb}es", f"{stem_y}es", f"{stem}ing", f"{stem_y}ed", f"{doubled}ing", f"{doubled}ed"]
        for form in (verb, *made):
            forms.setdefault(form, verb)
    return forms | {form: verb for verb, listed in irregular.items() for form in listed}
