"""Finds and loads a model: its folder, device, weights and processor, with a sentence for whatever is wrong."""

import functools
import gc
import hashlib
import importlib
import importlib.util
import json
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from countersight.errors import ModelError
from countersight.models.local.conversation import Loaded, find_form
from countersight.text import printable, unknown

INSTALL = "pip install 'countersight[local]'"
_NO_CONVERSATION = {
    "blip": "it continues captions and takes no questions",
    "diffusion_gemma": "it does not generate text token by token, so its answers and losses are not comparable",
    "evolla": "it writes about proteins, not about pictures",
    "instructblipvideo": "it accepts videos but no single pictures",
    "pi0": "it controls robots and writes no text",
    "pix2struct": "it only accepts questions that are drawn into the picture",
    "pp_formulanet": "it copies formulas and takes no questions",
    "shieldgemma2": "it only classifies whether a picture violates a policy",
    "udop": "it reads documents with given words and positions, not pictures",
    "vision-encoder-decoder": "it writes captions and takes no questions",
}
"""Families that transformers counts among those for pictures and texts, and why we cannot ask them."""
DTYPES = ("auto", "float32", "bfloat16", "float16")
DEVICE_MAPS = ("auto", "balanced", "balanced_low_0", "sequential")
_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
_TELLING = {".json", ".jinja", ".txt", ".model", ".safetensors", ".bin"}
"""Endings of the files that decide what a model answers."""
_EYES = ("vision", "image", "vq_config", "patch")
"""In the configuration of whatever looks at pictures one setting at least has such a name."""
_WANTED = re.compile(r"requires the (\w+) library|No module named '(\w+)|requires you to have (\w+)")
"""How transformers says that a package is missing."""
_UNPREPARED = "Could not load any image processor class"
"""How it says that it can prepare a family's pictures with torchvision alone."""
_BROUGHT = ("torch", "torchvision", "timm", "transformers", "num2words")
"""What installing us for local models brings."""
_ENDS = 1024 * 1024
"""So many bytes from either end of a file tell it from another; to read all the weights would take minutes."""


def find_folder(name: str) -> Path:
    """The folder that holds a model: the one named, or that of the cache; never a download."""
    folder = Path(name).expanduser()
    if not folder.is_dir():
        folder = _cached(name)
    if not (folder / "config.json").is_file():
        raise ModelError(f"{folder} is not a model: there is no config.json in it")
    if not any(file for pattern in _WEIGHTS for file in folder.glob(pattern)):
        raise ModelError(f"{folder} has no weights (*.safetensors){_how_to_get(name)}")
    if missing := _missing_shards(folder):
        raise ModelError(f"{folder} is not complete: {missing[0]} is missing{_how_to_get(name)}")
    return folder


def any_config(folder: Path) -> Any:
    """The configuration of a model of whatever kind, if it is of a family transformers knows."""
    _installed()
    from transformers import AutoConfig

    try:
        return AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # whatever a damaged or foreign file makes transformers say
        raise unusable(folder, error) from None


def read_config(folder: Path) -> Any:
    """The configuration of a model that can be asked: of one that speaks too, that of the part that thinks."""
    config = any_config(folder)
    config = getattr(config, "thinker_config", config)
    if reason := _NO_CONVERSATION.get(config.model_type):
        raise ModelError(f"{folder} contains a {config.model_type} model, which cannot answer questions: {reason}")
    if not is_for_pictures(config) and not is_for_words(config):
        raise ModelError(f"{folder} contains a {config.model_type} model, which does not accept pictures")
    if is_quantised(config):
        check_accelerate("quantised weights need")
    return config


def is_for_pictures(config: Any) -> bool:
    """Whether models of a configuration look at pictures and write."""
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING,
        MODEL_FOR_MULTIMODAL_LM_MAPPING,
    )

    if type(config) not in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING and type(config) not in MODEL_FOR_MULTIMODAL_LM_MAPPING:
        return False
    # Transformers lists a language model of its own there, and models that listen.
    return any(part in name for name in config.to_dict() for part in _EYES)


