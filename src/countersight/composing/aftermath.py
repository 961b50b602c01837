"""What becomes of things that have just come or gone: they come back, are taken away again, or break."""

import re
from typing import Final

from countersight.composing.asked import Asked
from countersight.composing.effects import Effect
from countersight.composing.grammar import effect_of
from countersight.composing.paraphrases import NUMBER
from countersight.composing.places import content
from countersight.composing.vocabulary import VERBS, is_verb, number_of

_THEY: Final = re.compile(
    r"(?:they(?: all| both)?|it|he|she|both(?: of them)?|all of them"
    rf"|(?:all |all of )?(?:those|these|the same)(?: (?P<many>{NUMBER}))?(?: (?!came|flew|went|ran)\w+)??)"
    r" (?P<did>(?:all |both )?(?:\w+ (?:\w+ )?back\b.*|return(?:ed|s)?\b.*|.+ again))"
)
_BACK: Final = re.compile(
    r"(?:(?:was|were|got|is|are|be) )?(?P<verb>\w+)(?: (?:it|them|both|them all|all of them|both of them|each))*"
    r"(?: right| straight)? back(?P<rest>(?: .*)?)"
)
_RETURNED: Final = re.compile(
    r"(?:(?:was|were|got|is|are) )?return(?:ed|s)?(?: (?:it|them|them all))?(?P<rest>(?: .*)?)"
)
_PUT_AGAIN: Final = re.compile(r"(?:later )?(?:was |were )?(?:hung(?: up)?|put up|put there) again")
_LATER: Final = re.compile(r" (?:again|later|afterwards?|soon|at once|after(?: a)? \w+)$")
_AGAIN: Final = re.compile(r"(?P<did>.+?) again(?: later| afterwards)?")
_AS_MORE: Final = re.compile(rf"^(?:(?:a|an|one)|({NUMBER})) (?!of\b|more\b|other\b)")
_SOME_RETURN: Final = re.compile(
    rf"(?P<many>{NUMBER}) of (?:them|those|these)(?: \w+)?? (?P<did>(?:\w+ (?:right )?back|returned).*)"
)
_BREAKS: Final = re.compile(
    r"(?:it|they)(?: both)? (?:(?:smash|crash|splash)(?:es|ed)?|breaks?|broke|(?:shatter|land)(?:s|ed)?)"
    r"(?: (?:in|into|to) (?:\w+ )?pieces)?(?: (?:on|onto) the (?:floor|ground|tiles|pavement|street|road|carpet))?"
)
_DOWN: Final = re.compile(r"\b(?:floor|ground|tiles|pavement|street|road|carpet)\b")


def joined(told: list[list[str]], asked: Asked) -> list[list[str]]:
    """Events, each with what becomes of those it tells of: "two flew off | and then those two came back"."""
    found: list[list[str]] = []
    for together in told:
        event = together[0]
        before = found[-1][0] if found and len(found[-1]) == 1 and len(together) == 1 else ""
        again = _THEY.fullmatch(event) if before else None
        if again is not None and _are_as_many(again["many"], before):
            found[-1] = [f"{before} and {again['did']}"]
        elif not (before and _only_breaks(event, before, asked)):
            found.append(together)
    return found


def _are_as_many(many: str | None, before: str) -> bool:
    return many is None or number_of(many) in map(number_of, before.split())


def _only_breaks(event: str, before: str, asked: Asked) -> bool:
    """Whether what has gone breaks where it is not counted: "and it smashes on the floor"."""
    effect = effect_of(before, asked) if _BREAKS.fullmatch(event) else None
    is_gone = effect is not None and effect.kind in ("remove", "remove_all", "part")
    return is_gone and not content(tuple(_DOWN.findall(event))) & asked.place


def undone(event: str, asked: Asked) -> Effect | None:
    """Nothing, where what has gone comes back and what has come is taken away again; None of any other event."""
    before, _, after = event.rpartition(" and ")
    before, after = before.removesuffix(" then"), after.removeprefix("then ").removeprefix("all ").removeprefix("both ")
    is_undoing = {"back", "again", "returned", "return", "returns"} & set(after.split())
    if not before or not (is_undoing or re.fullmatch(r"(?:removed|taken (?:away|off|out|down))", after)):
        return None
    first = effect_of(before, asked) or effect_of(_AS_MORE.sub(_more, before), asked)
    if first is None:
        return None
    if first.kind == "add" and first.by:
        is_undone = _is_taken_again(after, before, asked)
    else:
        is_undone = first.kind in ("remove", "remove_all", "part") and _is_brought_back(after, asked)
    return Effect("add", 0, given=first.given) if is_undone else None


def partly_undone(event: str, before: Effect | None, asked: Asked) -> Effect | None:
    """So many more, where some of those who have just gone come back: "three left | and one of them returned"."""
    found = _SOME_RETURN.fullmatch(event) if before is not None and before.kind == "remove" else None
    many = None if found is None else number_of(found["many"])
    if found is None or before is None or not many or many > before.by:
        return None
    return Effect("add", many) if _is_brought_back(found["did"], asked) else None


def _more(found: re.Match[str]) -> str:
    """So many more: a coat that is hung up and taken down again is one more for a while."""
    return "another " if found[1] is None else f"{found[1]} more "


def _is_brought_back(text: str, asked: Asked) -> bool:
    if _PUT_AGAIN.fullmatch(text):
        return True
    found = _BACK.fullmatch(text) or _RETURNED.fullmatch(text)
    verb = "return" if found is None else found.groupdict().get("verb", "return")
    if found is None or not (is_verb(verb) or verb in VERBS):
        return False
    rest = _LATER.sub("", found["rest"])
    return content(tuple(rest.split())) <= asked.words and not re.search(rf"\b(?:{NUMBER}|with|without)\b", rest)


def _is_taken_again(text: str, before: str, asked: Asked) -> bool:
    found = _AGAIN.fullmatch(text) or re.fullmatch(r"(?P<did>.+)", text)
    if found is None:
        return False
    helpers = ("", "was ") if re.search(r"\b(?:was|were)\b", before) else ("",)  # "was added and taken away again"
    return any(effect_of(f"one of them {said}{found['did']}", asked) == Effect("remove", 1) for said in helpers)
