from .scene import NotAScene as NotAScene
from .scene import see as see
from .seen import Seen as Seen
from .worlds import see_world as see_world
