"""Runs of small datasets of each suite, as asking them would leave them."""

from collections.abc import Callable, Iterable
from pathlib import Path

from making import dataset

from countersight.case import LETTERS, TWO_WORLDS, Case, Change, Option, Question, Reply
from countersight.dataset.folder import Dataset

from .runs import recorded

ASPECTS = ("common", "direction", "shape", "size", "color", "count")
"""Of CFMM, in another order than the paper's."""
YES_NO = (Option("Yes"), Option("No"))


def answered(
    folder: Path, cases: Iterable[Case], says: Callable[[Case, Question], str], model: str = "openai:gpt-4o"
) -> Path:
    """The folder of a run whose model says this to every question of every case."""
    source = folder.with_name("dataset")
    if not source.exists():
        dataset(source, cases)
    asked = ((row, case, world) for row, case in Dataset.open(source).cases() for world in TWO_WORLDS)
    replies = (
        Reply(case.id, row, world, text=says(case, question))
        for row, case, world in asked
        if (question := case.question(world))
    )
    return recorded(folder, source, replies, model=model)


def right(case: Case, question: Question) -> str:
    return question.answer


def cfmm(each: int = 4) -> list[Case]:
    """So many cases of each aspect; the right answers are A, then B."""
    return [
        Case(
            id=f"{aspect}-{number}",
            suite="cfmm",
            group=aspect,
            factual=Question("Is the cat red?", "A", "choice", YES_NO),
            counterfactual=Question("If it was painted, would the cat be red?", "B", "choice", YES_NO),
        )
        for aspect in ASPECTS
        for number in range(each)
    ]


def cosim(*kinds: tuple[str, ...]) -> list[Case]:
    """A case for each tuple of change types; the right answer is A."""
    options = tuple(map(Option, ("No, a train comes.", "Yes, it is empty.", "No, it is dark.", "Yes, it is day.")))
    return [
        Case(
            id=f"cosim-{number}",
            suite="cosim",
            context="Yes, there are lights.",
            change=Change("Add a train.", types),
            counterfactual=Question("Is the line safe?", "A", "choice", options),
            provenance={"changes": len(types)},
        )
        for number, types in enumerate(kinds)
    ]


def cello(*tasks: tuple[str, str]) -> list[Case]:
    """For each task and graph a question of four options, right answer A, and one of yes or no."""
    options = tuple(Option(f"the {role} thing", role) for role in ("right", "image", "graph", "text"))
    cases = []
    for number, (task, graph) in enumerate(tasks):
        for form, question in (
            ("multiple", Question("What holds the books?", LETTERS[0], "choice", options)),
            ("binary", Question("Would the books drop?", "yes", "boolean")),
        ):
            cases.append(
                Case(
                    id=f"cello-{number}-{form}",
                    suite="cello",
                    group=task,
                    counterfactual=question,
                    provenance={"graph_type": graph},
                )
            )
    return cases


def okvqa(number: int = 10) -> list[Case]:
    """Questions of one world that ten people answered: "net" is worth 0.6, "racket" all."""
    people = ("net",) * 2 + ("racket",) * 8
    return [
        Case(id=f"okvqa-{each}", suite="okvqa", factual=Question("What is it?", "racket", "open", answers=people))
        for each in range(number)
    ]
