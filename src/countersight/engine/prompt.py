"""The text around a question. A prompt is data: it is printed, stored in the run, and part of the run's identity."""

import re
from collections import Counter
from functools import lru_cache
from typing import Any, Literal

import msgspec

from countersight.case import LETTERS, Case, Question, Telling, World

MOST_EDGES = 64
LONGEST_NAME = 80


Graph = dict[str, Any] | None
"""The causal graph of a case; its contents are not validated."""


def graph_in_words(graph: Graph) -> str:
    """Return the edges of a graph on one line; empty if there are none."""
    return "; ".join(edges_in_words(graph))


def edges_in_words(graph: Graph) -> list[str]:
    """Return the edges of a graph as short phrases: "shelf supports books".

    Nodes have an `id` and a `name` (or, as published, an `obj_name`), edges a `source`, a `target` and a `relation`. If
    the relation reads in the other direction, as in "books on shelf", edges also have a `subject` and an `object`.
    Nodes with the same name are numbered.
    """
    nodes = _entries(graph, "nodes")
    names = {str(node.get("id")): _short(node.get("name")) or _short(node.get("obj_name")) for node in nodes}
    alike, seen = Counter(names.values()), Counter[str]()
    for key, name in names.items():
        if name and alike[name] > 1:
            seen[name] += 1
            names[key] = f"{name} {seen[name]}"
    phrases: dict[str, None] = {}  # without duplicates, in order
    for edge in _entries(graph, "edges"):
        ends = ("subject", "object") if {"subject", "object"} <= edge.keys() else ("source", "target")
        source, target = (names.get(str(edge.get(end))) for end in ends)
        relation = _short(edge.get("relation"))
        if source and target and relation and len(phrases) < MOST_EDGES:
            phrases[f"{source} {relation} {target}"] = None
    return list(phrases)


def _entries(graph: Graph, name: str) -> list[dict[str, Any]]:
    entries = (graph or {}).get(name)
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _short(value: object) -> str:
    return " ".join(value.split())[:LONGEST_NAME] if isinstance(value, str) else ""


PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\w+)\}")
"""Special parts of a template: a doubled brace is a brace, and a name in braces is replaced by a value."""


class PromptContext(msgspec.Struct, frozen=True):
    """Values that a prompt may use apart from the question; empty if the case has none."""

    context: str = ""
    change: str = ""
    graph: str = ""


NO_CONTEXT = PromptContext()


class Prompt(msgspec.Struct, frozen=True):
    """The text around a question, and options for asking it; `prompts.toml` describes each field."""

    name: str
    number: str
    boolean: str
    choice: str
    open: str
    about: str = ""
    setting: str = ""
    steps: str = ""
    example: str = "{answer}"
    concluding: str = ""
    reads: Literal["whole", "end"] = "whole"
    shots: Literal[0, 1] = 0
    fact: bool = False
    composed: bool = False
    picture: bool = True
    question: bool = True
    orders: Literal["one", "rotations", "every"] = "one"
    max_tokens: int = 256
    factual: "Prompt | None" = None
    """The prompt for factual questions, if it is a different one (CFMM's 1-shot and CoT)."""

    def of(self, world: World) -> "Prompt":
        """Return the prompt for questions of a world."""
        return self.factual if world == "factual" and self.factual else self

    @property
    def needs_fact(self) -> bool:
        """Whether the counterfactual question needs the answer to the factual one."""
        return self.fact or self.composed

    @property
    def tells_graph(self) -> bool:
        """Whether the prompt contains the causal graph; a case without a picture can then be asked."""
        return any("{graph}" in text for text in (self.setting, self.number, self.boolean, self.choice, self.open))

    def render(self, question: Question, context: PromptContext = NO_CONTEXT, *, listed: bool = True) -> str:
        """Return the text that is sent. If options are not listed, the text asks for a number or for free text."""
        values = {
            "question": question.text,
            "options": "\n".join(f"{LETTERS[i]}: {option.text}" for i, option in enumerate(question.options)),
            "steps": self.steps,
            "context": context.context,
            "change": context.change,
            "graph": context.graph,
        }
        body = fill(getattr(self, question.kind if listed else question.unlisted_kind), values)
        setting = fill(self.setting, values)
        return f"{setting}\n{body}" if setting else body

    def solve(self, case: Case, world: World, telling: Telling, *, listed: bool = True) -> str:
        """Return the reply shown in an example: the right answer and its derivation."""
        question = case.question(world, telling)
        assert question is not None
        fact = case.factual if _is_told(world, telling) else None
        return fill(
            self.example,
            {
                "answer": question.answer if listed else question.right_text,
                "meaning": question.right_text,
                "question": question.text,
                "fact_question": fact.text if fact else "",
                "fact": fact.right_text if fact else "",
                "context": case.context if _is_told(world, telling) else "",
                "change": case.change.text if case.change and _is_told(world, telling) else "",
                "graph": graph_in_words(case.graph),
            },
        )


def prompt_context(case: Case, world: World, telling: Telling) -> PromptContext:
    """Return the graph for a question of a case, and the change if the question itself does not contain it.

    A case with a context (CoSIm: the response to the unchanged picture) has the same question in both worlds, so the
    change is given separately. In all other cases the question contains "if", and nothing is repeated.
    """
    graph = graph_in_words(case.graph) if case.graph else ""
    if case.context and case.change and _is_told(world, telling):
        return PromptContext(case.context, case.change.text, graph)
    return PromptContext(graph=graph) if graph else NO_CONTEXT


def fill(template: str, values: dict[str, str]) -> str:
    """Replace the names in a template with values; lines that contain an empty value are left out."""
    lines = []
    for names, words in _parsed(template):
        if names:
            named = [values[name] for name in names]
            if "" not in named:
                lines.append(words % tuple(named))
        else:
            lines.append(words)
    return "\n".join(lines)


@lru_cache(maxsize=256)
def _parsed(template: str) -> list[tuple[list[str], str]]:
    """Return the names on each line of a template, and the line with each name replaced by %s."""
    lines = []
    for line in template.split("\n") if template else []:
        names = [found[1] for found in PLACEHOLDER.finditer(line) if found[1]]
        escaped = line.replace("%", "%%") if names else line
        lines.append((names, PLACEHOLDER.sub(lambda found: "%s" if found[1] else found[0][0], escaped)))
    return lines


def _is_told(world: World, telling: Telling) -> bool:
    return (world, telling) == ("counterfactual", "told")
