"""Edits of uncited objects: edits that change neither what the explanation cites nor the right answer."""

from collections.abc import Iterator
from itertools import islice

from countersight.audits.claims import claims
from countersight.audits.extraction.protocol import Statement
from countersight.audits.extraction.rules import LEAVE_THE_REST, find_mention
from countersight.audits.records import Concepts
from countersight.audits.scene_facts import asked_fact, effect_of
from countersight.editing import Instruction, noun_in
from countersight.picture import Picture
from countersight.scenes import NAMED, PLACES, Scene, facts_by_name

NOTHING_ELSE = "the picture has no uncited object that could be changed"


def uncited_concepts(statement: Statement, picture: Picture, scene: Scene | None, seed: int, most: int) -> Concepts:
    """Return at most `most` edits of uncited objects, or the reason why there are none."""
    found = _of_scene(statement, picture, scene, seed) if scene is not None else _of_photograph(statement)
    chosen = tuple(islice(found, most))
    return Concepts(chosen, "" if chosen else NOTHING_ELSE, able=statement.able)


def _of_photograph(statement: Statement) -> Iterator[Instruction]:
    """Yield removals of objects that the editor finds and that question, answer and explanation do not name."""
    things = statement.able.things if statement.able else None
    text = " ".join((statement.question, statement.answer, statement.explanation))
    kinds: set[str] = set()
    for thing in things or ():
        kind = noun_in(thing)
        if kind not in kinds and not find_mention(text, thing):
            kinds.add(kind)
            yield Instruction(
                thing, "object", "remove", f"The same picture without the {thing}.", LEAVE_THE_REST, thing
            )


def _of_scene(statement: Statement, picture: Picture, scene: Scene, seed: int) -> Iterator[Instruction]:
    """Yield edits that change neither the right answer nor any number that the explanation claims."""
    asked = asked_fact(statement.question)
    if asked not in facts_by_name(scene):
        return
    cited = {claim.fact for claim in claims(statement.explanation)} | {asked}
    for instruction in _candidates(scene):
        effect = effect_of(scene, picture, seed, instruction)
        if effect and not any(effect.get(fact) for fact in cited):
            yield instruction


def _candidates(scene: Scene) -> Iterator[Instruction]:
    places = [f"inside the {colour} polygons" for colour in NAMED] + ["outside all polygons"]
    for thing, where in [("flower", place) for place in places] + [
        ("dot", f"in the {place} circle") for place in PLACES
    ]:
        yield _instruction("remove", f"1 {thing} {where}", "", f"Remove 1 {thing} {where}.")
    resized, recoloured = ("flower", "flower") if scene.flowers else ("circle", "dot")
    for value in ("larger", "smaller"):
        yield _instruction("resize", f"1 {resized}", value, f"Make 1 {resized} {value}.")
    yield _instruction("recolour", f"1 {recoloured}", "#7a4b1e", f"Make 1 {recoloured} brown.")


def _instruction(action: str, target: str, value: str, words: str) -> Instruction:
    kind = "object" if action == "remove" else "attribute"
    return Instruction(target, kind, action, words, LEAVE_THE_REST, target, value)  # type: ignore[arg-type]
