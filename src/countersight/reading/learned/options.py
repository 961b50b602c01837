"""What speaks for and against each option of a question being the one that a reply chooses."""

import re
from collections.abc import Iterator, Sequence

from countersight.case import LETTERS
from countersight.reading.choices.places import places
from countersight.reading.language.clauses import asks_of_now, imagines
from countersight.reading.learned.told import CUES, Evidence, Told, beside_others

# "A man" is no letter, but "option A", "A is" and "A)" are.
_LETTER = re.compile(
    r"(?<![A-Za-z'])(?:[B-HJ-Z]|[AI](?! [a-z])"
    r"|A(?= (?:is|was|would|seems|fits|because|since|as|and|or|but|over|rather)\b)"
    r"|(?i:(?<=option )|(?<=answer )|(?<=choice )|(?<=choose )|(?<=pick ))[AI])(?![A-Za-z'])"
)
_CHOSEN = re.compile(
    r"(?:answer|option|choice|choose|pick|select|correct|go(?:ing)? with|best)\W*(?:is|would be|:)?\W*(?:option )?\W*$",
    re.IGNORECASE,
)
_CALLED_RIGHT = re.compile(
    r"[A-Z][^\w.]*(?:is|seems|looks|would be|must be)(?: clearly| the)? (?:correct|right|best|answer|one)\b",
    re.IGNORECASE,
)
# Where the reasons begin, or what is said of others: "Anna, since she is ahead of Ben"
_ASIDE = re.compile(
    r"\b(?:because|since|as|while|whereas|but|although|though|than|unlike|instead of|rather than|ahead of|behind"
    r"|next to|beside|not|so|which|who|for)\b|[;:(]|(?<=\w),",
    re.IGNORECASE,
)
_BEFORE_IT = frozenset({
    "than", "of", "behind", "beside", "next", "to", "from", "not", "like", "unlike", "by", "with", "and", "or",
    "but", "is", "be", "it's", "so", "say", "for", "because", "since", "as", "neither", "nor", "either", "both",
    "over", "instead", "if", "only", "just", "after", "before",
})  # fmt: skip
_AFTER_IT = frozenset({
    "would", "is", "will", "was", "has", "because", "since", "as", "and", "or", "but", "not", "so", ",", ".", ";",
    ":", ")", "can", "could", "does", "don't", "doesn't", "wouldn't", "isn't", "goes", "looks", "seems", "than",
    "if", "then", "instead", "first",
})  # fmt: skip
_NEAR = 40  # characters
_LONGEST = 400  # characters of an option that are looked at


def option_evidence(text: str, question: str, options: Sequence[str]) -> list[tuple[str, Evidence]]:
    """Each option's letter, with what is to be said of it and of the others."""
    told = Told(text)
    letters = LETTERS[: len(options)]
    words = [Told(option[:_LONGEST]).all_said for option in options]
    sentences, clauses = ([told.said(*span) for span in spans] for spans in (told.sentences, told.clauses))
    asked = frozenset(Told(question).all_said) - frozenset().union(*words)
    opposed = told.opposed_to(asked)
    named = [(m.group(), m.start()) for m in _LETTER.finditer(text) if m.group() in letters]
    shared: Evidence = {
        "options": len(options),
        "sentences": len(told.sentences),
        "words": len(told.words),
        "ended": told.is_ended,
        "letters": len(named),
        "different letters": len({letter for letter, _ in named}),
        "asked: now": asks_of_now(question),
        "asked: imagined": imagines(question),
        "asked: not": bool(CUES["not"].search(question)),
        **{f"anywhere: {name}": bool(places) for name, places in told.cues.items()},
    }
    own = [
        _of_one(
            option,
            words[place],
            frozenset().union(*words[:place], *words[place + 1 :]),
            told,
            at_letter,
            sentences,
            clauses,
            asked,
            opposed,
        )
        for place, option in enumerate(options)
        for at_letter in [[at for letter, at in named if letter == letters[place]]]
    ]
    mentions = [
        _mentions(option, words[place], words, told, named, letters[place]) for place, option in enumerate(options)
    ]
    mains = [(start, _main_end(told, start, end)) for start, end in told.sentences]
    by_place = {place % len(options) for place in places(text, options)}
    for place, evidence in enumerate(own):
        evidence["by its place"] = place in by_place
        evidence.update(_of_mentions(mentions[place], mentions, told, mains, asked, opposed))
    return [
        (
            letter,
            {
                **shared,
                **own[place],
                **beside_others(own[place], [*own[:place], *own[place + 1 :]], _COMPARED),
                "last letter": bool(named) and named[-1][0] == letter,
                "first letter": bool(named) and named[0][0] == letter,
            },
        )
        for place, letter in enumerate(letters)
    ]


