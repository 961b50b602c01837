"""Draw a scene; the same scene gives the same pixels."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from countersight.picture import Pixels
from countersight.scenes.backgrounds import paint
from countersight.scenes.colours import Rgb, mix, rgb
from countersight.scenes.petals import HEART, petals, silhouette
from countersight.scenes.rasteriser import skia
from countersight.scenes.scene import OUTLINE, RING, Circle, Flower, Polygon, Scene

BLACK: Rgb = (0, 0, 0)
WHITE: Rgb = (255, 255, 255)
TINT = 46
"""Opacity of a polygon's fill, of 255: enough to see the overlap of two polygons of one colour."""


def draw(scene: Scene) -> Pixels:
    """Draw a scene."""
    canvas = _ground(scene)
    _draw_items(canvas, _items(scene))
    return canvas[:, :, :3]


def draw_both(scene: Scene, changed: Scene) -> tuple[Pixels, Pixels]:
    """Draw a scene and the changed scene, with the same results as two calls of `draw`, but faster.

    What they share is drawn once: items never touch, so the order in which they are drawn makes no difference.
    """
    if _ground_of(scene) != _ground_of(changed):
        return draw(scene), draw(changed)
    canvas = _ground(scene)
    shared = set(_items(scene)).intersection(_items(changed))
    _draw_items(canvas, (item for item in _items(scene) if item in shared))
    changed_canvas = canvas.copy()
    for onto, whole in ((canvas, scene), (changed_canvas, changed)):
        _draw_items(onto, (item for item in _items(whole) if item not in shared))
    return canvas[:, :, :3], changed_canvas[:, :, :3]


def _items(scene: Scene) -> Iterator[Flower | Circle]:
    yield from scene.flowers
    yield from scene.circles


def _ground_of(scene: Scene) -> tuple[object, ...]:
    return scene.width, scene.height, scene.background, scene.polygons


def _ground(scene: Scene) -> Pixels:
    canvas = paint(scene.background, scene.width, scene.height)
    surface = skia.Surface(canvas, colorType=skia.kRGBA_8888_ColorType)
    outlines = [(_outline(polygon), rgb(polygon.colour)) for polygon in scene.polygons]
    for path, colour in outlines:
        surface.getCanvas().drawPath(path, _fill(colour, TINT))
    for path, colour in outlines:  # after all tints, which would dull the outlines below them
        surface.getCanvas().drawPath(path, _line(colour, OUTLINE))
    return canvas


def _outline(polygon: Polygon) -> skia.Path:
    path = skia.Path()
    path.addPoly([skia.Point(x, y) for x, y in polygon.points], True)
    return path


def _draw_items(pixels: Pixels, items: Iterable[Flower | Circle]) -> None:
    surface = skia.Surface(pixels, colorType=skia.kRGBA_8888_ColorType)
    canvas = surface.getCanvas()
    for item in items:
        if isinstance(item, Flower):
            _draw_flower(canvas, item)
        else:
            _draw_circle(canvas, item)


def _draw_flower(canvas: skia.Canvas, flower: Flower) -> None:
    outer, inner = silhouette(flower.shape, flower.petals), petals(flower.shape, flower.petals)
    outline, petal, second, rim, heart = _flower_paints(flower.colour, flower.heart)
    canvas.save()
    canvas.translate(flower.x, flower.y)
    canvas.rotate(flower.rotation)
    canvas.scale(flower.size, flower.size)
    canvas.drawPath(outer, outline)
    canvas.drawPath(inner, petal)
    if flower.rings == 2:
        canvas.save()
        canvas.rotate(180 / flower.petals)
        canvas.scale(0.62, 0.62)
        canvas.drawPath(inner, second)
        canvas.restore()
    canvas.drawCircle(0, 0, HEART, rim)
    canvas.drawCircle(0, 0, HEART * 0.78, heart)
    canvas.restore()


@lru_cache(1024)
def _flower_paints(petal: str, heart: str) -> tuple[skia.Paint, ...]:
    """Outline, petals, second ring of petals, rim of the heart, and heart."""
    colour, middle = rgb(petal), rgb(heart)
    return (
        _fill(mix(colour, BLACK, 55, 100)),
        _fill(colour),
        _fill(mix(colour, WHITE, 55, 100)),
        _fill(mix(middle, BLACK, 40, 100)),
        _fill(middle),
    )


def _draw_circle(canvas: skia.Canvas, circle: Circle) -> None:
    canvas.drawCircle(circle.x, circle.y, circle.radius, _fill(WHITE))
    canvas.drawCircle(circle.x, circle.y, circle.radius, _line(rgb(circle.colour), RING))
    for dot in circle.dots:
        canvas.drawCircle(dot.x, dot.y, dot.radius, _fill(rgb(dot.colour)))


@lru_cache(1024)
def _fill(colour: Rgb, opacity: int = 255) -> skia.Paint:
    return skia.Paint(Color=skia.Color(*colour, opacity), AntiAlias=True)


@lru_cache(1024)
def _line(colour: Rgb, width: float) -> skia.Paint:
    return skia.Paint(
        Color=skia.Color(*colour),
        AntiAlias=True,
        Style=skia.Paint.kStroke_Style,
        StrokeWidth=width,
        StrokeJoin=skia.Paint.kRound_Join,
    )
