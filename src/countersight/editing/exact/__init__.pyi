from .editor import changed_scene as changed_scene
from .editor import open_exact as open_exact
