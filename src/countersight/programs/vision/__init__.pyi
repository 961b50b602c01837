from .paint import NotAScene as NotAScene
from .scene import Seen as Seen
from .scene import see as see
