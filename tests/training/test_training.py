"""Training itself, at toy size: it runs from end to end, and goes on after a stop."""

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'countersight[train]'")
pytest.importorskip("onnxscript", reason="training needs onnx and onnxscript: pip install 'countersight[train]'")

import msgspec
import numpy as np
import torch

from countersight.errors import CountersightError
from countersight.models.embedded.decoding import Decoder as Running
from countersight.models.embedded.weights import decoder_file, open_graph
from countersight.training.command import train
from countersight.training.config import DecoderShape, Plan, read_plan
from countersight.training.decoder import Decoder
from countersight.training.encoder import Encoder
from countersight.training.export import export

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


@pytest.mark.slow
def test_training_goes_on_after_a_stop_and_ends_in_weights(tmp_path: Path) -> None:
    plan = write(tiny(2), tmp_path / "plan.toml")
    said: list[str] = []

    def stop(line: str) -> None:
        said.append(line)
        if line.startswith("looked"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "run", plan=plan, say=stop)
    again: list[str] = []
    weights = train(tmp_path / "run", plan=plan, say=again.append)
    assert any(line.startswith("encoder 2/2") for line in said)
    assert not any(line.startswith("encoder") for line in again)
    assert (tmp_path / "run" / "encoder.csv").read_text().count("\n") == 2
    assert (weights / "checksums.json").exists()
    with pytest.raises(CountersightError, match="another plan"):
        train(tmp_path / "run", plan=write(tiny(3), tmp_path / "other.toml"))


@pytest.mark.slow
def test_the_cache_gives_what_reading_everything_again_gives(tmp_path: Path) -> None:
    torch.manual_seed(1)
    decoder = Decoder(SHAPE, 423).eval()
    export(Encoder().eval(), {"both": decoder}, tmp_path, seed="tests")
    running = Running(open_graph(tmp_path, decoder_file("both")), end=3, pad=0)
    rng = np.random.default_rng(0)
    prompts = [[int(token) for token in rng.integers(5, 400, length)] for length in (3, 17, 9)]
    values = rng.uniform(0, 20, (3, 45)).astype(np.float32)
    written = running.generate(prompts, values, 6)
    assert any(len(tokens) > 1 for tokens in written)
    half = torch.nn.utils.parameters_to_vector(decoder.parameters()).half().float()
    torch.nn.utils.vector_to_parameters(half, decoder.parameters())  # what is shipped has half-size weights
    for prompt, seen, tokens in zip(prompts, values, written, strict=True):
        so_far = list(prompt)
        for token in tokens:
            with torch.no_grad():
                logits = decoder.all_logits(torch.tensor([so_far]), torch.tensor(seen)[None])
            assert int(logits[0, -1].argmax()) == token
            so_far.append(token)
