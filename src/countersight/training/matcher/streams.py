"""LXMERT's layers, run faster than transformers runs them, to the same numbers.

A picture goes through its own layers once, however many texts are read beside it, and attention is torch's fused one.
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional


def two_streams(
    body: Any, tokens: Tensor, real: Tensor, features: Tensor, boxes: Tensor, there: Tensor, shown: Tensor
) -> tuple[Tensor, Tensor]:
    """The states of the texts and of the regions after all layers.

    `there` says which regions of a picture are real, and `shown` which picture each text is read beside.
    """
    encoder = body.encoder
    text, text_mask = body.embeddings(tokens, torch.zeros_like(tokens)), real.bool()[:, None, None, :]
    vision, vision_mask = encoder.visn_fc(features, boxes), there.bool()[:, None, None, :]
    for layer in encoder.layer:
        text = _layer(layer, text, text_mask)
    for layer in encoder.r_layers:
        vision = _layer(layer, vision, vision_mask)
    vision, vision_mask = vision[shown], vision_mask[shown]
    for layer in encoder.x_layers:
        text, vision = _crossed(layer, text, text_mask, vision, vision_mask)
    return text, vision


def _layer(layer: Any, states: Tensor, mask: Tensor) -> Tensor:
    seen = _attended(layer.attention.self, layer.attention.output, states, states, mask)
    out: Tensor = layer.output(layer.intermediate(seen), seen)
    return out


def _crossed(layer: Any, text: Tensor, text_mask: Tensor, vision: Tensor, vision_mask: Tensor) -> tuple[Tensor, Tensor]:
    """Each stream looks at the other, both by the same weights, and then at itself."""
    cross = layer.visual_attention
    text, vision = (
        _attended(cross.att, cross.output, text, vision, vision_mask),
        _attended(cross.att, cross.output, vision, text, text_mask),
    )
    text = _attended(layer.lang_self_att.self, layer.lang_self_att.output, text, text, text_mask)
    vision = _attended(layer.visn_self_att.self, layer.visn_self_att.output, vision, vision, vision_mask)
    return layer.lang_output(layer.lang_inter(text), text), layer.visn_output(layer.visn_inter(vision), vision)


def _attended(attention: Any, output: Any, states: Tensor, context: Tensor, mask: Tensor) -> Tensor:
    def heads(projected: Tensor) -> Tensor:
        return projected.unflatten(-1, (attention.num_attention_heads, -1)).transpose(1, 2)

    dropped = attention.dropout.p if attention.training else 0.0
    found = functional.scaled_dot_product_attention(
        heads(attention.query(states)),
        heads(attention.key(context)),
        heads(attention.value(context)),
        attn_mask=mask,
        dropout_p=dropped,
    )
    out: Tensor = output(found.transpose(1, 2).flatten(2), states)
    return out
