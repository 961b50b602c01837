"""Optimisations of loaded models, which change results only by rounding."""

import functools
import inspect
import sys
from contextlib import suppress
from typing import Any

import torch
from torch import nn
from torch.nn import functional
from transformers import AttentionInterface

_NAME = "countersight_flash_pieces"
"""The attention function; transformers passes boundaries of pieces only to functions with "flash" in their names."""
_TURN = "apply_rotary_pos_emb_vision"
"""The function of transformers that rotates queries and keys by position, in many vision encoders."""
_WIDTH = 64
"""Matrix sides are padded to a multiple of this; on GPUs, sides that are no multiple of 8 take three times as long."""


def speed_up(model: Any) -> None:
    """Optimise a model in place."""
    _attend_in_pieces(model)
    _speed_up_rotation(model)
    for module in model.modules():
        if isinstance(module, nn.Conv2d | nn.Conv3d):
            _replace_patch_convolution(module)
    if model.device.type == "cuda":
        # cuDNN attention makes a new plan, in 0.1 s or more, whenever the length of a batch changes.
        torch.backends.cuda.enable_cudnn_sdp(False)
    if model.device.type != "cuda" or hasattr(model, "hf_device_map"):
        return  # no gain on other devices, and the layers of a distributed model are wrapped
    plain: dict[type, bool] = {}
    for module in model.modules():
        for inner, outer in ((("gate_proj", "up_proj"), "down_proj"), (("fc1",), "fc2")):
            _pad_hidden_size([getattr(module, name, None) for name in inner], getattr(module, outer, None))
        if type(module).__name__.endswith("RMSNorm"):
            _fuse_norm(module, plain)


def _attend_in_pieces(model: Any) -> None:
    """Make encoders for pictures of variable size compute attention in one call instead of picture by picture.

    Such an encoder joins the patches of all pictures in one row, in which only patches of the same picture or window
    see each other. Transformers splits the row into hundreds of pieces in every layer, which is slow.
    """
    AttentionInterface.register(_NAME, attend)
    for module in model.modules():
        config: Any = getattr(module, "config", None)
        usual = getattr(config, "_attn_implementation", None) == "sdpa"
        if usual and "cu_seqlens" in inspect.signature(module.forward).parameters:
            config._attn_implementation = _NAME


def attend(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any = None,
    *,
    scaling: float | None = None,
    cu_seq_lens_q: Any = None,
    max_length_q: int | None = None,
    **_: Any,
) -> tuple[Any, None]:
    """Compute attention within the pieces of a row, `(1, heads, places, width)`, with bounds in `cu_seq_lens_q`."""
    groups = query.shape[1] // key.shape[1]
    if groups > 1:  # several heads share their keys and values (EXAONE 4.5)
        key, value = (part.repeat_interleave(groups, dim=1) for part in (key, value))
    if cu_seq_lens_q is None or max_length_q is None:
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=attention_mask, scale=scaling)
        return seen.transpose(1, 2).contiguous(), None
    rows = [part[0].transpose(0, 1) for part in (query, key, value)]
    if _has_kernel(query, scaling):
        from torch.nn.attention.varlen import varlen_attn

        ends = cu_seq_lens_q.to(torch.int32)
        return varlen_attn(*rows, ends, ends, max_length_q, max_length_q)[None], None
    return _attend_padded(rows, cu_seq_lens_q, max_length_q, scaling)[None], None


def _has_kernel(query: Any, scaling: float | None) -> bool:
    """Whether torch has a usable kernel for attention within the pieces of a row (variable-length attention)."""
    width = query.shape[-1]
    return (
        query.is_cuda
        and query.dtype in (torch.bfloat16, torch.float16)
        and width % 8 == 0
        and width <= 256
        and (scaling is None or abs(scaling - width**-0.5) < 1e-6)
        and _has_varlen_kernel()
        and torch.cuda.get_device_capability(query.device) >= (8, 0)
    )


@functools.cache
def _has_varlen_kernel() -> bool:
    try:
        from torch.nn.attention.varlen import varlen_attn
    except ImportError:  # before torch 2.10
        return False
    return callable(varlen_attn)


def _attend_padded(rows: list[Any], ends: Any, longest: int, scaling: float | None) -> Any:
    """Compute the attention without such a kernel, by padding the pieces and stacking them as a batch."""
    query, key, value = rows
    lengths = (ends[1:] - ends[:-1]).long()
    within = torch.arange(longest, device=query.device)
    there = within < lengths[:, None]
    places = (ends[:-1].long()[:, None] + within).clamp_(max=len(query) - 1)
    query, key, value = (part[places].transpose(1, 2) for part in (query, key, value))
    seen = functional.scaled_dot_product_attention(query, key, value, there[:, None, None, :], scale=scaling)
    return seen.transpose(1, 2)[there]


