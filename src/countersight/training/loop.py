"""The training loop of one matcher, and its batches. Every epoch is saved, so at most one epoch is lost.

All options of an example are in one batch, and batches have similar lengths.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, cycle, islice
from math import ceil
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from countersight.errors import CountersightError
from countersight.models.matcher import TOKENIZER, Sequences, View, side_by_side, surface
from countersight.training.examples import Example
from countersight.training.network import TwoStreams
from countersight.training.plan import COUNTS, TrainingPlan

CHECKPOINT = "checkpoint.pt"
VOCABULARY = 8000
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
AHEAD = 4
"""The number of batches prepared in advance."""

Batch = tuple[Sequence[Example], dict[str, Tensor]]


class TrainingBatches:
    """Creates batches of examples, with cached tokens."""

    def __init__(self, sequences: Sequences, plan: TrainingPlan, views: Mapping[str, View]) -> None:
        self._sequences = sequences
        self._plan = plan
        self._views = views
        self._tokens: dict[str, list[list[int]]] = {}
        self._counts: dict[str, npt.NDArray[np.float32]] = {}

    def shuffled(self, examples: Sequence[Example], size: int, seed: str) -> Iterator[Batch]:
        """Iterate over all examples once, in batches of similar length to limit padding, in random order."""
        chance = Random(seed)
        order = sorted(examples, key=lambda one: (self._length(one) + chance.uniform(0, 8), one.key))
        cut = [order[start : start + size] for start in range(0, len(order), size)]
        chance.shuffle(cut)
        return self._ahead(cut)

    def in_order(self, examples: Sequence[Example], size: int) -> Iterator[Batch]:
        """Iterate over all examples once, the longest first."""
        order = sorted(examples, key=lambda one: (-self._length(one), one.key))
        return self._ahead([order[start : start + size] for start in range(0, len(order), size)])

    def _ahead(self, parts: Sequence[Sequence[Example]]) -> Iterator[Batch]:
        """Create the batches in a background thread, a few in advance."""
        with ThreadPoolExecutor(1, "batches") as pool:
            remaining = iter(parts)
            started = [(part, pool.submit(self._tensors, part)) for part in islice(remaining, AHEAD)]
            while started:
                part, batch = started.pop(0)
                started += [(after, pool.submit(self._tensors, after)) for after in islice(remaining, 1)]
                yield part, batch.result()

    def _length(self, example: Example) -> int:
        return max(map(len, self._encoded(example)))

    def _encoded(self, example: Example) -> list[list[int]]:
        if example.key not in self._tokens:
            tokens = self._sequences.encode_options(self._plan.inputs, example.parts, example.options)
            self._tokens[example.key] = tokens
        return self._tokens[example.key]

    def _tensors(self, part: Sequence[Example]) -> dict[str, Tensor]:
        tokens, real = self._sequences.batch([row for example in part for row in self._encoded(example)])
        tensors = {"tokens": torch.from_numpy(tokens), "real": torch.from_numpy(real)}
        if self._plan.inputs == "full":  # the picture of each example, stored once, and its index for each sequence
            features, boxes, there = map(torch.from_numpy, side_by_side([self._views[one.picture] for one in part]))
            shown = torch.arange(len(part)).repeat_interleave(torch.tensor([len(one.options) for one in part]))
            tensors |= {"features": features, "boxes": boxes, "there": there, "shown": shown}
        if self._plan.surface:
            for one in part:
                if one.key not in self._counts:
                    self._counts[one.key] = surface(self._plan.inputs, one.parts, one.options)
            tensors["counts"] = torch.from_numpy(np.concatenate([self._counts[one.key] for one in part]))
        return tensors


class Epoch(msgspec.Struct, frozen=True):
    """One epoch of the training curve."""

    epoch: int
    loss: float
    held_out: float
    """The accuracy on the held-out examples."""


class Trainer:
    """Trains one network with one seed."""

    def __init__(
        self, plan: TrainingPlan, network: nn.Module, batches: TrainingBatches, folder: Path, device: torch.device
    ) -> None:
        self.plan = plan
        self.network = network.to(device)
        self._batches = batches
        self._folder = folder
        self._device = device
        self._optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=plan.rate, weight_decay=plan.decay, fused=device.type == "cuda"
        )
        self.curve: list[Epoch] = []
        self._best: dict[str, Tensor] = {}

    def fit(
        self,
        learned: Sequence[Example],
        held_out: Sequence[Example],
        beside: Sequence[Example],
        seed: int,
        say: Callable[[str], None],
    ) -> None:
        """Train until the last epoch, and load the network of the best epoch.

        Batches of `beside` alternate with those of the examples (multi-task training; CoSIm, section 7).
        """
        torch.manual_seed(seed)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._resume()
        for epoch in range(len(self.curve) + 1, self.plan.epochs + 1):
            loss = self._one_epoch(learned, beside, seed, epoch)
            self._save(Epoch(epoch, loss, self.accuracy(held_out)))
            reached = f", held out {self.curve[-1].held_out:.1%}" if held_out else ""
            say(f"epoch {epoch}: loss {loss:.4f}{reached}")
        self.network.load_state_dict(self._best)

    def accuracy(self, examples: Sequence[Example]) -> float:
        """Return the share of examples whose right option has the highest score; 0 without examples."""
        scores = self.scores(examples)
        return sum(int(scores[one.key].argmax()) == one.right for one in examples) / max(1, len(examples))

    @torch.inference_mode()
    def scores(self, examples: Sequence[Example]) -> dict[str, Tensor]:
        """Return the log-probabilities of the options of each example."""
        self.network.eval()
        found = {}
        for part, tensors in self._batches.in_order(examples, 4 * self.plan.batch):
            with self._autocast():
                scores = self.network(**self._to_device(tensors)).float().cpu()
            for example, one in zip(part, scores.split([len(each.options) for each in part]), strict=True):
                found[example.key] = functional.log_softmax(one, 0)
        return found

    def _one_epoch(self, learned: Sequence[Example], beside: Sequence[Example], seed: int, epoch: int) -> float:
        self.network.train()
        batches = self._batches.shuffled(learned, self.plan.batch, f"{seed}/{epoch}")
        further = cycle(self._batches.shuffled(beside, self.plan.batch, f"{seed}/{epoch}/beside")) if beside else None
        total = torch.zeros((), device=self._device)
        for batch in batches:
            total += self._step(batch)
            if further:
                self._step(next(further))
        return float(total) / ceil(len(learned) / self.plan.batch)

    def _step(self, batch: Batch) -> Tensor:
        with self._autocast():
            loss = self._loss(batch)
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self._optimizer.step()
        return loss.detach()

    def _loss(self, batch: Batch) -> Tensor:
        """Return the cross-entropy over the options of each example.

        The contrastive objective adds the loss of matching each right text with its own picture in the batch.
        """
        part, tensors = batch
        inputs = self._to_device(tensors)
        sizes = [len(example.options) for example in part]
        contrastive_loss: Tensor | float = 0.0
        if self.plan.objective == "contrastive" and isinstance(self.network, TwoStreams):
            counts = inputs.pop("counts", None)
            text, vision = self.network.tokens(**inputs)
            starts = accumulate(sizes[:-1], initial=0)
            right = [start + example.right for start, example in zip(starts, part, strict=True)]
            contrastive_loss = _contrastive_loss(text[right] @ vision[right].T / text.shape[1] ** 0.5)
            scores = self.network.scored(text, vision, counts)
        else:
            scores = self.network(**inputs)
        padded = nn.utils.rnn.pad_sequence(scores.float().split(sizes), batch_first=True, padding_value=-torch.inf)
        answers = torch.tensor([example.right for example in part], device=self._device)
        return functional.cross_entropy(padded, answers) + contrastive_loss

    def _to_device(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        moved = {name: tensor.to(self._device, non_blocking=True) for name, tensor in tensors.items()}
        return {name: tensor.float() if tensor.is_floating_point() else tensor for name, tensor in moved.items()}

    def _autocast(self) -> Any:
        short = self._device.type == "cuda" and self.plan.precision == "bf16"
        return torch.autocast(self._device.type, torch.bfloat16, enabled=short)

    def _save(self, epoch: Epoch) -> None:
        """Save the epoch atomically, with the complete training state."""
        if not self.curve or not self.plan.held_out or epoch.held_out > max(one.held_out for one in self.curve):
            self._best = {name: value.detach().cpu().clone() for name, value in self.network.state_dict().items()}
        self.curve.append(epoch)
        beside = self._folder / f"{CHECKPOINT}.part"
        kept: dict[str, Any] = {"best": self._best, "curve": msgspec.to_builtins(self.curve)}
        if epoch.epoch < self.plan.epochs:  # only needed to resume training: three quarters of the size
            kept |= {
                "network": self.network.state_dict(),
                "optimizer": self._optimizer.state_dict(),
                "chance": torch.get_rng_state(),
                "chance there": torch.cuda.get_rng_state() if self._device.type == "cuda" else None,
            }
        torch.save(kept, beside)
        beside.replace(self._folder / CHECKPOINT)

    def _resume(self) -> None:
        if not (self._folder / CHECKPOINT).exists():
            return
        kept = torch.load(self._folder / CHECKPOINT, map_location="cpu", weights_only=True)
        self._best = kept["best"]
        self.curve = msgspec.convert(kept["curve"], list[Epoch])
        if len(self.curve) == self.plan.epochs:
            return
        self.network.load_state_dict(kept["network"])
        self._optimizer.load_state_dict(kept["optimizer"])
        torch.set_rng_state(kept["chance"])
        if kept["chance there"] is not None and self._device.type == "cuda":
            torch.cuda.set_rng_state(kept["chance there"])


def _contrastive_loss(likeness: Tensor) -> Tensor:
    """Return the symmetric cross-entropy of matching rows (texts) with columns (pictures) in the batch."""
    own = torch.arange(len(likeness), device=likeness.device)
    both = functional.cross_entropy(likeness.float(), own) + functional.cross_entropy(likeness.T.float(), own)
    return both / 2


def sequences_for(encoder: str, examples: Sequence[Example]) -> Sequences:
    """Return the encoder's own tokenizer, or build one from the examples if there is no encoder."""
    if encoder in ("", COUNTS):
        return Sequences(_learn_tokenizer(examples))
    file = Path(encoder) / TOKENIZER
    if file.is_file():
        return Sequences.open(file)
    from transformers import AutoTokenizer

    try:
        slow = AutoTokenizer.from_pretrained(encoder, local_files_only=True)
        return Sequences(slow.backend_tokenizer)
    except (OSError, ValueError, AttributeError) as error:
        raise CountersightError(f"{encoder} contains no usable tokenizer: {str(error)[:200]}") from None


def _learn_tokenizer(examples: Sequence[Example]) -> Any:
    """Build a vocabulary of the most frequent words and of all characters, with which other words are spelled.

    Unlike in the `tokenizers` trainer, ties are broken deterministically, so that training is reproducible.
    """
    from tokenizers import Tokenizer, normalizers, pre_tokenizers
    from tokenizers.models import WordPiece

    normalizer, splitter = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    words: Counter[str] = Counter()
    for text in (text for one in examples for text in (*msgspec.structs.astuple(one.parts), *one.options)):
        words.update(word for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text)))
    signs = sorted({sign for word in words for sign in word})
    known = sorted(words, key=lambda word: (-words[word], word))[:VOCABULARY]
    tokens = dict.fromkeys([*SPECIAL, *signs, *(f"##{sign}" for sign in signs), *known])
    tokenizer = Tokenizer(WordPiece({token: number for number, token in enumerate(tokens)}, unk_token=SPECIAL[1]))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, splitter
    return tokenizer