def _of_one(
    option: str,
    words: set[str],
    others: frozenset[str],
    told: Told,
    named: list[int],
    sentences: list[set[str]],
    clauses: list[set[str]],
    asked: frozenset[str],
    opposed: set[str],
) -> Evidence:
    alone = words - others
    written = option.strip(" .").lower()
    whole = list(_places(written, told.text.lower()))
    best = max(range(len(clauses)), key=lambda place: (_share(words, clauses[place]), place))
    at_best = max(range(len(sentences)), key=lambda place: (_share(words, sentences[place]), place))
    places = sorted([*named, *whole])
    evidence: Evidence = {
        "by letter": len(named),
        "in full": len(whole),
        "first place": places[0] / len(told.text) if places else -1,
        "last place": places[-1] / len(told.text) if places else -1,
        "its words": _share(words, told.all_said),
        "its own words": _share(alone, told.all_said),
        "its words in a sentence": _share(words, sentences[at_best]),
        "its own words in a sentence": max(_share(alone, said) for said in sentences),
        "its words in a clause": _share(words, clauses[best]),
        "its words in the first": _share(words, sentences[0]),
        "its words in the last": _share(words, sentences[-1]),
        "its own words in the first": _share(alone, sentences[0]),
        "its own words in the last": _share(alone, sentences[-1]),
        "its length": len(words),
        "its own": len(alone),
        "sentence": at_best,
        "sentences after": len(sentences) - 1 - at_best,
        "says not": bool(CUES["not"].search(option)),
    }
    for name, said in (("clause", clauses[best]), ("sentence", sentences[at_best])):
        evidence[f"asked in its {name}"] = _share(set(asked), said)
        evidence[f"opposed in its {name}"] = len(said & opposed)
        evidence[f"others in its {name}"] = len(said - asked - words)
        evidence[f"other options in its {name}"] = len(said & (others - words))
    first = next((word for word in told.between(*told.sentences[at_best]) if word.tells), None)
    evidence["its sentence opens with the asked"] = first is not None and first.stem in asked
    evidence["its sentence opens with it"] = first is not None and first.stem in words
    evidence["its sentence opens with another"] = first is not None and first.stem not in words | asked
    for name in CUES:
        evidence[f"{name} in its clause"] = told.has(name, *told.clauses[best])
        evidence[f"{name} in its sentence"] = told.has(name, *told.sentences[at_best])
    if places:
        last = places[-1]
        before = told.text[max(0, last - _NEAR) : last]
        evidence["chosen at last"] = bool(_CHOSEN.search(before))
        evidence["called right"] = any(_CALLED_RIGHT.match(told.text, place) for place in named)
        for name in CUES:
            evidence[f"{name} before it"] = told.has(name, max(0, last - _NEAR), last)
            evidence[f"{name} after it"] = told.has(name, last, last + _NEAR + 20)
            evidence[f"{name} later"] = told.has(name, last + _NEAR + 20, len(told.text))
    return evidence


def _mentions(
    option: str, words: set[str], every: list[set[str]], told: Told, named: list[tuple[str, int]], letter: str
) -> list[int]:
    """Where an option is named: by its letter, in full, or by a word that only it has."""
    alone = {word for word in words if sum(word in each for each in every) == 1}
    by_word = [word.start for word in told.words if word.stem in alone]
    whole = _places(option.strip(" .").lower(), told.text.lower())
    return sorted({*by_word, *whole, *(at for name, at in named if name == letter)})


