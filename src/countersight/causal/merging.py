"""Merge the annotations of one picture by several people.

Graphs of regions often contain the same thing. Two things of the same name are merged if their boxes overlap. Without
boxes, they are merged if no attribute contradicts this and there is evidence for it: a common attribute, a name of
several words, a kind of thing that occurs once in a picture, or another name that both regions contain.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby

import msgspec

from countersight.causal.catalogue import classes_of
from countersight.causal.graph import Box, SceneGraph, SceneRelation, Thing
from countersight.causal.lexicon import is_plural, words_in

SAME = 0.6
"""The minimum intersection over union of two boxes of the same thing."""
_ONE_A_PICTURE = frozenset({"ground", "water"})
_OF_EVERYBODY = frozenset({"person", "worn", "body"})
"""Classes of names that regions with different people may share; for example, two men may each wear a coat."""
DISTINGUISHING_ATTRIBUTES = frozenset({
    "beige", "black", "blue", "brown", "gold", "golden", "gray", "green", "grey", "orange", "pink", "purple", "red",
    "silver", "tan", "white", "yellow", "big", "huge", "large", "little", "short", "small", "tall", "tiny", "long",
    "brick", "concrete", "glass", "leather", "metal", "plastic", "stone", "wicker", "wood", "wooden", "empty", "full",
    "open", "round", "square", "striped", "checkered", "young", "old", "left", "right",
})  # fmt: skip
"""Attributes that distinguish things of the same name."""


def merge_scenes(scenes: Iterable[SceneGraph]) -> Iterator[SceneGraph]:
    """Merge consecutive scenes of the same picture into one."""
    for image, group in groupby(scenes, key=lambda scene: scene.image or object()):
        found = list(group)
        yield found[0] if len(found) == 1 else _merge(str(image), found)


def _merge(image: str, scenes: list[SceneGraph]) -> SceneGraph:
    things: list[Thing] = []
    by_name: dict[str, list[int]] = {}
    shared_names: list[set[str]] = []  # the names in the regions that contain each thing
    relations: dict[SceneRelation, None] = {}
    for scene in scenes:
        ids: dict[str, str] = {}
        names = {thing.name for thing in scene.things}
        for thing in scene.things:
            alike = by_name.setdefault(thing.name, [])
            place = next((n for n in alike if _are_the_same(things[n], thing, shared_names[n] & names)), None)
            if place is None:
                place = len(things)
                alike.append(place)
                things.append(msgspec.structs.replace(thing, id=f"{scene.id}/{thing.id}"))
                shared_names.append(set())
            else:
                known = dict.fromkeys((*things[place].attributes, *thing.attributes))
                things[place] = msgspec.structs.replace(things[place], attributes=tuple(known))
            shared_names[place] |= names
            ids[thing.id] = things[place].id
        for one in scene.relations:
            relations[msgspec.structs.replace(one, subject=ids[one.subject], object=ids[one.object])] = None
    return SceneGraph(
        id=image,
        image=image,
        things=tuple(things),
        relations=tuple(one for one in relations if one.subject != one.object),
        descriptions=tuple(text for scene in scenes for text in scene.descriptions),
    )


def _are_the_same(one: Thing, other: Thing, shared: set[str]) -> bool:
    """Return whether two things of the same name, annotated by different people, are one thing; `shared` has the names
    that the regions of both contain."""
    if one.id == other.id and one.box == other.box is not None:
        return True
    if one.box and other.box:
        return _overlap(one.box, other.box) >= SAME
    here, there = (set(thing.attributes) & DISTINGUISHING_ATTRIBUTES for thing in (one, other))
    if here - there and there - here:  # each has an attribute that the other lacks
        return False
    if is_plural(one.name):
        return False
    telling = [name for name in shared if classes_of(name).isdisjoint(_OF_EVERYBODY)]
    if here & there or len(telling) > 1:
        return True
    return len(words_in(one.name)) > 1 or bool(classes_of(one.name) & _ONE_A_PICTURE)


def _overlap(one: Box, other: Box) -> float:
    width = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    height = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    both = max(0, width) * max(0, height)
    return both / (one[2] * one[3] + other[2] * other[3] - both)
