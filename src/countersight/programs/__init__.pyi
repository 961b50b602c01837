from .limits import FailureKind as FailureKind
from .model import open_programs as open_programs
from .told_model import open_told as open_told
