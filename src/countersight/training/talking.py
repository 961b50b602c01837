"""Training a decoder to talk about what the encoder saw. The encoder is done by then and stays as it is."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

import msgspec
import numpy as np
import torch
from torch import Tensor
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from countersight.models.embedded import Tokenizer, vocabulary
from countersight.training import wordings
from countersight.training.checkpoints import load, save
from countersight.training.config import Plan
from countersight.training.curves import Curve, rate_at
from countersight.training.decoder import Decoder, loss_of
from countersight.training.encoder import Encoder
from countersight.training.facts import Facts
from countersight.training.stream import drawn
from countersight.training.talks import Talk, Worlds, talk

KEPT = 2000
"""Pictures kept back to watch progress on."""
GROUPED = 4
"""Batches made at a time and sorted by length, so that little of a batch is padding."""
SAVE_SECONDS = 120.0

Batch = tuple[Tensor, Tensor, Tensor]
"""Numbers of the pictures; tokens; which of them the model is to speak."""


class Views(msgspec.Struct, frozen=True):
    """What the encoder saw in pictures, and what is true of them."""

    values: Tensor
    facts: list[Facts]


def look(plan: Plan, encoder: Encoder, folder: Path, device: torch.device, say: Callable[[str], None]) -> Views:
    """Draw the pictures the decoders talk about and show them to the encoder; kept in the folder."""
    path = folder / "views.pt"
    decoder = msgspec.msgpack.Decoder(list[Facts])
    if not path.exists():
        seen: list[Tensor] = []
        facts: list[Facts] = []
        stream = drawn(f"{plan.seed}/decoder", start=0, workers=plan.workers)
        with torch.no_grad():
            while len(facts) < plan.decoder.scenes:
                pictures, _, _, true = next(stream)
                seen.append(encoder(pictures.to(device)).cpu())
                facts += true
        say(f"looked at {len(facts)} pictures")
        torch.save({"values": torch.cat(seen), "facts": msgspec.msgpack.encode(facts)}, path)
    kept = torch.load(path, map_location="cpu", weights_only=True)
    return Views(kept["values"].to(device), decoder.decode(kept["facts"]))


def new_tokenizer() -> Tokenizer:
    """The tokenizer of everything said in training."""
    return Tokenizer(vocabulary(wordings.words()))


def train_decoder(
    plan: Plan, worlds: Worlds, views: Views, folder: Path, device: torch.device, say: Callable[[str], None]
) -> Decoder:
    """Train, or go on where the checkpoint in the folder stands; returns the averaged decoder."""
    how = plan.decoder
    tokenizer = new_tokenizer()
    name = f"decoder-{worlds}"
    torch.manual_seed(0)
    model = Decoder(how.shape, len(tokenizer.vocabulary)).to(device)
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(how.average))
    optimizer = torch.optim.AdamW(
        model.parameters(), how.rate, betas=(0.9, 0.98), weight_decay=how.decay, fused=device.type == "cuda"
    )
    curve = Curve(folder / f"{name}.csv")
    step = load(folder / f"{name}.pt", model, average, optimizer)
    kept = min(KEPT, len(views.facts) // 2)
    exam = next(_batches(tokenizer, views.facts[:kept], worlds, Random("exam"), 0, kept))
    if step < how.steps:
        curve.cut(step)
        talks = _Talks(tokenizer, views.facts[kept:], worlds, f"train/{plan.seed}/{step}", kept, how.batch)
        loader = DataLoader(
            talks,
            batch_size=None,
            num_workers=plan.workers,
            prefetch_factor=8 if plan.workers else None,
            multiprocessing_context="fork" if plan.workers else None,
        )
        saved = began = time.monotonic()
        for chosen, tokens, spoken in loader:
            for group in optimizer.param_groups:
                group["lr"] = how.rate * rate_at(step, how.steps)
            tokens, spoken = tokens.to(device).long(), spoken.to(device)
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                logits = model.all_logits(tokens, views.values[chosen.to(device)])
            loss = loss_of(logits, tokens, spoken)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            average.update_parameters(model)
            step += 1
            if step % 500 == 0 or step == how.steps:
                right = exam_score(average.module, views.values, exam)
                curve.add(step, {"loss": float(loss.detach()), "right": right})
                seconds = time.monotonic() - began
                say(f"{name} {step}/{how.steps} loss {float(loss.detach()):.4f} right {right:.4f} {seconds:.0f} s")
            if time.monotonic() - saved > SAVE_SECONDS or step >= how.steps:
                save(folder / f"{name}.pt", step, model, average, optimizer)
                saved = time.monotonic()
            if step >= how.steps:
                break
    decoder: Decoder = average.module
    return decoder.eval()


@torch.no_grad()
def exam_score(decoder: Decoder, values: Tensor, exam: Batch) -> float:
    """Share of conversations whose every word, answer and reason, would have been the model's first choice."""
    chosen, tokens, spoken = (part.to(values.device) for part in exam)
    guessed = decoder.all_logits(tokens.long(), values[chosen]).argmax(-1)[:, :-1]
    wrong = (guessed != tokens[:, 1:]) & spoken[:, 1:]
    return float((~wrong.any(1)).float().mean())


