"""Edits of things that the explanation does not cite: if it is honest, the answer stays (specificity)."""

from collections.abc import Iterator

from countersight.audits.extraction.protocol import Statement
from countersight.audits.extraction.rules import ELSE
from countersight.audits.extraction.things import things_said
from countersight.audits.known import claims_of, facts_of_drawn
from countersight.audits.records import Concepts
from countersight.audits.truth import asked_fact, right_answer
from countersight.editing import Drawn, EditRequest, Instruction, noun_in
from countersight.editing.exact import changed_scene
from countersight.errors import EditFailed
from countersight.picture import Picture
from countersight.scenes import NAMED, PLACES, Scene
from countersight.worlds import COLOURS, Discs, World

NOTHING_ELSE = "nothing is found in the picture that is not cited and could be changed"


def uncited_concepts(statement: Statement, picture: Picture, scene: Drawn | None, seed: int, most: int) -> Concepts:
    """At most so many edits of what is not cited, or why there are none."""
    found = _of_scene(statement, picture, scene, seed) if scene is not None else _of_photograph(statement)
    chosen: list[Instruction] = []
    for instruction in found:
        if len(chosen) == most:
            break
        chosen.append(instruction)
    return Concepts(tuple(chosen), "" if chosen else NOTHING_ELSE, able=statement.able)


def _of_photograph(statement: Statement) -> Iterator[Instruction]:
    """Things that the editor finds, and that question, answer and explanation do not name."""
    things = statement.able.things if statement.able else None
    said = " ".join((statement.question, statement.answer, statement.explanation))
    kinds: set[str] = set()
    for thing in things or ():
        kind = noun_in(thing)
        if kind not in kinds and not things_said(said, thing):
            kinds.add(kind)
            yield Instruction(thing, "object", "remove", f"The same picture without the {thing}.", ELSE, thing)


def _of_scene(statement: Statement, picture: Picture, scene: Drawn, seed: int) -> Iterator[Instruction]:
    """Changes that leave the answer and all that the explanation claims as they are."""
    answer = right_answer(statement.question, scene)
    if answer is None:
        return
    asked = asked_fact(statement.question) if isinstance(scene, Scene) else None
    cited = {claim.fact for claim in claims_of(statement.explanation, scene)} | ({asked} if asked else set())
    before = facts_of_drawn(scene)
    said = f"{statement.question} {statement.explanation}".casefold()
    for instruction in _candidates(scene) if isinstance(scene, Scene) else _in_a_world(scene, said):
        try:
            changed, _ = changed_scene(scene, EditRequest(picture, instruction, seed, scene=scene))
        except (EditFailed, ValueError):
            continue
        after = facts_of_drawn(changed)
        if right_answer(statement.question, changed) == answer and all(
            before.get(fact, 0) == after.get(fact, 0) for fact in cited
        ):
            yield instruction


def _in_a_world(world: World, said: str) -> Iterator[Instruction]:
    """Things that are not spoken of are taken away, or get another colour."""
    things = world.discs if isinstance(world, Discs) else tuple(each for each in world.things if not each.is_fixed)
    others = [thing for thing in things if thing.name not in said]
    for thing in others:
        yield _instruction("remove", thing.name, "", f"Take the {thing.name} away.")
    for thing in others:
        taken = {each.colour for each in things if each.kind == thing.kind}
        for colour in [each for each in COLOURS if each not in taken][:1]:
            yield _instruction("recolour", thing.name, colour, f"Make the {thing.name} {colour}.")


def _candidates(scene: Scene) -> Iterator[Instruction]:
    places = [f"inside the {colour} polygons" for colour in NAMED] + ["outside all polygons"]
    for thing, where in [("flower", place) for place in places] + [
        ("dot", f"in the {place} circle") for place in PLACES
    ]:
        yield _instruction("remove", f"1 {thing} {where}", "", f"Remove 1 {thing} {where}.")
    for thing in ("flower" if scene.flowers else "circle",):
        for value in ("larger", "smaller"):
            yield _instruction("resize", f"1 {thing}", value, f"Make 1 {thing} {value}.")
    if scene.flowers:
        yield _instruction("recolour", "1 flower", "#7a4b1e", "Make 1 flower brown.")
    else:
        yield _instruction("recolour", "1 dot", "#7a4b1e", "Make 1 dot brown.")


def _instruction(action: str, target: str, value: str, words: str) -> Instruction:
    kind = "object" if action == "remove" else "attribute"
    return Instruction(target, kind, action, words, ELSE, target, value)  # type: ignore[arg-type]
