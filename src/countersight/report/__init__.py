"""Tables, figures and a page out of run folders."""

from countersight.report.terminal import print_overview, print_tables
from countersight.report.write import ReportFiles, write_report

__all__ = ["ReportFiles", "print_overview", "print_tables", "write_report"]
