"""The real vLLM ranks and writes what `hf:` does, behind a server and in this process: `python -m peers.vllm`.

A tiny random Qwen2-VL is computed by transformers, by vLLM's server, and by vLLM here. The server is ended and started
again in the middle of a run, which loses nothing.
"""

import asyncio
import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from making import picture
from models.local import tiny

import countersight as cs
import peers.torchvision  # noqa: F401 - before anything imports torchvision
from countersight.case import Option
from countersight.models import ModelSettings, Request, Turn, open_model
from countersight.picture.checking import check_picture
from peers.parrot import WORK, flowers

PORT = 8177
CLOSE = 1e-4
"""Losses of two programs that compute in float32 differ by less."""
QUESTIONS = 50
TALK = ("How many cats would there be if one more came?", "What color would the car be?", "Is the dog on the left?")
OPTIONS = ("There would be 3 cats", "There would be 4", "red", "yes")


def model() -> Path:
    """Create a model with heads as wide as vLLM requires on a CPU."""
    folder = WORK / "tiny-qwen2-vl"
    shutil.rmtree(folder, ignore_errors=True)
    tiny.TEXT |= {"hidden_size": 128, "head_dim": 32}
    vision = {"embed_dim": 64, "hidden_size": 128, "mlp_ratio": 2}
    return tiny.qwen_vl(folder, "Qwen2VL", vision, sections=[4, 6, 6])


def environment() -> dict[str, str]:
    """Return the environment of vLLM's processes: on a CPU, offline, and with the repaired torchvision."""
    site = WORK / "site"
    site.mkdir(parents=True, exist_ok=True)
    (site / "sitecustomize.py").write_text("import peers.torchvision\n")
    path = os.pathsep.join([str(site), str(Path.cwd()), *filter(None, [os.environ.get("PYTHONPATH")])])
    told = {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind"}
    # Compiling takes longer than all that is asked.
    told |= {"TORCHDYNAMO_DISABLE": "1", "VLLM_USE_AOT_COMPILE": "0"}
    return {**os.environ, **told, "PYTHONPATH": path}


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[None]:
    """Run vLLM's own server until the block ends."""
    given = {"--model": folder, "--served-model-name": "tiny", "--port": PORT, "--max-model-len": 1024}
    given |= {"--dtype": "float32", "--max-num-seqs": 16}
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--enforce-eager"]
    command += [str(part) for pair in given.items() for part in pair]
    with open(WORK / "vllm.log", "ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment())  # noqa: S603 - ours
    try:
        for _ in range(1200):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{PORT}/health", timeout=5).close()
                break
            if process.poll() is not None:
                raise SystemExit(f"vLLM ended; see {WORK / 'vllm.log'}")
            time.sleep(0.5)
        yield
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()


def requests() -> list[Request]:
    """Return questions; every fifth one has no picture."""
    asked = []
    for number in range(QUESTIONS):
        shown = check_picture(picture(number)) if number % 5 else None
        turns = (Turn("user", f"{TALK[number % len(TALK)]} {number}", shown),)
        asked.append(Request(str(number), turns, "choice", tuple(map(Option, OPTIONS))))
    return asked


def asked(name: str) -> tuple[list[tuple[float, ...]], list[str]]:
    """Return the losses of all options, and the written replies to some of the questions."""

    async def both() -> tuple[list[tuple[float, ...]], list[str]]:
        opened = open_model(name, ModelSettings(device="cpu", dtype="float32", max_tokens=8))
        try:
            losses = await asyncio.gather(*(opened.losses(request) for request in requests()))
            said = await asyncio.gather(*(opened.reply(request) for request in requests()[:10]))
            # Random weights write parts of characters, which the two programs show in different ways.
            return list(losses), [re.sub(r"[^!-~]+", " ", answer.text).strip() for answer in said]
        finally:
            await opened.close()

    return asyncio.run(both())


def hold(what: str, ours: tuple[list[tuple[float, ...]], list[str]], theirs: tuple[list[tuple[float, ...]], list[str]]):
    """Print the number of equal losses, winners and replies; raise an error if any differs."""
    pairs = [(one, other) for a, b in zip(ours[0], theirs[0], strict=True) for one, other in zip(a, b, strict=True)]
    close = sum(abs(one - other) < CLOSE for one, other in pairs)
    print(f"{what}: losses within {CLOSE:g}: ours {len(pairs)} theirs {close}")
    print(f"{what}: largest difference of a loss: {max(abs(one - other) for one, other in pairs):.1e}")
    same = sum(a.index(min(a)) == b.index(min(b)) for a, b in zip(ours[0], theirs[0], strict=True))
    print(f"{what}: the same winner: ours {len(ours[0])} theirs {same}")
    said = sum(one == other for one, other in zip(ours[1], theirs[1], strict=True))
    print(f"{what}: the same words: ours {len(ours[1])} theirs {said}")
    for one, other in zip(ours[1], theirs[1], strict=True):
        if one != other:
            print(f"  {one!r} and {other!r}")
    assert (close, same, said) == (len(pairs), len(ours[0]), len(ours[1]))


def begun(name: str, out: Path) -> subprocess.Popen[bytes]:
    """Start a run in another process, and return after its first answer."""
    command = [sys.executable, "-m", "countersight", "run", str(flowers()), "--model", name, "--rank", "-o", str(out)]
    process = subprocess.Popen(command)  # noqa: S603 - ours
    journal = out / "replies.jsonl"
    while not (journal.exists() and journal.stat().st_size) and process.poll() is None:
        time.sleep(0.05)
    return process


def answers(name: str, out: Path) -> dict[tuple[str, str], str]:
    """Run, or finish a run that was started, and return the reply to every question."""
    run = cs.run(flowers(), name, out=out, answering="rank")
    return {(reply.case, reply.world): reply.text for reply in run.replies()}


def main() -> None:
    """Compare losses and replies of the server and of this process, and of a run whose server was restarted."""
    folder = model()
    ours = asked(f"hf:{folder}")
    name = f"endpoint:http://127.0.0.1:{PORT}/v1#tiny"
    out = [WORK / "vllm-whole", WORK / "vllm-interrupted"]
    for path in out:
        shutil.rmtree(path, ignore_errors=True)
    with serving(folder):
        hold("vLLM's server", ours, asked(name))
        whole = answers(name, out[0])
        interrupted = begun(name, out[1])
    with serving(folder):
        interrupted.wait(600)
        same = answers(name, out[1]) == whole
    print(f"a server that was ended and started again: ours {len(whole)} theirs {len(whole) if same else 0}")
    assert same
    os.environ |= environment()
    hold("vLLM in this process", ours, asked(f"vllm:{folder}?max_model_len=1024"))


if __name__ == "__main__":  # vLLM starts processes, which import this again
    main()
