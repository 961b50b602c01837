"""Prompts: the text around a question, from the built-in file, from plug-ins, or from a TOML file of the user.

A prompt is data: it is printed, stored in the run, and part of the run's identity.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

import msgspec

from countersight.case import LETTERS, Case, Question, Telling, World
from countersight.engine.graphs_in_words import graph_in_words
from countersight.errors import CountersightError, PromptError
from countersight.registry import Registry
from countersight.suggestions import nearest, unknown
from countersight.text import printable

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


DEFAULT_PROMPT: Final = "0-shot"
"""The prompt that provides default values for fields, unless a prompt names another one with `like`."""
LONGEST_NAME = 60

_FIELDS = msgspec.structs.fields(Prompt)
_OF_A_CASE = ("question", "steps", "context", "change", "graph")
_KINDS = ("number", "boolean", "choice", "open")
_ALLOWED_PLACEHOLDERS: Final[dict[str, tuple[str, ...]]] = {
    "setting": ("question", "context", "change", "graph"),
    "number": _OF_A_CASE,
    "boolean": _OF_A_CASE,
    "choice": ("question", "options", *_OF_A_CASE[1:]),
    "open": _OF_A_CASE,
    "example": ("answer", "meaning", "question", "fact_question", "fact", "context", "change", "graph"),
}
"""The names that are allowed in braces, by field."""
_CHOICES = {field.name: get_args(field.type) for field in _FIELDS if get_origin(field.type) is Literal}
_REQUIRED_PLACEHOLDERS = {
    **dict.fromkeys(_KINDS, ("question",)),
    "choice": ("question", "options"),
    "example": ("answer",),
}


def read_prompts(text: str) -> dict[str, Prompt]:
    """Parse the text of a file with several prompts; return them by name."""
    prompts: dict[str, Prompt] = {}
    for name, fields in tomllib.loads(text).items():
        like = fields.pop("like", DEFAULT_PROMPT)
        whole = (_as_fields(prompts[like]) if like in prompts else {}) | fields
        prompts[name] = _prompt(whole | {"name": name}, prompts)
    return prompts


def _prompt(fields: dict[str, Any], known: Mapping[str, Prompt]) -> Prompt:
    """Build a prompt from its fields; `factual` is the name of another prompt."""
    factual = known[fields["factual"]] if fields.get("factual") else None
    others = {name: value for name, value in fields.items() if name != "factual"}
    return msgspec.structs.replace(msgspec.convert(others, Prompt), factual=factual)


def read_prompt(path: Path, shipped: Mapping[str, Prompt]) -> Prompt:
    """Read a prompt from a user's file; a PromptError says which field is wrong."""
    try:
        fields = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError:
        raise PromptError(f"{path} is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:  # long numbers and deep nesting raise no TOMLDecodeError
        raise PromptError(f"{path} is not TOML: {error}") from None
    try:
        return _checked(fields, path, shipped)
    except PromptError as error:
        raise PromptError(f"{path}: {error}") from None


def _checked(fields: dict[str, Any], path: Path, shipped: Mapping[str, Prompt]) -> Prompt:
    known = [field.name for field in _FIELDS] + ["like"]
    for field in fields:
        if field not in known:
            raise PromptError(f"{printable(field)[:40]}: {unknown('field', field, known)}")
    fields = {"like": DEFAULT_PROMPT, "name": path.stem} | fields
    for field in ("like", "factual"):
        named = fields.get(field)
        if named and (not isinstance(named, str) or named not in shipped):
            raise PromptError(f"{field}: {unknown('prompt', str(named), shipped)}")
    for field, values in _CHOICES.items():
        if field in fields and fields[field] not in values:
            raise PromptError(f"{field}: {fields[field]!r} is not one of: {', '.join(map(str, values))}")
    try:
        prompt = _prompt(_as_fields(shipped[fields.pop("like")]) | fields, shipped)
    except msgspec.ValidationError as error:
        reason, _, field = str(error).partition(" - at `$.")
        raise PromptError(f"{field.rstrip('`') or 'file'}: {reason[:1].lower()}{reason[1:]}") from None
    if not 0 < len(prompt.name) <= LONGEST_NAME or not prompt.name.isprintable():
        raise PromptError(f"name: must have 1 to {LONGEST_NAME} printable characters")
    if prompt.name in shipped:
        raise PromptError(f"name: {prompt.name} is the name of a built-in prompt; choose another name")
    if prompt.max_tokens < 1:
        raise PromptError("max_tokens: must be a whole number of at least 1")
    if prompt.needs_fact and prompt.orders != "one":
        raise PromptError("orders: options cannot be asked in several orders if the model's own answer is used")
    for field in _ALLOWED_PLACEHOLDERS:
        _check_names(field, prompt)
    return prompt


def _check_names(field: str, prompt: Prompt) -> None:
    """Raise an error if a field has an unknown placeholder or lacks a required one, such as `{options}`."""
    names = {found[1] for found in PLACEHOLDER.finditer(getattr(prompt, field)) if found[1]}
    for name in sorted(names - set(_ALLOWED_PLACEHOLDERS[field])):
        near = nearest(name, _ALLOWED_PLACEHOLDERS[field])
        meant = f"did you mean {{{near}}}?" if near else "write {{ for a literal brace."
        there = ", ".join(f"{{{other}}}" for other in _ALLOWED_PLACEHOLDERS[field])
        raise PromptError(f"{field}: {{{name}}} is not a known placeholder; {meant} Known placeholders: {there}")
    for name in _REQUIRED_PLACEHOLDERS.get(field, ()):
        if name not in names and (name != "question" or prompt.question):
            raise PromptError(f"{field}: the placeholder {{{name}}} is missing, so the model would not see it")


def _as_fields(prompt: Prompt) -> dict[str, Any]:
    return msgspec.structs.asdict(prompt) | {"factual": prompt.factual.name if prompt.factual else ""}


PROMPTS_FILE = Path(__file__).with_name("prompts.toml").read_text(encoding="utf-8")
"""The file of built-in prompts; its comments describe the format."""
PROMPTS = read_prompts(PROMPTS_FILE)
PLUGIN_PROMPTS: Registry[Prompt] = Registry("prompt", {}, CountersightError)
"""Prompts that other packages provide as plug-ins."""


def find_prompt(name: str) -> Prompt:
    """Return the built-in or plug-in prompt with this name, or read the prompt file at this path."""
    if name in PROMPTS:
        return PROMPTS[name]
    if PLUGIN_PROMPTS.knows(name):
        prompt: Prompt = PLUGIN_PROMPTS.find(name)[0]
        return prompt
    path = Path(name)
    if path.suffix.lower() == ".toml" or path.is_file():
        return read_prompt(path, PROMPTS)
    raise CountersightError(
        unknown("prompt", name, [*PROMPTS, *PLUGIN_PROMPTS]) + "; you can also pass a .toml file of your own"
    )
