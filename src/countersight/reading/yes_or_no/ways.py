"""What it takes to do what was asked: a free way or view, room, the right measure, nothing that keeps one back."""

import re

from countersight.reading.language.asked import Asked, content
from countersight.reading.language.clauses import MODAL, MODAL_AT
from countersight.reading.language.numerals import numerals
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of, found
from countersight.reading.yes_or_no.negation import NEGATED, without_negation
from countersight.reading.yes_or_no.repetitions import LEADS

NO_DIFFERENCE = found("yes_no.no_difference")
_IF = re.compile(r"\bif\b", re.IGNORECASE)
_CHANGE = re.compile(r"\b(?:change|affect|alter|influence|make (?:a|any) difference)\b", re.IGNORECASE)
_STILL = re.compile(r"\bstill\b", re.IGNORECASE)
_FORBIDS = found("yes_no.forbidding")
_ENABLES = found("yes_no.enabling")
_IN_VAIN = found("yes_no.in_vain")
_REMOVES = found("yes_no.removing")
_IS = rf"(?:'d|'s|'re| {MODAL}| is| are)"
_NOT = r"(?:n't)?(?: (?:still|then|now|also|be|just|probably|far|much|way|not|no longer))*"
_DENIED = re.compile(r"n't\b|\b(?:not|no longer|never)\b", re.IGNORECASE)
_WHOSE = r"(?:his|her|its|their|your|the(?: [\w-]+'s)?)"
_WAY_OR_VIEW = r"(?:way|path|passage|route|access|exit|view|line of sight)(?: (?:of|to|into|through|onto|out) [\w ]+?)?"
# "Its way to the bowl would be clear", "his view is blocked by the tree"
_WAY = re.compile(
    rf"{LEADS}{_WHOSE} {_WAY_OR_VIEW}{_IS}{_NOT} (?:(?P<free>clear|free|open|unobstructed|unblocked)"
    r"|blocked|obstructed|barred|cut off)(?: by [\w ]+)?\W*$",
    re.IGNORECASE,
)
_BLOCKS = re.compile(
    rf"{LEADS}(?P<what>[\w' -]{{2,40}}?){_IS}{_NOT} (?:in {_WHOSE} way"
    rf"|(?:block|bar|obstruct)(?:ing)? {_WHOSE} {_WAY_OR_VIEW})(?: any ?more| any longer| now| then)?\W*$",
    re.IGNORECASE,
)
_OBSTACLE = r"no (?:\w+ )?(?:obstacle|obstruction|barrier|hindrance)s?"
# "There would be no obstacle left for the truck", "there'd be nothing in its way"
_NO_OBSTACLE = re.compile(
    rf"{LEADS}(?:there{_IS}(?: then| still)?(?: be)? (?:{_OBSTACLE}|nothing(?=.* way\b))(?: left| more| else)?"
    rf"|{_OBSTACLE} {MODAL} (?:remain|be left))(?: (?:in|blocking) {_WHOSE} (?:way|path))?(?: for (?P<whom>[\w' ]+?))?"
    r"(?: any ?more| any longer)?\W*$",
    re.IGNORECASE,
)
_KEEPS = re.compile(
    rf"{LEADS}(?P<what>[\w' -]{{2,40}}?){_IS}(?: still| then)? (?:keep|hold)(?:ing)? (?P<whom>[\w' ]+?) "
    r"(?P<where>out|back|away|off|in|inside|there)(?: (?:of|from) (?P<from>it|there|the \w+))?\W*$",
    re.IGNORECASE,
)
_LETS = re.compile(
    rf"{LEADS}(?P<what>[\w' -]{{2,40}}?){_IS}{_NOT} (?:let|allow|give|grant) (?P<whom>[\w' ]+?)"
    r" (?:in|out|through|past|by|inside|pass|(?:free |easy |full |direct )?access)\b",
    re.IGNORECASE,
)
_GOES = re.compile(
    r"\b(?:get|go|come|enter|reach|pass|climb|cross|jump|escape|leave|access|approach|run|walk|fly|swim|crawl|hop)\b",
    re.IGNORECASE,
)
_GETS_OUT = re.compile(r"\b(?:out|leave|escape|away|free)\b", re.IGNORECASE)
# "There still wouldn't be enough room for the car", "there is plenty of space for that"
_ROOM = re.compile(
    rf"{LEADS}there(?: still)?{_IS}{_NOT} (?P<how>(?P<some>{any_of('yes_no.some_room')})|{any_of('yes_no.no_room')})"
    r" (?:room|space|height|width|headroom|clearance)(?: left| there| here)?"
    r"(?: for (?P<whom>[\w' ]+))?\W*$",
    re.IGNORECASE,
)
# "He'd still be too short", "the stool isn't tall enough": measures of what it takes.
_MEASURE = re.compile(
    rf"{LEADS}(?P<who>[\w' -]{{2,40}}?){_IS}{_NOT}"
    r" (?P<what>too (?!much\b|many\b)\w+|(?!not\b|hardly\b|barely\b)\w+ enough)(?! to\b| for [\w ]+ to\b)"
    r"(?: for (?P<whom>[\w' ]+))?",
    re.IGNORECASE,
)
_SIZE = found("yes_no.sizes")
_STRENGTH = found("yes_no.strengths")
_THIS = frozenset(map(stem, ("that", "this", "it", "him", "her", "them", "load", "one", "both")))
# "He couldn't get in without bending down", to whether he would have to bend down.
_HAS_TO = re.compile(r"\b(?:have to|need(?: to)?|require)\b", re.IGNORECASE)
_CAN_ONLY = re.compile(r"\b(?:(?:can|could) only|only be able to) (?P<what>\w+)", re.IGNORECASE)
_WITHOUT = re.compile(r"\bwithout (?P<what>[^,;]+)", re.IGNORECASE)
_ASKS_WITHOUT_DOING = re.compile(r"\bwithout (?:having to )?(?P<what>\w+ing)\b", re.IGNORECASE)
_NEEDS_TO = re.compile(r"(?P<not>n't|\bnot)?(?: even)? (?:needs?|have|has) to (?P<what>\w+)", re.IGNORECASE)
_MANAGES = re.compile(r"\b(?:can|could|able|manage|possible|easily|fine)\b", re.IGNORECASE)
_ONE = re.compile(r"\W*(?:one|it|that|this|any|doing (?:so|that|it))\W*$", re.IGNORECASE)
_NEEDS = re.compile(
    rf"{LEADS}(?P<who>[\w' -]{{2,40}}?)(?: {MODAL}(?: still)?)? (?:needs?|requires?) (?P<what>[\w' -]+?)"
    r" (?:to (?P<does>\w+)\b.*|for (?:that|this|it)\W*$)",
    re.IGNORECASE,
)
_ONLY_BY = re.compile(
    rf"{LEADS}(?P<who>[\w' -]{{2,40}}?) (?:can|could|would be able to|is able to) only (?P<does>\w+)\b[\w' ]*?"
    r" (?:by|with|from|using|thanks to|because of) (?P<what>[\w' -]+)\W*$",
    re.IGNORECASE,
)


