"""Tiny random detectors of transformers, saved as model folders."""

from pathlib import Path

import torch
from transformers import (
    CLIPTokenizer,
    OwlViTConfig,
    OwlViTForObjectDetection,
    OwlViTProcessor,
    ViTConfig,
    ViTForImageClassification,
    YolosConfig,
    YolosForObjectDetection,
    logging,
)

logging.set_verbosity_error()
logging.disable_progress_bar()
SMALL = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}


def yolos(folder: Path, names: dict[int, str]) -> Path:
    """Save a detector with its own classes."""
    from transformers.models.yolos.image_processing_pil_yolos import YolosImageProcessorPil

    torch.manual_seed(0)
    config = YolosConfig(
        **SMALL, image_size=[64, 64], patch_size=16, num_detection_tokens=12, id2label=names, initializer_range=0.3
    )
    YolosForObjectDetection(config).save_pretrained(folder)
    YolosImageProcessorPil(size={"shortest_edge": 64, "longest_edge": 64}).save_pretrained(folder)
    return folder


def owlvit(folder: Path) -> Path:
    """Save an open-vocabulary detector."""
    from transformers.models.owlvit.image_processing_pil_owlvit import OwlViTImageProcessorPil

    torch.manual_seed(0)
    letters = "abcdefghijklmnopqrstuvwxyz"
    signs = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    tokenizer = CLIPTokenizer(vocab={sign: place for place, sign in enumerate(signs)}, merges=[], model_max_length=16)
    config = OwlViTConfig(
        text_config={**SMALL, "vocab_size": len(signs), "max_position_embeddings": 16, "eos_token_id": len(signs) - 1},
        vision_config={**SMALL, "image_size": 64, "patch_size": 16},
        projection_dim=32,
    )
    OwlViTForObjectDetection(config).save_pretrained(folder)
    pictures = OwlViTImageProcessorPil(size={"height": 64, "width": 64}, crop_size={"height": 64, "width": 64})
    OwlViTProcessor(pictures, tokenizer).save_pretrained(folder)
    return folder


def classifier(folder: Path) -> Path:
    """Save a classifier, which finds no places."""
    ViTForImageClassification(ViTConfig(**SMALL, image_size=64)).save_pretrained(folder)
    return folder
