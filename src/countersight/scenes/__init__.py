"""Pictures we draw ourselves: a scene is data, an edit changes it, a picture is drawn from it."""

from countersight.scenes.drawing import draw, draw_both
from countersight.scenes.edits import Edit, Recolour, Remove, apply
from countersight.scenes.png import encode
from countersight.scenes.records import SceneError, SceneRecord, read_scenes
from countersight.scenes.scene import Background, Circle, Dot, Flower, Polygon, Scene

__all__ = [
    "Background",
    "Circle",
    "Dot",
    "Edit",
    "Flower",
    "Polygon",
    "Recolour",
    "Remove",
    "Scene",
    "SceneError",
    "SceneRecord",
    "apply",
    "draw",
    "draw_both",
    "encode",
    "read_scenes",
]
