"""The reference programmer: writes programs for the questions of C-VQA-Synthetic with a small grammar, without a model.

It covers the wordings of the published questions and of Countersight's own, and writes step programs or Python.
"""

import re
from collections.abc import Callable
from typing import Final

from countersight.english import UNITS
from countersight.programs.limits import ProgramFailed
from countersight.programs.steps.parsing import Name, ProgramStep, parse_program
from countersight.scenes import COLOURS, as_published

LONGEST = 500
"""The maximum number of characters in a question; those of C-VQA-Synthetic have a third as many."""


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


def as_steps(question: str) -> str:
    """Return the step program that answers a question; raises NoProgram if the grammar does not cover it."""
    text = _OPTIONS.sub("", " ".join(question[:LONGEST].split()).casefold())
    text = as_published(text).casefold().rstrip("?. ")
    for pattern, write in ((_FLOWERS, _flower_steps), (_DOTS, _dot_steps), (_MOST, _most_dots_steps)):
        found = pattern.fullmatch(text)
        if found:
            return "\n".join([*write(found), "FINAL_RESULT=RESULT(var=ANSWER)"])
    raise NoProgram("the reference programmer only covers the questions of C-VQA-Synthetic")


def _flower_steps(found: re.Match[str]) -> list[str]:
    side, colour, change = found["side"], found["colour"], found["change"] or ""
    wanted = f"{colour} polygons"
    less = 0
    emptied: list[str] = []
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
        emptied = [_find("EMPTIED", f"{gone['emptied']} polygons"), f"THINGS={left}(box=THINGS, of=EMPTIED)"]
    elif change:
        raise _unknown(change)
    where = "OUTSIDE" if side == "outside" else "INSIDE"
    inside = f"THINGS={where}(box=FLOWERS, of=POLYGONS)"
    return [_find("FLOWERS", "flowers"), _find("POLYGONS", wanted), inside, *emptied, *_count(less)]


def _dot_steps(found: re.Match[str]) -> list[str]:
    change = found["change"] or ""
    steps = [_find("CIRCLES", "circles"), _find("DOTS", "dots")]
    kept = "CIRCLES"
    if found["top"] or found["row"]:
        top = "TOP_ROW(box=CIRCLES)" if found["row"] else f"TOPMOST(box=CIRCLES, n={_number(found['top'])})"
        steps.append(f"TOP={top}")
        kept = "TOP"
    less = 0
    if removed := _SOME_REMOVED.fullmatch(change):
        if removed["where"] or kept != "CIRCLES":
            raise NoProgram("the question does not say from which circles the dots are removed")
        less = int(removed["some"] or removed["gone"])
    elif gone := _SIDE_REMOVED.fullmatch(change) or _CIRCLES_EMPTIED.fullmatch(change):
        steps.append(f"GONE={gone['side'].upper()}MOST(box=CIRCLES, n={_number(gone['number'])})")
        steps.append(f"LEFT=WITHOUT(box={kept}, of=GONE)")
        kept = "LEFT"
    elif change and not _DOTS_RECOLOURED.fullmatch(change):
        raise _unknown(change)
    return [*steps, f"THINGS=INSIDE(box=DOTS, of={kept})", *_count(less)]


def _most_dots_steps(found: re.Match[str]) -> list[str]:
    steps = [_find("CIRCLES", "circles"), _find("DOTS", "dots")]
    circles = "CIRCLES"
    if found["change"] and not _EMPTIEST_REMOVED.fullmatch(found["change"]):  # the fullest circle remains
        if not _FULLEST_REMOVED.fullmatch(found["change"]):
            raise _unknown(found["change"])
        steps += ["GONE=FULLEST(box=CIRCLES, of=DOTS)", "LEFT=WITHOUT(box=CIRCLES, of=GONE)"]
        circles = "LEFT"
    return [*steps, f"FULL=FULLEST(box={circles}, of=DOTS)", "THINGS=INSIDE(box=DOTS, of=FULL)", *_count(0)]


def _find(name: str, what: str) -> str:
    return f"{name}=LOC(image=IMAGE, object={what!r})"


def _count(less: int) -> list[str]:
    if not less:
        return ["ANSWER=COUNT(box=THINGS)"]
    return ["NUMBER=COUNT(box=THINGS)", f"ANSWER=EVAL(expr='{{NUMBER}} - {less}')"]


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
    for step in parse_program(as_steps(question)):
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
