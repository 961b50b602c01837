"""A tiny model of every image-text-to-text family of transformers, written from its configuration."""

import json
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import transformers
from models.local.shrinking import tiny_config
from models.local.tiny import CHATML, _byte_level, _enliven, set_end_tokens
from safetensors.torch import save_file
from tokenizers import AddedToken, Regex
from tokenizers.normalizers import Replace
from transformers.models.auto.image_processing_auto import IMAGE_PROCESSOR_MAPPING_NAMES
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
    MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES,
)
from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES

NAMED = (
    *("video_token", "audio_token", "boi_token", "eoi_token", "boa_token", "eoa_token", "eof_token"),
    *("image_start_token", "image_end_token", "video_start_token", "video_end_token", "vision_start_token"),
    *("vision_end_token", "vision_bos_token", "vision_eos_token", "audio_bos_token", "audio_eos_token"),
    *("slice_start_token", "slice_end_token", "image_id_start_token", "image_id_end_token", "img_line_break_token"),
    *("image_wrapper_token", "start_image_token", "end_image_token"),
)
"""Tokens that the processor of some family looks up by name."""
MODELS = {**MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES, **MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES}


@dataclass(frozen=True)
class Recipe:
    """Settings of a family, in addition to small sizes."""

    mark: str = "<image>"
    """The token that represents a picture, or each part of it."""
    written: str = ""
    """What its template writes for a picture, if that is more than the token."""
    tokens: list[str] = field(default_factory=list)
    """Further special tokens."""
    named: dict[str, str] = field(default_factory=dict)
    """Special tokens by name."""
    config: dict[str, Any] = field(default_factory=dict)
    """Settings of its configuration."""
    pictures: dict[str, Any] = field(default_factory=dict)
    """Settings of its image processor."""
    processor: dict[str, Any] = field(default_factory=dict)
    """Settings of its processor."""
    preparing: str = ""
    """The class of its image processor, if transformers does not list it."""
    processing: str = ""
    """The class of its processor, if transformers does not list it."""
    template: bool = True
    """Whether it has a chat template."""
    begins: bool = False
    """Whether its template writes the token at the start of a text."""
    underscored: bool = False
    """Whether its tokenizer puts an underscore before a text that begins with a picture."""


RECIPES = {
    family: Recipe(**settings)
    for family, settings in tomllib.loads(Path(__file__).with_name("families.toml").read_text()).items()
}


def write(family: str, folder: Path) -> Path:
    """Write a tiny model of a family to a folder, as a user would have it."""
    recipe = RECIPES[family]
    tokenizer, numbers = _tokenizer(recipe)
    config = tiny_config(family, numbers, tokenizer.get_vocab(), recipe.config)
    torch.manual_seed(7)
    model = getattr(transformers, MODELS[family])(config).eval()
    _enliven(model)
    set_end_tokens(model, tokenizer)
    model.save_pretrained(folder)
    return _write_processor(family, recipe, tokenizer, folder)


def write_shell(family: str, folder: Path) -> Path:
    """Write all files of a model, with empty weights."""
    recipe = RECIPES[family]
    return _write_processor(family, recipe, _tokenizer(recipe)[0], write_config(family, folder))


def write_config(family: str, folder: Path) -> Path:
    """Write only the configuration of a family, with empty weights."""
    transformers.AutoConfig.for_model(family).save_pretrained(folder)
    save_file({"nothing": torch.zeros(1)}, folder / "model.safetensors")
    return folder


def _tokenizer(recipe: Recipe) -> tuple[Any, dict[str, int]]:
    """Return a tokenizer with a family's tokens, and their numbers by name."""
    named = {**{name: f"<{name}>" for name in NAMED}, "image_token": recipe.mark, **recipe.named}
    own = dict.fromkeys([recipe.mark, *recipe.tokens, *named.values(), "<other>", "<|im_start|>", "<|im_end|>"])
    tokenizer = _byte_level("<s>", "</s>", *own)
    if recipe.underscored:
        tokenizer.backend_tokenizer.normalizer = Replace(Regex(f"^{re.escape(recipe.mark)}(?=.)"), f"_{recipe.mark}")
        tokenizer.backend_tokenizer.add_tokens([AddedToken(token, normalized=True) for token in own])
    tokenizer.unk_token = "!"
    tokenizer._set_model_specific_special_tokens(named)
    if recipe.template:
        begin = "{{ bos_token }}" if recipe.begins else ""
        tokenizer.chat_template = begin + CHATML.replace("IMAGE", recipe.written or recipe.mark)
    numbers = {name.removesuffix("_token"): tokenizer.convert_tokens_to_ids(token) for name, token in named.items()}
    numbers |= {name: getattr(tokenizer, f"{name}_token_id") for name in ("bos", "eos", "pad")}
    return tokenizer, numbers | {"other": tokenizer.convert_tokens_to_ids("<other>")}


def _write_processor(family: str, recipe: Recipe, tokenizer: Any, folder: Path) -> Path:
    tokenizer.save_pretrained(folder)
    processor = recipe.processing or PROCESSOR_MAPPING_NAMES[family]
    preparing = recipe.preparing or IMAGE_PROCESSOR_MAPPING_NAMES[family]["torchvision"]
    settings = {"image_processor_type": preparing, "processor_class": processor, **recipe.pictures}
    (folder / "preprocessor_config.json").write_text(json.dumps(settings))
    (folder / "processor_config.json").write_text(json.dumps({"processor_class": processor, **recipe.processor}))
    return folder
