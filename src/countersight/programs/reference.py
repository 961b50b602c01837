"""The reference programmer: writes programs for the questions of C-VQA-Synthetic with a small grammar, without a model.

It covers the wordings of the published questions and of Countersight's own, and writes step programs or Python.
"""

import re
from collections.abc import Callable
from typing import Final

from countersight.english import UNITS
from countersight.programs.limits import ProgramFailed
from countersight.programs.steps.parsing import Name, ProgramStep
from countersight.scenes import COLOURS, as_published

LONGEST = 500
"""The maximum number of characters in a question; those of C-VQA-Synthetic have a third of that."""


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


def plan_steps(question: str) -> list[ProgramStep]:
    """Return the steps that answer a question; raises NoProgram if the grammar does not cover it."""
    text = _OPTIONS.sub("", " ".join(question[:LONGEST].split()).casefold())
    text = as_published(text).casefold().rstrip("?. ")
    for pattern, write in ((_FLOWERS, _plan_flowers), (_DOTS, _plan_dots), (_MOST, _plan_most_dots)):
        found = pattern.fullmatch(text)
        if found:
            return [*write(found), _make_step("FINAL_RESULT", "RESULT", var=Name("ANSWER"))]
    raise NoProgram("the reference programmer only covers the questions of C-VQA-Synthetic")


def _plan_flowers(found: re.Match[str]) -> list[ProgramStep]:
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
            raise NoProgram("some of the removed flowers are not in the place asked about")
        counted = removed["place"] is None or (removed["place"] == "outside") == (side == "outside")
        less = int(removed["some"] or removed["gone"]) if counted else 0
    elif gone := _EMPTIED.fullmatch(change):
        left = "INSIDE" if gone["place"] == "outside" else "OUTSIDE"
        emptied = [
            _locate_step("EMPTIED", f"{gone['emptied']} polygons"),
            _make_step("THINGS", left, box=Name("THINGS"), of=Name("EMPTIED")),
        ]
    elif change:
        raise _unknown(change)
    where = "OUTSIDE" if side == "outside" else "INSIDE"
    return [
        _locate_step("FLOWERS", "flowers"),
        _locate_step("POLYGONS", wanted),
        _make_step("THINGS", where, box=Name("FLOWERS"), of=Name("POLYGONS")),
        *emptied,
        *_count_steps(less),
    ]


def _plan_dots(found: re.Match[str]) -> list[ProgramStep]:
    change = found["change"] or ""
    steps = [_locate_step("CIRCLES", "circles"), _locate_step("DOTS", "dots")]
    kept = "CIRCLES"
    if found["top"]:
        steps.append(_make_step("TOP", "TOPMOST", box=Name("CIRCLES"), n=_number(found["top"])))
        kept = "TOP"
    elif found["row"]:
        steps.append(_make_step("TOP", "TOP_ROW", box=Name("CIRCLES")))
        kept = "TOP"
    less = 0
    if removed := _SOME_REMOVED.fullmatch(change):
        if removed["where"] or kept != "CIRCLES":
            raise NoProgram("the question does not say from which circles the dots are removed")
        less = int(removed["some"] or removed["gone"])
    elif side := _SIDE_REMOVED.fullmatch(change):
        steps.append(
            _make_step("GONE", f"{side['side'].upper()}MOST", box=Name("CIRCLES"), n=_number(side["number"])),
        )
        steps.append(_make_step("LEFT", "WITHOUT", box=Name(kept), of=Name("GONE")))
        kept = "LEFT"
    elif emptied := _CIRCLES_EMPTIED.fullmatch(change):
        steps.append(
            _make_step("EMPTY", f"{emptied['side'].upper()}MOST", box=Name("CIRCLES"), n=_number(emptied["number"])),
        )
        steps.append(_make_step("LEFT", "WITHOUT", box=Name(kept), of=Name("EMPTY")))
        kept = "LEFT"
    elif change and not _DOTS_RECOLOURED.fullmatch(change):
        raise _unknown(change)
    return [*steps, _make_step("THINGS", "INSIDE", box=Name("DOTS"), of=Name(kept)), *_count_steps(less)]