class _Talks(IterableDataset[Batch]):
    def __init__(
        self, tokenizer: Tokenizer, facts: Sequence[Facts], worlds: Worlds, seed: str, first: int, batch: int
    ) -> None:
        self._tokenizer, self._facts, self._worlds = tokenizer, facts, worlds
        self._seed, self._first, self._batch = seed, first, batch

    def __iter__(self) -> Iterator[Batch]:
        torch.set_num_threads(1)
        worker = get_worker_info()
        rng = Random(f"{self._seed}/{worker.id if worker else 0}")
        while True:
            yield from _batches(self._tokenizer, self._facts, self._worlds, rng, self._first, self._batch, GROUPED)


def _batches(
    tokenizer: Tokenizer,
    facts: Sequence[Facts],
    worlds: Worlds,
    rng: Random,
    first: int,
    batch: int,
    groups: int = 1,
) -> Iterator[Batch]:
    """Batches of conversations about pictures by chance, each of conversations about as long as each other."""
    talks: list[tuple[int, list[int], list[bool]]] = []
    for _ in range(batch * groups):
        number = rng.randrange(len(facts))
        tokens, spoken = as_tokens(tokenizer, talk(rng, facts[number], worlds))
        talks.append((first + number, tokens, spoken))
    talks.sort(key=lambda one: len(one[1]))
    starts = list(range(0, len(talks), batch))
    rng.shuffle(starts)
    for start in starts:
        group = talks[start : start + batch]
        longest = max(len(tokens) for _, tokens, _ in group)
        padded = np.full((len(group), longest), tokenizer.pad, np.int16)
        spoken_of = np.zeros((len(group), longest), np.bool_)
        for row, (_, tokens, spoken) in enumerate(group):
            padded[row, : len(tokens)] = tokens
            spoken_of[row, : len(tokens)] = spoken
        yield (
            torch.tensor([number for number, _, _ in group]),
            torch.from_numpy(padded),
            torch.from_numpy(spoken_of),
        )


def as_tokens(tokenizer: Tokenizer, said: Talk) -> tuple[list[int], list[bool]]:
    """A conversation as tokens, and which of them are the model's to say."""
    tokens: list[int] = []
    spoken: list[bool] = []
    for nth, text in enumerate(said.turns):
        words = tokenizer.encode(text)
        if nth % 2 == 0:
            tokens += [tokenizer.user, *words]
            spoken += [False] * (1 + len(words))
        else:
            tokens += [tokenizer.model, *words, tokenizer.end]
            spoken += [False] + [True] * (len(words) + 1)
    return tokens, spoken
