"""From a question of C-VQA-Synthetic, in the published wording or in ours, or about a world, to its steps."""

import re
from collections.abc import Sequence
from typing import Final

from countersight.english import UNITS
from countersight.programs.failures import ProgramFailed
from countersight.programs.reference.worlds import world_plan
from countersight.programs.steps.parsing import Name, Step
from countersight.scenes import COLOURS

LONGEST = 500
"""Signs in a question; those of the suite have a third of it."""


def _colour(group: str) -> str:
    return rf"(?P<{group}>{'|'.join(COLOURS)})"


_OPTIONS = re.compile(r"\s*select the correct answer\b.*")
_FLOWERS = re.compile(
    rf"how many flowers (?:are|would be) (?P<side>inside|outside|in)(?: of)? (?:the )?{_colour('colour')} polygons?"
    r"(?: if (?P<change>.+))?"
)
_DOTS = re.compile(
    r"how many dots (?:are there|would there be) in (?:all(?: the| of the)? circles|the top (?P<top>\w+) circles"
    r"|(?P<row>the top row of circles))(?: together)?(?: if (?P<change>.+))?"
)
_MOST = re.compile(r"how many dots (?:does|do|would) a circle contain at most(?: if (?P<change>.+))?")
_RECOLOURED = re.compile(rf"all (?:the )?polygons were {_colour('new')}")
_SOME_REMOVED = re.compile(
    r"(?:we removed (?P<some>\d{1,3}) (?:flowers?|dots?)|(?P<gone>\d{1,3}) (?:flowers?|dots?) (?:were|was) removed)"
    rf"(?: (?P<place>in|from|of|outside) (?:the )?(?:{_colour('where')} polygons?|circles?))?"
)
_EMPTIED = re.compile(
    rf"all (?:the )?flowers (?P<place>in|outside) (?:the )?{_colour('emptied')} polygons? were removed"
)
_DOTS_RECOLOURED = re.compile(rf"all (?:the )?dots were {_colour('new')}")
_CIRCLES_EMPTIED = re.compile(r"all (?:the )?dots in the (?P<side>top|bottom) (?P<number>\w+) circles were removed")
_SIDE_REMOVED = re.compile(
    r"the (?P<number>\w+) (?P<side>right|left|top|bottom)most circles?(?: and (?:the )?dots in (?:them|it))?"
    r" (?:were|was) removed(?: from the circles)?"
)
_FULLEST_REMOVED = re.compile(r"one of the circles with (?:the )?most dots (?:were|was) removed")
_EMPTIEST_REMOVED = re.compile(r"one of the circles with (?:the )?fewest dots (?:were|was) removed")
_NUMBERS: Final = {word: value for value, word in enumerate(UNITS[:7]) if value}


class NoProgram(ProgramFailed):
    """The grammar does not cover the question."""

    def __init__(self, reason: str) -> None:
        super().__init__("no program", reason)


def plan(question: str, options: Sequence[str] = ()) -> list[Step]:
    """The steps that answer a question with these options; raises NoProgram where the grammar has none for it."""
    text = " ".join(question[:LONGEST].split()).casefold()
    text = _OPTIONS.sub("", text).rstrip("?. ")
    for pattern, write in ((_FLOWERS, _flowers), (_DOTS, _dots), (_MOST, _most)):
        found = pattern.fullmatch(text)
        if found:
            return [*write(found), _step("FINAL_RESULT", "RESULT", var=Name("ANSWER"))]
    steps = world_plan(text, [option.casefold() for option in options])
    if steps:
        return [*steps, _step("FINAL_RESULT", "RESULT", var=Name("ANSWER"))]
    raise NoProgram(f"the grammar has no program for {question[:80]!r}")


