"""The decoder: reads the conversation, attends to the encoder's counts, and writes the next word."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from countersight.models.embedded import LARGEST, VALUES
from tools.embedded.config import DecoderShape

NARROW = 0.35
"""How far a count may be from a whole number and still be read as that number: the width of a bell curve."""
UNSAID = -30.0
"""The logit of words that the model only reads and never writes."""


class Attention(nn.Module):
    """Multi-head attention from every token to every token of a source."""

    def __init__(self, shape: DecoderShape) -> None:
        super().__init__()
        self.heads, self.each = shape.heads, shape.width // shape.heads
        self.query = nn.Linear(shape.width, shape.width)
        self.key_value = nn.Linear(shape.width, 2 * shape.width)
        self.out = nn.Linear(shape.width, shape.width)

    def split(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        return x.view(batch, length, -1, self.each).transpose(1, 2)

    def memory(self, source: Tensor) -> tuple[Tensor, Tensor]:
        key, value = self.split(self.key_value(source)).chunk(2, dim=1)
        return key, value

    def forward(self, x: Tensor, key: Tensor, value: Tensor, visible: Tensor | None, *, causal: bool = False) -> Tensor:
        query = self.split(self.query(x))
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=visible, is_causal=causal)
        out: Tensor = self.out(mixed.transpose(1, 2).flatten(2))
        return out


class Block(nn.Module):
    """One layer: attention to the text so far, attention to the picture, and a feed-forward network."""

    def __init__(self, shape: DecoderShape) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(shape.width) for _ in range(3))
        self.text = Attention(shape)
        self.picture = Attention(shape)
        self.think = nn.Sequential(
            nn.Linear(shape.width, 4 * shape.width), nn.ReLU(), nn.Linear(4 * shape.width, shape.width)
        )

    def forward(self, x: Tensor, seen: Tensor, past: Tensor, visible: Tensor) -> tuple[Tensor, Tensor]:
        """Return the output, and `past` with new keys and values added (2 × batch × heads × tokens × each)."""
        source = self.norms[0](x)
        key, value = self.text.memory(source)
        key, value = torch.cat((past[0], key), dim=2), torch.cat((past[1], value), dim=2)
        x = x + self.text(source, key, value, visible)
        return self._look_and_think(x, seen), torch.stack((key, value))

    def whole(self, x: Tensor, seen: Tensor) -> Tensor:
        """Return the output for whole conversations, without a cache."""
        source = self.norms[0](x)
        return self._look_and_think(x + self.text(source, *self.text.memory(source), None, causal=True), seen)

    def _look_and_think(self, x: Tensor, seen: Tensor) -> Tensor:
        x = x + self.picture(self.norms[1](x), *self.picture.memory(seen), None)
        out: Tensor = x + self.think(self.norms[2](x))
        return out


class Decoder(nn.Module):
    """Maps tokens and VALUES to the logits of the next token. It can only write the first `said` words."""

    def __init__(self, shape: DecoderShape, words: int, said: int) -> None:
        super().__init__()
        self.shape, self.unsaid = shape, words - said
        self.words = nn.Embedding(words, shape.width)
        self.places = nn.Embedding(shape.context, shape.width)
        self.numbers = nn.Embedding(LARGEST + 1, shape.width)
        self.names = nn.Embedding(len(VALUES), shape.width)
        self.seen_norm = nn.LayerNorm(shape.width)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = nn.LayerNorm(shape.width)
        self.next = nn.Linear(shape.width, said)
        for table in (self.words, self.places, self.numbers, self.names):
            nn.init.normal_(table.weight, std=0.5)
        self.register_buffer("line", torch.arange(LARGEST + 1, dtype=torch.float32), persistent=False)

    def look(self, values: Tensor) -> Tensor:
        """Return every value as a token that encodes its nearest number and what it counts."""
        line: Tensor = self.line
        off = (values[:, :, None].clamp(0, LARGEST) - line) / NARROW
        number = (-0.5 * off * off).softmax(-1) @ self.numbers.weight
        seen: Tensor = self.seen_norm(number + self.names.weight)
        return seen

    def forward(
        self, tokens: Tensor, places: Tensor, valid: Tensor, past: Tensor, values: Tensor, at: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the logits at the positions `at` (batch × wanted), and the cache with these tokens added.

        tokens, places: batch × new; valid: batch × (before + new), 0 where there is padding;
        past: layers × 2 × batch × heads × before × each.
        """
        before, new = past.shape[4], tokens.shape[1]
        seen = self.look(values)
        x = self.words(tokens) + self.places(places)
        slots = torch.arange(before + new, device=tokens.device)
        earlier = slots[None, :] <= slots[before:, None]
        visible = earlier[None, None] & (valid != 0)[:, None, None, :]
        caches = []
        for layer, block in enumerate(self.blocks):
            x, cache = block(x, seen, past[layer], visible)
            caches.append(cache)
        wanted = x.gather(1, at[:, :, None].expand(-1, -1, x.shape[2]))
        return functional.pad(self.next(self.norm(wanted)), (0, self.unsaid), value=UNSAID), torch.stack(caches)

    def logits_at(self, tokens: Tensor, values: Tensor, at: Tensor) -> Tensor:
        """Return the logits at some tokens of whole conversations, padded on the right; used in training.

        Padding comes last, so that no token attends to it. `at` indexes the flattened rows.
        """
        states = self.states(tokens, values).flatten(0, 1).index_select(0, at)
        logits: Tensor = self.next(self.norm(states))
        return logits

    def states(self, tokens: Tensor, values: Tensor) -> Tensor:
        """Return the last layer's output for every token of conversations that are padded on the right."""
        x: Tensor = self.words(tokens) + self.places.weight[: tokens.shape[1]]
        seen = self.look(values)
        for block in self.blocks:
            x = block.whole(x, seen)
        return x

    def empty(self, batch: int, device: torch.device) -> Tensor:
        """Return an empty cache."""
        shape = self.shape
        return torch.zeros(shape.layers, 2, batch, shape.heads, 0, shape.width // shape.heads, device=device)
