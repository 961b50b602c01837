from .failures import FailureKind as FailureKind
from .model import open_programs as open_programs
