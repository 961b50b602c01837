"""What an insider does to a bundle: change it, and hash everything again."""

import hashlib
import json
from pathlib import Path

import msgspec

from countersight.audits.finishing import finish
from countersight.audits.folder import LOG, encode_step, read_steps
from countersight.audits.records import Step, Verdict
from countersight.audits.verifying import verify_bundle

replace = msgspec.structs.replace


def resealed(folder):
    """The files as they lie there under a new seal, as somebody would who covers up a change."""
    bundle = json.loads((folder / "bundle.json").read_text())
    for file in folder.rglob("*"):
        name = str(file.relative_to(folder))
        if (file.is_file() and not name.startswith(("bundle.json", "sign-off.", ".lock"))) or name == "sign-off.md":
            data = file.read_bytes()
            bundle["files"][name] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    (folder / "bundle.json").write_bytes(msgspec.json.format(msgspec.json.encode(bundle), indent=1) + b"\n")


def findings(folder, seal=""):
    return [str(finding) for finding in verify_bundle(folder, seal).findings]


def rechained(log: Path, change) -> None:
    """Every step changed, or left out where the change gives None, and chained again."""
    lines, previous = [], ""
    for step in list(read_steps(log)):
        changed = change(step)
        if changed is not None:
            line, previous = encode_step(replace(changed, n=len(lines), previous=previous))
            lines.append(line)
    log.write_bytes(b"".join(lines))


def swept(folder: Path, *, papers: bool = False) -> None:
    """Seal again, with no picture left that no step speaks of; with the papers that follow, where asked for."""
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
    """Steps put at the end of a log, as if they had been done last."""
    *_, last = read_steps(log)
    n, previous, lines = last.n, last.hash, []
    for n, step in enumerate(steps, last.n + 1):
        line, previous = encode_step(replace(step, n=n, previous=previous))
        lines.append(line)
    log.write_bytes(log.read_bytes() + b"".join(lines))


def reviewed(folder: Path, *labels: dict) -> None:
    """What people said of an audit's verdicts, put into its folder."""
    (folder / "reviews").mkdir(exist_ok=True)
    (folder / "reviews" / "labels.jsonl").write_text("".join(json.dumps(label) + "\n" for label in labels))
