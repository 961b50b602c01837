"""Checkpoints to resume training from, written so that an interruption at any moment leaves a complete one."""

from pathlib import Path

import torch
from torch import nn


def save(path: Path, step: int, model: nn.Module, average: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Write a checkpoint, replacing the last one."""
    beside = path.with_suffix(".part")
    state = {
        "step": step,
        "model": model.state_dict(),
        "average": average.state_dict(),
        "optimizer": optimizer.state_dict(),
    }
    torch.save(state, beside)
    beside.replace(path)


def load(path: Path, model: nn.Module, average: nn.Module, optimizer: torch.optim.Optimizer) -> int:
    """Load a checkpoint and return its step, or 0 if there is none."""
    if not path.exists():
        return 0
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state["model"])
    average.load_state_dict(state["average"])
    optimizer.load_state_dict(state["optimizer"])
    step: int = state["step"]
    return step
