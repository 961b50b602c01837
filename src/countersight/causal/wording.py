"""Causal questions in words, from templates that people can read and mend: `words/questions.toml`."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

from countersight.causal.catalogue import catalogue
from countersight.causal.grammar import is_animate, pronoun, sentence, the, verb
from countersight.causal.graph import CausalEdge, CausalGraph
from countersight.causal.paths import ancestors, descendants, mediators
from countersight.causal.tasks.query import Query, Shape, Sought, Supposed, Task

DOES = {
    "support": "support",
    "attachment": "hold",
    "holding": "hold",
    "wearing": "wear",
    "containment": "contain",
    "covering": "cover",
    "force": "act on",
    "source": "give off",
}
"""What a cause does, by its kind."""

LANDMARKS = frozenset({"ground", "structure", "water", "plant", "tree"})
"""Classes of things that nobody takes away."""


def does(cause: str, kind: str) -> str:
    """What a cause of that kind does to its effect, in agreement with its name: "supports", "hold"."""
    return verb(cause, DOES.get(kind, "affect"))


def edges_in_words(graph: CausalGraph) -> list[str]:
    """The edges of a graph, each as a few words: "shelf supports books" (CELLO 4.3)."""
    names = {thing.id: thing.name for thing in graph.things}
    return [f"{names[edge.cause]} {does(names[edge.cause], edge.kind)} {names[edge.effect]}" for edge in graph.edges]


def question(task: Task, query: Query, shape: Shape, rng: Random, *, stays: bool = True) -> str:
    """A wording of a query by chance; a question for yes or no asks whether the effect stays, or whether it goes."""
    wordings: Mapping[str, Any] = _wordings()[task.name]
    if isinstance(query, Sought):
        return _sought(wordings, query, shape, rng)
    return _supposed(wordings, query, shape, rng, "stays" if stays else "goes")


def _sought(wordings: Mapping[str, Any], query: Sought, shape: Shape, rng: Random) -> str:
    effect, things = query.about[-1], {}
    if not query.named:
        manner = _manner(shape, effect, _kind_of_cause(shape, effect))
        return str(rng.choice(wordings.get(f"unnamed_{manner}", wordings["unnamed"])))
    if len(query.about) == 2:
        things["cause"] = query.about[0]
    seeks_effect = query.answer[0] in descendants(shape.edges, effect)
    things["lost" if seeks_effect else "effect"] = effect
    fields = _fields(shape, things, rng)
    return str(rng.choice(wordings["asks"]).format_map(fields))


def _supposed(wordings: Mapping[str, Any], query: Supposed, shape: Shape, rng: Random, asked: str) -> str:
    things = {"lost": query.lost, "effect": query.effect, **dict(zip(("held",), query.held, strict=False))}
    mediated = any(held in descendants(shape.edges, query.lost) for held in query.held)
    chosen: Sequence[str] = wordings.get(f"{asked}_mediated", wordings[asked]) if mediated else wordings[asked]
    return rng.choice(chosen).format_map(_fields(shape, things, rng))


def _fields(shape: Shape, things: Mapping[str, str], rng: Random) -> dict[str, str]:
    """Everything a template may name."""
    fields: dict[str, str] = {}
    for role, thing in things.items():
        name = shape.names[thing]
        stands = pronoun(name)
        fields |= {
            role: the(name),
            f"{role}_it": stands.subject,
            f"{role}_them": stands.object,
            f"{role}_its": stands.possessive,
            f"{role}_it_is": stands.subject_is,
            f"{role}_it_depends": f"{stands.subject} {'depend' if stands.be == 'are' else 'depends'}",
            f"{role}_is": verb(name, "be"),
            f"{role}_do": verb(name, "do"),
            f"{role}_depend": verb(name, "depend"),
        }
    if "lost" in things:
        fields["loss"] = _loss(shape, things["lost"], things.get("effect"), rng).format_map(fields)
    if "effect" in things:
        fields |= _about_effect(shape, things["effect"], things.get("lost"), fields, rng)
    return fields


def _about_effect(
    shape: Shape, effect: str, lost: str | None, fields: Mapping[str, str], rng: Random
) -> dict[str, str]:
    depends = lost is None or lost in ancestors(shape.edges, effect)
    name = _manner(shape, effect, _kind_of_cause(shape, effect, lost) if depends else "")
    if lost and any(is_animate(shape.names[thing]) for thing in mediators(shape.edges, lost, effect)):
        name = "carried"
    manner = _wordings()["manner"][name]
    told = {
        name: str(rng.choice(phrase) if isinstance(phrase, list) else phrase).format_map(fields)
        for name, phrase in manner.items()
    }
    told |= {name.capitalize(): sentence(told[name]) for name in ("stays", "goes")}
    first, _, rest = told["remain"].partition(" ")
    told["effect_stay"] = f"{verb(shape.names[effect], first)} {rest}"
    return told


def _loss(shape: Shape, lost: str, effect: str | None, rng: Random) -> str:
    """A clause of how a thing is lost, fit for what it is and for what it does."""
    name = shape.names[lost]
    after = {target for source, target in shape.edges if source == lost}
    towards = [one for one in after if effect is None or one == effect or effect in descendants(shape.edges, one)]
    kinds = {shape.kind(lost, one) for one in towards}
    classes = catalogue().classes(name)
    if is_animate(name) or "grip" in classes:
        sort = "holder" if kinds == {"holding"} else "doer" if kinds == {"force"} else "creature"
    elif classes & LANDMARKS:
        sort = "ground" if kinds == {"support"} and classes & {"ground", "structure"} else "landmark"
    else:
        sort = "thing"
    clauses: Sequence[str] = _wordings()["loss"][sort]
    return rng.choice(clauses)


def _kind_of_cause(shape: Shape, effect: str, lost: str | None = None) -> str:
    """The kind of the direct cause through which the effect is lost, or of any where nothing is said to be lost."""
    edges = [edge for edge in shape.graph.edges if edge.effect == effect]
    towards = [edge for edge in edges if _carries(shape, lost, edge)] if lost else edges
    return towards[0].kind if towards else ""


def _carries(shape: Shape, lost: str | None, edge: CausalEdge) -> bool:
    return lost == edge.cause or lost in ancestors(shape.edges, edge.cause)


def _manner(shape: Shape, effect: str, kind: str) -> str:
    """In which manner an effect depends on its cause; an effect that does not is merely somewhere."""
    animate = is_animate(shape.names[effect])
    if kind in ("covering", "force", "source"):
        return {"covering": "covered", "force": "driven", "source": "emitted"}[kind]
    if kind == "support" or (kind == "holding" and not animate):
        return "borne"
    if animate:
        return "staying"
    return "standing" if not kind and catalogue().classes(shape.names[effect]) & LANDMARKS else "placed"


@cache
def _wordings() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "words" / "questions.toml").read_text(encoding="utf-8"))
