"""Models from a folder or the cache of downloaded ones, with everything that is needed to speak with them."""

import importlib.util
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from countersight.errors import ModelError
from countersight.models.local.finding import (
    check_device_map,
    find_device,
    find_dtype,
    find_folder,
    has_torchvision,
    needs,
    read_config,
    refuse_gaps,
    refuse_wordless,
    unusable,
)
from countersight.models.local.forms import Form, find_form
from countersight.models.local.weights import Ahead, read_weights

_TORCHVISION = ("fuyu",)
"""Families whose pictures transformers prepares without torchvision too, but fails as it does."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model that is ready to compute, and what turns conversations into its inputs."""

    name: str
    model: Any
    processor: Any
    tokenizer: Any
    family: str
    """As transformers names it: llava, qwen2_5_vl, blip-2 and so on."""
    form: Form
    """How its conversations are written."""
    answers_apart: bool
    """Whether a decoder of its own writes the answer (T5), instead of one that goes on after the prompt."""
    decoder_start: int | None
    """The token with which such a decoder begins."""
    longest: int
    """The most tokens of prompt and answer together that it has places for."""

    @property
    def device(self) -> Any:
        """Where its inputs belong."""
        return self.model.device


def load(
    name: str, *, device: str = "auto", dtype: str = "auto", device_map: str | None = None, ahead: Ahead | None = None
) -> Loaded:
    """Load a model, by the path of its folder or by its name if it was downloaded before.

    `device_map` spreads one that is too large for one device over several and the processor's memory. Weights that are
    read `ahead` are not read again.
    """
    folder = find_folder(name)
    config = read_config(folder)
    from countersight.models.local.speedups import speed_up

    if device_map is None:
        device = find_device(device)
    else:
        check_device_map(device_map)
        device = find_device("auto")
    dtype = find_dtype(dtype, device, config)
    straight = device.startswith("cuda") and device_map is None
    with ThreadPoolExecutor(1) as aside:
        weights = aside.submit(_weights, folder, device, dtype, ahead) if straight else None
        processor = _processor(folder, config)
        there = weights.result() if weights else None
    model = _model(folder, config, dtype, device_map or _straight_to(device), there)
    if device_map is None:
        vars(model).pop("hf_device_map", None)  # it lies on one device, as if it had been moved there
        model.to(device)
    model.eval()
    model.generation_config.forced_eos_token_id = None  # an answer that was cut shall not look like one that ended
    speed_up(model)
    tokenizer = processor.tokenizer
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    text = config.get_text_config(decoder=True)
    apart = any(getattr(part, "is_encoder_decoder", False) for part in (config, text, config.get_text_config()))
    return Loaded(
        name=name,
        model=model,
        processor=processor,
        tokenizer=tokenizer,
        family=config.model_type,
        form=find_form(processor, config.model_type),
        answers_apart=apart,
        decoder_start=_decoder_start(model, text) if apart else None,
        longest=int(getattr(text, "max_position_embeddings", 0) or 1_000_000),
    )


def _weights(folder: Path, device: str, dtype: str, ahead: Ahead | None) -> dict[str, Any] | None:
    found = ahead.take(device, dtype) if ahead else None
    return found or read_weights(folder, device, dtype)


def _decoder_start(model: Any, text: Any) -> int:
    """The token with which a decoder of its own begins, found as `generate` finds it."""
    holders = (model.generation_config, text, model.config)
    named = [getattr(holder, kind, None) for kind in ("decoder_start_token_id", "bos_token_id") for holder in holders]
    return next(int(token) for token in named if token is not None)


def _straight_to(device: str) -> dict[str, str] | None:
    """Where weights go as they are read, instead of into the processor's memory first."""
    there = device.startswith("cuda") and importlib.util.find_spec("accelerate") is not None
    return {"": device} if there else None


def _model(
    folder: Path,
    config: Any,
    dtype: str,
    device_map: str | dict[str, str] | None,
    weights: dict[str, Any] | None,
) -> Any:
    from transformers import AutoModelForImageTextToText, AutoModelForMultimodalLM

    usual = type(config) in AutoModelForImageTextToText._model_mapping
    kind = AutoModelForImageTextToText if usual else AutoModelForMultimodalLM
    where: dict[str, Any] = {"pretrained_model_name_or_path": folder}
    if weights is not None and isinstance(found := kind._model_mapping[type(config)], type):
        kind, where = found, _as_given(folder, weights)
    try:
        model, faults = kind.from_pretrained(
            **where,
            config=config,
            dtype=dtype,
            device_map=device_map,
            local_files_only=True,
            trust_remote_code=False,
            output_loading_info=True,
        )
    except Exception as error:  # torn files, wrong shapes, no room: each layer beneath has its own exceptions
        raise unusable(folder, error) from None
    refuse_gaps(folder, faults["missing_keys"])
    return model


def _as_given(folder: Path, weights: dict[str, Any]) -> dict[str, Any]:
    """How transformers is told that the weights are there; of the folder it then reads nothing by itself."""
    from transformers import GenerationConfig

    given: dict[str, Any] = {"pretrained_model_name_or_path": None, "state_dict": weights}
    if (folder / "generation_config.json").is_file():
        given["generation_config"] = GenerationConfig.from_pretrained(folder, local_files_only=True)
    return given


def _processor(folder: Path, config: Any) -> Any:
    from transformers import AutoProcessor

    from countersight.models.local.stills import load_stills

    if config.model_type in _TORCHVISION and not has_torchvision():
        raise needs(folder, "torchvision")
    backend = {} if has_torchvision() else {"backend": "pil"}
    try:
        processor = load_stills(folder, config)
        if processor is None:
            processor = AutoProcessor.from_pretrained(folder, local_files_only=True, trust_remote_code=False, **backend)
    except Exception as error:  # as above
        raise unusable(folder, error) from None
    if not hasattr(processor, "image_processor") or not hasattr(processor, "tokenizer"):
        raise ModelError(f"{folder} does not say how pictures are prepared: preprocessor_config.json is missing")
    refuse_wordless(folder, processor.tokenizer)
    return processor
