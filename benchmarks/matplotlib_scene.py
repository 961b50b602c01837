"""Draw the same scenes with matplotlib in the usual way: paths as patches, saved as PNG."""

import io
from functools import cache

import skia
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, PathPatch, Polygon
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from countersight.scenes.colours import mix, rgb
from countersight.scenes.drawing import BLACK, HEART, TINT, WHITE, paint, petals, silhouette
from countersight.scenes.scene import OUTLINE, RING, Flower, Scene

DPI = 100
CODES = {
    skia.Path.kMove_Verb: ([Path.MOVETO], 0),
    skia.Path.kLine_Verb: ([Path.LINETO], 1),
    skia.Path.kQuad_Verb: ([Path.CURVE3] * 2, 1),
    skia.Path.kCubic_Verb: ([Path.CURVE4] * 3, 1),
}


def draw_with_matplotlib(scene: Scene) -> bytes:
    """Return the picture of a scene as a PNG file."""
    figure = Figure(figsize=(scene.width / DPI, scene.height / DPI), dpi=DPI)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, scene.width)
    axes.set_ylim(scene.height, 0)
    axes.axis("off")
    axes.imshow(paint(scene.background, scene.width, scene.height), extent=(0, scene.width, scene.height, 0))
    point = 72 / DPI
    for polygon in scene.polygons:
        colour = _colour(rgb(polygon.colour))
        axes.add_patch(Polygon(polygon.points, facecolor=(*colour, TINT / 255), edgecolor="none"))
        axes.add_patch(Polygon(polygon.points, fill=False, edgecolor=colour, linewidth=OUTLINE * point))
    for flower in scene.flowers:
        _draw_flower(axes, flower)
    for circle in scene.circles:
        line = _colour(rgb(circle.colour))
        middle = circle.x, circle.y
        axes.add_patch(Circle(middle, circle.radius, facecolor="white", edgecolor=line, linewidth=RING * point))
        for dot in circle.dots:
            axes.add_patch(Circle((dot.x, dot.y), dot.radius, color=_colour(rgb(dot.colour)), linewidth=0))
    file = io.BytesIO()
    canvas.print_png(file)
    return file.getvalue()


def _draw_flower(axes, flower: Flower) -> None:  # type: ignore[no-untyped-def]
    colour, heart = rgb(flower.colour), rgb(flower.heart)
    layers = [
        (_path(silhouette, flower), 1.0, 0.0, mix(colour, BLACK, 55, 100)),
        (_path(petals, flower), 1.0, 0.0, colour),
    ]
    if flower.rings == 2:
        layers.append((_path(petals, flower), 0.62, 180 / flower.petals, mix(colour, WHITE, 55, 100)))
    for path, scale, turn, fill in layers:
        place = Affine2D().rotate_deg(flower.rotation + turn).scale(flower.size * scale).translate(flower.x, flower.y)
        axes.add_patch(PathPatch(path.transformed(place), facecolor=_colour(fill), linewidth=0))
    for radius, fill in ((HEART, mix(heart, BLACK, 40, 100)), (HEART * 0.78, heart)):
        axes.add_patch(Circle((flower.x, flower.y), radius * flower.size, facecolor=_colour(fill), linewidth=0))


def _colour(colour: tuple[int, int, int]) -> tuple[float, ...]:
    return tuple(value / 255 for value in colour)


def _path(outline, flower: Flower) -> Path:  # type: ignore[no-untyped-def]
    return _converted(outline, flower.shape, flower.petals)


@cache
def _converted(outline, shape, number) -> Path:  # type: ignore[no-untyped-def]
    points, codes = [], []
    for verb, corners in outline(shape, number):
        if verb in CODES:
            added, first = CODES[verb]
            codes += added
            points += [(corner.x(), corner.y()) for corner in corners[first : first + len(added)]]
        elif verb == skia.Path.kClose_Verb:
            codes.append(Path.CLOSEPOLY)
            points.append((0, 0))
    return Path(points, codes)
