"""Edits that failed on purpose, and whether the rule that leaves bad edits out finds them."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from countersight.audits.calibration.items import Item
from countersight.audits.calibration.photograph_items import spoiled
from countersight.audits.calibration.world_items import recoloured, without_another
from countersight.audits.editing import measured
from countersight.editing import Drawn
from countersight.picture import Picture, check_picture
from countersight.scenes import Remove, Scene, apply, draw, encode
from countersight.worlds import draw_world

KINDS: Final = ("as asked", "nothing changed", "another thing changed", "as asked, and all else recoloured")


def failed_on_purpose(item: Item) -> Iterator[tuple[str, Picture, bool]]:
    """The right edit of a test, and three that are wrong: what was made, the picture, and whether it is good."""
    yield KINDS[0], item.changed, True
    yield KINDS[1], item.picture, False
    scene, changed = item.evidence.scene, item.evidence.changed
    if scene is None or changed is None:
        yield from (
            (kind, picture, False) for kind, picture in zip(KINDS[2:], spoiled(item.picture, item.changed), strict=True)
        )
    elif isinstance(scene, Scene) and isinstance(changed, Scene):
        yield KINDS[2], _drawn(_without_another(scene, changed)), False
        yield KINDS[3], _drawn(_recoloured(changed)), False
    elif not isinstance(scene, Scene) and not isinstance(changed, Scene):
        yield KINDS[2], _drawn(without_another(scene, changed)), False
        yield KINDS[3], _drawn(recoloured(changed)), False


def passes(item: Item, picture: Picture) -> bool:
    """Whether the rule takes an edit for a good one."""
    return measured(item.picture, picture, item.mask).good


def _without_another(scene: Scene, changed: Scene) -> Scene:
    """The scene without a flower, or the dots of a circle, that the right edit leaves alone."""
    for flower in scene.flowers:
        if flower in changed.flowers:
            return apply(scene, [Remove((flower.id,))])
    for circle in scene.circles:
        if circle in changed.circles and circle.dots:
            return apply(scene, [Remove(tuple(dot.id for dot in circle.dots))])
    return scene


def _recoloured(scene: Scene) -> Scene:
    """The scene with every flower and dot in another colour."""
    flowers = tuple(replace(flower, colour="#101010", heart="#f0f0f0") for flower in scene.flowers)
    circles = tuple(
        replace(circle, colour="#101010", dots=tuple(replace(dot, colour="#d61fc0") for dot in circle.dots))
        for circle in scene.circles
    )
    return replace(scene, flowers=flowers, circles=circles)


def _drawn(scene: Drawn) -> Picture:
    return check_picture(encode(draw(scene) if isinstance(scene, Scene) else draw_world(scene)))
