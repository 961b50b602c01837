"""Optimised models compute the same results."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from models.local.talks import picture, request
from torch import nn

from countersight.models.local import speedups
from countersight.models.local.conversation import decode_pictures, model_inputs
from countersight.models.local.loading import Loaded, load
from countersight.models.local.speedups import attend, rotate

Folders = Callable[[str], Path]


def looks(loaded: Loaded, implementation: str) -> torch.Tensor:
    """Return the output of the vision encoder for three pictures of different sizes."""
    asked = [request("?", picture(width, height, seed=width)) for width, height in ((200, 100), (30, 90), (64, 64))]
    given = model_inputs(loaded, asked, decode_pictures(*asked))
    encoder = loaded.model.model.visual
    encoder.config._attn_implementation = implementation
    with torch.inference_mode():
        return encoder(given["pixel_values"], grid_thw=given["image_grid_thw"]).pooler_output


@pytest.mark.parametrize("family", ["qwen2_vl", "qwen2_5_vl"])
def test_attention_in_one_call_equals_attention_per_picture(family: str, tiny_folder: Folders) -> None:
    loaded = load(str(tiny_folder(family)), device="cpu")
    encoder = loaded.model.model.visual
    at_once = encoder.config._attn_implementation
    assert "flash" in at_once  # it was made faster when it was loaded
    quick = looks(loaded, at_once)
    torch.testing.assert_close(quick, looks(loaded, "sdpa"), atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(quick, looks(loaded, "eager"), atol=1e-5, rtol=1e-4)


def test_rotation_equals_that_of_transformers(tiny_folder: Folders) -> None:
    family = sys.modules[type(load(str(tiny_folder("qwen2_5_vl")), device="cpu").model).__module__]
    assert family.apply_rotary_pos_emb_vision is rotate
    generator = torch.Generator().manual_seed(0)
    query, key = (torch.randn(50, 4, 16, generator=generator).bfloat16() for _ in range(2))
    angles = torch.randn(50, 8, generator=generator).repeat(1, 2)
    for found, part in zip(rotate(query, key, angles.cos(), angles.sin()), (query, key), strict=True):
        wide, cos, sin = part.float(), angles.cos()[:, None], angles.sin()[:, None]
        torch.testing.assert_close(found, (wide * cos + family.rotate_half(wide) * sin).bfloat16(), atol=0, rtol=0.01)


def test_a_different_rotation_is_not_replaced() -> None:
    assert not speedups._is_equivalent_rotation(lambda query, key, cos, sin: (query * cos[:, None], key))
    assert not speedups._is_equivalent_rotation(lambda query, key, positions: (query, key))


@pytest.mark.parametrize("lengths", [[5], [4, 4, 4], [1, 7, 3, 2]])
def test_attention_is_limited_to_its_piece(lengths: list[int]) -> None:
    generator = torch.Generator().manual_seed(0)
    query, key, value = (torch.randn(1, 2, sum(lengths), 8, generator=generator) for _ in range(3))
    ends = torch.tensor([0, *lengths]).cumsum(0).to(torch.int32)
    found, _ = attend(nn.Module(), query, key, value, scaling=0.3, cu_seq_lens_q=ends, max_length_q=max(lengths))
    pieces = [
        nn.functional.scaled_dot_product_attention(*(part[:, :, start:end] for part in (query, key, value)), scale=0.3)
        for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
    ]
    torch.testing.assert_close(found, torch.cat(pieces, dim=2).transpose(1, 2))


@pytest.mark.parametrize("ends", [torch.tensor([0, 4, 9], dtype=torch.int32), None])
def test_heads_may_share_keys(ends: torch.Tensor | None) -> None:
    generator = torch.Generator().manual_seed(0)
    query, key, value = (torch.randn(1, heads, 9, 8, generator=generator) for heads in (4, 2, 2))
    longest = None if ends is None else 5
    found, _ = attend(nn.Module(), query, key, value, cu_seq_lens_q=ends, max_length_q=longest)
    key, value = (part.repeat_interleave(2, dim=1) for part in (key, value))
    right, _ = attend(nn.Module(), query, key, value, cu_seq_lens_q=ends, max_length_q=longest)
    torch.testing.assert_close(found, right)


class Gated(nn.Module):
    """Layers as in language models and vision encoders, with a hidden size that is slow."""

    def __init__(self, width: int = 30) -> None:
        super().__init__()
        self.gate_proj, self.up_proj = nn.Linear(16, width), nn.Linear(16, width, bias=False)
        self.down_proj = nn.Linear(width, 16)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        return self.down_proj(nn.functional.silu(self.gate_proj(hidden)) * self.up_proj(hidden))


@pytest.mark.parametrize(("width", "wider"), [(30, 64), (32, 32)])
def test_padded_layers_compute_the_same(width: int, wider: int) -> None:
    layers, hidden = Gated(width), torch.randn(3, 16)
    before = layers(hidden)
    speedups._pad_hidden_size([layers.gate_proj, layers.up_proj], layers.down_proj)
    assert layers.down_proj.weight.shape == (16, wider)
    torch.testing.assert_close(layers(hidden), before)


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        (nn.Linear(4, 6), nn.Linear(7, 4)),  # not one after the other
        (nn.Bilinear(4, 4, 6), nn.Linear(6, 4)),
        (None, nn.Linear(6, 4)),
    ],
)
def test_other_kinds_of_layers_are_not_changed(inner: nn.Module | None, outer: nn.Module) -> None:
    before = [layer.weight.clone() for layer in (inner, outer) if layer is not None]
    speedups._pad_hidden_size([inner], outer)
    after = [layer.weight for layer in (inner, outer) if layer is not None]
    assert all(torch.equal(*each) for each in zip(before, after, strict=True))


@pytest.mark.parametrize(
    "convolution",
    [
        nn.Conv3d(3, 8, (2, 4, 4), stride=(2, 4, 4)),
        nn.Conv2d(3, 8, 4, stride=4, bias=False),
        nn.Conv2d(4, 8, 4, groups=2),
        nn.Conv2d(3, 8, 4, padding=1),
    ],
)
def test_the_matrix_product_equals_the_convolution(convolution: nn.Conv2d | nn.Conv3d) -> None:
    window = (2, 4, 4) if isinstance(convolution, nn.Conv3d) else (4, 4)
    given = [torch.randn(5, convolution.in_channels, *(side * times for side in window)) for times in (1, 2)]
    before = [convolution(patches) for patches in given]
    speedups._replace_patch_convolution(convolution)
    for patches, usual in zip(given, before, strict=True):
        torch.testing.assert_close(convolution(patches), usual)


def test_only_the_plain_norm_is_replaced() -> None:
    from transformers.models.gemma3.modeling_gemma3 import Gemma3RMSNorm
    from transformers.models.llama.modeling_llama import LlamaRMSNorm

    hidden = torch.randn(3, 16)
    plain = LlamaRMSNorm(16, eps=1e-5)
    plain.weight.data.uniform_(0.5, 2)
    before = plain(hidden)
    kinds: dict[type, bool] = {}
    speedups._fuse_norm(plain, kinds)
    assert "forward" in vars(plain)
    torch.testing.assert_close(plain(hidden), before)
    other = Gemma3RMSNorm(16)
    other.variance_epsilon = other.eps
    speedups._fuse_norm(other, kinds)
    assert "forward" not in vars(other)
