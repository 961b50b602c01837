"""Results of the public functions: runs and audits."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from countersight.audits import AuditFolder, AuditScores, read_audit
from countersight.audits import score as score_audit
from countersight.case import Case
from countersight.engine import RunFolder
from countersight.scoring import Gold, JudgedRun, Scores, judge_run
from countersight.suites import named_scores


class Run(RunFolder):
    """A run of one model on one dataset, finished or not."""

    @cached_property
    def _judged(self) -> JudgedRun:
        return judge_run(self)

    def scores(self, *, gold: Path | str | None = None) -> Scores:
        """Return accuracy, drop and other scores, by group and overall; `gold` contains corrected answers."""
        return named_scores(judge_run(self, gold=Gold.open(gold)) if gold else self._judged)

    def frame(self, kind: str = "arrow", *, gold: Path | str | None = None) -> Any:
        """Return one row per answer: an Arrow table, or a `pandas` or `polars` data frame (if installed)."""
        return (judge_run(self, gold=Gold.open(gold)) if gold else self._judged).frame(kind)

    def to_pandas(self, *, gold: Path | str | None = None) -> Any:
        """Return one row per answer, as a pandas data frame."""
        return self.frame("pandas", gold=gold)

    def cases(self) -> Iterator[Case]:
        """Iterate over the cases that were asked."""
        return (case for _, case in self._judged.cases())

    def __repr__(self) -> str:
        manifest = self.manifest
        return f"Run({str(self.path)!r}: {manifest.model} asked {manifest.dataset.name}, {manifest.prompt.name})"


class Audit(AuditFolder):
    """An audit of a model's explanations: the recorded evidence and its scores."""

    @cached_property
    def _scores(self) -> AuditScores:
        return score_audit(read_audit(self.path))

    def scores(self) -> AuditScores:
        """Return the scores of the audit (PCS, NCC and CCS) with their intervals."""
        return self._scores

    @property
    def page(self) -> Path:
        """The page that shows the audit case by case."""
        return self.path / "report.html"

    def __repr__(self) -> str:
        ccs = self._scores.kept.ccs
        value = "no test counts" if ccs.value is None else f"CCS {ccs.value:.3f}"
        return f"Audit({str(self.path)!r}: {self.manifest.model.name}, {value}, {ccs.concepts} tests)"
