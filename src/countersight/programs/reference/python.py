"""The reference programmer's plan as a Python program or as a step program."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from countersight.programs.reference.grammar import plan
from countersight.programs.steps.parsing import Name, ProgramStep

_REFERENCE = re.compile(r"\{(\w+)\}")


def as_python(question: str, options: Sequence[str] = ()) -> str:
    """Return the Python program that answers a question; raises NoProgram if the grammar does not cover it."""
    lines = ["def execute_command(image):", "    image_patch = ImagePatch(image)"]
    things: dict[str, str] = {}
    for step in plan(question, options):
        lines.append(f"    {_line(step, things)}")
        if step.operation == "LOC":
            things[step.result] = repr(step.arguments["object"])
    return "\n".join(lines)


def _line(step: ProgramStep, things: dict[str, str]) -> str:
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


def _sorted(key: str) -> Callable[[dict[str, str]], str]:
    return lambda given: f"sorted({given['box']}, key=lambda thing: {key})[:{given['n']}]"


_WORDS: Final[dict[str, Callable[[dict[str, str]], str]]] = {
    "LOC": lambda given: f"image_patch.find({given['object']})",
    "VQA": lambda given: f"image_patch.simple_query({given['question']})",
    "COUNT": lambda given: f"len({given['box']})",
    "EVAL": lambda given: given["expr"],
    "RESULT": lambda given: given["var"],
    "INSIDE": lambda given: f"[thing for thing in {given['box']} if thing.inside({given['of']})]",
    "OUTSIDE": lambda given: f"[thing for thing in {given['box']} if not thing.inside({given['of']})]",
    "WITHOUT": lambda given: f"[thing for thing in {given['box']} if thing not in {given['of']}]",
    "TOPMOST": _sorted("-thing.vertical_center"),
    "BOTTOMMOST": _sorted("thing.vertical_center"),
    "LEFTMOST": _sorted("thing.horizontal_center"),
    "RIGHTMOST": _sorted("-thing.horizontal_center"),
    "TOP_ROW": lambda given: (
        f"[thing for thing in {given['box']} if thing.vertical_center > "
        f"max({given['box']}, key=lambda other: other.vertical_center).lower]"
    ),
    "FULLEST": lambda given: f"sorted({given['box']}, key=lambda region: -len(region.find({given['things']})))[:1]",
}
"""The Python expression of each operation of a step program."""


def as_steps(question: str, options: Sequence[str] = ()) -> str:
    """Return the step program that answers a question; raises NoProgram if the grammar does not cover it."""
    return "\n".join(str(step) for step in plan(question, options))
