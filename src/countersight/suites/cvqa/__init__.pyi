from .files import COLUMNS as COLUMNS
from .files import FACTUAL_LAYOUT as FACTUAL_LAYOUT
from .files import KINDS as KINDS
from .files import REAL_NAME as REAL_NAME
from .files import SYNTHETIC_NAME as SYNTHETIC_NAME
from .synthetic import make_synthetic as make_synthetic
from .templates import TEMPLATES as TEMPLATES