def needed(clause: str, asked: Asked) -> bool | None:
    """Whether it is done, by what it cannot be done without: "he couldn't get in without bending down"."""
    if asked.negated:
        return None
    without = _WITHOUT.search(clause)
    if without and _HAS_TO.search(asked.text):
        of_it = content(without["what"]) & asked.words or _ONE.match(without["what"])
        negated = bool(NEGATED.search(clause[: without.start()]))
        return negated if of_it and (negated or _MANAGES.search(clause)) else None  # "he'd freeze without one"
    without_it, spared = _ASKS_WITHOUT_DOING.search(asked.whole), _NEEDS_TO.search(clause)
    if without_it and spared and stem(without_it["what"].lower()) == stem(spared["what"].lower()):
        return bool(spared["not"])  # "she would not need to bend", to whether she could get in without bending
    known = asked.words | asked.supposed
    if not (asked.supposed or _WITHOUT.search(asked.text)) or not _REMOVES.search(asked.whole):
        return None
    told = _NEEDS.match(clause) or _ONLY_BY.match(clause)
    if told and not NEGATED.search(clause):
        does = told["does"]
        lacking = content(told["what"]) & known and content(told["who"]) <= {asked.subject}
        return False if lacking and (not does or stem(does.lower()) in asked.words) else None
    if without and NEGATED.search(clause[: without.start()]):
        said = without_negation(clause[: without.start()])
        return False if said & asked.words - {asked.subject} and said <= asked.words else None
    return None


