"""Things of a picture that are unrelated to a causal graph, and so may be asked about or offered as options."""

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
"""Classes of parts of other things, of non-things, and of things that bear everything in the picture."""
ONE_OF_A_KIND = frozenset({"animal", "food", "mount", "person", "seat", "vehicle", "worn"})
"""Classes in which two names in one picture may refer to the same thing: a man and a player, a meal and meat."""
_MATERIALS = frozenset({"board", "brick", "carpet", "pane", "panel", "plank", "shingle", "sill", "tile"})
"""What floors and walls are made of: choosing it would be choosing them."""
_BEHIND = frozenset({"camera", "photo", "photograph", "photographer", "picture"})
"""What descriptions name and the picture does not show: "a man facing the camera"."""


def bystanders(graph: CausalGraph) -> list[Thing]:
    """Return other things of the picture that are certainly neither causes nor effects of the graph's things."""
    inside = [thing.name for thing in graph.things]
    kinds = frozenset().union(*(classes_of(name) for name in inside)) & ONE_OF_A_KIND
    found: dict[str, Thing] = {}
    for thing in graph.others:
        if _can_be_named(thing.name, kinds) and not any(
            may_be_the_same(thing.name, name) or may_keep(thing.name, name) or may_keep(name, thing.name)
            for name in inside
        ):
            found.setdefault(thing.name, thing)
    return list(found.values())


def _can_be_named(name: str, kinds: frozenset[str]) -> bool:
    return can_be_chosen(name) and not classes_of(name) & kinds and is_plain(name)


def can_be_chosen(name: str) -> bool:
    """Whether a name refers to a thing that can be an option."""
    classes = classes_of(name)
    return bool(classes & OPTIONS) and not classes & NO_OPTIONS and singular(head(name)) not in _MATERIALS | _BEHIND


def may_keep(keeper: str, kept: str) -> bool:
    """Whether the catalogue allows one thing to bear, contain, have as a part or hold the other."""
    if any(verdict_on(kept, relation, keeper).cause == "object" for relation in ("on", "in")):
        return True
    return verdict_on(keeper, "have", kept).cause == "subject" or _may_hold(keeper, kept)


def _may_hold(holder: str, held: str) -> bool:
    """Whether a creature could have the thing with it."""
    return "creature" in classes_of(holder) and "movable" in classes_of(held)
