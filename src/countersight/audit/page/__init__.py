"""Audits as people read them: a page for each, and tables of several side by side."""

from countersight.audit.finish import Finished, finish
from countersight.audit.page.write import print_audit_tables, write_audit_tables

__all__ = ["Finished", "finish", "print_audit_tables", "write_audit_tables"]
