"""Curves of a training as a figure: what each matcher reached on its held-out pictures, epoch by epoch."""

from pathlib import Path

import msgspec
import torch

from countersight.files import write_text
from countersight.pages import MARGIN, WIDTH, element, sheet, words_at
from countersight.training.matcher.loop import CHECKPOINT, Epoch
from countersight.training.matcher.plan import Plan

TOP, HEIGHT = 76, 340
_STYLE = "polyline { fill: none; stroke: var(--one); stroke-width: 1.6; opacity: 0.75 } line { stroke: var(--rule) }"


def draw_curves(folder: Path, plan: Plan, path: Path) -> None:
    """Draw all curves of a folder into one figure."""
    curves = [_curve(file) for file in sorted(folder.glob(f"seed-*/**/{CHECKPOINT}"))]
    parts = [words_at(MARGIN, 36, "Right on held-out pictures, by epoch", "title")]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _y(share)
        parts.append(element("line", x1=MARGIN, x2=WIDTH - MARGIN, y1=y, y2=y))
        parts.append(words_at(MARGIN - 8, y + 4, f"{share:.0%}", "soft", "end"))
    for curve in curves:
        points = " ".join(f"{_x(one.epoch, plan.epochs):.1f},{_y(one.held_out):.1f}" for one in curve)
        parts.append(element("polyline", points=points))
    parts.append(words_at(WIDTH - MARGIN, TOP + HEIGHT + 24, f"epoch {plan.epochs}", "soft", "end"))
    write_text(path, sheet("Curves of a training", TOP + HEIGHT + 44, _STYLE, parts))


def _curve(file: Path) -> list[Epoch]:
    return msgspec.convert(torch.load(file, map_location="cpu", weights_only=True)["curve"], list[Epoch])


def _x(epoch: int, epochs: int) -> float:
    return MARGIN + (WIDTH - 2 * MARGIN) * (epoch - 1) / max(1, epochs - 1)


def _y(share: float) -> float:
    return TOP + HEIGHT * (1 - share)
