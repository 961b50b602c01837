from .comparison import AuditTableFiles as AuditTableFiles
from .comparison import print_audit_tables as print_audit_tables
from .comparison import write_audit_tables as write_audit_tables
from .score_tables import calibration_grids as calibration_grids
