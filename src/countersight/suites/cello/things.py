"""Which things of a picture a question may name, judged by their names."""

from countersight.causal import (
    CausalGraph,
    Thing,
    classes_of,
    head,
    is_plain,
    may_be_the_same,
    singular,
    verdict_on,
)

OPTIONS = frozenset({
    "animal", "cloth", "container", "device", "fastener", "fixture", "food", "furniture", "handheld", "item", "mount",
    "person", "plant", "structure", "surface", "upright", "vehicle", "worn",
})  # fmt: skip
"""Classes of things that can be options."""
NO_OPTIONS = frozenset({"body", "emission", "ground", "immaterial", "lap", "place", "water"})
"""Classes of parts, of immaterial things, and of things that support everything in the picture."""
ONE_OF_A_KIND = frozenset({"animal", "food", "mount", "person", "seat", "vehicle", "worn"})
"""Classes in which two names in one picture may refer to the same thing: a man and a player, a meal and meat."""
NOT_SEEN = frozenset({
    "board", "brick", "camera", "carpet", "pane", "panel", "photo", "photograph", "photographer", "picture", "plank",
    "shingle", "sill", "tile",
})  # fmt: skip
"""Materials of floors and walls, and things that descriptions mention but pictures do not show."""


def bystanders(graph: CausalGraph) -> list[Thing]:
    """Return other things in the picture that are certainly neither causes nor effects of the graph's things."""
    inside = [thing.name for thing in graph.things]
    kinds = frozenset().union(*(classes_of(name) for name in inside)) & ONE_OF_A_KIND
    found: dict[str, Thing] = {}
    for thing in graph.others:
        if not can_be_chosen(thing.name) or classes_of(thing.name) & kinds or not is_plain(thing.name):
            continue
        if not any(
            may_be_the_same(thing.name, name) or may_keep(thing.name, name) or may_keep(name, thing.name)
            for name in inside
        ):
            found.setdefault(thing.name, thing)
    return list(found.values())


def can_be_chosen(name: str) -> bool:
    """Return whether a name refers to a thing that can be an option."""
    classes = classes_of(name)
    return bool(classes & OPTIONS) and not classes & NO_OPTIONS and singular(head(name)) not in NOT_SEEN


def may_keep(keeper: str, kept: str) -> bool:
    """Return whether one thing may support, contain, hold or have the other as a part, by the catalogue."""
    if any(verdict_on(kept, relation, keeper).cause == "object" for relation in ("on", "in")):
        return True
    may_hold = "creature" in classes_of(keeper) and "movable" in classes_of(kept)
    return may_hold or verdict_on(keeper, "have", kept).cause == "subject"
