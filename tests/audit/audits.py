"""Run audits in this process and as commands, with stand-ins for models that a test cannot use."""

import asyncio
import base64
import io
import json
import re
import subprocess
import sys
import zlib
from pathlib import Path
from types import SimpleNamespace

from chat_server import ChatServer
from PIL import Image

from countersight.audits.auditing import AuditOptions, audit_dataset
from countersight.audits.clients import AskedModel, AuditServer
from countersight.audits.prompts import find_prompts
from countersight.audits.scores import score
from countersight.audits.steps import AuditTally
from countersight.audits.trail import read_audit
from countersight.dataset import Dataset
from countersight.engine import RetryPolicy
from countersight.models import ModelSettings, open_model
from countersight.suites.cvqa import synthetic as cvqa_synthetic

QUICK = RetryPolicy(concurrency=4, attempts=3, backoff=0.01)


def scenes(folder: Path, size: int = 6, seed: int = 5) -> Path:
    """Return a dataset of generated scenes with the published wording, which the scripted models understand."""
    if not folder.exists():
        cvqa_synthetic.make_synthetic(folder, size=size, seed=seed, wording="one", workers=1)
    return folder


def audit(folder: Path, output: Path, model: str, *, judges=("exact",), extractor="rules", editor="exact", **more):
    """Run an audit in this process and return its scores."""
    more.setdefault("prompts", find_prompts("brief"))
    more.setdefault("retry", QUICK)
    options = AuditOptions(model=model, extractor=extractor, editor=editor, judges=tuple(judges), **more)
    asyncio.run(_audited(folder, output, options))
    return SimpleNamespace(scores=score(read_audit(output)))


async def _audited(folder: Path, output: Path, options: AuditOptions) -> None:
    await audit_dataset(Dataset.open(folder), output, options, AuditTally(), asyncio.Event())


def outputs(output: Path) -> dict[str, object]:
    """Return the output of every step by the hash of its inputs; fails if a step was repeated."""
    done = [step for step in read_audit(output).steps if type(step.output).__name__ != "Failed"]
    found = {step.inputs: (step.stage, step.place, step.output) for step in done}
    assert len(found) == len(done)
    return found


def command(folder: Path, output: Path, model: str, *more: str) -> list[str]:
    parties = ["--extractor", "rules", "--editor", "exact", "--judge", "exact"]
    words = ["audit", folder, "--model", model, *parties, "-o", output, *more]
    return [sys.executable, "-m", "countersight", *map(str, words)]


def run_audit(folder: Path, output: Path, model: str, *more: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        command(folder, output, model, *more), capture_output=True, text=True, timeout=280, check=False
    )


def stages_in(output: Path) -> list[str]:
    """Return the stages of the steps written so far, also from an incomplete log."""
    try:
        lines = (output / "steps.jsonl").read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:
        return []
    return [json.loads(line)["stage"] for line in lines]


def vision_model(server, number, body) -> str:
    """Reply with a random number for each picture, worded like the embedded model."""
    said = [message for message in body["messages"] if message["role"] == "user"]
    question, n = _text(said[0]), _by_picture(said[0])
    if len(said) == 1:
        return f"say:{n}"
    if colour := re.search(r"outside the (\w+) polygons", question):
        return (
            f"say:I counted {n + 9} flowers in the picture and 9 of them are inside the {colour[1]} polygons, "
            f"so {n} are outside."
        )
    if colour := re.search(r"(\w+) polygons", question):
        return f"say:I counted {n} flowers inside the {colour[1]} polygons, of {n + 9} in the picture."
    if "top" in question:
        return f"say:I counted 3, 1 and 4 dots in the circles of the top row, {n} together."
    if "most" in question:
        return f"say:I counted 3, 1, 4, 1, {n + 9} and 2 dots in the circles, row by row, and the most is {n + 9}."
    return f"say:I counted 3, 1, 4, 1, 5 and 2 dots in the circles, row by row, {n} together."


def _by_picture(message: dict) -> int:
    """Return a number from 4 to 20 that depends only on the pixels."""
    url = next(part["image_url"]["url"] for part in message["content"] if part["type"] == "image_url")
    pixels = Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB").tobytes()
    return 4 + zlib.crc32(b"seen" + pixels) % 17


def _text(message: dict) -> str:
    content = message["content"]
    return content if isinstance(content, str) else next(part["text"] for part in content if part["type"] == "text")


def asked_model(server: ChatServer, **settings: object) -> AskedModel:
    """Return the server's model as an audit uses it."""
    return AskedModel(
        open_model(server.name, ModelSettings(**settings)), QUICK, asyncio.Event(), AuditServer(AuditTally())
    )


def verdict(pcs: object, ncc: object) -> str:
    return "say:" + json.dumps({"pcs_reason": "so it is", "pcs": pcs, "ncc_reason": "so it is", "ncc": ncc})
