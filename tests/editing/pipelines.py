"""Tiny random pipelines of diffusers, saved as a user would have them."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers
from lazily import Lazy
from models.local import tiny

diffusers = Lazy("diffusers")

HIDDEN = 32
VAE: dict[str, Any] = {
    "in_channels": 3,
    "out_channels": 3,
    "block_out_channels": (4, 4),
    "down_block_types": ("DownEncoderBlock2D",) * 2,
    "up_block_types": ("UpDecoderBlock2D",) * 2,
    "layers_per_block": 1,
    "norm_num_groups": 1,
    "latent_channels": 4,
}


def _clip() -> tuple[Any, Any]:
    """A text encoder of CLIP's kind and its tokenizer."""
    vocab, merges = tiny._byte_pieces()
    ends = {f"{piece}</w>": len(vocab) + number for number, piece in enumerate(vocab)}
    special = {"<|startoftext|>": 2 * len(vocab), "<|endoftext|>": 2 * len(vocab) + 1}
    tokenizer = transformers.CLIPTokenizer(vocab={**vocab, **ends, **special}, merges=merges, model_max_length=77)
    config = transformers.CLIPTextConfig(
        vocab_size=len(tokenizer),
        hidden_size=HIDDEN,
        intermediate_size=37,
        num_hidden_layers=2,
        num_attention_heads=4,
        projection_dim=HIDDEN,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return transformers.CLIPTextModel(config).eval(), tokenizer


def _t5() -> tuple[Any, Any]:
    """A text encoder of T5's kind and its tokenizer."""
    tokenizer = tiny._t5()
    return transformers.T5EncoderModel(tiny._flan(tokenizer)).eval(), tokenizer


def _scheduler() -> Any:
    return diffusers.FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=True)


def kontext(folder: Path) -> Path:
    torch.manual_seed(0)
    clip, clip_tokenizer = _clip()
    t5, t5_tokenizer = _t5()
    transformer = diffusers.FluxTransformer2DModel(
        patch_size=1,
        in_channels=16,
        out_channels=16,
        num_layers=1,
        num_single_layers=1,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=HIDDEN,
        pooled_projection_dim=HIDDEN,
        axes_dims_rope=[4, 4, 8],
        guidance_embeds=True,
    )
    vae = diffusers.AutoencoderKL(**VAE, use_quant_conv=False, use_post_quant_conv=False, shift_factor=0.1)
    pipeline = diffusers.FluxKontextPipeline(
        scheduler=_scheduler(),
        vae=vae,
        text_encoder=clip,
        tokenizer=clip_tokenizer,
        text_encoder_2=t5,
        tokenizer_2=t5_tokenizer,
        transformer=transformer,
    )
    pipeline.save_pretrained(folder)
    return folder


def _stable(name: str, folder: Path, channels: int) -> Path:
    torch.manual_seed(0)
    clip, tokenizer = _clip()
    unet = diffusers.UNet2DConditionModel(
        block_out_channels=(4, 8),
        layers_per_block=1,
        sample_size=32,
        in_channels=channels,
        out_channels=4,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=HIDDEN,
        norm_num_groups=2,
        attention_head_dim=4,
    )
    pipeline = getattr(diffusers, name)(
        vae=diffusers.AutoencoderKL(**VAE),
        text_encoder=clip,
        tokenizer=tokenizer,
        unet=unet,
        scheduler=diffusers.DDIMScheduler(steps_offset=1),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )
    pipeline.save_pretrained(folder)
    return folder


def inpaint(folder: Path) -> Path:
    return _stable("StableDiffusionInpaintPipeline", folder, 4 + 4 + 1)


def instruct_pix2pix(folder: Path) -> Path:
    return _stable("StableDiffusionInstructPix2PixPipeline", folder, 4 + 4)


def qwen_edit(folder: Path) -> Path:
    """Saved part by part: as a whole, its processor could neither be made nor saved without torchvision."""
    torch.manual_seed(0)
    tiny.qwen2_5_vl(folder / "text_encoder")
    for part in ("processor", "tokenizer"):
        shutil.copytree(folder / "text_encoder", folder / part, ignore=shutil.ignore_patterns("*.safetensors"))
    transformer = diffusers.QwenImageTransformer2DModel(
        patch_size=2,
        in_channels=16,
        out_channels=4,
        num_layers=1,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=HIDDEN,
        guidance_embeds=False,
        axes_dims_rope=(8, 4, 4),
    )
    vae = diffusers.AutoencoderKLQwenImage(
        base_dim=4,
        z_dim=4,
        dim_mult=[1, 1],
        num_res_blocks=1,
        temperal_downsample=[False],
        latents_mean=[0.0] * 4,
        latents_std=[1.0] * 4,
    )
    for part, saved in {"transformer": transformer, "vae": vae, "scheduler": _scheduler()}.items():
        saved.save_pretrained(folder / part)
    index = {
        "_class_name": "QwenImageEditPipeline",
        "_diffusers_version": diffusers.__version__,
        "processor": ["transformers", "Qwen2VLProcessor"],
        "scheduler": ["diffusers", "FlowMatchEulerDiscreteScheduler"],
        "text_encoder": ["transformers", "Qwen2_5_VLForConditionalGeneration"],
        "tokenizer": ["transformers", "Qwen2Tokenizer"],
        "transformer": ["diffusers", "QwenImageTransformer2DModel"],
        "vae": ["diffusers", "AutoencoderKLQwenImage"],
    }
    (folder / "model_index.json").write_text(json.dumps(index))
    return folder


PIPELINES: dict[str, Callable[[Path], Path]] = {
    "FluxKontextPipeline": kontext,
    "StableDiffusionInpaintPipeline": inpaint,
    "StableDiffusionInstructPix2PixPipeline": instruct_pix2pix,
    "QwenImageEditPipeline": qwen_edit,
}
