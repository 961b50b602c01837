"""LXMERT's layers, run faster than transformers runs them, to the same numbers.

A picture goes through its own layers once, however many texts are read beside it, attention is torch's fused one, and
of the last layer no more is worked out than is scored.
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

ALL, FIRST = slice(None), slice(1)
"""Which tokens of each text, and of each picture, the last layer works out."""
UNSEEN = -1e4
"""Added to what is attended to where a sequence is filled up; exported, it takes fewer steps than a choice does."""


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
    """The states of the texts and of the regions after all layers, for the tokens that are scored.

    `there` says which regions of a picture are real, and `shown` which picture each text is read beside.
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
    """Each stream looks at the other, both by the same weights, and then those that are scored at their own stream."""
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
