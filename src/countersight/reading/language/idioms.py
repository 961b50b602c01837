"""Idioms by whose words alone a reply would be taken for its contrary: nobody who is without a seat, yet to start."""

import re

from countersight.reading.language.asked import Asked, content
from countersight.reading.language.clauses import MODAL
from countersight.reading.language.opposites import opposed, states
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of, words

_STARTS = r"(?:^|(?<=[.!?;,] ))(?:(?:so|then|and|but) )?"
_NONE = (
    r"(?:no(?:t a single|t one|t an?)? (?P<one>(?!one\b)\w+)|(?:none|not one) of (?P<all>the \w+|them)|nobody|no one)"
)
_NONE_WITHOUT = re.compile(
    rf"{_STARTS}{_NONE} (?P<would>would|will|is|are|has|have)(?: (?:be|have|go|to|left|gone|had))*"
    r" without (?:any |an? )?(?P<what>\w+)",
    re.IGNORECASE,
)
_THERE_IS_NONE = re.compile(r"\bthere (?P<is>is|are|would be|will be) (?P<no>no \w+) (?=without\b)", re.IGNORECASE)
_THERE_IS_NOT_ONE = re.compile(
    r"\bthere (?P<is>is|are|would)(?:n't| not)(?P<be> be)? (?:an?|one|a single|any) (?=\w+ without\b)", re.IGNORECASE
)
_ASKS_IF_WITHOUT = re.compile(r"\b(?:is|are|be|go|left) without|\bwithout \w+ing\b", re.IGNORECASE)
_ASKS_IF_NEEDED = re.compile(r"\b(?:have to|need)\b", re.IGNORECASE)
_ASKS_IF_DONE = re.compile(r"^\W*(?:has|have|did)\b(?!.*\b(?:still|yet) (?:have |has )?to\b)", re.IGNORECASE)
_TO_COME = (
    r"(?:(?:\b(?:has|have|is|are)|'s|'re)(?: (?:still|as))? (?:yet|about|going|due) to|\bstill (?:has|have) to"
    r"|\b(?:will|shall)(?: (?:only|soon|still|just))?)"
)
_YET_TO = re.compile(
    rf"{_TO_COME} (?!have\b|not\b|never\b)(?:be )?(?P<what>\w+)"
    r"(?: (?:later|soon|shortly|tomorrow|tonight|in a (?:moment|minute|while)))?",
    re.IGNORECASE,
)
_GIVES_OFF = re.compile(r"\bgiv(?P<form>e|es|ing|en) off\b", re.IGNORECASE)
_STILL_NOT = re.compile(r"\bstill (?=not\b)", re.IGNORECASE)
_HARDLY_ENOUGH = re.compile(r"\b(?:hardly|scarcely) (?=enough\b)", re.IGNORECASE)
_WITHOUT_DOING = re.compile(r",? without (?P<what>(?:ever )?\w+ing\b[\w' ]*)", re.IGNORECASE)
_NEVER_MIND = re.compile(
    r"^\W*(?:never mind (?:about )?[\w' ]{2,30}[:;,.]|not that (?:it|this|that) matters[\w ]{0,20}, but) (?=\w)",
    re.IGNORECASE,
)
_CONCEDED = re.compile(
    r"^\W*(?:true|granted|sure|right|correct|of course), (?P<what>[^.!?]{5,90}?),? but (?=\w)", re.IGNORECASE
)
_DOING_IS_IMPOSSIBLE = re.compile(
    rf"{_STARTS}(?P<what>\w+ing(?: (?!not\b)[\w']+){{0,3}}?) (?P<would>is|would be|will be) impossible(?! to\b)",
    re.IGNORECASE,
)
_ONLY_IF = re.compile(
    rf"(?P<would>{MODAL}|\b(?:can|could|does|do))(?: still)? only (?P<what>[^.,;!?]{{2,60}}?) "
    r"(?P<if>if|when|unless|without|with|once|after) (?P<case>[^.,;!?]*)",
    re.IGNORECASE,
)
_ASKED_CASE = re.compile(r"\b(?P<if>if|when|unless|without|with|once|after) (?P<case>.*)", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:no|not|never|without|unless|nothing|nobody)\b|n't\b", re.IGNORECASE)
_STAYS = rf"(?:{MODAL} )?(?:still )?(?:stays?|remains?|be|looks?|is|are)"
_SAME = r"(?:exactly |just |much )?(?:the same|unchanged|unaffected|as (?:it is|they are|before))"
_REST_STAYS = re.compile(
    rf"\W*(?:{any_of('rewordings.all_the_rest')} {_STAYS} {_SAME}|nothing else {MODAL} change)\W*$",
    re.IGNORECASE,
)
_THEIRS_STAYS = re.compile(
    rf"\W*(?:their|his|her|its) (?P<what>\w+) {_STAYS} {_SAME}\W*$",
    re.IGNORECASE,
)
_MEASURED = frozenset(map(stem, words("states.measured")))
_ASKS_OF_THE_REST = re.compile(r"\b(?:same|chang\w+|differ\w*|else|rest|background|other things)\b", re.IGNORECASE)


