"""Tables, figures and a page out of run folders."""

from countersight.report.image_groups import GroupsFile
from countersight.report.terminal import print_overview, print_tables
from countersight.report.write import ReportFiles, write_report

__all__ = ["GroupsFile", "ReportFiles", "print_overview", "print_tables", "write_report"]
