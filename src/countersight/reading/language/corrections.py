"""Where a reply takes back what it said, and where it breaks off: neither is an answer."""

import re
from functools import lru_cache

import msgspec

from countersight.reading.language.asked import content
from countersight.reading.language.clauses import sentences, stated, supposes_first
from countersight.reading.language.numerals import numerals
from countersight.reading.language.vocabulary import any_of, found, words
from countersight.text import NUMBER_WORDS

_LEAD = r"(?:(?:no|oh|ah|hmm|but|sorry|well)\b[\s,.!-]*|yes\b[\s,-]*){0,2}"
_SHORT_LEAD = r"(?:(?:no|oh|ah|hmm|but|sorry|well|yes)\b[\s,-]*){0,2}"  # "Yes. That is wrong" takes back the yes
_DOTS = r"(?<!\.)\.{2,}"  # all of them, from the first: a model that hangs writes thousands
# "D? No, A."; "4... no, 3"; "four dogs, no, three"
_NO_AFTER = rf"(?<=\?)\s+(?=(?:no|nope|not quite)\b(?!\?))|(?:{_DOTS}|,|\s--?)\s+(?=no[,:]\s)"
# "A. No, B.", "12. No, 13, with the last one", "I'd say A. No, it's B."
_NO_NEXT = (
    r"(?<=\S[.!])\s+(?=no,? (?:\w+\W*$|sorry|wait|(?:it|he|she|they|there|that)\b|make that|option"
    rf"|(?:\d+|{'|'.join(NUMBER_WORDS)}|(?-i:[A-H]))(?: \w+)?[,.:;]|(?-i:[A-H]) it is))"
)
_RETRACTED = re.compile(
    rf"(?:^|[.!?,;:\n(-]|{_DOTS})\s*"
    rf"(?:{_LEAD}(?P<mark>{any_of('statements.retractions')})|{_SHORT_LEAD}{any_of('statements.denials')})[\s,.;:!-]*"
    rf"|{_NO_AFTER}|{_NO_NEXT}",
    re.IGNORECASE,
)
_BUT = r"(?P<thought>[^.!?\n]{0,100}?),? \b(?:but|however|yet)\b[\s,.:!-]*"
# "You might think it tips. It weighs nothing, though, so …"
_NEXT_BUT = r"[^.!?\n]{0,100}[.!]\s+(?=[^.!?\n]{0,100}\b(?:but|however|though|yet)\b)"
# "Initially I thought that three were cut. The black one merely …": that something else holds goes without saying.
_AT_FIRST = (
    r"\b(?:initially|originally|at first),? i (?:had )?(?:thought|assumed|believed|counted|took)\b"
    r"|\bi (?:had )?(?:initially|originally|at first) (?:thought|assumed|believed|counted|took)\b"
)
_THOUGHT = re.compile(
    rf"(?:\bi (?:\w+ )?{any_of('statements.first_thoughts')}|{any_of('statements.seemings')})(?:{_BUT}|{_NEXT_BUT})"
    rf"|(?:{_AT_FIRST})[^.!?\n]{{0,160}}[.!]\s+(?=\S)",
    re.IGNORECASE,
)
_FIRST_STANDS = found("statements.returns")
# "I thought they differed, but they don't": what they do not do is what was thought.
_IT_IS_NOT = re.compile(r"^(?:it|they|he|she|there) \w+(?:n't| not)(?=\W*(?:[.,;!]|$))", re.IGNORECASE)
_TAKEN_BACK = re.compile(
    r"^\W*(?:(?:no|nope|not quite)\b[\s,.:!-]*)?(?:(?:sorry|wait|oops)\b[\s,.:!-]*)?", re.IGNORECASE
)
_CONFIRMED = re.compile(rf"\W*{any_of('statements.confirmations')}", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:no|not|wrong)\b|n't\b", re.IGNORECASE)
_DANGLING = words("statements.dangling")
_TRAILING = words("statements.trailing")
_ELLIPSES = words("statements.ellipses")
_DANGLING_PHRASE = re.compile(rf"{any_of('statements.dangling_phrases')}$", re.IGNORECASE)
_TRAILING_OFF = re.compile(r"\s*\.{2,}$")
# "Then" by itself, and "taking one away leaves", were going to say what comes of it; "the man leaves" has said it.
_ONLY_CONNECTS = re.compile(rf"\W*(?:{any_of('worlds.connectives')}\W*)+$", re.IGNORECASE)
_RESULT_TO_COME = re.compile(
    r"\W*(?:\w+,? )?(?:\w+ing\b|\S+ (?:minus|less|-)).*\bleaves?$|.*,\s*leaving(?: us| you)?$", re.IGNORECASE
)
_SUM_TO_COME = re.compile(r"\W*(?:\w+,? )?(?:adding|removing|subtracting|plus|minus)(?: \w+){1,3}$", re.IGNORECASE)
# "There are three cats. One of them": what that one does was to come.
_ONE_OF_THEM_WHAT = re.compile(
    rf"\W*(?:only |just )?(?:{'|'.join(NUMBER_WORDS)}|\d+|some|most|each|both) of (?:them|these|those|the \w+)$",
    re.IGNORECASE,
)
_COUNT_BY_LABEL = re.compile(r"[^:\n]{1,40}:\s*\d+(?: \w+)?\W*$")
_LABEL_ALONE = re.compile(r"[A-Z][a-z]+(?: [a-z]+)?")
_IF_WHAT = re.compile(r"\bif(?! (?:so|any|not|possible|needed|necessary)\b)(?: \w+){0,2}$", re.IGNORECASE)
_AND_IF = re.compile(r"\b(?:and|but|so|then),? if\b[^,]*$", re.IGNORECASE)
_OPEN_END = re.compile(r"(?:[,:+=(\[]|\b(?:and|or)|, (?:so|only|just|then|there|it|they))$", re.IGNORECASE)
_CLOSED_END = re.compile(r"[.!?\"')\]}`*|。！？\d%]$")
_WORD = re.compile(r"[a-z']+", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_HELPING = words("questions.helping") | {"be", "been", "not", "so", "do"}
_ONLY_IF = re.compile(r"\W*\w+\W{0,3} (?:only )?(?:if|provided|assuming)\b(?P<what>[^.;\n]*)", re.IGNORECASE)
_AS_IT_IS = re.compile(r"\b(?:where|as|how|what) (?:it|he|she) is$|\b(?:where|as|how|what) they are$", re.IGNORECASE)
_LAST_SENTENCE = 400  # characters looked at


class Correction(msgspec.Struct, frozen=True):
    """What a reply says after it takes something back, and whether that only confirms what stood before."""

    before: str
    after: str
    thought: str = ""
    """What one had thought, where that alone is taken back, and nothing that stands before."""

    @property
    def after_its_no(self) -> str:
        """What follows, less the "no" that takes back: no answer where a number or an option was asked for."""
        return _TAKEN_BACK.sub("", self.after)

    @property
    def confirms(self) -> bool:
        last = sentences(self.after)[-1:]
        said = _CONFIRMED.match(self.after) or (last and _CONFIRMED.fullmatch(last[0].rstrip(" .!")))
        return bool(said) and not _DENIED.search(self.after)


@lru_cache(maxsize=64)
def corrected(text: str) -> Correction | None:
    """The last correction in a text ("3. Wait, 4."), or None where it takes nothing back."""
    every = [*_RETRACTED.finditer(text), *_THOUGHT.finditer(text)]
    last = max(every, key=re.Match.end, default=None)
    if last is None:
        return None
    # "Actually, 3" corrects nothing; "No, wait, yes" takes back its own "no".
    marked = last.re is _RETRACTED and last["mark"]
    before = text[: last.start("mark")] if marked else text[: last.start()]
    if last.re is _RETRACTED and not _WORD.search(before) and not _DIGIT.search(before):
        return None
    after = text[last.end() :]
    if not marked and not after.strip() and len(before.split()) == 1:
        return None  # "No. That is not right." repeats its no
    if last.re is _THOUGHT:
        after = _IT_IS_NOT.sub(lambda found: f"{found.group()} {(last['thought'] or '').strip()}", after)
    return Correction(before, after, last.group() if last.re is _THOUGHT else "")


def stands_after_all(text: str) -> list[str]:
    """The sentences before one that says that the first count of several holds, and tells no other."""
    pieces = sentences(text)
    place = next((i for i, piece in enumerate(pieces) if _FIRST_STANDS.search(piece)), None)
    return pieces[:place] if place and not any(map(numerals, pieces[place + 1 :])) else []


def holds_elsewhere(region: str, question: str) -> bool:
    """Whether an announced answer holds if something is so that the question does not speak of: "B if it were day"."""
    condition = _ONLY_IF.match(region)
    return condition is not None and not content(condition["what"]) & content(question)


def is_cut_off(text: str) -> bool:
    """Whether a text breaks off in mid-sentence: "The vase would"."""
    text = _TRAILING_OFF.sub("", text.rstrip()[-_LAST_SENTENCE:])
    if _OPEN_END.search(text) or _comes_to_nothing(text) or _ends_in_a_row(text):
        return True
    if not text or _CLOSED_END.search(text):
        return False
    sentence = sentences(text)[-1]
    if _IF_WHAT.search(sentence) or _AND_IF.search(sentence):
        return True
    if supposes_first(sentence) and not stated(sentence):
        return True  # "If 3 were eaten"
    last = _WORD.findall(sentence)
    if not last or last[-1] == "A" or (last[-1] == "a" and len(last) <= 2) or last == ["May"]:
        return False  # an option's letter, a month
    last = [word.lower() for word in last]
    if last[-3:] == ["answer", "is", "no"] or _AS_IT_IS.search(sentence):
        return False
    while last[-1] in _TRAILING and len(last) > 1:
        last.pop()  # "the vase would not" breaks off, "probably not" does not
    if last[:2] == ["of", "course"]:
        del last[:2]
    if last[0] == "answer" and len(last) > 1:
        del last[0]
    # "It would" is short for what was asked; "the vase would" was going to say what.
    short = (
        last[0] in _ELLIPSES
        and (last[-1] in _HELPING or last[-1].endswith("n't"))
        and _ELLIPSES.union(_DANGLING, ("not",)).issuperset(last)
    )
    return last[-1] in _DANGLING and not short


def _ends_in_a_row(text: str) -> bool:
    """Whether a table's last row has fewer cells than the one before it, or a list of counts ends in a bare label."""
    *_, before, last = ("", "", *filter(None, text.split("\n")))
    if _COUNT_BY_LABEL.match(before) and _LABEL_ALONE.fullmatch(last):
        return True
    return before.startswith("|") and last.startswith("|") and last.count("|") < before.count("|")


def _comes_to_nothing(text: str) -> bool:
    """Whether the last sentence stops before the result it sets out for: "Adding two gives", "Then"."""
    pieces = sentences(text)
    if not pieces:
        return False
    last = pieces[-1]
    if _DANGLING_PHRASE.search(last) or _RESULT_TO_COME.match(last):
        return True
    return len(pieces) > 1 and any(pattern.match(last) for pattern in (_ONLY_CONNECTS, _SUM_TO_COME, _ONE_OF_THEM_WHAT))
