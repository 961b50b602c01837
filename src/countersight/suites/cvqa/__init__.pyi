from .options import near as near
from .otherwise import NAME as NAME
from .otherwise import read_otherwise as read_otherwise
from .reading import plain_answer as plain_answer
from .real import COLUMNS as COLUMNS
from .synthetic import make_synthetic as make_synthetic
from .synthetic_csv import export_csv as export_csv
from .templates import TEMPLATES as TEMPLATES
