from .comparison_tables import AuditTableFiles as AuditTableFiles
from .comparison_tables import print_audit_tables as print_audit_tables
from .comparison_tables import write_audit_tables as write_audit_tables
from .score_tables import calibration_grids as calibration_grids
