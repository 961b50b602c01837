from .changes import KINDS as KINDS
from .changes import change_kinds as change_kinds
from .changes import change_parts as change_parts
from .suite import NAME as NAME