def meant(text: str, asked: Asked, question: str) -> str:
    """The text with such idioms in plain words."""
    text = _STILL_NOT.sub("", _HARDLY_ENOUGH.sub("not ", text))
    text = _GIVES_OFF.sub(r"emit\g<form>", _NEVER_MIND.sub("", text))
    if not _ASKS_IF_WITHOUT.search(question):
        text = _THERE_IS_NOT_ONE.sub(r"there \g<is>\g<be> no ", text)
        text = _NONE_WITHOUT.sub(_every_one_has, _THERE_IS_NONE.sub(r"\g<no> \g<is> ", text))
    if _ASKS_IF_DONE.match(question):
        text = _YET_TO.sub(r" has not \g<what>", text)
    conceded = _CONCEDED.match(text)
    if conceded and content(conceded["what"]).isdisjoint(asked.words):
        text = text[conceded.end() :]  # "true, the picture is dark, but the door is open"
    text = _DOING_IS_IMPOSSIBLE.sub(lambda found: _not_to_be_done(found, asked), text)
    if not _ASKS_IF_WITHOUT.search(question) and not _ASKS_IF_NEEDED.search(question):
        text = _WITHOUT_DOING.sub(lambda found: _not_doing(found, asked), text)
    return _ONLY_IF.sub(lambda found: _otherwise(found, question), text)


def without_the_rest(told: list[str], asked: Asked, question: str) -> list[str]:
    """The sentences without those that say only that all else stays as it is, which answers nothing about the asked."""
    if _ASKS_OF_THE_REST.search(question):
        return told
    return [piece for piece in told if not _is_of_the_rest(piece, asked)] or told


def _is_of_the_rest(piece: str, asked: Asked) -> bool:
    theirs = _THEIRS_STAYS.match(piece)
    known = asked.words | asked.supposed | _MEASURED
    return bool(_REST_STAYS.match(piece)) or (theirs is not None and content(theirs["what"]).isdisjoint(known))


def _every_one_has(found: re.Match[str]) -> str:
    """ "No child would be left without an apple": every child would have an apple."""
    who = f"every {found['one']}" if found["one"] else f"all of {found['all']}" if found["all"] else "everyone"
    have = "would have" if found["would"].lower() in ("would", "will") else "have" if found["all"] else "has"
    return f"{who} {have} {found['what']}"


def _not_to_be_done(found: re.Match[str], asked: Asked) -> str:
    return f"it {'can' if asked.of_now else 'could'} not {found['what']}"


def _not_doing(found: re.Match[str], asked: Asked) -> str:
    """ "She would be fine without getting wet": she would not get wet, where that was asked."""
    what = content(found["what"])
    return f", not {found['what']}" if what and what <= asked.words else found.group()


def _otherwise(found: re.Match[str], question: str) -> str:
    """ "It would only float if it had no hole": with one, as was asked, it would not; other cases leave it open."""
    asked = _ASKED_CASE.search(question)
    if not asked:
        return found.group()
    told, supposed = (f"{case['if']} {case['case']}" for case in (found, asked))
    contrary = bool(_DENIED.search(told)) != bool(_DENIED.search(supposed))
    own, other = ({state.group().lower() for state in states(case)} for case in (told, supposed))
    switched = any(opposed(one, another) for one in own for another in other)
    mine, theirs = content(told) - {*map(stem, own)}, content(supposed) - {*map(stem, other)}
    if not (mine <= theirs or theirs <= mine) or (contrary and switched):
        return "might"
    return f"{found['would']} not {found['what']}" if contrary or switched else found.group()