def is_for_words(config: Any) -> bool:
    """Whether models of a configuration write, but look at no pictures."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING

    return type(config) in MODEL_FOR_CAUSAL_LM_MAPPING and not is_for_pictures(config)


def find_device(name: str) -> str:
    """The device of that name, checked to be there; `auto` is the fastest one there is."""
    _installed()
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
    """The kind of numbers to compute with; `auto` is what the weights are stored in.

    On the processor, where half precision is slow, it is float32.
    """
    if name not in DTYPES:
        raise ModelError(unknown("dtype", name, DTYPES))
    if name != "auto":
        return name
    if device == "cpu" and not is_quantised(config):
        return "float32"
    stored = getattr(config, "dtype", None) or getattr(config.get_text_config(), "dtype", None)
    return str(stored).removeprefix("torch.") if stored else "auto"


def is_quantised(config: Any) -> bool:
    """Whether the weights are stored in fewer bits (bitsandbytes, AWQ, GPTQ, …), which transformers unpacks."""
    return any(getattr(part, "quantization_config", None) for part in (config, config.get_text_config()))


def check_device_map(name: str) -> None:
    """Refuse a way of spreading a model that there is not, or not here."""
    if name not in DEVICE_MAPS:
        raise ModelError(unknown("device map", name, DEVICE_MAPS))
    check_accelerate("`device_map` needs")


def check_accelerate(what: str) -> None:
    """Refuse what cannot be done without accelerate, where that is missing."""
    if importlib.util.find_spec("accelerate") is None:
        raise ModelError(f"{what} accelerate, which is not installed: pip install accelerate")


def pictures_by() -> str:
    """Which package brings pictures to a model's size; they round differently."""
    return "torchvision" if has_torchvision() else "pillow"


@functools.cache
def has_torchvision() -> bool:
    """Whether torchvision is there. One that was built for another torch takes transformers down with it."""
    if importlib.util.find_spec("torchvision") is None:
        return False
    try:
        importlib.import_module("torchvision")
    except Exception as error:  # it registers operators as it is imported, which fails in its own ways
        raise ModelError(
            f"torchvision does not work with the installed torch ({printable(str(error))[:100]}); install the "
            "matching build, or remove it: pip uninstall torchvision"
        ) from None
    return True


def fingerprint(folder: Path) -> str:
    """Identifies these weights and settings in run.json."""
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.suffix in _TELLING and path.is_file()):
        with open(file, "rb") as content:
            size = file.stat().st_size
            digest.update(f"{file.relative_to(folder)} {size} ".encode("utf-8", "surrogateescape"))
            digest.update(content.read(_ENDS))
            content.seek(max(0, size - _ENDS))
            digest.update(content.read(_ENDS))
    return digest.hexdigest()[:12]


def refuse_gaps(folder: Path, missing: Iterable[str]) -> None:
    """Refuse weights of which some are not there: transformers would fill them by chance and go on."""
    lacking = sorted(missing)
    if lacking:
        raise ModelError(f"{folder} lacks {len(lacking):,} of the model's weights, such as {lacking[0]}")


def refuse_wordless(folder: Path, tokenizer: Any) -> None:
    """Refuse a tokenizer without words: where its file is missing, transformers may make an empty one and go on."""
    if not tokenizer.get_vocab().keys() - tokenizer.get_added_vocab().keys():
        raise ModelError(f"{folder} has no tokenizer: tokenizer.json is missing")


def unusable(folder: Path, error: Exception) -> ModelError:
    """A one-sentence error for a folder that cannot be loaded, from the message of transformers."""
    if package := _missing_package(error):
        return needs(folder, package)
    lines = [line for line in map(str.strip, str(error).splitlines()) if line] or [type(error).__name__]
    if "tokenizer" in lines[0].lower() and not any(folder.glob("tokenizer.*")) and not any(folder.glob("vocab.*")):
        return ModelError(f"{folder} has no tokenizer: tokenizer.json is missing")
    said = printable(" ".join(lines[:2]) if lines[0].endswith(":") else lines[0])
    said = said if len(said) <= 200 else said[:200] + "…"
    return ModelError(f"the model in {folder} cannot be loaded: {said}")


def needs(folder: Path, package: str) -> ModelError:
    """A sentence for a model that cannot be loaded for want of a package."""
    how = INSTALL if package in _BROUGHT else f"pip install {package}"
    return ModelError(f"the model in {folder} needs {package}, which is not installed: {how}")


def _missing_package(error: Exception) -> str | None:
    """The package for want of which transformers could not load something."""
    if _UNPREPARED in str(error) and not has_torchvision():
        return "torchvision"
    found = _WANTED.search(str(error)) if isinstance(error, ImportError) else None
    return next(filter(None, found.groups())).lower() if found else None


def _installed() -> None:
    """Import torch and transformers, or say what to install."""
    fresh = "transformers" not in sys.modules and gc.isenabled()
    if fresh:  # a million things are imported, none of them garbage: looking takes an eighth of the time
        gc.disable()
    try:
        _import("torch")
        has_torchvision()  # before transformers is imported, which would fail with it
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