def avails(clause: str, asked: Asked) -> bool | None:
    """Whether a clause says that somebody can do what was asked, or cannot, by what it takes: "he'd be too short"."""
    if NO_DIFFERENCE.search(clause):
        return True if _STILL.search(asked.text) else False if _CHANGE.search(asked.text) else None
    if not asked.of_ability or asked.negated:
        return None
    told_of_it = MODAL_AT.search(clause) or asked.of_now or not _IF.search(asked.whole)
    for reading in (_by_leave, _by_the_way, _by_room) if told_of_it else ():
        if (use := reading(clause, asked)) is not None:
            return use
    use = _by_measure(clause, asked, of_any=bool(told_of_it))
    return _in_vain(clause, asked) if use is None else use


def _by_leave(clause: str, asked: Asked) -> bool | None:
    """Whether it is made possible or impossible, or somebody is let in or kept out."""
    negated = bool(NEGATED.search(clause))
    if _FORBIDS.search(clause):
        return None if negated else False
    if _ENABLES.search(clause):
        return not negated
    if (lets := _LETS.match(clause)) and _is_of_the_asked(lets["whom"], asked):
        return not negated
    keeps = _KEEPS.match(clause)
    if not keeps or negated or not _GOES.search(asked.text):
        return None
    if (
        not content(keeps["from"] or "") <= asked.words
        or not _is_of_the_asked(keeps["whom"], asked)
        or asked.subject in content(keeps["what"])
    ):
        return None
    inside = keeps["where"].lower() in ("in", "inside", "there")
    return False if keeps["where"].lower() == "back" or inside == bool(_GETS_OUT.search(asked.text)) else None


def _by_the_way(clause: str, asked: Asked) -> bool | None:
    negated = bool(NEGATED.search(clause))
    if way := _WAY.match(clause):
        return bool(way["free"]) != negated
    if free := _NO_OBSTACLE.match(clause):
        return True if _is_of_the_asked(free["whom"] or "", asked) else None
    blocks = _BLOCKS.match(clause)
    if not blocks or asked.subject in (content(blocks["what"]) or {asked.subject}):
        return None
    # "The cart would still be in the way"; what else may be in the way is not said where something is not.
    return (True if content(blocks["what"]) <= asked.words | asked.supposed else None) if negated else False


def takes_something_else(clause: str, asked: Asked) -> bool:
    """Whether a clause tells of another need: "there would be room for the dog", "it would not live without light"."""
    room, without, only = _ROOM.match(clause), _WITHOUT.search(clause), _CAN_ONLY.search(clause)
    if only and asked.of_ability and f" {only['what'].lower()} " not in f" {asked.text.lower().rstrip(' ?')} ":
        return True  # "it could only look at it"
    if room and room["whom"]:
        return not _is_known(room["whom"], asked)
    if asked.of_now or not without or not NEGATED.search(clause[: without.start()]):
        return False
    is_done = re.match(r"(?:(?:any|some)(?:one|body) |him |her )?\w+ing\b", without["what"])
    return not is_done and not content(without["what"]) <= asked.words | asked.supposed


def _by_room(clause: str, asked: Asked) -> bool | None:
    room = _ROOM.match(clause)
    if not room or takes_something_else(clause, asked):
        return None
    return bool(room["some"]) and not _DENIED.search(clause[: room.start("how")])


def _by_measure(clause: str, asked: Asked, *, of_any: bool) -> bool | None:
    measure = _MEASURE.match(clause)
    if not measure or (measure["whom"] and not _is_known(measure["whom"], asked)):
        return None  # "too heavy for one man", to whether two could lift it
    known = content(measure["who"]) <= asked.words | asked.supposed
    if not (known or (of_any and _SIZE.search(measure["what"]))) or content(measure["what"]) & asked.words:
        return None
    too = measure["what"].lower().startswith("too")
    denied = _DENIED.search(clause[: measure.start("what")])
    if too and (denied or _STRENGTH.search(measure["what"])):
        return True if denied and measure["whom"] else None  # "too strong for the dog" hinders nobody but the dog
    return not too and not denied


def _in_vain(clause: str, asked: Asked) -> bool | None:
    in_vain = _IN_VAIN.search(clause)
    return False if in_vain and content(clause[: in_vain.start()]) <= asked.words | asked.supposed else None


def _is_of_the_asked(whom: str, asked: Asked) -> bool:
    return content(whom) <= {asked.subject}


def _is_known(whom: str, asked: Asked) -> bool:
    """Whether something is for whom or what the question speaks of: "for the truck with that load", "for that"."""
    if content(whom) <= _THIS:
        return True
    numbers = {number.value for number in numerals(whom)}
    return content(whom) - _THIS <= asked.words | asked.supposed and numbers <= {n.value for n in numerals(asked.whole)}
