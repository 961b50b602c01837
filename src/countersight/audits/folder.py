"""The folder of an audit: its settings, its log, its paid orders and its pictures.

`audit.json` has the participants and settings. `steps.jsonl` has one step per line, each chained to the line before.
`orders.jsonl` has the orders of paid edits, so that none is paid for twice. `pictures/` has every picture that was
shown to a participant, named by the digest of its bytes.
"""

import contextlib
import datetime
import hashlib
import platform
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, Self

import msgspec

from countersight import __version__
from countersight.audits.manifest import METHOD_WORDS, Actor, Manifest
from countersight.audits.records import Step
from countersight.audits.step_log import LOG, read_steps
from countersight.engine import Journal, create_locked_folder, lock_folder, read_manifest, write_manifest
from countersight.errors import AuditError, BadPicture
from countersight.files import write_whole
from countersight.picture import Picture, check_picture

MANIFEST = "audit.json"
PICTURES = "pictures"
SUFFIXES = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}


def begin_manifest(**fields: Any) -> Manifest:
    """Return the manifest of an audit that starts now, with this machine and version."""
    return Manifest(
        started=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        countersight=__version__,
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        **fields,
    )


class AuditFolder:
    """An audit on disk, finished or not."""

    def __init__(self, path: Path | str, manifest: Manifest | None = None, lock: BinaryIO | None = None) -> None:
        self.path = Path(path)
        self.manifest = manifest or read_manifest(self.path / MANIFEST, Manifest, "an audit", AuditError)
        self._lock = lock

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """Open an audit for reading."""
        return cls(path)

    @classmethod
    def begin(cls, path: Path | str, manifest: Manifest) -> Self:
        """Start an audit in a folder, or resume the one already there if it has the same settings.

        Judges, checkers, votes and control edits can be added later, because no earlier step depends on them. If
        anything else differs, use another folder.
        """
        path = Path(path)
        try:
            manifest = msgspec.json.decode(msgspec.json.encode(manifest), type=Manifest)  # as it will be read back
        except msgspec.ValidationError as error:
            raise AuditError(f"no audit has such a setting: {error}") from None
        lock = create_locked_folder(path, MANIFEST, "an audit", AuditError, PICTURES)
        try:
            if (path / MANIFEST).exists():
                there = cls.open(path).manifest
                _refuse_difference(path, there, manifest)
                manifest = _with_start(manifest, there)
                if manifest == there:
                    return cls(path, there, lock)
            (path / PICTURES).mkdir(exist_ok=True)
            write_manifest(path / MANIFEST, manifest)
        except BaseException:
            lock.close()
            raise
        return cls(path, manifest, lock)

    def name_calibration(self, digest: str) -> None:
        """Record the digest of the audit's calibration in audit.json, unless it is already recorded."""
        there = type(self).open(self.path).manifest
        if there.calibration != digest:
            write_manifest(self.path / MANIFEST, msgspec.structs.replace(there, calibration=digest))

    def steps(self) -> Iterator[Step]:
        """Return every step, in order; raises AuditError if a line was changed."""
        return read_steps(self.path / LOG)

    @contextlib.contextmanager
    def writing(self) -> Iterator[Journal]:
        """Open the log for writing, for this process alone."""
        with self._lock or lock_folder(self.path, AuditError), Journal(self.path / LOG) as journal:
            yield journal

    def keep(self, data: bytes, mime: str) -> str:
        """Store a picture and return its digest."""
        digest = digest_of(data)
        file = self.path / PICTURES / f"{digest}.{SUFFIXES[mime]}"
        if not file.exists():
            write_whole(file, data)
        return digest

    def picture(self, digest: str) -> Picture:
        """Return a stored picture, after checking its digest."""
        for suffix in SUFFIXES.values():
            file = self.path / PICTURES / f"{digest}.{suffix}"
            if file.is_file():
                data = file.read_bytes()
                if digest_of(data) == digest:
                    try:
                        return check_picture(data)
                    except BadPicture as error:  # an audit stores only pictures that it could decode
                        raise AuditError(f"{file} {error}") from None
                raise AuditError(f"{file} was changed after it was written")
        raise AuditError(f"the picture {digest} is missing from {self.path / PICTURES}")


