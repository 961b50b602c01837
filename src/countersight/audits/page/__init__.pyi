from .tables import AuditTableFiles as AuditTableFiles
from .tables import print_audit_tables as print_audit_tables
from .tables import write_audit_tables as write_audit_tables