def _plan_most_dots(found: re.Match[str]) -> list[ProgramStep]:
    steps = [_locate_step("CIRCLES", "circles"), _locate_step("DOTS", "dots")]
    circles = "CIRCLES"
    if found["change"] and not _EMPTIEST_REMOVED.fullmatch(found["change"]):  # the fullest circle remains
        if not _FULLEST_REMOVED.fullmatch(found["change"]):
            raise _unknown(found["change"])
        steps.append(_make_step("GONE", "FULLEST", box=Name("CIRCLES"), of=Name("DOTS")))
        steps.append(_make_step("LEFT", "WITHOUT", box=Name("CIRCLES"), of=Name("GONE")))
        circles = "LEFT"
    return [
        *steps,
        _make_step("FULL", "FULLEST", box=Name(circles), of=Name("DOTS")),
        _make_step("THINGS", "INSIDE", box=Name("DOTS"), of=Name("FULL")),
        *_count_steps(0),
    ]


def _count_steps(less: int) -> list[ProgramStep]:
    if not less:
        return [_make_step("ANSWER", "COUNT", box=Name("THINGS"))]
    return [
        _make_step("NUMBER", "COUNT", box=Name("THINGS")),
        _make_step("ANSWER", "EVAL", expr=f"{{NUMBER}} - {less}"),
    ]


def _locate_step(name: str, what: str) -> ProgramStep:
    return _make_step(name, "LOC", image=Name("IMAGE"), object=what)


def _make_step(result: str, operation: str, **arguments: str | int | Name) -> ProgramStep:
    return ProgramStep(result, operation, dict(arguments))


def _number(word: str) -> int:
    if word not in _NUMBERS:
        raise NoProgram(f"{word[:20]!r} is not a number of circles")
    return _NUMBERS[word]


def _unknown(change: str) -> NoProgram:
    return NoProgram(f"the grammar does not know the change {change[:80]!r}")


_REFERENCE = re.compile(r"\{(\w+)\}")


def as_python(question: str) -> str:
    """Return the Python program that answers a question; raises NoProgram if the grammar does not cover it."""
    lines = ["def execute_command(image):", "    image_patch = ImagePatch(image)"]
    things: dict[str, str] = {}
    for step in plan_steps(question):
        lines.append(f"    {_python_line(step, things)}")
        if step.operation == "LOC":
            things[step.result] = repr(step.arguments["object"])
    return "\n".join(lines)


def _python_line(step: ProgramStep, things: dict[str, str]) -> str:
    """Return a step in Python; `things` are the objects searched so far, by the name of the result."""
    values = {
        name: value.id.lower() if isinstance(value, Name) else repr(value) for name, value in step.arguments.items()
    }
    of = step.arguments.get("of")
    if isinstance(of, Name):
        values["things"] = things.get(of.id, "")
    if step.operation == "EVAL":
        values["expr"] = _REFERENCE.sub(lambda found: found[1].lower(), str(step.arguments["expr"]))
    words = _WORDS[step.operation](values)
    return f"return {words}" if step.operation == "RESULT" else f"{step.result.lower()} = {words}"


def _sort_expression(key: str) -> Callable[[dict[str, str]], str]:
    return lambda given: f"sorted({given['box']}, key=lambda thing: {key})[:{given['n']}]"


_WORDS: Final[dict[str, Callable[[dict[str, str]], str]]] = {
    "LOC": lambda given: f"image_patch.find({given['object']})",
    "COUNT": lambda given: f"len({given['box']})",
    "EVAL": lambda given: given["expr"],
    "RESULT": lambda given: given["var"],
    "INSIDE": lambda given: f"[thing for thing in {given['box']} if thing.inside({given['of']})]",
    "OUTSIDE": lambda given: f"[thing for thing in {given['box']} if not thing.inside({given['of']})]",
    "WITHOUT": lambda given: f"[thing for thing in {given['box']} if thing not in {given['of']}]",
    "TOPMOST": _sort_expression("-thing.vertical_center"),
    "BOTTOMMOST": _sort_expression("thing.vertical_center"),
    "LEFTMOST": _sort_expression("thing.horizontal_center"),
    "RIGHTMOST": _sort_expression("-thing.horizontal_center"),
    "TOP_ROW": lambda given: (
        f"[thing for thing in {given['box']} if thing.vertical_center > "
        f"max({given['box']}, key=lambda other: other.vertical_center).lower]"
    ),
    "FULLEST": lambda given: f"sorted({given['box']}, key=lambda region: -len(region.find({given['things']})))[:1]",
}
"""The Python expression of each operation of a step program."""


def as_steps(question: str) -> str:
    """Return the step program that answers a question; raises NoProgram if the grammar does not cover it."""
    return "\n".join(str(step) for step in plan_steps(question))
