"""Token-by-token decoding of many conversations at once, with a key-value cache."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from countersight.models.protocol import Loss

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]


class Decoder:
    """Runs one decoder graph. Rows of a batch are padded on the right; padding is never attended to."""

    def __init__(self, graph: Any, end: int, pad: int) -> None:
        self._graph = graph
        self._end, self._pad = end, pad
        shape = next(one.shape for one in graph.get_inputs() if one.name == "past")
        self._layers, self._heads, self._each = shape[0], shape[3], shape[5]

    def generate(self, prompts: Sequence[Sequence[int]], values: Floats, most: int) -> list[list[int]]:
        """Return the most likely tokens after each prompt, up to the end token or to `most` tokens."""
        tokens, valid = self._padded(prompts)
        lengths = valid.sum(axis=1)
        places = np.broadcast_to(np.arange(tokens.shape[1]), tokens.shape)
        written: list[list[int]] = [[] for _ in prompts]
        rows = np.arange(len(prompts))
        past = self.empty(len(prompts))
        at = lengths[:, None] - 1
        while rows.size:
            logits, past = self._run(tokens, places, valid, past, values, at)
            chosen = logits[:, 0].argmax(axis=1)
            for row, token in zip(rows, chosen, strict=True):
                if token != self._end:
                    written[row].append(int(token))
            going = np.array(
                [token != self._end and len(written[row]) < most for row, token in zip(rows, chosen, strict=True)]
            )
            if not going.all():  # finished rows are removed, so that a long answer does not slow down the rest
                rows, chosen, lengths, valid, values = (
                    rows[going],
                    chosen[going],
                    lengths[going],
                    valid[going],
                    values[going],
                )
                past = past[:, :, going]
            tokens, places = chosen[:, None], lengths[:, None]
            lengths = lengths + 1
            valid = np.concatenate((valid, np.ones((len(rows), 1), np.int64)), axis=1)
            at = np.zeros((len(rows), 1), np.int64)
        return written

    def losses(
        self, prompt: Sequence[int], values: Floats, endings: Sequence[Sequence[int]], loss: Loss = "mean"
    ) -> list[float]:
        """Return, for each ending, the mean or sum of the losses of its tokens, including the end token, after the
        prompt."""
        whole = [[*prompt, *ending, self._end] for ending in endings]
        tokens, valid = self._padded(whole)
        count = len(whole)
        places = np.broadcast_to(np.arange(tokens.shape[1]), tokens.shape)
        longest = max(len(ending) for ending in endings) + 1
        at = np.minimum(len(prompt) - 1 + np.arange(longest), tokens.shape[1] - 1)
        logits, _ = self._run(
            tokens, places, valid, self.empty(count), np.repeat(values[None], count, axis=0), np.tile(at, (count, 1))
        )
        logits = logits.astype(np.float64)
        shifted = logits - logits.max(axis=2, keepdims=True)
        logs = shifted - np.log(np.exp(shifted).sum(axis=2, keepdims=True))
        overall = np.mean if loss == "mean" else np.sum
        losses = []
        for row, ending in enumerate(endings):
            said = [*ending, self._end]
            losses.append(float(-overall([logs[row, nth, token] for nth, token in enumerate(said)])))
        return losses

    def empty(self, batch: int) -> Floats:
        """Return a cache without tokens."""
        return np.zeros((self._layers, 2, batch, self._heads, 0, self._each), np.float32)

    def _run(
        self, tokens: Integers, places: Integers, valid: Integers, past: Floats, values: Floats, at: Integers
    ) -> tuple[Floats, Floats]:
        logits, cache = self._graph.run(
            ("logits", "cache"),
            {"tokens": tokens, "places": places, "valid": valid, "past": past, "values": values, "at": at},
        )
        return logits, cache

    def _padded(self, prompts: Sequence[Sequence[int]]) -> tuple[Integers, Integers]:
        longest = max(len(prompt) for prompt in prompts)
        tokens = np.full((len(prompts), longest), self._pad, np.int64)
        valid = np.zeros((len(prompts), longest), np.int64)
        for row, prompt in enumerate(prompts):
            tokens[row, : len(prompt)] = prompt
            valid[row, : len(prompt)] = 1
        return tokens, valid
