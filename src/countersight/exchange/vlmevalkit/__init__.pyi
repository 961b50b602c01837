from .export import export_tables as export_tables
from .reading import read_predictions as read_predictions
