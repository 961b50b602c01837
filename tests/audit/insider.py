"""Attacks by an insider, who changes a bundle and recomputes all hashes."""

import hashlib
import json
from pathlib import Path

import msgspec

from countersight.audits.finishing import finish
from countersight.audits.records import Step, Verdict
from countersight.audits.step_log import LOG, encode_step, read_steps
from countersight.audits.verifying import verify_bundle

replace = msgspec.structs.replace


def resealed(folder):
    """Write a new seal for the current files, to hide a change."""
    bundle = json.loads((folder / "bundle.json").read_text())
    for file in folder.rglob("*"):
        name = str(file.relative_to(folder))
        if file.is_file() and not name.startswith(("bundle.json", ".lock")):
            data = file.read_bytes()
            bundle["files"][name] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    (folder / "bundle.json").write_bytes(msgspec.json.format(msgspec.json.encode(bundle), indent=1) + b"\n")


def findings(folder, seal=""):
    return [str(finding) for finding in verify_bundle(folder, seal).findings]


def rechained(log: Path, change) -> None:
    """Change every step, drop those for which `change` returns None, and rebuild the chain."""
    lines, previous = [], ""
    for step in list(read_steps(log)):
        changed = change(step)
        if changed is not None:
            line, previous = encode_step(replace(changed, n=len(lines), previous=previous))
            lines.append(line)
    log.write_bytes(b"".join(lines))


def swept(folder: Path, *, papers: bool = False) -> None:
    """Remove pictures that no step mentions and seal again, optionally with new derived files."""
    spoken = {word for step in read_steps(folder / LOG) for word in msgspec.json.encode(step).decode().split('"')}
    for file in (folder / "pictures").iterdir():
        if file.stem not in spoken:
            file.unlink()
    if papers:
        finish(folder)
        return
    *_, last = [None, *read_steps(folder / LOG)]
    bundle = json.loads((folder / "bundle.json").read_text())
    bundle |= {"steps": last.n + 1 if last else 0, "last_step": last.hash if last else "", "files": {}}
    (folder / "bundle.json").write_text(json.dumps(bundle))
    resealed(folder)


def with_verdict(step: Step, **changes) -> Step:
    return replace(step, output=replace(step.output, **changes)) if isinstance(step.output, Verdict) else step


def appended(log: Path, steps: list[Step]) -> None:
    """Append steps to a log, as if they had been done last."""
    *_, last = read_steps(log)
    n, previous, lines = last.n, last.hash, []
    for n, step in enumerate(steps, last.n + 1):
        line, previous = encode_step(replace(step, n=n, previous=previous))
        lines.append(line)
    log.write_bytes(log.read_bytes() + b"".join(lines))


def reviewed(folder: Path, *labels: dict) -> None:
    """Write people's labels into the folder of an audit."""
    (folder / "reviews").mkdir(exist_ok=True)
    (folder / "reviews" / "labels.jsonl").write_text("".join(json.dumps(label) + "\n" for label in labels))
