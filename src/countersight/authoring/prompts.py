"""What a model is told when it writes, polishes, or answers without the picture."""

import json
import tomllib
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, Final

from countersight.authoring.drafts import OPERATIONS, Draft
from countersight.authoring.sources import Source

SHOWN = 20
"""Examples shown to a model, drawn by seed once for all questions: what stands before the question is then the same in
every request and long enough (over 1,024 tokens) that servers keep it, and do not read it, or charge for it, anew."""
_EXAMPLES: Final[dict[str, list[dict[str, Any]]]] = tomllib.loads(
    (files(__package__) / "examples.toml").read_text(encoding="utf-8")
)
_STEPS: Final = {
    "direct": (
        "You change questions about the number of things in a photograph.\n"
        "1. Read the question and its answer.\n"
        "2. Choose an operation that changes the number: {operations}.\n"
        "3. Work out the new answer.\n"
        "4. Write the new question: it counts the same things, in the conditional (would), with one supposition (if) "
        "that does the operation. Suppose only what can be in this photograph. Say neither the old nor the new answer."
    ),
    "boolean": (
        "You change yes/no questions about a photograph.\n"
        "1. Read the question and its answer.\n"
        "2. Flip the answer.\n"
        "3. Find something that would make the flipped answer true, without stating it outright.\n"
        "4. Write the new question: it asks for the same thing, in the conditional (would), with one supposition (if) "
        "that says what you found. Suppose only what can be in this photograph."
    ),
}
_REPLY: Final = {
    "direct": '{"operation": "...", "new_answer": "...", "question": "..."}',
    "boolean": '{"because": "...", "new_answer": "yes or no", "question": "..."}',
}


def writing_prompt(source: Source, wanted: tuple[str, ...], seed: int) -> str:
    """What is the same for every question of a group, and then the question to change."""
    advice = f" Choose the operation {wanted[0]} if it fits." if source.group == "direct" else ""
    asked = f"Now this one.{advice}\nQuestion: {source.question}\nAnswer: {source.answer}"
    return f"{_told(source.group, seed)}\n\n{asked}"


@cache
def _told(group: str, seed: int) -> str:
    """The steps, the shape of a reply, and examples of ours."""
    examples = Random(f"{seed}/{group}").sample(_EXAMPLES[group], SHOWN)
    steps = _STEPS[group].format(operations=", ".join(OPERATIONS))
    shaped = f"Reply with one JSON object and nothing else: {_REPLY[group]}"
    return "\n\n".join((steps, shaped, "Examples:", *(_example(group, example) for example in examples)))


def _example(group: str, example: dict[str, Any]) -> str:
    key = "operation" if group == "direct" else "because"
    reply = {key: example[key], "new_answer": example["new_answer"], "question": example["new_question"]}
    return f"Question: {example['question']}\nAnswer: {example['answer']}\n{json.dumps(reply)}"


def shape(group: str) -> dict[str, Any]:
    """The JSON schema of a reply."""
    key = "operation" if group == "direct" else "because"
    properties = {name: {"type": "string"} for name in (key, "new_answer", "question")}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def polishing_prompt(draft: Draft) -> str:
    """A second pass over the grammar."""
    return (
        "Correct the grammar of this question without changing what it means: keep every number, every thing and what "
        "is supposed. If nothing is wrong, repeat it as it is.\n"
        f'Reply with one JSON object and nothing else: {{"question": "..."}}\n\nQuestion: {draft.question}'
    )


def blind_prompt(question: str, group: str) -> str:
    """The counterfactual question alone, without its picture and without the factual answer."""
    wanted = "one number" if group == "direct" else "yes or no"
    return (
        f"There is a photograph that you cannot see. If the text of the question alone settles the answer, reply with "
        f"{wanted} and nothing else. If one would have to look at the photograph, reply: unknown\n{question}"
    )
