from .write import AuditTableFiles as AuditTableFiles
from .write import print_audit_tables as print_audit_tables
from .write import write_audit_tables as write_audit_tables
