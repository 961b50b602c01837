"""Training itself, at toy size: it runs from end to end, and goes on after a stop."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch

from countersight.errors import CountersightError
from countersight.models import open_graph
from countersight.models.embedded import Tokenizer, decoder_file, weights_folder
from countersight.models.embedded.inference import Decoder as Running
from tools.embedded.__main__ import train
from tools.embedded.batches import new_tokenizer
from tools.embedded.config import DecoderShape, Plan, read_plan
from tools.embedded.decoder import Decoder
from tools.embedded.decoder_training import Clock, new_decoder
from tools.embedded.encoder import Encoder
from tools.embedded.export import export
from tools.embedded.shipped import shipped_decoder

pytestmark = pytest.mark.slow

SHAPE = DecoderShape(layers=2, width=32, heads=2, context=320)


def tiny(steps: int) -> Plan:
    plan = read_plan()
    replace = msgspec.structs.replace
    return replace(
        plan,
        workers=0,
        encoder=replace(plan.encoder, steps=steps, batch=4, fresh=4, first=32, pool=64),
        decoder=replace(plan.decoder, steps=steps, batch=8, scenes=32, shape=SHAPE),
    )


def write(plan: Plan, path: Path) -> Path:
    """The plan as a file; JSON values and tables are written alike in TOML."""
    lines: list[str] = []

    def table(name: str, fields: dict[str, object]) -> None:
        lines.append(f"[{name}]" if name else "")
        lines.extend(f"{key} = {json.dumps(value)}" for key, value in fields.items() if not isinstance(value, dict))
        for key, value in fields.items():
            if isinstance(value, dict):
                table(f"{name}.{key}".lstrip("."), value)

    table("", msgspec.to_builtins(plan))
    path.write_text("\n".join(lines))
    return path


def test_training_goes_on_after_a_stop_and_ends_in_weights(tmp_path: Path) -> None:
    plan = write(tiny(2), tmp_path / "plan.toml")
    said: list[str] = []

    def stop(line: str) -> None:
        said.append(line)
        if line.startswith("encoded"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "run", plan=plan, say=stop)
    again: list[str] = []
    weights = train(tmp_path / "run", plan=plan, say=again.append)
    assert any(line.startswith("encoder 2/2") for line in said)
    assert not any(line.startswith("encoder") for line in again)
    assert (tmp_path / "run" / "encoder.csv").read_text().count("\n") == 2
    assert (weights / "decoder-both.onnx").exists()
    assert (tmp_path / "run" / "decoder-both.csv").read_text().startswith("step,loss,right")
    with pytest.raises(CountersightError, match="a different plan"):
        train(tmp_path / "run", plan=write(tiny(3), tmp_path / "other.toml"))


def test_the_cache_gives_what_reading_everything_again_gives(tmp_path: Path) -> None:
    torch.manual_seed(1)
    decoder = Decoder(SHAPE, 423, 400).eval()
    export(Encoder().eval(), {"both": decoder}, tmp_path, seed="tests")
    running = Running(open_graph(tmp_path / decoder_file("both")), end=3, pad=0)
    rng = np.random.default_rng(0)
    prompts = [[int(token) for token in rng.integers(5, 400, length)] for length in (3, 17, 9)]
    values = rng.uniform(0, 20, (3, 45)).astype(np.float32)
    written = running.generate(prompts, values, 6)
    assert any(len(tokens) > 1 for tokens in written)
    half = torch.nn.utils.parameters_to_vector(decoder.parameters()).half().float()
    words = decoder.words.weight.detach().clone()
    torch.nn.utils.vector_to_parameters(half, decoder.parameters())  # what is shipped has half-size weights
    scale = words.abs().amax(1, keepdim=True) / 127
    decoder.words.weight.data = (words / scale).round() * scale  # and words in bytes
    for prompt, seen, tokens in zip(prompts, values, written, strict=True):
        so_far = list(prompt)
        for token in tokens:
            with torch.no_grad():
                last = torch.tensor([len(so_far) - 1])
                logits = decoder.logits_at(torch.tensor([so_far]), torch.tensor(seen)[None], last)
            assert int(logits[0].argmax()) == token
            so_far.append(token)


def test_training_ends_after_the_seconds_of_the_plan_with_its_rate_at_the_end(monkeypatch) -> None:
    plan = msgspec.structs.replace(read_plan().decoder, seconds=100.0, steps=10**6)
    now = 1000.0
    monkeypatch.setattr("tools.embedded.decoder_training.time.monotonic", lambda: now)
    clock = Clock(plan, 0)
    now += 50.0
    assert clock.steps(200) == pytest.approx(400, abs=2)
    assert not clock.over()
    now += 50.0
    assert clock.over()
    assert clock.steps(400) == pytest.approx(400, abs=2)


def test_a_decoder_can_go_on_from_the_shipped_one() -> None:
    """Known words keep their rows wherever they stand now, and the shipped graph says the same."""
    plan = read_plan().decoder
    decoder = new_decoder(plan)
    decoder.load_state_dict(shipped_decoder("both", plan))
    tokenizer = new_tokenizer()
    before = Tokenizer(json.loads((weights_folder() / "vocabulary.json").read_bytes()))
    running = Running(open_graph(weights_folder() / decoder_file("both"), threads=1), end=before.end, pad=before.pad)
    text = "how many flowers are inside the red polygons?\nanswer with a single number."
    values = np.random.default_rng(0).uniform(0, 9, (1, 45)).astype(np.float32)
    ((said, *_),) = running.generate([before.conversation([("user", text)])], values, 1)
    prompt = tokenizer.conversation([("user", text)])
    with torch.no_grad():
        logits = decoder.logits_at(torch.tensor([prompt]), torch.tensor(values), torch.tensor([len(prompt) - 1]))
    assert tokenizer.vocabulary[int(logits[0].argmax())] == before.vocabulary[said]
