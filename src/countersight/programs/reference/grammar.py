"""Parses questions of C-VQA-Synthetic, in the published or in our wording, and questions about worlds, into steps.

A question about a world is split into its change and what it asks: the vision tool answers for the picture, or for the
picture after the change.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

from countersight.english import UNITS
from countersight.programs.failures import ProgramFailed
from countersight.programs.steps.parsing import Name, ProgramStep
from countersight.scenes import COLOURS, as_published
from countersight.worlds import name_pattern

_X, _Y = name_pattern("x"), name_pattern("y")
_IF: Final = r" if (?P<change>.+)"
_PLANS: Final = "could be taken away without anything falling"
WHY: Final = "why: "
"""The prefix of an answered question whose answer is to be explained."""
_FLOOR: Final = "How many things lie on the floor?"


def world_plan(question: str, options: Sequence[str]) -> list[ProgramStep] | None:
    """Return the steps for a question about a world; None for any other question."""
    *_, last = re.split(r"(?<=[.:]) ", question)
    for pattern, asked in _ASKED.items():
        if found := pattern.fullmatch(last):
            return [_look("ANSWER", asked(found), options, found["change"])]
    if last == f"which of these {_PLANS}" and options:
        return _planned(options, "Does anything fall?")
    if options and (found := _DISC_PLAN.fullmatch(last)):
        return _planned(options, f"Will the {found['x']} reach a wall?")
    if found := _ROLE.search(question):
        return _role(found["x"], found["y"], options)
    if _SEEN.fullmatch(last):
        why = "Why: " if question.startswith(WHY) else ""
        return [_look("ANSWER", f"{why}{last}?", options)]
    return None


def _look(result: str, question: str, options: Sequence[str] = (), change: str = "") -> ProgramStep:
    """Return a step that asks about the picture, or about the picture after a change."""
    words = f"Suppose that {change}. {question}" if change else question
    if options:
        words = f"{words.rstrip('?')}: which of these fits best: {', '.join(options)}? Answer with one of them."
    return ProgramStep(result, "VQA", {"image": Name("IMAGE"), "question": words})


def _planned(options: Sequence[str], question: str) -> list[ProgramStep]:
    """Return steps that remove each option in thought and choose the one without which the answer is no."""
    steps: list[ProgramStep] = []
    choice = repr(options[-1])
    for nth, option in reversed(list(enumerate(options))):
        steps.append(_look(f"WITHOUT{nth}", question, change=f"{option} were taken away"))
        choice = f"{option!r} if {{WITHOUT{nth}}} == 'no' else {choice}"
    return [*steps, ProgramStep("ANSWER", "EVAL", {"expr": choice})]


def _role(about: str, other: str, options: Sequence[str]) -> list[ProgramStep]:
    """Return steps that choose between cause, enable and prevent: whether a disc is pushed, and arrives with and
    without another."""
    there = f"Will the {other} reach a wall?"
    words = {name: next((option for option in options if starts in option), "") for name, starts in _ROLES.items()}
    with_it = f"{words['enable']!r} if {{PUSHED}} == 'yes' else {words['cause']!r}"
    without = f"{words['prevent']!r} if {{PUSHED}} == 'yes' else 'none of these'"
    choice = f"'none of these' if {{NOW}} == {{THEN}} else ({with_it}) if {{NOW}} == 'yes' else {without}"
    return [
        _look("NOW", there),
        _look("THEN", there, change=f"the {about} were taken away"),
        _look("PUSHED", f"Is the {other} pushed?"),
        ProgramStep("ANSWER", "EVAL", {"expr": choice}),
    ]


_DISC_PLAN: Final = re.compile(f"which of these would have to be taken away so that {_X} does not reach a wall")
_ROLES: Final = {"cause": "it brings", "enable": "it helps", "prevent": "it keeps"}
_ROLE: Final = re.compile(rf"what does {_X} do about {_Y} reaching a wall$")
_ASKED: Final[dict[re.Pattern[str], Callable[[re.Match[str]], str]]] = {
    re.compile(f"{pattern}{_IF}"): asked
    for pattern, asked in {
        f"would {_X} fall": lambda found: f"Does the {found['x']} lie on the floor?",
        f"would {_X} be higher than {_Y}": lambda found: f"Is the {found['x']} higher than the {found['y']}?",
        "how many things would lie on the floor": lambda found: _FLOOR,
        "which of these would fall": lambda found: "Which of these lies on the floor?",
        f"would {_X} and {_Y} touch each other": lambda found: (
            f"Will the {found['x']} and the {found['y']} touch each other?"
        ),
        f"would {_X} reach a wall": lambda found: f"Will the {found['x']} reach a wall?",
        "how many discs would move": lambda found: "How many discs will move?",
        f"which of these would {_X} touch first": lambda found: f"Which of these will the {found['x']} touch first?",
    }.items()
}
"""The question about the changed world, for each pattern of a question under a change."""
_SEEN: Final = re.compile(
    rf"does {_X} (?:touch {_Y}(?:, directly or by a string)?|lie on the floor)"
    rf"|is {name_pattern('x1')} higher than {name_pattern('y1')}"
    rf"|how many (?:things lie on the floor|discs will move)"
    rf"|which of these (?:is|lies) (?:highest in the picture|farthest to the left|on the floor|not in the pictures?"
    rf"|nearest to {name_pattern('x2')})"
    rf"|will {name_pattern('x3')} (?:and {name_pattern('y3')} touch each other|reach a wall)"
)
"""Questions about the unchanged picture."""


LONGEST = 500
"""The maximum number of characters in a question; those of the suite have a third of that."""


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
    """Raised if the grammar does not cover the question."""

    def __init__(self, reason: str) -> None:
        super().__init__("no program", reason)


def plan(question: str, options: Sequence[str] = ()) -> list[ProgramStep]:
    """Return the steps that answer a question with these options; raises NoProgram if the grammar does not cover it."""
    text = _OPTIONS.sub("", " ".join(question[:LONGEST].split()).casefold())
    text = as_published(text).casefold().rstrip("?. ")
    for pattern, write in ((_FLOWERS, _flowers), (_DOTS, _dots), (_MOST, _most)):
        found = pattern.fullmatch(text)
        if found:
            return [*write(found), _step("FINAL_RESULT", "RESULT", var=Name("ANSWER"))]
    steps = world_plan(text, [option.casefold() for option in options])
    if steps:
        return [*steps, _step("FINAL_RESULT", "RESULT", var=Name("ANSWER"))]
    raise NoProgram(f"the grammar has no program for {question[:80]!r}")


def _flowers(found: re.Match[str]) -> list[ProgramStep]:
    side, colour, change = found["side"], found["colour"], found["change"] or ""
    wanted = f"{colour} polygons"
    less = 0
    emptied: list[ProgramStep] = []
    if recoloured := _RECOLOURED.fullmatch(change):
        if recoloured["new"] != colour:
            raise NoProgram(f"the question is not about {recoloured['new']} polygons")
        wanted = "polygons"
    elif removed := _SOME_REMOVED.fullmatch(change):
        if removed["where"] not in (None, colour):
            raise NoProgram("the removed flowers are elsewhere, at least in part")
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


def _dots(found: re.Match[str]) -> list[ProgramStep]:
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
            raise NoProgram("the question does not say from which circles the dots are removed")
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


def _most(found: re.Match[str]) -> list[ProgramStep]:
    steps = [_located("CIRCLES", "circles"), _located("DOTS", "dots")]
    circles = "CIRCLES"
    if found["change"] and not _EMPTIEST_REMOVED.fullmatch(found["change"]):  # the fullest circle remains
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


def _counted(less: int) -> list[ProgramStep]:
    if not less:
        return [_step("ANSWER", "COUNT", box=Name("THINGS"))]
    return [_step("NUMBER", "COUNT", box=Name("THINGS")), _step("ANSWER", "EVAL", expr=f"{{NUMBER}} - {less}")]


def _located(name: str, what: str) -> ProgramStep:
    return _step(name, "LOC", image=Name("IMAGE"), object=what)


def _step(result: str, operation: str, **arguments: str | int | Name) -> ProgramStep:
    return ProgramStep(result, operation, dict(arguments))


def _number(word: str) -> int:
    if word not in _NUMBERS:
        raise NoProgram(f"{word[:20]!r} is not a number of circles")
    return _NUMBERS[word]


def _unknown(change: str) -> NoProgram:
    return NoProgram(f"the grammar does not know the change {change[:80]!r}")
