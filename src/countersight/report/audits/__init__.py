"""Audits as people read them: a page for each, and tables of several side by side."""

from countersight.report.audits.finish import Finished, finish
from countersight.report.audits.write import print_audit_tables, write_audit_tables

__all__ = ["Finished", "finish", "print_audit_tables", "write_audit_tables"]
