from .scene import NotAScene as NotAScene
from .scene import see as see
