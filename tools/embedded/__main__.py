"""`python -m tools.embedded`: train every stage in turn, and resume after an interruption."""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import get_args

import msgspec

from countersight.errors import CountersightError
from tools.embedded.config import Plan, read_plan
from tools.embedded.wordings import Worlds


def train(
    folder: Path, *, plan: Path | None = None, from_shipped: bool = False, say: Callable[[str], None] = print
) -> Path:
    """Train the encoder and the decoders according to a plan, export them, and return the folder of the weights.

    With `from_shipped`, the shipped encoder is used, and the decoders start from the shipped ones. After an
    interruption, training resumes from the last checkpoint in the folder.
    """
    chosen = read_plan(plan)
    try:
        import onnx  # noqa: F401 - needed at the very end, so fail early if it is missing
        import onnxscript  # noqa: F401
        import torch
    except ImportError as error:
        raise CountersightError(f"training needs {error.name}: pip install torch onnx onnxscript") from None
    from tools.embedded.decoder_training import look, train_decoder
    from tools.embedded.encoder_training import train_encoder
    from tools.embedded.export import export
    from tools.embedded.shipped import shipped_decoder, shipped_encoder

    folder.mkdir(parents=True, exist_ok=True)
    _remember(folder, chosen)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    encoder = None if from_shipped else train_encoder(chosen, folder, device, say)
    see = shipped_encoder() if encoder is None else lambda pictures: encoder(pictures.to(device))
    views = look(chosen, see, folder, device, say)
    decoders = {}
    for worlds in get_args(Worlds):
        start = shipped_decoder(worlds, chosen.decoder) if from_shipped else None
        decoders[worlds] = train_decoder(chosen, worlds, views, folder, device, say, start)
    weights = folder / "weights"
    export(encoder, decoders, weights, seed=chosen.seed)
    say(f"weights in {weights}")
    return weights


def _remember(folder: Path, plan: Plan) -> None:
    """Store the plan next to the checkpoints, and refuse to continue with a different one."""
    kept = folder / "plan.json"
    if kept.exists() and msgspec.json.decode(kept.read_bytes(), type=Plan) != plan:
        raise CountersightError(f"{folder} was started with a different plan ({kept}); choose a new folder")
    kept.write_bytes(msgspec.json.format(msgspec.json.encode(plan)) + b"\n")


def main() -> None:
    """Train according to the command line."""
    asked = argparse.ArgumentParser(prog="python -m tools.embedded", description="Train the embedded model.")
    asked.add_argument("--plan", type=Path, metavar="TOML", help="all settings (default: tools/embedded/embedded.toml)")
    asked.add_argument(
        "--from-shipped", action="store_true", help="keep the shipped encoder and continue from the shipped decoders"
    )
    asked.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR", help="checkpoints, curves and weights"
    )
    given = asked.parse_args()
    try:
        train(given.output, plan=given.plan, from_shipped=given.from_shipped, say=partial(print, flush=True))
    except CountersightError as error:
        asked.exit(1, f"{error}\n")


if __name__ == "__main__":
    main()
