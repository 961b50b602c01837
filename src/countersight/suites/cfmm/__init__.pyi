from .files import ASPECTS as ASPECTS
from .files import FIELDS as FIELDS