def sweep(path: Path, used: Iterable[str]) -> None:
    """Remove pictures that no step refers to, for example if the process was killed before it wrote the step."""
    known = set(used)
    for file in (path / PICTURES).iterdir():
        if file.stem not in known or file.name.startswith("."):
            file.unlink()


def digest_of(data: bytes) -> str:
    """Return the digest by which an audit names a picture."""
    return hashlib.sha256(data).hexdigest()


_FIXED: Final = ("concepts", "cases", "intervene", "strength")
"""Settings of the method that cannot change when an audit is resumed."""


def describe_manifest(manifest: Manifest) -> dict[str, str]:
    """Describe the settings that identify an audit: if they differ, the manifests belong to different audits."""
    return {
        "dataset": f"{manifest.dataset.name} ({manifest.dataset.fingerprint[:8]})",
        "model": describe_actor(manifest.model),
        "extractor": describe_actor(manifest.extractor),
        "editor": describe_actor(manifest.editor),
        **{METHOD_WORDS[name]: str(getattr(manifest, name) or "all") for name in _FIXED},
        "choice of questions": "descriptive" if manifest.descriptive else "all",
        "seed": str(manifest.seed),
        "set of LPIPS weights": manifest.lpips[:8] or "none",
        "set of prompts": _describe_prompts(manifest),
        "plan": manifest.plan[:8] or "none",
    }


def _refuse_difference(path: Path, there: Manifest, now: Manifest) -> None:
    found = describe_manifest(now if now.plan else msgspec.structs.replace(now, plan=there.plan))
    for what, old in describe_manifest(there).items():
        if old != found[what]:
            raise AuditError(
                f"{path} contains an audit with a different {what}: {old}, not {found[what]}; choose a different "
                "folder for `out`"
            )
    for what, argument in _removed(there, now):
        raise AuditError(
            f"{path} contains an audit with {what}, which cannot be removed: name it in `{argument}`, or choose "
            "a different folder for `out`"
        )


def _removed(there: Manifest, now: Manifest) -> Iterator[tuple[str, str]]:
    """Yield each item that the existing audit has and the new manifest lacks, with the argument that sets it."""
    same = "under this name and with these settings"
    yield from ((f"the judge {one.name} {same}", "judges") for one in there.judges if one not in now.judges)
    yield from ((f"the checker {one.name} {same}", "checkers") for one in there.checkers if one not in now.checkers)
    if now.votes < there.votes:
        yield f"{there.votes} votes per judge", "votes"
    if there.control and not now.control:
        yield "control edits", "control"
    if there.uncited and not now.uncited:
        yield "edits of uncited objects", "control"


def _with_start(now: Manifest, there: Manifest) -> Manifest:
    """Return the new manifest with the original time, version, machine, dataset and plan of the audit."""
    return msgspec.structs.replace(
        now,
        dataset=there.dataset,
        started=there.started,
        countersight=there.countersight,
        python=there.python,
        platform=there.platform,
        pool=there.pool,
        calibration=there.calibration,
        plan=there.plan,
        requires=now.requires or there.requires,
    )


def describe_actor(party: Actor) -> str:
    """Describe a participant and its settings."""
    settings = ", ".join(f"{name} {value}" for name, value in sorted(party.settings.items()))
    return f"{party.name} ({settings})" if settings else party.name


def _describe_prompts(manifest: Manifest) -> str:
    digest = hashlib.sha256(msgspec.json.encode(manifest.prompts, order="sorted")).hexdigest()[:8]
    return f"{manifest.prompts.get('name', '?')} {manifest.prompts.get('version', '?')} ({digest})"
