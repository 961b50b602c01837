"""An endless supply of batches of tokenised conversations, made by several processes."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from random import Random

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from countersight.models.embedded import PIECE, SPECIAL, Tokenizer
from countersight.scenes import Facts
from tools.embedded import wordings
from tools.embedded.conversations import Conversation, conversation
from tools.embedded.wordings import Worlds

GROUPED = 4
"""Batches made at a time and sorted by length, so that they contain little padding."""
REMEMBERED = 1000
"""Batches kept for reuse."""
MULTIPLE = 8
"""Lengths are padded to multiples of this, which is faster on GPUs."""
REASON = 0.3
"""The weight of a reason's tokens in the loss; those of an answer have weight 1."""

LONG = 8
"""A reply with at least this many tokens is a reason, not an answer."""

Batch = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]
"""Picture numbers; tokens; positions in the flattened rows that predict the model's tokens; these tokens; weights."""


def vocabulary(said: Iterable[str], heard: Iterable[str]) -> tuple[str, ...]:
    """Build a vocabulary: first the tokens that a model may write, then words that it only reads."""
    tokens = [*always_said(), *sorted(set(said).difference(always_said()))]
    return (*tokens, *sorted(set(heard).difference(tokens)))


def always_said() -> tuple[str, ...]:
    """Return the first tokens of every vocabulary: markers of turns, numbers up to 99, letters and punctuation."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    return (
        *SPECIAL,
        "\n",
        *(str(number) for number in range(100)),
        *letters[:26].upper(),
        *".,;:?!()'\"-%/",
        *(PIECE + letter for letter in letters),
    )


@cache
def new_tokenizer() -> Tokenizer:
    """Return the tokenizer for everything said in training."""
    return Tokenizer(vocabulary(wordings.said(), wordings.heard()))


def words_said() -> int:
    """Return how many tokens of the vocabulary a decoder may write; they come first."""
    return len({*always_said(), *wordings.said()})


def endless(
    facts: Sequence[Facts], worlds: Worlds, seed: str, *, first: int, batch: int, workers: int
) -> DataLoader[Batch]:
    """Return endless batches about random pictures; `first` is the number of the first picture."""
    return DataLoader(
        _Batches(facts, worlds, seed, first, batch),
        batch_size=None,
        num_workers=workers,
        prefetch_factor=8 if workers else None,
        multiprocessing_context="fork" if workers else None,
        pin_memory=torch.cuda.is_available(),
    )


class _Batches(IterableDataset[Batch]):
    def __init__(self, facts: Sequence[Facts], worlds: Worlds, seed: str, first: int, batch: int) -> None:
        self._facts, self._worlds = facts, worlds
        self._seed, self._first, self._batch = seed, first, batch

    def __iter__(self) -> Iterator[Batch]:
        torch.set_num_threads(1)
        worker = get_worker_info()
        rng = Random(f"{self._seed}/{worker.id if worker else 0}")
        while True:
            yield from batches(self._facts, self._worlds, rng, self._first, self._batch, GROUPED)


def met_again(stream: Iterable[Batch], times: int, rng: Random) -> Iterator[Batch]:
    """Yield every batch of a stream, each followed by earlier ones: making batches takes longer than using them."""
    earlier: list[Batch] = []
    for batch in stream:
        yield batch
        if len(earlier) < REMEMBERED:
            earlier.append(batch)
        else:
            earlier[rng.randrange(REMEMBERED)] = batch
        for _ in range(times):
            yield rng.choice(earlier)


def batches(
    facts: Sequence[Facts], worlds: Worlds, rng: Random, first: int, batch: int, groups: int = 1
) -> Iterator[Batch]:
    """Yield batches of conversations about random pictures; conversations in a batch have about the same length."""
    tokenizer = new_tokenizer()
    made = []
    for _ in range(batch * groups):
        number = rng.randrange(len(facts))
        made.append((first + number, *as_tokens(tokenizer, conversation(rng, facts[number], worlds))))
    made.sort(key=lambda one: len(one[1]))
    starts = list(range(0, len(made), batch))
    rng.shuffle(starts)
    for start in starts:
        yield _batch(tokenizer.pad, made[start : start + batch])


def _batch(pad: int, group: Sequence[tuple[int, list[int], list[float]]]) -> Batch:
    longest = -(-max(len(tokens) for _, tokens, _ in group) // MULTIPLE) * MULTIPLE
    padded = np.full((len(group), longest), pad, np.int32)
    counts = np.zeros((len(group), longest), np.float32)
    for row, (_, tokens, weights) in enumerate(group):
        padded[row, : len(tokens)] = tokens
        counts[row, : len(tokens)] = weights
    (spoken,) = counts.ravel().nonzero()
    return (
        torch.tensor([number for number, _, _ in group]),
        torch.from_numpy(padded),
        torch.from_numpy(spoken - 1),  # each token is predicted at the position before it
        torch.from_numpy(padded.ravel()[spoken].astype(np.int64)),
        torch.from_numpy(counts.ravel()[spoken]),
    )


def as_tokens(tokenizer: Tokenizer, said: Conversation) -> tuple[list[int], list[float]]:
    """Return a conversation as tokens, and their weights in the loss: 0 for tokens that the model does not write."""
    tokens: list[int] = []
    weights: list[float] = []
    for nth, text in enumerate(said.turns):
        words = tokenizer.encode(text)
        if nth % 2 == 0:
            tokens += [tokenizer.user, *words]
            weights += [0.0] * (1 + len(words))
        else:
            tokens += [tokenizer.model, *words, tokenizer.end]
            weights += [0.0] + [1.0 if len(words) < LONG else REASON] * (len(words) + 1)
    return tokens, weights
