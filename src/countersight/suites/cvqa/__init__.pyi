from .options import near as near
from .real import COLUMNS as COLUMNS
from .synthetic import make_synthetic as make_synthetic
from .synthetic_csv import export_csv as export_csv
from .templates import TEMPLATES as TEMPLATES