def _main_end(told: Told, start: int, end: int) -> int:
    """Where the first clause of a sentence ends, which states something, before it gives reasons or tells of others."""
    opening = next((word.end for word in told.between(start, end) if word.tells), start)
    aside = _ASIDE.search(told.text, opening, end)
    return aside.start() if aside else end


def _of_mentions(
    mine: list[int],
    every: list[list[int]],
    told: Told,
    mains: list[tuple[int, int]],
    asked: frozenset[str],
    opposed: set[str],
) -> Evidence:
    firsts = sorted(places[0] for places in every if places)
    lasts = sorted(places[-1] for places in every if places)
    evidence: Evidence = {"named options": len(firsts), "mentions": len(mine)}
    if not mine:
        return evidence
    others = [place for places in every if places is not mine for place in places]
    in_main = [span for span in mains if any(span[0] <= place < span[1] for place in mine)]
    evidence["is named first"] = mine[0] == firsts[0]
    evidence["is named last"] = mine[-1] == lasts[-1]
    evidence["in the first main clause"] = any(mains[0][0] <= place < mains[0][1] for place in mine)
    evidence["in the last main clause"] = any(mains[-1][0] <= place < mains[-1][1] for place in mine)
    evidence["in main clauses"] = len(in_main)
    evidence["alone in a main clause"] = any(
        not any(start <= place < end for place in others) for start, end in in_main
    )
    evidence["others in main clauses"] = sum(any(start <= place < end for place in others) for start, end in mains)
    if in_main:
        start, end = in_main[-1]
        said = told.said(start, end)
        evidence["asked in its main clause"] = _share(set(asked), said)
        evidence["words of its main clause"] = len(said)
        for name in ("not", "would", "if", "wrong", "so", "now", "thought", "open", "taken back"):
            evidence[f"{name} in its main clause"] = told.has(name, start, end)
    for name, place in (("first", mine[0]), ("last", mine[-1])):
        before = [word for word in told.between(max(0, place - 30), place) if word.text not in ("the", "a", "an")][-1:]
        after = [word for word in told.between(place, place + 50) if not word.tells][:1]
        for word in before:
            if word.text in _BEFORE_IT:
                evidence[f"{word.text} before its {name}"] = 1
        for word in after:
            if word.text in _AFTER_IT:
                evidence[f"{word.text} after its {name}"] = 1
        start, end = told.clauses[told.clause_at(place)]
        said = told.said(start, end)
        evidence[f"asked in the clause of its {name}"] = _share(set(asked), said)
        evidence[f"opposed in the clause of its {name}"] = len(said & opposed)
        for cue in ("not", "would", "so", "wrong", "now", "if", "chosen", "only", "other"):
            evidence[f"{cue} in the clause of its {name}"] = told.has(cue, start, end)
        evidence[f"opens with its {name}"] = not any(word.tells for word in told.between(0, place))
    return evidence


_COMPARED = (
    "by letter", "in full", "first place", "last place", "its words", "its own words", "its words in a sentence",
    "its own words in a sentence", "its words in a clause", "its words in the first", "its words in the last",
    "its own words in the first", "its own words in the last", "its length", "sentence", "chosen at last",
    "not in its clause", "not before it", "wrong in its sentence", "so in its sentence", "mentions", "in main clauses",
    "asked in its main clause", "alone in a main clause", "asked in the clause of its first",
    "asked in the clause of its last", "not in the clause of its first", "not in the clause of its last",
)  # fmt: skip


def _places(written: str, text: str) -> Iterator[int]:
    """Where an option stands in a text in full."""
    place = text.find(written) if written else -1
    while place >= 0:
        yield place
        place = text.find(written, place + len(written))


def _share(words: set[str], said: set[str]) -> float:
    return len(words & said) / len(words) if words else 0
