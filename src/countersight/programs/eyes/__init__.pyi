from .scene import NotAScene as NotAScene
from .scene import see as see
from .worlds import see_world as see_world
