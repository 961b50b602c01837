"""Curves of a training as a figure: what each matcher reached on its held-out pictures, or its loss without any."""

from pathlib import Path

import msgspec
import torch

from countersight.files import write_text
from countersight.html import MARGIN, WIDTH, element, sheet, words_at
from countersight.training.loop import CHECKPOINT, Epoch
from countersight.training.plan import Plan

TOP, HEIGHT = 76, 340
_STYLE = "polyline { fill: none; stroke: var(--one); stroke-width: 1.6; opacity: 0.75 } line { stroke: var(--rule) }"


def draw_curves(folder: Path, plan: Plan, path: Path) -> None:
    """Draw all curves of a folder into one figure: accuracy where pictures were held out, else the loss."""
    curves = [_curve(file) for file in sorted(folder.glob(f"seed-*/**/{CHECKPOINT}"))]
    values = [[one.held_out if plan.held_out else one.loss for one in curve] for curve in curves]
    top = 1.0 if plan.held_out else max((value for curve in values for value in curve), default=1.0) or 1.0
    title = "Right on held-out pictures, by epoch" if plan.held_out else "Loss on what is learned from, by epoch"
    parts = [words_at(MARGIN, 36, title, "title")]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y, told = _y(share), f"{share:.0%}" if plan.held_out else f"{share * top:.2f}"
        parts.append(element("line", x1=MARGIN, x2=WIDTH - MARGIN, y1=y, y2=y))
        parts.append(words_at(MARGIN - 8, y + 4, told, "soft", "end"))
    for curve in values:
        points = " ".join(f"{_x(n, plan.epochs):.1f},{_y(value / top):.1f}" for n, value in enumerate(curve, 1))
        parts.append(element("polyline", points=points))
    parts.append(words_at(WIDTH - MARGIN, TOP + HEIGHT + 24, f"epoch {plan.epochs}", "soft", "end"))
    write_text(path, sheet("Curves of a training", TOP + HEIGHT + 44, _STYLE, parts))


def _curve(file: Path) -> list[Epoch]:
    return msgspec.convert(torch.load(file, map_location="cpu", weights_only=True)["curve"], list[Epoch])


def _x(epoch: int, epochs: int) -> float:
    return MARGIN + (WIDTH - 2 * MARGIN) * (epoch - 1) / max(1, epochs - 1)


def _y(share: float) -> float:
    return TOP + HEIGHT * (1 - share)
