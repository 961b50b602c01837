"""What can be wrong with a bundle, and what is handed from check to check."""

from pathlib import Path
from typing import Literal

import msgspec

from countersight import __version__
from countersight.audit.bundle.seal import Bundle
from countersight.audit.folder import AuditFolder
from countersight.audit.records import CaseTrail, Failed, Place, Step
from countersight.audit.scene_index import SceneIndex
from countersight.audit.trail import Audit
from countersight.editing import Drawn
from countersight.text import printable

What = Literal["altered", "missing", "added", "broken", "not verified"]
"""The last is neither sound nor proven wrong: another version wrote it, and this one cannot derive it again."""
DERIVED_FROM = 2
"""The format of bundles from which on everything that follows from the log can be derived again."""


class Finding(msgspec.Struct, frozen=True):
    """Something that is not as it was, or does not follow."""

    what: What
    file: str
    why: str = ""

    def __str__(self) -> str:
        return printable(f"{self.what}: {self.file}" + (f" ({self.why})" if self.why else ""))


class Note(msgspec.Struct, frozen=True):
    """Something that nobody can derive again, and why; it proves nothing against a bundle, and nothing for it."""

    what: str
    why: str
    trusted: bool = True
    """Whether the verdict rests on it."""

    def __str__(self) -> str:
        return printable(f"{'Taken on trust' if self.trusted else 'Not checked'}: {self.what} ({self.why})")


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """A bundle whose log holds together."""

    folder: AuditFolder
    audit: Audit
    bundle: Bundle
    files: frozenset[str]
    """Names of the plain files that lie there."""
    dataset: Path | None = None
    """The dataset that was audited, where it is there as it was."""
    scenes: SceneIndex | None = None
    """What is drawn in its pictures, where it is there."""
    against: Path | None = None
    """The earlier audit that it was compared with, where that was named."""

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self.folder.path

    @property
    def early(self) -> bool:
        """Whether it was sealed before bundles held all that is needed to derive them."""
        return self.bundle.format < DERIVED_FROM

    @property
    def other_version(self) -> str:
        """That another version wrote it, where one did."""
        wrote = self.bundle.countersight
        return "" if wrote == __version__ else f"; written by {wrote}, this is {__version__}"

    def scene(self, case: CaseTrail) -> Drawn | None:
        """What is drawn in a case's picture: by its record, or, of an audit that 0.1 began, by its dataset."""
        return case.record.drawn or (self.scenes.scene(case.case) if self.scenes else None)

    def known(self) -> dict[tuple[str, Place], Step]:
        """The last step of each kind at each place that gave something."""
        done = (step for step in self.audit.steps if not isinstance(step.output, Failed))
        return {(step.stage, step.place): step for step in done}

    def failed(self) -> set[tuple[str, Place]]:
        """The kind and place of each step that failed and was not done since."""
        last = {(step.stage, step.place): step.output for step in self.audit.steps}
        return {key for key, output in last.items() if isinstance(output, Failed)}