def _flowers(found: re.Match[str]) -> list[Step]:
    side, colour, change = found["side"], found["colour"], found["change"] or ""
    wanted = f"{colour} polygons"
    less = 0
    emptied: list[Step] = []
    if recoloured := _RECOLOURED.fullmatch(change):
        if recoloured["new"] != colour:
            raise NoProgram(f"nothing is asked of {recoloured['new']} polygons")
        wanted = "polygons"
    elif removed := _SOME_REMOVED.fullmatch(change):
        if removed["where"] not in (None, colour):
            raise NoProgram("the flowers removed are elsewhere, or partly so")
        counted = removed["place"] is None or (removed["place"] == "outside") == (side == "outside")
        less = int(removed["some"] or removed["gone"]) if counted else 0
    elif gone := _EMPTIED.fullmatch(change):
        left = "INSIDE" if gone["place"] == "outside" else "OUTSIDE"
        emptied = [
            _located("EMPTIED", f"{gone['emptied']} polygons"),
            _step("THINGS", left, box=Name("THINGS"), of=Name("EMPTIED")),
        ]
    elif change:
        raise _unknown(change)
    where = "OUTSIDE" if side == "outside" else "INSIDE"
    return [
        _located("FLOWERS", "flowers"),
        _located("POLYGONS", wanted),
        _step("THINGS", where, box=Name("FLOWERS"), of=Name("POLYGONS")),
        *emptied,
        *_counted(less),
    ]


def _dots(found: re.Match[str]) -> list[Step]:
    change = found["change"] or ""
    steps = [_located("CIRCLES", "circles"), _located("DOTS", "dots")]
    kept = "CIRCLES"
    if found["top"]:
        steps.append(_step("TOP", "TOPMOST", box=Name("CIRCLES"), n=_number(found["top"])))
        kept = "TOP"
    elif found["row"]:
        steps.append(_step("TOP", "TOP_ROW", box=Name("CIRCLES")))
        kept = "TOP"
    less = 0
    if removed := _SOME_REMOVED.fullmatch(change):
        if removed["where"] or kept != "CIRCLES":
            raise NoProgram("from which circles the dots are removed is not said")
        less = int(removed["some"] or removed["gone"])
    elif side := _SIDE_REMOVED.fullmatch(change):
        steps.append(
            _step("GONE", f"{side['side'].upper()}MOST", box=Name("CIRCLES"), n=_number(side["number"])),
        )
        steps.append(_step("LEFT", "WITHOUT", box=Name(kept), of=Name("GONE")))
        kept = "LEFT"
    elif emptied := _CIRCLES_EMPTIED.fullmatch(change):
        steps.append(
            _step("EMPTY", f"{emptied['side'].upper()}MOST", box=Name("CIRCLES"), n=_number(emptied["number"])),
        )
        steps.append(_step("LEFT", "WITHOUT", box=Name(kept), of=Name("EMPTY")))
        kept = "LEFT"
    elif change and not _DOTS_RECOLOURED.fullmatch(change):
        raise _unknown(change)
    return [*steps, _step("THINGS", "INSIDE", box=Name("DOTS"), of=Name(kept)), *_counted(less)]


def _most(found: re.Match[str]) -> list[Step]:
    steps = [_located("CIRCLES", "circles"), _located("DOTS", "dots")]
    circles = "CIRCLES"
    if found["change"] and not _EMPTIEST_REMOVED.fullmatch(found["change"]):  # the fullest stays where it is
        if not _FULLEST_REMOVED.fullmatch(found["change"]):
            raise _unknown(found["change"])
        steps.append(_step("GONE", "FULLEST", box=Name("CIRCLES"), of=Name("DOTS")))
        steps.append(_step("LEFT", "WITHOUT", box=Name("CIRCLES"), of=Name("GONE")))
        circles = "LEFT"
    return [
        *steps,
        _step("FULL", "FULLEST", box=Name(circles), of=Name("DOTS")),
        _step("THINGS", "INSIDE", box=Name("DOTS"), of=Name("FULL")),
        *_counted(0),
    ]


def _counted(less: int) -> list[Step]:
    if not less:
        return [_step("ANSWER", "COUNT", box=Name("THINGS"))]
    return [_step("NUMBER", "COUNT", box=Name("THINGS")), _step("ANSWER", "EVAL", expr=f"{{NUMBER}} - {less}")]


def _located(name: str, what: str) -> Step:
    return _step(name, "LOC", image=Name("IMAGE"), object=what)


def _step(result: str, operation: str, **arguments: str | int | Name) -> Step:
    return Step(result, operation, dict(arguments))


def _number(word: str) -> int:
    if word not in _NUMBERS:
        raise NoProgram(f"{word[:20]!r} is no number of circles")
    return _NUMBERS[word]


def _unknown(change: str) -> NoProgram:
    return NoProgram(f"the grammar does not know the change {change[:80]!r}")
