"""Tests beyond the paper: edits of uncited things, and explanations rewritten as if a concept were different."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from countersight.audits.extraction.protocol import Statement
from countersight.audits.extraction.rules import LEAVE_THE_REST, find_mention
from countersight.audits.ground_truth import asked_fact, claims, right_answer
from countersight.audits.records import Concepts, Thought
from countersight.editing import EditRequest, Instruction, noun_in
from countersight.editing.exact import changed_scene
from countersight.english import NUMBER_WORDS
from countersight.errors import EditFailed
from countersight.picture import Picture
from countersight.scenes import NAMED, PLACES, Scene, facts_by_name

_SENTENCE: Final = re.compile(r"[^.!?\n]+[.!?\n]*\s*")
_WORD: Final = re.compile(r"[^\W_]+")
_NUMBER: Final = re.compile(
    r"\b(?:\d+|" + "|".join(NUMBER_WORDS) + r")\b(?! (?:\w+ )?(?:polygon|region|shape|area|circle|row)s?\b)",
    re.IGNORECASE,
)
"""A number of flowers or dots; polygons, circles and rows stay as they are."""
_TARGET: Final = re.compile(
    r"(?:(?P<n>\d+|all) )?(?P<thing>flower|dot)s?"
    r"(?: (?P<where>inside|outside) the (?P<colour>\w+) polygons?| in the (?P<circle>\w+ \w+) circle"
    r"| in the (?P<row>top|bottom) row)?"
)


def change_thought(statement: Statement, instruction: Instruction, others: Iterable[Instruction] = ()) -> Thought:
    """Return the explanation rewritten as if the concept were different, and the answer that follows, if known.

    The text is empty if it would be the same for another concept in `others`, because it would test neither.
    """
    thought = _changed(statement, instruction)
    if thought.text and any(_changed(statement, other).text == thought.text for other in others):
        return Thought(instruction, "", reason="it would be the same edit as for another concept")
    return thought


def _changed(statement: Statement, instruction: Instruction) -> Thought:
    claimed = {claim.fact: claim.number for claim in claims(statement.explanation)}
    asked = asked_fact(statement.question)
    if asked in claimed:
        if _contradictory(claimed):
            return Thought(instruction, "", reason="the explanation contradicts itself")
        moved = _moved(claimed, instruction)
        text = _rewritten(statement.explanation, claimed, moved) if moved else ""
        if moved and text and moved[asked] != claimed[asked]:
            return Thought(instruction, text, str(moved[asked]))
        why = "its effect on the numbers in the explanation is unknown, or they would contradict each other"
        return Thought(instruction, "", reason=why)
    contrary = _contrary(instruction)
    if not contrary:
        return Thought(instruction, "", reason=f"there is no sentence that contradicts “{instruction.action}”")
    kept = [each.strip() for each in _SENTENCE.findall(statement.explanation) if not _cites(each, instruction)]
    return Thought(instruction, " ".join([contrary, *kept]))


def _contradictory(claimed: dict[str, int]) -> bool:
    """Whether claimed parts do not add up to the claimed whole."""
    circles = {row: [f"dots in the {place} circle" for place in PLACES if row in place] for row in ("top", "bottom")}
    wholes = [("flowers", [f"flowers {side} {colour}" for side in ("inside", "outside")]) for colour in NAMED]
    wholes += [(f"dots in the {row} row", parts) for row, parts in circles.items()]
    wholes += [("dots", [*circles["top"], *circles["bottom"]]), ("dots", [f"dots in the {row} row" for row in circles])]
    return any(
        whole in claimed and claimed.keys() >= set(parts) and claimed[whole] != sum(claimed[part] for part in parts)
        for whole, parts in wholes
    )


def _moved(claimed: dict[str, int], instruction: Instruction) -> dict[str, int] | None:
    """Return every claimed number as it is after the change; None if the change makes one of them unknown."""
    found = _TARGET.fullmatch(instruction.target.casefold())
    if found is None or instruction.action not in ("remove", "add"):
        return None
    number = instruction.value if instruction.action == "add" else (found["n"] or "1")
    if found["thing"] == "flower":
        fact = f"flowers {found['where']} {found['colour']}" if found["where"] else "flowers"
        parts = {"flowers", fact}
        known = {*parts, *(f"flowers {side} {found['colour']}" for side in ("inside", "outside") if found["where"])}
    else:
        fact, parts, known = _dots(claimed, found["circle"], found["row"])
    if fact not in claimed or not claimed.keys() <= known or not (number == "all" or number.isdecimal()):
        return None
    by = claimed[fact] if number == "all" else int(number)
    way = by if instruction.action == "add" else -by
    after = {name: value + way * (name in parts) for name, value in claimed.items()}
    return after if min(after.values()) >= 0 else None


def _dots(claimed: dict[str, int], circle: str | None, row: str | None) -> tuple[str, set[str], set[str]]:
    """Return the fact for dots in a circle or row, the facts that change with it, and those with known effects."""
    named = [place for place in PLACES if f"dots in the {place} circle" in claimed]
    if circle is None:  # the fullest of the counted circles changes
        within = [place for place in named if row is None or place.startswith(row)]
        circle = max(within, key=lambda place: claimed[f"dots in the {place} circle"], default=None)
    parts = {"dots"} | ({f"dots in the {row or (circle or '').split(' ')[0]} row"} if row or circle else set())
    known = parts | {f"dots in the {side} row" for side in ("top", "bottom")}
    known |= {f"dots in the {place} circle" for place in PLACES}
    if circle is not None:
        parts.add(f"dots in the {circle} circle")
        return f"dots in the {circle} circle", parts, known
    return (f"dots in the {row} row" if row else "dots"), parts, known


def _rewritten(text: str, claimed: dict[str, int], moved: dict[str, int]) -> str:
    """Return the text with the new numbers; "" if it is unclear which new number replaces an old one."""
    become: dict[int, set[int]] = {}
    for fact, number in claimed.items():
        become.setdefault(number, set()).add(moved[fact])
    if any(len(each) > 1 for each in become.values()):
        return _in_order(text, claimed, moved)

    def other(found: re.Match[str]) -> str:
        word = found[0].casefold()
        number = int(word) if word.isdecimal() else NUMBER_WORDS[word]
        return str(next(iter(become[number]))) if number in become and become[number] != {number} else found[0]

    made = _NUMBER.sub(other, text)
    return made if {claim.fact: claim.number for claim in claims(made)} == moved else ""


def _in_order(text: str, claimed: dict[str, int], moved: dict[str, int]) -> str:
    """Return the text with the new numbers if its numbers are exactly the claims, in order; "" otherwise."""
    numbers = list(_NUMBER.finditer(text))
    if [str(value) for value in claimed.values()] != [found[0] for found in numbers]:
        return ""
    values = iter(moved.values())
    made = _NUMBER.sub(lambda _: str(next(values)), text)
    return made if {claim.fact: claim.number for claim in claims(made)} == moved else ""


def _contrary(instruction: Instruction) -> str:
    target, value = instruction.target or instruction.concept, instruction.value
    match instruction.action:
        case "remove":
            return f"There is no {target} in the picture."
        case "recolour" | "resize" | "reshape" if value:
            return f"The {target} is {value}."
        case "replace" if value:
            return f"There is no {target} in the picture, but {value} in its place."
        case "add":
            return f"There is {value or target} in the picture."
        case "move" if value:
            return f"The {target} is farther {value}."
    return ""


def _cites(sentence: str, instruction: Instruction) -> bool:
    of_sentence, *of_concept = (
        {word.casefold().removesuffix("s") for word in _WORD.findall(words)} - {"a", "an", "the"}
        for words in (sentence, instruction.concept, instruction.target)
    )
    return any(part and part <= of_sentence for part in of_concept)


NOTHING_ELSE = "the picture has no uncited object that could be changed"


def uncited_concepts(statement: Statement, picture: Picture, scene: Scene | None, seed: int, most: int) -> Concepts:
    """Return at most `most` edits of uncited things, or the reason why there are none."""
    found = _of_scene(statement, picture, scene, seed) if scene is not None else _of_photograph(statement)
    chosen = tuple(islice(found, most))
    return Concepts(chosen, "" if chosen else NOTHING_ELSE, able=statement.able)


def _of_photograph(statement: Statement) -> Iterator[Instruction]:
    """Yield removals of things that the editor finds and that question, answer and explanation do not name."""
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
