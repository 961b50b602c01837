"""Finds and loads a model: folder, device, weights and processor, with a one-sentence message for every error."""

import functools
import gc
import hashlib
import importlib
import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from countersight.errors import ModelError
from countersight.models.local.conversation import Loaded, find_prompt_format
from countersight.suggestions import unknown
from countersight.text import printable

INSTALL = "pip install 'countersight[local]'"
_NO_CONVERSATION = {
    "blip": "it continues captions and takes no questions",
    "diffusion_gemma": "it does not generate text token by token, so its answers and losses are not comparable",
    "evolla": "it writes about proteins, not about pictures",
    "instructblipvideo": "it accepts videos but no single pictures",
    "pi0": "it controls robots and writes no text",
    "pix2struct": "it only accepts questions that are drawn into the picture",
    "pp_formulanet": "it transcribes formulas and takes no questions",
    "shieldgemma2": "it only classifies whether a picture violates a policy",
    "udop": "it reads documents with given words and positions, not pictures",
    "vision-encoder-decoder": "it writes captions and takes no questions",
}
"""Families that transformers lists for pictures and text but that cannot answer questions, with the reason."""
_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
_HASHED_SUFFIXES = {".json", ".jinja", ".txt", ".model", ".safetensors", ".bin"}
"""Suffixes of files that affect a model's answers."""
_VISION_SETTINGS = ("vision", "image", "vq_config", "patch")
"""Parts of setting names; every configuration of a vision model contains at least one of them."""
_WANTED = re.compile(r"requires the (\w+) library|No module named '(\w+)|requires you to have (\w+)")
"""Messages of transformers that name a missing package."""
_NEEDS_TORCHVISION = "Could not load any image processor class"
"""The message of transformers if the image processor of a family needs torchvision."""
_IN_EXTRA = ("torch", "torchvision", "timm", "transformers", "num2words")
"""Packages that the extra for local models installs."""
_HERE: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
_HASHED_BYTES = 1024 * 1024
"""The number of bytes at both ends of a file that are hashed; reading all weights would take minutes."""


def find_folder(name: str) -> Path:
    """Return the folder of a model, given its path or its name in the cache; nothing is downloaded."""
    folder = Path(name).expanduser()
    if not folder.is_dir():
        folder = _cached_folder(name)
    if not (folder / "config.json").is_file():
        raise ModelError(f"{folder} is not a model: it contains no config.json")
    if not any(file for pattern in _WEIGHTS for file in folder.glob(pattern)):
        raise ModelError(f"{folder} has no weights (*.safetensors){_how_to_get(name)}")
    for index in folder.glob("*.index.json"):  # weights are split into several files
        try:
            files = sorted(set(json.loads(index.read_bytes())["weight_map"].values()))
            missing = [file for file in files if not (folder / file).is_file()]
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise loading_error(folder, error) from None
        if missing:
            raise ModelError(f"{folder} is not complete: {missing[0]} is missing{_how_to_get(name)}")
    return folder


def read_any_config(folder: Path) -> Any:
    """Return the configuration of any model whose family transformers knows."""
    _require_torch()
    from transformers import AutoConfig

    with _readable(folder):
        return AutoConfig.from_pretrained(folder, **_HERE)


def read_config(folder: Path) -> Any:
    """Return the configuration of a model that can answer questions; for models with speech output, that of their
    language part."""
    config = read_any_config(folder)
    config = getattr(config, "thinker_config", config)
    if reason := _NO_CONVERSATION.get(config.model_type):
        raise ModelError(f"{folder} contains a {config.model_type} model, which cannot answer questions: {reason}")
    if not accepts_pictures(config) and not is_text_only(config):
        raise ModelError(f"{folder} contains a {config.model_type} model, which does not accept pictures")
    if is_quantised(config) and importlib.util.find_spec("accelerate") is None:
        raise ModelError("quantised weights need accelerate, which is not installed: pip install accelerate")
    return config


def accepts_pictures(config: Any) -> bool:
    """Whether models with this configuration accept pictures and write text."""
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING,
        MODEL_FOR_MULTIMODAL_LM_MAPPING,
    )

    if type(config) not in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING and type(config) not in MODEL_FOR_MULTIMODAL_LM_MAPPING:
        return False
    # These mappings also contain text-only models and audio models.
    return any(part in name for name in config.to_dict() for part in _VISION_SETTINGS)


