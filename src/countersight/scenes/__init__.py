"""Pictures we draw ourselves: a scene is data, an edit changes it, a picture is drawn from it."""

from countersight.scenes.drawing import draw, draw_both
from countersight.scenes.edits import Add, Edit, Move, Recolour, Remove, Reshape, Resize, apply
from countersight.scenes.png import encode
from countersight.scenes.records import SceneError, SceneRecord, read_scenes
from countersight.scenes.scene import Background, Circle, Dot, Flower, Polygon, Scene
from countersight.scenes.soundness import faults

__all__ = [
    "Add",
    "Background",
    "Circle",
    "Dot",
    "Edit",
    "Flower",
    "Move",
    "Polygon",
    "Recolour",
    "Remove",
    "Reshape",
    "Resize",
    "Scene",
    "SceneError",
    "SceneRecord",
    "apply",
    "draw",
    "draw_both",
    "encode",
    "faults",
    "read_scenes",
]
