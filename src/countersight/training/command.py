"""`countersight train embedded`: every stage in turn, each taken up where it was left."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from countersight.errors import CountersightError
from countersight.training.config import Plan, read_plan


def train(folder: Path, *, plan: Path | None = None, say: Callable[[str], None] = print) -> Path:
    """Train encoder and decoders by a plan and export them; returns the folder of the weights.

    Run again after a stop, it goes on from the last checkpoint in the folder.
    """
    chosen = read_plan(plan)
    try:
        import onnx  # noqa: F401 - needed at the very end, so better missed at the beginning
        import onnxscript  # noqa: F401
        import torch
    except ImportError as error:
        raise CountersightError(f"training needs {error.name}: pip install 'countersight[train]'") from None
    from countersight.training.export import export
    from countersight.training.seeing import train_encoder
    from countersight.training.talking import look, train_decoder

    folder.mkdir(parents=True, exist_ok=True)
    _remember(folder, chosen)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    encoder = train_encoder(chosen, folder, device, say)
    views = look(chosen, encoder, folder, device, say)
    decoders = {
        "both": train_decoder(chosen, "both", views, folder, device, say),
        "factual": train_decoder(chosen, "factual", views, folder, device, say),
    }
    weights = folder / "weights"
    export(encoder, decoders, weights, seed=chosen.seed)
    say(f"weights in {weights}")
    return weights


def _remember(folder: Path, plan: Plan) -> None:
    """Keep the plan beside the checkpoints, and refuse to go on with another one."""
    kept = folder / "plan.json"
    if kept.exists() and msgspec.json.decode(kept.read_bytes(), type=Plan) != plan:
        raise CountersightError(f"{folder} was begun with another plan ({kept}); choose a new folder")
    kept.write_bytes(msgspec.json.format(msgspec.json.encode(plan)) + b"\n")