def is_text_only(config: Any) -> bool:
    """Whether models with this configuration write text and accept no pictures."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING

    return type(config) in MODEL_FOR_CAUSAL_LM_MAPPING and not accepts_pictures(config)


def find_device(name: str) -> str:
    """Return the device with this name (`auto`: the fastest one); raises ModelError if it is not available."""
    _require_torch()
    import torch

    there = ["cpu"]
    if torch.backends.mps.is_available():
        there.insert(0, "mps")
    if torch.cuda.is_available():
        there[:0] = ["cuda", *(f"cuda:{number}" for number in range(torch.cuda.device_count()))]
    if name == "auto":
        return there[0]
    if name.startswith("cuda") and torch.version.cuda is None and torch.version.hip is None:
        raise ModelError(
            f"the installed torch ({torch.__version__}) was built without CUDA and cannot use a GPU; install a build "
            "with CUDA, or leave out `device`"
        )
    if name not in there:
        raise ModelError(unknown("device", name, there))
    return name


def find_dtype(name: str, device: str, config: Any) -> str:
    """Return the number format to compute with; `auto` is the format of the stored weights.

    On the CPU, where half precision is slow, `auto` is float32.
    """
    if name != "auto":
        return name
    if device == "cpu" and not is_quantised(config):
        return "float32"
    stored = getattr(config, "dtype", None) or getattr(config.get_text_config(), "dtype", None)
    return str(stored).removeprefix("torch.") if stored else "auto"


def is_quantised(config: Any) -> bool:
    """Whether the weights are quantised (bitsandbytes, AWQ, GPTQ, …), which transformers handles."""
    return any(getattr(part, "quantization_config", None) for part in (config, config.get_text_config()))


@functools.cache
def has_torchvision() -> bool:
    """Whether torchvision is installed; raises ModelError if it does not match torch, since transformers would fail
    too."""
    if importlib.util.find_spec("torchvision") is None:
        return False
    try:
        importlib.import_module("torchvision")
    except Exception as error:  # importing it registers operators, which may raise any exception
        raise ModelError(
            f"torchvision does not work with the installed torch ({printable(str(error))[:100]}); install the "
            "matching build, or remove it: pip uninstall torchvision"
        ) from None
    return True


def fingerprint(folder: Path) -> str:
    """Return a hash of these weights and settings, for run.json."""
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.suffix in _HASHED_SUFFIXES and path.is_file()):
        with open(file, "rb") as content:
            size = file.stat().st_size
            digest.update(f"{file.relative_to(folder)} {size} ".encode("utf-8", "surrogateescape"))
            digest.update(content.read(_HASHED_BYTES))
            content.seek(max(0, size - _HASHED_BYTES))
            digest.update(content.read(_HASHED_BYTES))
    return digest.hexdigest()[:12]


def check_tokenizer(folder: Path, tokenizer: Any) -> None:
    """Raise ModelError if the tokenizer is empty: transformers may create an empty one if the file is missing."""
    if not tokenizer.get_vocab().keys() - tokenizer.get_added_vocab().keys():
        raise ModelError(f"{folder} has no tokenizer: tokenizer.json is missing")


def loading_error(folder: Path, error: Exception) -> ModelError:
    """Return a one-sentence error for a folder that cannot be loaded, based on the message of transformers."""
    wanted = _WANTED.search(str(error)) if isinstance(error, ImportError) else None
    if wanted:
        return missing_package(folder, next(filter(None, wanted.groups())).lower())
    if _NEEDS_TORCHVISION in str(error) and not has_torchvision():
        return missing_package(folder, "torchvision")
    lines = [line for line in map(str.strip, str(error).splitlines()) if line] or [type(error).__name__]
    if "tokenizer" in lines[0].lower() and not any(folder.glob("tokenizer.*")) and not any(folder.glob("vocab.*")):
        return ModelError(f"{folder} has no tokenizer: tokenizer.json is missing")
    said = printable(" ".join(lines[:2]) if lines[0].endswith(":") else lines[0])
    said = said if len(said) <= 200 else said[:200] + "…"
    return ModelError(f"the model in {folder} cannot be loaded: {said}")


@contextmanager
def _readable(folder: Path) -> Iterator[None]:
    """Context manager that turns exceptions in reading a folder into ModelError; every library raises its own."""
    try:
        yield
    except Exception as error:
        raise loading_error(folder, error) from None


def missing_package(folder: Path, package: str) -> ModelError:
    """Return the error for a model that needs a missing package."""
    how = INSTALL if package in _IN_EXTRA else f"pip install {package}"
    return ModelError(f"the model in {folder} needs {package}, which is not installed: {how}")


def _require_torch() -> None:
    """Import torch and transformers; raises ModelError that says what to install."""
    fresh = "transformers" not in sys.modules and gc.isenabled()
    if fresh:  # disabling garbage collection saves an eighth of the import time
        gc.disable()
    try:
        _import("torch")
        has_torchvision()  # check it before transformers, which would fail as well
        found = _import("transformers")
        _import("transformers.models.auto.modeling_auto")
    finally:
        if fresh:
            gc.freeze()
            gc.enable()
    if int(found.__version__.partition(".")[0]) < 5:
        raise ModelError(f"local models need transformers 5 or later, not {found.__version__}: {INSTALL}")


def _import(package: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError:
        raise ModelError(f"local models need {package}, which is not installed: {INSTALL}") from None


def _cached_folder(name: str) -> Path:
    hub = _import("huggingface_hub")
    try:
        return Path(hub.snapshot_download(name, local_files_only=True))
    except (OSError, ValueError):  # not in the cache, or not a valid name
        raise ModelError(f"the model {printable(name)[:200]!r} is not on this machine{_how_to_get(name)}") from None


def _how_to_get(name: str) -> str:
    if name.startswith(("/", ".", "~")) or name.count("/") != 1 or Path(name).is_dir():
        return "; specify a folder with config.json and weights, or a downloaded model as OWNER/NAME"
    return f"; download it with: hf download {printable(name)[:200]}"


_TORCHVISION = ("fuyu",)
"""Families that need torchvision, although transformers claims otherwise."""


def load(name: str, *, device: str = "auto", dtype: str = "auto") -> Loaded:
    """Load a model by the path of its folder, or by its name if it was downloaded before.

    Quantised weights are loaded by transformers and the package for their format.
    """
    folder = find_folder(name)
    config = read_config(folder)
    from countersight.models.local.speedups import speed_up

    device = find_device(device)
    dtype = find_dtype(dtype, device, config)
    text_only = is_text_only(config)
    processor: Any = _TextProcessor(_load_tokenizer(folder)) if text_only else _load_processor(folder, config)
    placed = is_quantised(config) or (device.startswith("cuda") and importlib.util.find_spec("accelerate") is not None)
    model = _load_model(folder, config, dtype, {"": device} if placed else None)
    if not is_quantised(config):  # quantised weights cannot be moved
        vars(model).pop("hf_device_map", None)  # the whole model is on one device
        model.to(device)
    model.eval()
    model.generation_config.forced_eos_token_id = None  # a truncated answer must not look complete
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
        prompt_format=find_prompt_format(processor, config.model_type, text_only=text_only),
        decoder_start=_decoder_start(model, text) if apart else None,
        longest=int(getattr(text, "max_position_embeddings", 0) or 1_000_000),
    )


@dataclass(frozen=True, slots=True)
class _TextProcessor:
    """A processor for text-only models, which only calls the tokenizer."""

    tokenizer: Any

    def __call__(self, *, text: list[str], images: None, **how: Any) -> Any:
        return self.tokenizer(text, **how)


def _load_tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    with _readable(folder):
        tokenizer = AutoTokenizer.from_pretrained(folder, **_HERE)
    check_tokenizer(folder, tokenizer)
    return tokenizer


def _decoder_start(model: Any, text: Any) -> int:
    """Return the first token of a separate decoder, determined as in `generate`."""
    holders = (model.generation_config, text, model.config)
    named = [getattr(holder, kind, None) for kind in ("decoder_start_token_id", "bos_token_id") for holder in holders]
    return next(int(token) for token in named if token is not None)


def _load_model(folder: Path, config: Any, dtype: str, device_map: dict[str, str] | None) -> Any:
    from transformers import AutoModelForCausalLM, AutoModelForImageTextToText, AutoModelForMultimodalLM

    kinds = (AutoModelForImageTextToText, AutoModelForMultimodalLM)
    kind: Any = AutoModelForCausalLM
    if not is_text_only(config):
        kind = next(each for each in kinds if type(config) in each._model_mapping)
    with _readable(folder):
        model, faults = kind.from_pretrained(
            folder, config=config, dtype=dtype, device_map=device_map, output_loading_info=True, **_HERE
        )
    if lacking := sorted(faults["missing_keys"]):  # transformers would initialise them randomly and continue
        raise ModelError(f"{folder} lacks {len(lacking):,} of the model's weights, such as {lacking[0]}")
    return model


def _load_processor(folder: Path, config: Any) -> Any:
    from transformers import AutoProcessor

    from countersight.models.local.image_only_processor import load_image_only_processor

    if config.model_type in _TORCHVISION and not has_torchvision():
        raise missing_package(folder, "torchvision")
    backend = {} if has_torchvision() else {"backend": "pil"}
    with _readable(folder):
        processor = load_image_only_processor(folder, config) or AutoProcessor.from_pretrained(
            folder, **backend, **_HERE
        )
    if not hasattr(processor, "image_processor") or not hasattr(processor, "tokenizer"):
        raise ModelError(f"{folder} has no image processor: preprocessor_config.json is missing")
    check_tokenizer(folder, processor.tokenizer)
    return processor
