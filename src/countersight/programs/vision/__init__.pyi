from .scene import see as see
from .shapes import NotAScene as NotAScene
from .shapes import Seen as Seen
