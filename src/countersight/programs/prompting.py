"""Prompts of code models; words and examples are our own."""

from importlib.resources import files

from countersight.models import Request

PYTHON: str = (files(__package__) / "prompt_python.txt").read_text(encoding="utf-8")
STEPS: str = (files(__package__) / "prompt_steps.txt").read_text(encoding="utf-8")
LONGEST_QUESTION = 4_000


def asked_for(template: str, request: Request) -> str:
    """Return the prompt for a question; options are given by text, not by letter."""
    question = " ".join(request.question.split())[:LONGEST_QUESTION]
    if request.kind == "choice":
        options = "; ".join(option.text for option in request.options)
        question += f" (The answer is one of these: {options})"
    elif request.kind == "boolean":
        question += " (The answer is yes or no.)"
    elif request.kind == "number":
        question += " (The answer is a number.)"
    return template.format(question=question)
