"""The encoder: finds things cell by cell, and counts them.

A network that only averages, as attention does, cannot count. This one outputs maps whose products are summed over the
picture: the map of flower centres times the map of red polygons, summed over all cells, is the number of flowers inside
red polygons.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from countersight.models.embedded import KINDS
from countersight.scenes import COLOURS, PLACES

WIDTHS = (24, 32, 80, 160, 256)
"""Channels at 112, 56, 28, 14 and 7 cells a side."""
HEAD = 48
SOME = 50.0
"""The number of cells of a clearly visible region."""


class Convolution(nn.Module):
    """Convolution, batch normalisation and ReLU."""

    def __init__(self, before: int, after: int, stride: int = 1, size: int = 3) -> None:
        super().__init__()
        self.conv = nn.Conv2d(before, after, size, stride, size // 2, bias=False)
        self.norm = nn.BatchNorm2d(after)

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(self.norm(self.conv(x)))


class Residual(nn.Module):
    """Two convolutions with a skip connection."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = Convolution(width, width)
        self.conv = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(x + self.norm(self.conv(self.first(x))))


class Eye(nn.Module):
    """Down to a coarse view of the whole picture and up again to fine maps, with skip connections, as in a U-Net."""

    def __init__(self) -> None:
        super().__init__()
        stem, fine, middle, coarse, whole = WIDTHS
        self.stem = Convolution(3, stem, 2)
        self.fine = nn.Sequential(Convolution(stem, fine, 2), Residual(fine))
        self.middle = nn.Sequential(Convolution(fine, middle, 2), Residual(middle), Residual(middle))
        self.coarse = nn.Sequential(Convolution(middle, coarse, 2), Residual(coarse), Residual(coarse))
        self.whole = nn.Sequential(Convolution(coarse, whole, 2), Residual(whole))
        self.spread = nn.Linear(whole, whole)
        self.to_coarse = Convolution(whole, coarse, size=1)
        self.at_coarse = Convolution(coarse, coarse)
        self.to_middle = Convolution(coarse, middle, size=1)
        self.at_middle = Convolution(middle, middle)
        self.to_fine = Convolution(middle, HEAD, size=1)
        self.from_fine = Convolution(fine, HEAD, size=1)
        self.at_fine = nn.Sequential(Convolution(HEAD, HEAD), Convolution(HEAD, HEAD))
        self.middles = nn.Conv2d(HEAD, 2, 1)
        self.regions = nn.Conv2d(HEAD, len(COLOURS) + 2, 1)
        self.circles = nn.Conv2d(HEAD, len(PLACES) + 1, 1)
        self.kind = nn.Linear(whole, len(KINDS))
        # Almost no cell contains a centre: start with a low bias, or the first steps are spent on learning it.
        nn.init.constant_(self.middles.bias, -5.0)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return logits: centres of flowers and dots; inside polygons (each colour, both, any); which circle; kind."""
        fine = self.fine(self.stem(x))
        middle = self.middle(fine)
        coarse = self.coarse(middle)
        whole = self.whole(coarse)
        pooled = whole.mean((2, 3))
        whole = functional.relu(whole + self.spread(pooled)[:, :, None, None])
        coarse = self.at_coarse(coarse + _twice(self.to_coarse(whole)))
        middle = self.at_middle(middle + _twice(self.to_middle(coarse)))
        fine = self.at_fine(self.from_fine(fine) + _twice(self.to_fine(middle)))
        return self.middles(fine), self.regions(fine), self.circles(fine), self.kind(pooled)


def _twice(x: Tensor) -> Tensor:
    return functional.interpolate(x, scale_factor=2.0, mode="nearest")


class Encoder(nn.Module):
    """Maps pictures (batch × height × width × 3, bytes) to VALUES (batch × values)."""

    def __init__(self) -> None:
        super().__init__()
        self.eye = Eye()

    def forward(self, pictures: Tensor) -> Tensor:
        return values(probabilities(*self.eye(as_input(pictures))))


def as_input(pictures: Tensor) -> Tensor:
    """Convert bytes to numbers around zero, with channels first."""
    return pictures.permute(0, 3, 1, 2).float() / 64.0 - 2.0


class Seeing(NamedTuple):
    """Probabilities for every cell, flattened (batch × cells or batch × maps × cells), and for the kind of picture."""

    flower: Tensor
    dot: Tensor
    colour: Tensor
    both: Tensor
    any_of: Tensor
    circle: Tensor
    kind: Tensor


def probabilities(middles: Tensor, regions: Tensor, circles: Tensor, kind: Tensor) -> Seeing:
    """Convert the network's logits to probabilities."""
    flower, dot = middles.float().sigmoid().flatten(2).unbind(1)
    region = regions.float().sigmoid().flatten(2)
    circle = circles.float().softmax(1).flatten(2)[:, 1:]
    kinds = kind.float().softmax(1)
    return Seeing(flower, dot, region[:, : len(COLOURS)], region[:, -2], region[:, -1], circle, kinds)


def values(maps: Seeing) -> Tensor:
    """Compute VALUES from the maps: products summed over the picture."""
    flower, dot, colour, both, any_of, circle, kind = maps
    dots = circle @ dot[:, :, None]
    return torch.cat(
        (
            flower.sum(1, keepdim=True),
            (flower * (1 - any_of)).sum(1, keepdim=True),
            (flower * both).sum(1, keepdim=True),
            (colour @ flower[:, :, None])[:, :, 0],
            (colour @ (flower * (1 - both))[:, :, None])[:, :, 0],
            dot.sum(1, keepdim=True),
            dots[:, :3].sum(1),
            dots[:, 3:].sum(1),
            dots[:, :, 0],
            1 - torch.exp(-circle.sum(2) / SOME),
            1 - torch.exp(-colour.sum(2) / SOME),
            kind,
        ),
        dim=1,
    )
