"""Train a decoder to talk about what the encoder saw. The encoder is already trained and does not change."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

import msgspec
import torch
from torch import Tensor
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from countersight.scenes import Facts
from tools.embedded.batches import Batch, batches, endless, met_again, new_tokenizer, words_said
from tools.embedded.checkpoints import load, save
from tools.embedded.config import DecoderPlan, Plan
from tools.embedded.curves import Curve, rate_at
from tools.embedded.decoder import Decoder
from tools.embedded.wordings import Worlds

KEPT = 2000
"""Pictures held out to measure progress."""
SAVE_SECONDS = 120.0


class Views(msgspec.Struct, frozen=True):
    """What the encoder saw in pictures, and the true facts about them."""

    values: Tensor
    facts: list[Facts]


def look(
    plan: Plan, see: Callable[[Tensor], Tensor], folder: Path, device: torch.device, say: Callable[[str], None]
) -> Views:
    """Draw the pictures for the decoders and run the encoder on them; the result is cached in the folder."""
    path = folder / "views.pt"
    if not path.exists():
        from tools.embedded.stream import drawn

        seen: list[Tensor] = []
        facts: list[Facts] = []
        stream = drawn(f"{plan.decoder.seed}/decoder", start=0, workers=plan.workers)
        with torch.no_grad():
            while len(facts) < plan.decoder.scenes:
                pictures, _, _, true = next(stream)
                seen.append(see(pictures).cpu())
                facts += true
        say(f"encoded {len(facts)} pictures")
        torch.save({"values": torch.cat(seen), "facts": msgspec.msgpack.encode(facts)}, path)
    kept = torch.load(path, map_location="cpu", weights_only=True)
    return Views(kept["values"].to(device), msgspec.msgpack.decode(kept["facts"], type=list[Facts]))


def new_decoder(plan: DecoderPlan) -> Decoder:
    """Return an untrained decoder."""
    return Decoder(plan.shape, len(new_tokenizer().vocabulary), words_said())


def train_decoder(
    plan: Plan,
    worlds: Worlds,
    views: Views,
    folder: Path,
    device: torch.device,
    say: Callable[[str], None],
    start: Mapping[str, Tensor] | None = None,
) -> Decoder:
    """Train a decoder, from the checkpoint in the folder or else from `start`; return the averaged decoder."""
    how, name = plan.decoder, f"decoder-{worlds}"
    torch.manual_seed(0)
    model = new_decoder(how).to(device)
    if start is not None:
        model.load_state_dict(start)
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(how.average))
    optimizer = torch.optim.AdamW(
        model.parameters(), how.rate, betas=(0.9, 0.98), weight_decay=how.decay, fused=device.type == "cuda"
    )
    curve = Curve(folder / f"{name}.csv")
    step = load(folder / f"{name}.pt", model, average, optimizer)
    kept = min(KEPT, len(views.facts) // 2)
    exam = next(batches(views.facts[:kept], worlds, Random("exam"), 0, kept))
    if step < how.steps:
        curve.cut(step)
        seed = f"train/{plan.decoder.seed}/{step}"
        stream = endless(views.facts[kept:], worlds, seed, first=kept, batch=how.batch, workers=plan.workers)
        clock = Clock(how, step)
        for batch in met_again(stream, how.again, Random(seed)):
            for group in optimizer.param_groups:
                group["lr"] = how.rate * rate_at(step, clock.steps(step))
            loss = _step(model, optimizer, views.values, batch)
            average.update_parameters(model)
            step += 1
            last = step >= how.steps or clock.over()
            if step % 500 == 0 or last:
                right = exam_score(average.module, views.values, exam)
                curve.add(step, {"loss": float(loss), "right": right})
                say(f"{name} {step}/{how.steps} loss {float(loss):.4f} right {right:.4f} {clock.seconds():.0f} s")
            if clock.time_to_save() or last:
                save(folder / f"{name}.pt", step, model, average, optimizer)
            if last:
                break
    decoder: Decoder = average.module
    return decoder.eval()


class Clock:
    """Decides when training ends: after the steps of the plan, or after its time limit if it has one."""

    def __init__(self, plan: DecoderPlan, step: int) -> None:
        self._plan, self._first = plan, step
        self._began = self._saved = time.monotonic()

    def seconds(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self._began

    def steps(self, step: int) -> int:
        """Return the expected total number of steps, estimated from the pace so far."""
        done = step - self._first
        if not self._plan.seconds or done < 1:
            return self._plan.steps
        return min(self._plan.steps, self._first + int(done * max(1.0, self._plan.seconds / self.seconds())) + 1)

    def over(self) -> bool:
        """Return whether the time limit of the plan has passed."""
        return 0 < self._plan.seconds <= self.seconds()

    def time_to_save(self) -> bool:
        """Return whether a checkpoint is due; if so, the next interval begins."""
        due = time.monotonic() - self._saved > SAVE_SECONDS
        self._saved = time.monotonic() if due else self._saved
        return due


def _step(model: Decoder, optimizer: torch.optim.Optimizer, values: Tensor, batch: Batch) -> Tensor:
    device = values.device
    chosen, tokens, at, wanted, counts = (part.to(device, non_blocking=True) for part in batch)
    with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        logits = model.logits_at(tokens, values[chosen], at)
    each = functional.cross_entropy(logits.float(), wanted, reduction="none")
    loss = (each * counts).sum() / counts.sum()
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.detach()


@torch.no_grad()
def exam_score(decoder: Decoder, values: Tensor, exam: Batch) -> float:
    """Return the share of conversations in which every word of answer and reason is the model's first choice."""
    chosen, tokens, at, wanted, _ = (part.to(values.device) for part in exam)
    wrong = decoder.logits_at(tokens, values[chosen], at).argmax(-1) != wanted
    rows = at // tokens.shape[1]
    return 1.0 - len(rows[wrong].unique()) / len(tokens)
