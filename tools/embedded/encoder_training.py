"""Train the encoder on pictures alone; it does not depend on words, so both decoders can share it."""

import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from countersight.models.embedded import KINDS, SIDE
from countersight.scenes import COLOURS, PLACES
from tools.embedded.checkpoints import load, save
from tools.embedded.config import Plan
from tools.embedded.curves import Curve, rate_at
from tools.embedded.encoder import Encoder, Seeing, as_input, probabilities, values
from tools.embedded.stream import CHUNK, drawn
from tools.embedded.targets import BOTH, CELLS, DOT, FLOWER, LAYERS

CHECKPOINT = "encoder.pt"
SAVE_SECONDS = 120.0


class Pool:
    """The most recent pictures, stored on the device; batches are random samples of them."""

    def __init__(self, size: int, side: int, device: torch.device) -> None:
        self.pictures = torch.empty(size, side, side, 3, dtype=torch.uint8, device=device)
        self.targets = torch.empty(size, LAYERS, CELLS, CELLS, dtype=torch.uint8, device=device)
        self.kinds = torch.empty(size, dtype=torch.long, device=device)
        self.size, self.filled, self._next = size, 0, 0

    def add(self, pictures: Tensor, targets: Tensor, kinds: Tensor) -> None:
        """Replace the oldest pictures by new ones."""
        device = self.kinds.device
        places = (torch.arange(len(kinds), device=device) + self._next) % self.size
        for whole, part in ((self.pictures, pictures), (self.targets, targets), (self.kinds, kinds)):
            whole[places] = part.to(device, non_blocking=True)
        self._next = (self._next + len(kinds)) % self.size
        self.filled = min(self.size, self.filled + len(kinds))

    def batch(self, size: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return a random batch."""
        chosen = torch.randint(self.filled, (size,), device=self.kinds.device)
        return self.pictures[chosen], self.targets[chosen], self.kinds[chosen]


def train_encoder(plan: Plan, folder: Path, device: torch.device, say: Callable[[str], None]) -> Encoder:
    """Train the encoder, resuming from a checkpoint in the folder if there is one; return the averaged encoder."""
    how = plan.encoder
    torch.manual_seed(0)
    model = Encoder().to(device, memory_format=torch.channels_last)
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(how.average), use_buffers=True)
    optimizer = torch.optim.AdamW(model.parameters(), how.rate, weight_decay=how.decay)
    curve = Curve(folder / "encoder.csv")
    step = load(folder / CHECKPOINT, model, average, optimizer)
    if step < how.steps:
        torch.manual_seed(step)  # otherwise a resumed run would choose the same batches again
        curve.cut(step)
        stream = drawn(f"{plan.seed}/encoder", start=step * how.fresh, workers=plan.workers)
        pool = Pool(how.pool, SIDE, device)
        while pool.filled < how.first:
            pool.add(*next(stream)[:3])
        owed, saved, began = 0.0, time.monotonic(), time.monotonic()
        while step < how.steps:
            owed += how.fresh
            while owed >= CHUNK:
                pool.add(*next(stream)[:3])
                owed -= CHUNK
            for group in optimizer.param_groups:
                group["lr"] = how.rate * rate_at(step, how.steps)
            losses, off = _step(model, optimizer, *augmented(*pool.batch(how.batch)))
            average.update_parameters(model)
            step += 1
            if step % 100 == 0 or step == how.steps:
                row = {**{name: float(part.detach()) for name, part in losses.items()}, "wrong": float(off)}
                curve.add(step, row)
                words = " ".join(f"{name} {value:.4f}" for name, value in row.items())
                say(f"encoder {step}/{how.steps} {words} {time.monotonic() - began:.0f} s")
            if time.monotonic() - saved > SAVE_SECONDS or step == how.steps:
                save(folder / CHECKPOINT, step, model, average, optimizer)
                saved = time.monotonic()
    encoder: Encoder = average.module
    return encoder.eval()


def _step(
    model: Encoder, optimizer: torch.optim.Optimizer, pictures: Tensor, targets: Tensor, kinds: Tensor
) -> tuple[dict[str, Tensor], Tensor]:
    with torch.autocast(pictures.device.type, torch.bfloat16, enabled=pictures.is_cuda):
        logits = model.eye(as_input(pictures).contiguous(memory_format=torch.channels_last))
    middles, regions, circles, kind = logits
    losses, off = loss(middles, regions, circles, kind, targets, kinds)
    optimizer.zero_grad(set_to_none=True)
    torch.stack(tuple(losses.values())).sum().backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return losses, off


def loss(
    middles: Tensor, regions: Tensor, circles: Tensor, kind: Tensor, targets: Tensor, kinds: Tensor
) -> tuple[dict[str, Tensor], Tensor]:
    """Return the parts of the loss, and the share of our pictures in which any count is wrong by more than a half.

    Pictures of other kinds only contribute to the loss of the kind: nothing else is known about them.
    """
    true = truth(targets, kinds)
    ours = (kinds != KINDS.index("other")).float()
    each = 1.0 / ours.sum().clamp(min=1)
    middle = torch.stack((true.flower, true.dot), 1)
    region = torch.cat((true.colour, true.both[:, None], true.any_of[:, None]), 1)
    seen = values(probabilities(middles, regions, circles, kind))
    told = values(true)
    off = (seen - told)[:, : -len(KINDS)].abs()
    by_picture = {
        "middles": functional.binary_cross_entropy_with_logits(
            middles.float().flatten(2), middle, reduction="none"
        ).sum((1, 2))
        * 0.05,
        "regions": functional.binary_cross_entropy_with_logits(
            regions.float().flatten(2), region, reduction="none"
        ).mean((1, 2))
        * 4.0,
        "circles": functional.cross_entropy(circles.float(), circle_numbers(targets), reduction="none").mean((1, 2)),
        "counts": functional.smooth_l1_loss(
            seen[:, : -len(KINDS)], told[:, : -len(KINDS)], reduction="none", beta=0.25
        ).mean(1),
    }
    losses = {name: (part * ours).sum() * each for name, part in by_picture.items()}
    losses["kind"] = functional.cross_entropy(kind.float(), kinds) * 0.2
    return losses, (((off > 0.5).any(1).float() * ours).sum() * each).detach()


def truth(targets: Tensor, kinds: Tensor) -> Seeing:
    """Return the maps that a perfect encoder would output."""
    bits = torch.arange(len(COLOURS), device=targets.device)[:, None]
    marks, colours, circles = (targets[:, layer].flatten(1).int() for layer in range(LAYERS))
    numbers = torch.arange(1, len(PLACES) + 1, device=targets.device)[:, None]
    return Seeing(
        flower=(marks == FLOWER).float(),
        dot=(marks == DOT).float(),
        colour=(colours[:, None] >> bits & 1).float(),
        both=(circles == BOTH).float(),
        any_of=(colours > 0).float(),
        circle=(circles[:, None] == numbers).float(),
        kind=functional.one_hot(kinds, len(KINDS)).float(),
    )


def circle_numbers(targets: Tensor) -> Tensor:
    """Return, for every cell, the number of the circle that covers it, or 0."""
    layer = targets[:, 2].long()
    return torch.where(layer == BOTH, 0, layer)


def augmented(pictures: Tensor, targets: Tensor, kinds: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Mirror half of the pictures in each direction, renumber their circles, and add random brightness and noise."""
    device = pictures.device
    for axis, order in ((2, (0, 3, 2, 1, 6, 5, 4)), (1, (0, 4, 5, 6, 1, 2, 3))):
        turned = (torch.rand(len(kinds), device=device) < 0.5)[:, None, None, None]
        renamed = torch.arange(256, dtype=torch.uint8, device=device)
        renamed[: len(order)] = torch.tensor(order, dtype=torch.uint8, device=device)
        mirrored = targets.flip(axis + 1)
        mirrored = torch.cat((mirrored[:, :2], renamed[mirrored[:, 2:].int()]), 1)
        pictures = torch.where(turned, pictures.flip(axis), pictures)
        targets = torch.where(turned, mirrored, targets)
    light = 1 + 0.06 * torch.randn(len(kinds), 1, 1, 1, device=device)
    tint = 4 * torch.randn(len(kinds), 1, 1, 3, device=device)
    noise = torch.rand(len(kinds), 1, 1, 1, device=device) ** 4 * 10
    changed = pictures.float() * light + tint + noise * torch.randn(pictures.shape, device=device)
    plain = (torch.rand(len(kinds), device=device) < 0.5)[:, None, None, None]
    return torch.where(plain, pictures.float(), changed.clamp(0, 255)), targets, kinds
