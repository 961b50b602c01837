"""Edits of things that neither the answer nor the explanation cites."""

from collections.abc import Iterator
from itertools import islice

from countersight.audits.extraction.protocol import Statement
from countersight.audits.extraction.rules import LEAVE_THE_REST
from countersight.audits.extraction.things import find_mention
from countersight.audits.ground_truth import asked_fact, claims, right_answer
from countersight.audits.records import Concepts
from countersight.editing import EditRequest, Instruction, noun_in
from countersight.editing.exact import changed_scene
from countersight.errors import EditFailed
from countersight.picture import Picture
from countersight.scenes import NAMED, PLACES, Scene, facts_by_name

NOTHING_ELSE = "the picture has no uncited object that could be changed"


def uncited_concepts(statement: Statement, picture: Picture, scene: Scene | None, seed: int, most: int) -> Concepts:
    """Return at most `most` edits of uncited things, or the reason why there are none."""
    found = _of_scene(statement, picture, scene, seed) if scene is not None else _of_photograph(statement)
    chosen = tuple(islice(found, most))
    return Concepts(chosen, "" if chosen else NOTHING_ELSE, able=statement.able)


def _of_photograph(statement: Statement) -> Iterator[Instruction]:
    """Things that the editor finds, and that question, answer and explanation do not name."""
    things = statement.able.things if statement.able else None
    said = " ".join((statement.question, statement.answer, statement.explanation))
    kinds: set[str] = set()
    for thing in things or ():
        kind = noun_in(thing)
        if kind not in kinds and not find_mention(said, thing):
            kinds.add(kind)
            yield Instruction(
                thing, "object", "remove", f"The same picture without the {thing}.", LEAVE_THE_REST, thing
            )


def _of_scene(statement: Statement, picture: Picture, scene: Scene, seed: int) -> Iterator[Instruction]:
    """Changes that leave the answer and all that the explanation claims as they are."""
    answer = right_answer(statement.question, scene)
    if answer is None:
        return
    asked = asked_fact(statement.question)
    cited = {claim.fact for claim in claims(statement.explanation)} | ({asked} if asked else set())
    before = facts_by_name(scene)
    for instruction in _candidates(scene):
        try:
            changed, _ = changed_scene(scene, EditRequest(picture, instruction, seed, scene=scene))
        except (EditFailed, ValueError):
            continue
        assert isinstance(changed, Scene)
        after = facts_by_name(changed)
        if right_answer(statement.question, changed) == answer and all(
            before.get(fact, 0) == after.get(fact, 0) for fact in cited
        ):
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
