"""What a question says by its plain words: of which things it supposes that they are gone, or that they stay, and which
of the two it asks for. A wording that says otherwise than the template is refused whoever vouches for it: a model that
denies a premise may well read its own question back as it was meant. So is one whose words do not tell.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from math import prod

import msgspec

from countersight.causal import head, plain, singular, synonyms, words_in

_TOKEN = re.compile(r"[a-z0-9-]+|[,.;:?]")
_BREAK = re.compile(
    r"[,.;:?]|(?<! anything)(?<! nothing) "
    r"(?=(?:and|but|while|although|though|if|suppose|supposing|when|once|given|with)\b)"
)
_FIRST = re.compile(r"^(?:and|but|then|so|also) ")
_PRONOUN = re.compile(r"\b(?:it|they|them|he|she|him|her)\b")
_THING = re.compile(r"@(\d)")
_STAYS, _GONE = "that it stays", "that it is gone"
_DENIED, _UNCLEAR = "that something is denied", "both that it is gone and that it stays"
_OUTCOMES = {_STAYS: "stays", _GONE: "goes"}
_WHY = re.compile(r"\b(?:why|how come|what (?:explains|accounts for|is the reason))\b")


class Told(msgspec.Struct, frozen=True):
    """What the plain words of a question say."""

    asks: str
    """For a reason, for a thing, or whether something stays or goes."""
    supposed: dict[str, frozenset[str]] = {}
    """Of each thing, whether it is supposed to be gone, or to stay; NIE supposes both of one."""
    untouched: bool = False
    indirect: bool = False
    dependent: str = ""
    """Of two things of which one depends on the other, that one."""


def differs(written: str, template: str, named: Sequence[str], is_choice: bool) -> str | None:
    """What a wording says otherwise than the template, in words that a model understands, or None."""
    tell = _told_by_choice if is_choice else _told_by_supposition
    said, meant = tell(written, named), tell(template, named)
    for name in named:
        one, other = (_in_words(told.supposed.get(name)) for told in (meant, said))
        if one != other:
            return f"of {name} it must suppose, in plain words, {one}, and it reads as {other}"
    if said.asks != meant.asks:
        return f"it must ask {meant.asks}, and it reads as asking {said.asks}"
    if said.dependent != meant.dependent:
        return f"it must be {meant.dependent} that depends on the other thing"
    if said.untouched != meant.untouched:
        return f"it must{' ' if meant.untouched else ' not '}say that nobody touched the thing"
    if said.indirect != meant.indirect:
        return f"it must{' ' if meant.indirect else ' not '}ask for what acts by way of another thing"
    return None


def _in_words(supposed: frozenset[str] | None) -> str:
    return " and ".join(sorted(supposed)) if supposed else "nothing"


def _told_by_supposition(text: str, named: Sequence[str]) -> Told:
    bare, untouched = _without_idioms(_with_numbers(text, named))
    if _WHY.search(bare):
        return Told("for a reason")
    supposed: dict[str, set[str]] = {}
    asks, last = "nothing for yes or no", ""
    for clause in _clauses(bare):
        things = [named[int(number)] for number in _THING.findall(clause)]
        sign = _sign(clause)
        if things or not _PRONOUN.search(clause):
            last = things[-1] if things else ""
        if _words("asks", "for_yes_or_no").match(clause):
            asks = f"whether {last or 'no thing'} {_OUTCOMES.get(sign or '', 'does what nobody can tell')}"
        elif sign and (last or sign != _GONE):  # "if just that happened" supposes nothing new
            supposed.setdefault(last, set()).add(sign)
    if "" in supposed:
        asks = "something that it denies"
    return Told(asks, {name: frozenset(signs) for name, signs in supposed.items()}, untouched)


def _told_by_choice(text: str, named: Sequence[str]) -> Told:
    numbered = _with_numbers(text, named)
    indirect = bool(_words("words", "indirect").search(numbered)) and not _words("words", "direct").search(numbered)
    bare, untouched = _without_idioms(_words("idioms", "reason").sub("", numbered), removal=False)
    last = list(_clauses(bare.rpartition(".")[2]))
    asking = next((clause for clause in last if _words("asks", "for_a_thing").search(clause)), "")
    if not asking or any(_words("asks", "for_yes_or_no").match(clause) for clause in last[: last.index(asking) + 1]):
        return Told("for no option")
    what = "for a reason" if _WHY.search(asking) else "for a thing"
    if len(_WHY.findall(bare)) != len(_WHY.findall(asking)):
        return Told("for a reason in the midst of something else")
    return Told(
        f"{what} of which {_holding(map(_sign, _clauses(bare)))}",
        untouched=untouched,
        indirect=indirect,
        dependent=_dependent(numbered, named) if len(named) == 2 else "",
    )


def _holding(signs: Iterable[str | None]) -> str:
    """Whether what the clauses of a question say together is true of the right option: what stays without which a thing
    does not stay is what keeps it."""
    found = list(signs)
    if _UNCLEAR in found:
        return "nobody can tell whether it holds"
    return "it holds" if prod(-1 if sign in (_GONE, _DENIED) else 1 for sign in found) > 0 else "it does not hold"


def _sign(clause: str) -> str | None:
    """What a clause says of its thing; None where it says nothing, neither in the one way nor in the other."""
    denied = len(_words("words", "denies").findall(clause)) % 2
    gone = bool(_words("words", "gone").search(clause))
    stays = _words("words", "stays").search(_words("words", "weak").sub("", clause) if gone else clause)
    if gone and stays:
        return _UNCLEAR
    if gone or stays:
        return _STAYS if gone == bool(denied) else _GONE
    return _DENIED if denied else None


def _clauses(text: str) -> Iterator[str]:
    for clause in _BREAK.split(text):
        stripped = _FIRST.sub("", clause.strip())
        if stripped:
            yield stripped


def _without_idioms(text: str, removal: bool = True) -> tuple[str, bool]:
    """A text without idioms that say neither, and whether it says that nobody touched the thing."""
    text = _words("idioms", "neutral").sub("", text)
    bare, found = _words("idioms", "untouched").subn("", text)
    untouched = bool(found) and not _words("idioms", "touched").search(bare)
    return (re.sub(r"\bwithout (@\d)", r", \1 gone ,", bare) if removal else bare), untouched


def _dependent(text: str, named: Sequence[str]) -> str:
    for first, second in (("@0", "@1"), ("@1", "@0")):
        for way, kept in (("first", first), ("second", second)):
            pattern = _pattern("dependence", way).replace("%A", first).replace("%B", second)
            if re.search(pattern, text):
                return named[int(kept[1])]
    return ""


def _with_numbers(text: str, named: Sequence[str]) -> str:
    """A text in small letters with every thing that it names, by its name, its head or a synonym, as @ and a number."""
    text = re.sub(r"\bcan't\b", "can not", text.casefold().replace("’", "'")).replace("won't", "will not")
    tokens = _TOKEN.findall(text.replace("n't", " not").replace("'", " "))
    forms = sorted(_forms(named), key=lambda form: -len(form[1]))
    found: list[str] = []
    while tokens:
        number, length = next(
            ((number, len(form)) for number, form in forms if [singular(word) for word in tokens[: len(form)]] == form),
            (None, 1),
        )
        found.append(tokens[0] if number is None else f"@{number}")
        del tokens[:length]
    return re.sub(r"\bthe (?=@)", "", " ".join(found))


def _forms(named: Sequence[str]) -> Iterable[tuple[int, list[str]]]:
    for number, name in enumerate(named):
        for form in {plain(name), head(name), *synonyms(name)}:
            words = [singular(word) for word in words_in(form)]
            if words:
                yield number, words


@cache
def _words(part: str, name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w@])(?:{_pattern(part, name)})(?!\w)")


def _pattern(part: str, name: str) -> str:
    listed = tomllib.loads((files(__package__) / "words" / "polarity.toml").read_text(encoding="utf-8"))
    return str(listed[part][name]).replace("\n", "").strip("|")
