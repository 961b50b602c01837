"""A faster implementation of LXMERT's layers than that of transformers, with the same results.

A picture passes its own layers once for all texts about it, attention is torch's fused one, and the last layer computes
only the tokens that are scored.
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

ALL, FIRST = slice(None), slice(1)
"""The tokens of each text and picture that the last layer computes."""
UNSEEN = -1e4
"""Added to the attention of padding; needs fewer steps in the exported graph than a selection."""


def two_streams(
    body: Any,
    tokens: Tensor,
    real: Tensor,
    features: Tensor,
    boxes: Tensor,
    there: Tensor,
    shown: Tensor,
    scored: slice = ALL,
) -> tuple[Tensor, Tensor]:
    """Return the states of texts and regions after all layers, for the scored tokens.

    `there` marks the real regions of a picture, and `shown` is the picture of each text.
    """
    encoder = body.encoder
    text, text_mask = body.embeddings(tokens, torch.zeros_like(tokens)), _hiding(real)
    vision, vision_mask = encoder.visn_fc(features, boxes), _hiding(there)
    for layer in encoder.layer:
        text = _layer(layer, text, text_mask)
    for layer in encoder.r_layers:
        vision = _layer(layer, vision, vision_mask)
    vision, vision_mask = vision[shown], vision_mask[shown]
    for layer in encoder.x_layers[:-1]:
        text, vision = _crossed(layer, text, text_mask, vision, vision_mask, ALL)
    return _crossed(encoder.x_layers[-1], text, text_mask, vision, vision_mask, scored)


def _hiding(real: Tensor) -> Tensor:
    return (1.0 - real[:, None, None, :].float()) * UNSEEN


def _layer(layer: Any, states: Tensor, mask: Tensor) -> Tensor:
    seen = _attended(layer.attention.self, layer.attention.output, states, states, mask)
    out: Tensor = layer.output(layer.intermediate(seen), seen)
    return out


def _crossed(
    layer: Any, text: Tensor, text_mask: Tensor, vision: Tensor, vision_mask: Tensor, scored: slice
) -> tuple[Tensor, Tensor]:
    """Apply cross-attention in both directions with shared weights, then self-attention to the scored tokens."""
    cross = layer.visual_attention
    text, vision = (
        _attended(cross.att, cross.output, text, vision, vision_mask),
        _attended(cross.att, cross.output, vision, text, text_mask),
    )
    text = _attended(layer.lang_self_att.self, layer.lang_self_att.output, text[:, scored], text, text_mask)
    vision = _attended(layer.visn_self_att.self, layer.visn_self_att.output, vision[:, scored], vision, vision_mask)
    return layer.lang_output(layer.lang_inter(text), text), layer.visn_output(layer.visn_inter(vision), vision)


def _attended(attention: Any, output: Any, states: Tensor, context: Tensor, mask: Tensor) -> Tensor:
    def heads(projected: Tensor) -> Tensor:
        return projected.unflatten(-1, (attention.num_attention_heads, -1)).transpose(1, 2)

    dropped = attention.dropout.p if attention.training else 0.0
    asked = heads(attention.query(states))
    found = functional.scaled_dot_product_attention(
        asked,
        heads(attention.key(context)),
        heads(attention.value(context)),
        attn_mask=mask.to(asked.dtype),
        dropout_p=dropped,
    )
    out: Tensor = output(found.transpose(1, 2).flatten(2), states)
    return out