def _speed_up_rotation(model: Any) -> None:
    """Make encoders rotate queries and keys with an equivalent function that needs a quarter of the memory traffic."""
    for family in {type(module).__module__ for module in model.modules()}:
        usual = getattr(sys.modules[family], _TURN, None)
        if usual is not None and usual is not rotate and _is_equivalent_rotation(usual):
            setattr(sys.modules[family], _TURN, rotate)


def rotate(query: Any, key: Any, cosines: Any, sines: Any) -> tuple[Any, Any]:
    """Rotate queries and keys, `(places, heads, width)`, by the angle of each place, in float32."""
    angles = [half.unsqueeze(-2).float() for part in (cosines, sines) for half in part.chunk(2, dim=-1)]
    return _rotate_part(query, *angles), _rotate_part(key, *angles)


def _rotate_part(part: Any, cos: Any, further_cos: Any, sin: Any, further_sin: Any) -> Any:
    made = torch.empty_like(part)
    (first, second), (left, right) = part.chunk(2, dim=-1), made.chunk(2, dim=-1)
    torch.addcmul(first * cos, second, sin, value=-1, out=left)
    torch.addcmul(second * further_cos, first, further_sin, out=right)
    return made


def _is_equivalent_rotation(usual: Any) -> bool:
    """Whether a function is equivalent to `rotate`: some families have other arguments or layouts."""
    given = [torch.linspace(-2, 3, 3 * 2 * 8).view(3, 2, 8), torch.linspace(1, -1, 3 * 2 * 8).view(3, 2, 8)]
    given += [torch.linspace(-1, 1, 3 * 8).view(3, 8), torch.linspace(0, 1, 3 * 8).view(3, 8)]
    with suppress(Exception):  # it may raise any exception for these arguments
        return all(torch.allclose(*both, atol=1e-5) for both in zip(usual(*given), rotate(*given), strict=True))
    return False


def _replace_patch_convolution(convolution: Any) -> None:
    """Make a convolution compute patches of its kernel size by a matrix product, which is faster."""
    if convolution.groups != 1 or set(convolution.dilation) != {1} or set(convolution.padding) != {0}:
        return
    usual, size = convolution.forward, convolution.kernel_size

    def at_once(patches: Any) -> Any:
        if patches.shape[2:] != size:
            return usual(patches)
        made = functional.linear(patches.flatten(1), convolution.weight.flatten(1), convolution.bias)
        return made.view(*made.shape, *(1 for _ in size))

    convolution.forward = at_once


def _pad_hidden_size(inner: list[Any], outer: Any) -> None:
    """Pad the hidden size between two layers with zero weights, to a multiple that is fast."""
    if any(type(layer) is not nn.Linear for layer in (*inner, outer)):
        return
    old = outer.in_features
    if old % 8 == 0 or any(layer.out_features != old for layer in inner):
        return
    added = -old % _WIDTH
    with torch.no_grad():
        for layer in inner:
            layer.weight = nn.Parameter(functional.pad(layer.weight, (0, 0, 0, added)), requires_grad=False)
            if layer.bias is not None:
                layer.bias = nn.Parameter(functional.pad(layer.bias, (0, added)), requires_grad=False)
            layer.out_features = old + added
        outer.weight = nn.Parameter(functional.pad(outer.weight, (0, added)), requires_grad=False)
        outer.in_features = old + added


def _fuse_norm(norm: Any, plain: dict[type, bool]) -> None:
    """Compute an RMS norm in one operation, unless it is a variant: some families add 1 to its weight."""
    weight, tiny = getattr(norm, "weight", None), getattr(norm, "variance_epsilon", None)
    if weight is None or tiny is None:
        return

    def at_once(hidden: Any) -> Any:
        return functional.rms_norm(hidden, weight.shape, weight, tiny)

    kind = type(norm)
    if kind not in plain:
        probe = torch.linspace(-2, 3, weight.numel(), device=weight.device, dtype=weight.dtype)
        with torch.inference_mode():
            plain[kind] = torch.allclose(norm(probe), at_once(probe), rtol=0.02, atol=0.02)
    if plain[kind]:
        norm.forward = at_once
