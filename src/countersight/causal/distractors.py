"""The four options of a causal question: the answer and three wrong ones, each wrong in its own way (CELLO 4.3)."""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from random import Random

from countersight.case import Option
from countersight.causal.catalogue import catalogue
from countersight.causal.graph import CausalGraph
from countersight.causal.lexicon import head, may_be_the_same, plain, singular
from countersight.causal.paths import ancestors
from countersight.causal.soundness import is_plain
from countersight.causal.tasks.query import Shape, Sought

ROLES = ("answer", "image", "graph", "text")
"""The answer; in the picture and not in the graph; in the graph and only part of the answer; in neither."""

OPTIONS = frozenset({
    "animal", "cloth", "container", "device", "fixture", "food", "furniture", "handheld", "item", "mount", "person",
    "plant", "surface", "vehicle", "worn",
})  # fmt: skip
"""Classes of things that one can choose."""
NO_OPTIONS = frozenset({"body", "emission", "ground", "immaterial", "lap", "place", "water"})
"""Classes whose members belong to another thing, are no things, or bear everything in the picture."""
ONE_OF_A_KIND = frozenset({"animal", "food", "mount", "person", "seat", "vehicle", "worn"})
"""Two names of one of these classes in one picture may be of the same thing: a man and a player, a meal and meat."""
_MATERIALS = frozenset({"board", "brick", "carpet", "pane", "panel", "plank", "shingle", "sill", "tile"})
"""What floors and walls are made of: choosing it would be choosing them."""
_BEHIND = frozenset({"camera", "photo", "photograph", "photographer", "picture"})
"""What descriptions name and the picture does not show: "a man facing the camera"."""


def options(query: Sought, shape: Shape, rng: Random) -> tuple[Option, ...] | None:
    """The answer, then the image, graph and text distractors; None where the picture has no fit thing.

    All are of different things: none is a synonym, a wider or a narrower word of the answer or of another option.
    """
    answer = [shape.names[thing] for thing in query.answer]
    partial = [shape.names[thing] for thing in query.partial]
    beside = in_image(query, shape)
    image = _unlike(rng.sample(beside, len(beside)), len(answer), answer + partial)
    text = _unlike(_suggested(query, shape, rng), len(answer), in_the_picture(shape.graph))
    if not image or len(text) < len(answer):
        return None
    return tuple(
        Option(" and ".join(names), role) for names, role in zip((answer, image, partial, text), ROLES, strict=True)
    )


def in_the_picture(graph: CausalGraph) -> list[str]:
    """The names of everything that is known to be in the picture, and of what its descriptions speak of."""
    return [*(thing.name for thing in (*graph.things, *graph.others)), *graph.descriptions]


def in_image(query: Sought, shape: Shape) -> list[str]:
    """Names of things in the picture that are not in the graph, and cannot be taken for a right answer."""
    inside = list(shape.names.values())
    kinds = frozenset().union(*(catalogue().classes(name) for name in inside)) & ONE_OF_A_KIND
    found = []
    for name in dict.fromkeys(thing.name for thing in shape.graph.others):
        classes = catalogue().classes(name)
        if not classes & OPTIONS or classes & (NO_OPTIONS | kinds):
            continue
        if not is_plain(name) or singular(head(name)) in _MATERIALS | _BEHIND:
            continue
        if not any(may_be_the_same(name, other) for other in inside) and not _may_be_right(name, query, shape):
            found.append(name)
    return found


def _may_be_right(name: str, query: Sought, shape: Shape) -> bool:
    """Whether a thing beside the graph might depend on it, or it on the thing, without anybody having written so."""
    inside = shape.names.values()
    if query.answer[0] not in ancestors(shape.edges, query.about[0]):  # an effect is sought, and one through another
        return any(_may_keep(shape.names[thing], name) for thing in shape.names if thing not in query.about)
    if any(edge.kind == "force" for edge in shape.graph.edges) and "handheld" in catalogue().classes(name):
        return True  # who hits a ball has something to hit it with
    if any(_may_keep(name, other) for other in inside):
        return True  # the table under the tray bears the cup as well
    # Where the question names nothing, whatever another option keeps in its place would make it a right answer too.
    return not query.named and any(_may_keep(shape.names[thing], name) for thing in query.about)


def _may_keep(keeper: str, kept: str) -> bool:
    """Whether the catalogue would let the one bear the other, contain it, have it for a part or hold it."""
    decide = catalogue().decide
    if any(decide(kept, relation, keeper).cause == "object" for relation in ("on", "in")):
        return True
    return decide(keeper, "have", kept).cause == "subject" or _may_hold(keeper, kept)


def _may_hold(holder: str, held: str) -> bool:
    """Whether a creature could have the thing with it."""
    return "creature" in catalogue().classes(holder) and "movable" in catalogue().classes(held)


def _suggested(query: Sought, shape: Shape, rng: Random) -> list[str]:
    """Things that the words of the question bring to mind, those of its own words first."""
    named = [shape.names[thing] for thing in query.named or query.about]
    others = [name for name in shape.names.values() if name not in named]
    found: list[str] = []
    for names in (named, others):
        things = sorted({thing for name in names for thing in related(name)} - set(found))
        rng.shuffle(things)
        found += things
    return found


def _unlike(names: list[str], number: int, others: list[str]) -> list[str]:
    """The first so many of the names, or fewer, that are unlike each other and have no word in common with others."""
    chosen: list[str] = []
    for name in names:
        if len(chosen) == number:
            break
        if not any(may_be_the_same(name, other) for other in (*others, *chosen)):
            chosen.append(name)
    return chosen


def related(name: str) -> frozenset[str]:
    """Things that a name brings to mind, by the topics it belongs to."""
    topics = _topics()
    return topics.get(plain(name)) or topics.get(singular(head(name))) or frozenset()


@cache
def _topics() -> dict[str, frozenset[str]]:
    """The things of a word's topics, by word."""
    listed = tomllib.loads((files(__package__) / "words" / "topics.toml").read_text(encoding="utf-8"))
    things: dict[str, set[str]] = {}
    for topic in listed.values():
        for word in _listed(topic["words"]):
            things.setdefault(word, set()).update(_listed(topic["things"]))
    return {word: frozenset(found) for word, found in things.items()}


def _listed(names: str) -> Iterator[str]:
    return (" ".join(name.split()) for name in names.split(","))
