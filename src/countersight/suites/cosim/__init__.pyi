from .changes import KINDS as KINDS
from .changes import change_kinds as change_kinds
from .changes import change_parts as change_parts
from .files import NAME as NAME
