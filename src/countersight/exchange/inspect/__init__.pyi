from .reading import read_log as read_log
from .writing import CONTROL as CONTROL
from .writing import SCORER as SCORER
from .writing import export_log as export_log
