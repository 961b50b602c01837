from .protocol import ANY_VIEWER as ANY_VIEWER
from .protocol import CHECKERS as CHECKERS
from .protocol import Checker as Checker
from .protocol import EditShown as EditShown
from .protocol import question_of as question_of
