"""An audit as it stands now: read again when its log has grown, and not before."""

from pathlib import Path

import msgspec

from countersight.errors import CountersightError
from countersight.pages import Figure
from countersight.text import several

PAGE = "report.html"
_LOG = "steps.jsonl"


class AuditStanding(msgspec.Struct, frozen=True):
    """How far an audit has come, and its scores so far."""

    model: str
    dataset: str
    so_far: str
    scores: tuple[Figure, ...] = ()
    """PCS, NCC and CCS of the tests that count."""


class WatchedAudit:
    """One audit folder, finished or not."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seen = ""
        """The state that was told last."""
        self._standing: AuditStanding | None = None

    @property
    def state(self) -> str:
        """How long the log is, which grows with every step, and whether the page is there."""
        log = self.path / _LOG
        return f"{log.stat().st_size if log.exists() else 0}{'p' * self.has_page}"

    @property
    def has_page(self) -> bool:
        """Whether it is finished, and its page was written."""
        return (self.path / PAGE).is_file()

    def standing(self) -> AuditStanding:
        """What is known by now."""
        state = self.state
        if self._standing is None or state != self.seen:
            self._standing, self.seen = self._read(), state
        return self._standing

    def _read(self) -> AuditStanding:
        from countersight.audit import read_audit, score  # most who look at runs have no audit

        try:
            audit = read_audit(self.path)
        except CountersightError as error:
            return AuditStanding(self.path.name, "", f"cannot be read: {error}")
        manifest, kept = audit.manifest, score(audit).kept
        chosen = manifest.cases or manifest.dataset.rows
        begun = f"{len(audit.cases):,} of {several(chosen, 'case')} begun, {several(len(audit.steps), 'step')} done"
        so_far = f"{begun}; {several(kept.ccs.concepts, 'test')} counted"
        means = (Figure(each.value, each.low, each.high, each.concepts) for each in (kept.pcs, kept.ncc, kept.ccs))
        return AuditStanding(manifest.model.name, manifest.dataset.name, so_far, tuple(means))