def _cached(name: str) -> Path:
    hub = _import("huggingface_hub")
    try:
        return Path(hub.snapshot_download(name, local_files_only=True))
    except (OSError, ValueError):  # not there, or no name that could be
        raise ModelError(f"the model {printable(name)[:200]!r} is not on this machine{_how_to_get(name)}") from None


def _how_to_get(name: str) -> str:
    if name.startswith(("/", ".", "~")) or name.count("/") != 1 or Path(name).is_dir():
        return "; name a folder with config.json and weights, or a downloaded model as OWNER/NAME"
    return f"; download it with: hf download {printable(name)[:200]}"


def _missing_shards(folder: Path) -> list[str]:
    """Files among which the weights are divided and that are not there."""
    missing: list[str] = []
    for index in folder.glob("*.index.json"):
        try:
            files = set(json.loads(index.read_bytes())["weight_map"].values())
            missing += sorted(name for name in files if not (folder / name).is_file())
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise unusable(folder, error) from None
    return missing


_SIGNS = ("out of memory", "alloc_failed", "can't allocate memory", "not enough memory")
"""What devices say of it, beside raising the exception that is made for it."""


def is_full(error: BaseException) -> bool:
    """Whether an error says that memory ran out, on whatever device."""
    import torch

    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    return isinstance(error, RuntimeError) and any(sign in str(error).lower() for sign in _SIGNS)


def forget() -> None:
    """Give back the memory of what is no longer used."""
    import gc

    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    elif torch.backends.mps.is_available():
        torch.mps.empty_cache()


_TORCHVISION = ("fuyu",)
"""Families whose pictures transformers prepares without torchvision too, but fails as it does."""


def load(name: str, *, device: str = "auto", dtype: str = "auto", device_map: str | None = None) -> Loaded:
    """Load a model, by the path of its folder or by its name if it was downloaded before.

    `device_map` spreads one that is too large for one device over several and the processor's memory. Quantised weights
    are left to transformers, and to the package it needs for them.
    """
    folder = find_folder(name)
    config = read_config(folder)
    from countersight.models.local.speedups import speed_up

    if device_map is not None:
        check_device_map(device_map)
    device = find_device(device if device_map is None else "auto")
    dtype = find_dtype(dtype, device, config)
    words_only = is_for_words(config)
    processor: Any = _Words(_tokenizer(folder)) if words_only else _processor(folder, config)
    placed = is_quantised(config) or (device.startswith("cuda") and importlib.util.find_spec("accelerate") is not None)
    model = _model(folder, config, dtype, device_map or ({"": device} if placed else None))
    if device_map is None and not is_quantised(config):  # quantised weights cannot be moved, and layers are wrapped
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
        form=find_form(processor, config.model_type, words_only=words_only),
        answers_apart=apart,
        decoder_start=_decoder_start(model, text) if apart else None,
        longest=int(getattr(text, "max_position_embeddings", 0) or 1_000_000),
    )


@dataclass(frozen=True, slots=True)
class _Words:
    """A tokenizer where a processor of pictures and words is expected."""

    tokenizer: Any

    def __call__(self, *, text: list[str], images: None, **how: Any) -> Any:
        return self.tokenizer(text, **how)


def _tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # torn files, an unknown class: each layer beneath has its own exceptions
        raise unusable(folder, error) from None
    refuse_wordless(folder, tokenizer)
    return tokenizer


def _decoder_start(model: Any, text: Any) -> int:
    """The token with which a decoder of its own begins, found as `generate` finds it."""
    holders = (model.generation_config, text, model.config)
    named = [getattr(holder, kind, None) for kind in ("decoder_start_token_id", "bos_token_id") for holder in holders]
    return next(int(token) for token in named if token is not None)


def _model(folder: Path, config: Any, dtype: str, device_map: str | dict[str, str] | None) -> Any:
    from transformers import AutoModelForCausalLM, AutoModelForImageTextToText, AutoModelForMultimodalLM

    kinds = (AutoModelForImageTextToText, AutoModelForMultimodalLM)
    kind: Any = AutoModelForCausalLM
    if not is_for_words(config):
        kind = next(each for each in kinds if type(config) in each._model_mapping)
    try:
        model, faults = kind.from_pretrained(
            folder,
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


def _processor(folder: Path, config: Any) -> Any:
    from transformers import AutoProcessor

    from countersight.models.local.image_only_processor import load_stills

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
        raise ModelError(f"{folder} has no image processor: preprocessor_config.json is missing")
    refuse_wordless(folder, processor.tokenizer)
    return processor
