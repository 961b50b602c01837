"""The sections of an audit's page before its cases: each says which points of the AI Act's Annex IV it can serve."""

from countersight.audits.page.sections.findings import exclusions, limits, metrics, results
from countersight.audits.page.sections.oversight import changes, reviews
from countersight.audits.page.sections.system import data, files, procedure, system

__all__ = ["changes", "data", "exclusions", "files", "limits", "metrics", "procedure", "results", "reviews", "system"]
