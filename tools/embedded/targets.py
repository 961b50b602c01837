"""The training targets of the encoder: a coarse map of each picture, cell by cell."""

import numpy as np
from numpy.typing import NDArray

from countersight.scenes import COLOURS, Scene, inside, place_of

CELLS = 56
"""Rows and columns of the maps: a cell is smaller than the least distance of two dots, so none contains two."""

Map = NDArray[np.uint8]

LAYERS = 3
FLOWER, DOT = 1, 2
"""Values of the first layer: what has its centre in a cell."""
BOTH = 16
"""The third layer has the number of the circle that covers a cell (1 to 6), or this value if two polygons do."""


def target(scene: Scene) -> Map:
    """Return a map (layers × rows × columns): centres; polygon colours as bits; circles and overlapping polygons."""
    layers = np.zeros((LAYERS, CELLS, CELLS), np.uint8)
    cell = scene.width / CELLS
    marks = [(flower.x, flower.y, FLOWER) for flower in scene.flowers]
    marks += [(dot.x, dot.y, DOT) for circle in scene.circles for dot in circle.dots]
    for x_of, y_of, mark in marks:
        layers[0, min(CELLS - 1, int(y_of / cell)), min(CELLS - 1, int(x_of / cell))] = mark
    middles = (np.arange(CELLS) + 0.5) * cell
    x, y = np.meshgrid(middles, middles)
    points = np.stack((x.ravel(), y.ravel()), axis=1)
    times = np.zeros(CELLS * CELLS, np.uint8)
    for polygon in scene.polygons:
        within = inside(points, polygon.points)
        times += within
        layers[1] |= np.where(within, 1 << COLOURS.index(polygon.colour), 0).astype(np.uint8).reshape(CELLS, CELLS)
    layers[2] = np.where(times > 1, BOTH, 0).reshape(CELLS, CELLS)
    for circle in scene.circles:
        layers[2][(x - circle.x) ** 2 + (y - circle.y) ** 2 <= circle.radius**2] = place_of(circle, scene) + 1
    return layers
