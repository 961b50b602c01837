from .export import export_log as export_log
from .reading import read_log as read_log
from .run_log import CONTROL as CONTROL
from .run_log import SCORER as SCORER
