"""An opened bundle, and the folder in which its files are recomputed."""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import machine, system

import msgspec

from countersight import __version__
from countersight.audits.bundle.seal import Bundle
from countersight.audits.bundle.sessions import read_sessions
from countersight.audits.folder import AuditFolder
from countersight.audits.trail import AuditTrail
from countersight.audits.verifying.comparison import What
from countersight.dataset import Dataset


class OpenedBundle(msgspec.Struct, frozen=True, kw_only=True):
    """A bundle with an intact log, and the folder in which its files are recomputed."""

    path: Path
    again: AuditFolder
    """Contains links to all files that are not derived; the derived files are recomputed here."""
    audit: AuditTrail
    """The audit as read from that folder."""
    bundle: Bundle
    files: frozenset[str]
    """Names of the plain files in the bundle."""
    dataset: Dataset | None = None
    """The audited dataset, if it is available unchanged."""
    against: Path | None = None
    """The earlier audit that it was compared with, if named."""

    @property
    def other_version(self) -> str:
        """Return a note if another version wrote the audit."""
        wrote = self.bundle.countersight
        return "" if wrote == __version__ else f"; written by {wrote}, this is {__version__}"

    def unlike(self) -> What:
        """Return the kind of finding for a picture that differs when redrawn: "broken" if the audit was made with the
        same versions on the same platform, otherwise "not verified"."""
        try:
            here = {name.replace("-", "_"): version(name) for name in ("skia-python", "pillow")}
        except PackageNotFoundError:
            return "not verified"
        sessions = [session.packages for session in read_sessions(self.again.path)]
        alike = all(packages.get(name, used) == used for packages in sessions for name, used in here.items())
        same_machine = not sessions or self.audit.manifest.platform == f"{system()} {machine()}"
        return "broken" if alike and same_machine and not self.other_version else "not verified"
