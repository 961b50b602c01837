from .files import ASPECTS as ASPECTS
from .files import FIELDS as FIELDS
from .suite import NAME as NAME
