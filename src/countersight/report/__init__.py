"""Tables, figures and a page out of run folders."""

from countersight.report.terminal import print_tables

__all__ = ["print_tables"]
