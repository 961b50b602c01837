"""Loads a model: its weights, read straight to a graphics processor where there is one, its processor and its form."""

import importlib.util
import json
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
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
    is_quantised,
    needs,
    read_config,
    refuse_gaps,
    refuse_wordless,
    unusable,
)
from countersight.models.local.forms import Form, find_form

_THREADS = 8
_PIECE = 1 << 25
"""Bytes that a thread reads at a time."""
_SHARE = 0.9
"""Of the free memory of a device: where weights take more, some of them are to be left elsewhere."""
_DTYPES = {"BF16": "bfloat16", "F16": "float16", "F32": "float32"}
"""What files call the kinds of numbers."""
_DTYPE = ("dtype", "torch_dtype")
"""What configurations call the kind of numbers that weights are stored in."""
_ALIGNED = 16
"""Bytes: a tensor that begins elsewhere is computed with more slowly."""


def read_weights(folder: Path, device: str, dtype: str) -> dict[str, Any] | None:
    """All weights of a folder on a device, by their names; None where only transformers can load them.

    That is where they are not plain safetensors with this kind of numbers, or there is too little room.
    """
    import torch

    with suppress(Exception):  # whatever is wrong, loading in the usual way finds it too and says so
        files = list(_files(folder))
        size = sum(file.stat().st_size for file in files)
        room = _SHARE * torch.cuda.mem_get_info(device)[0] if device.startswith("cuda") else float("inf")
        quantised = "quantization_config" in json.loads((folder / "config.json").read_bytes())
        if files and not quantised and size < room:
            return {name: value for file in files for name, value in _read(file, device, dtype)}
    return None


class Ahead:
    """Weights that are read while the packages are imported that compute with them."""

    def __init__(self, folder: Path, device: str, dtype: str) -> None:
        """Begin; of a device or a kind of numbers that is to be found, the likely one is taken."""
        self._folder, self._device, self._dtype = folder, device, dtype
        self._found: Future[dict[str, Any] | None] = Future()
        # A daemon: a run that has nothing to ask does not wait for it.
        threading.Thread(target=self._read, name="countersight-weights", daemon=True).start()

    def take(self, device: str, dtype: str) -> dict[str, Any] | None:
        """The weights, where they are on that device and of that kind."""
        weights = self._found.result()
        return weights if (self._device, self._dtype) == (device, dtype) else None

    def _read(self) -> None:
        try:
            with suppress(Exception):  # whatever is wrong, whoever loads the model finds it too and says so
                self._guess()
                if self._device.startswith("cuda"):
                    self._found.set_result(read_weights(self._folder, self._device, self._dtype))
        finally:
            if not self._found.done():
                self._found.set_result(None)

    def _guess(self) -> None:
        import torch

        if self._device == "auto" and torch.cuda.is_available():
            self._device = "cuda"
        if self._dtype == "auto":
            config = json.loads((self._folder / "config.json").read_bytes())
            told = (part.get(name) for part in (config, config.get("text_config", {})) for name in _DTYPE)
            self._dtype = next(filter(None, told))


def _files(folder: Path) -> Iterator[Path]:
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        yield from (folder / name for name in sorted(set(json.loads(index.read_bytes())["weight_map"].values())))
    elif (folder / "model.safetensors").is_file():
        yield folder / "model.safetensors"


def _read(file: Path, device: str, dtype: str) -> Iterator[tuple[str, Any]]:
    import torch

    with open(file, "rb") as content:
        told = json.loads(content.read(int.from_bytes(content.read(8), "little")))
        begin = content.tell()
    told.pop("__metadata__", None)
    if {_DTYPES.get(each["dtype"]) for each in told.values()} != {dtype}:
        raise ValueError("other kinds of numbers")
    data = _on_device(file, begin, file.stat().st_size - begin, device)
    for name, each in told.items():
        start, end = each["data_offsets"]
        part = data[start:end] if start % _ALIGNED == 0 else data[start:end].clone()
        yield name, part.view(getattr(torch, dtype)).view(each["shape"])


def _on_device(file: Path, begin: int, size: int, device: str) -> Any:
    """The bytes of a file from some place on, in pieces that several threads bring there."""
    import torch

    data = torch.empty(size, dtype=torch.uint8, device=device)

    def bring(first: int) -> None:
        held = torch.empty(_PIECE, dtype=torch.uint8, pin_memory=device.startswith("cuda"))
        with open(file, "rb", buffering=0) as content:
            for start in range(first * _PIECE, size, _THREADS * _PIECE):
                part = data[start : start + _PIECE]
                content.seek(begin + start)
                _fill(memoryview(held.numpy())[: len(part)], content)
                part.copy_(held[: len(part)])

    with ThreadPoolExecutor(_THREADS) as threads:
        list(threads.map(bring, range(_THREADS)))
    return data


def _fill(room: memoryview, content: Any) -> None:
    """Read until there is no room left; a system hands out less at a time where it likes."""
    while len(room):
        taken = content.readinto(room)
        if not taken:
            raise ValueError("the file is torn")
        room = room[taken:]


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
    read `ahead` are not read again. Quantised weights are left to transformers, and to the package it needs for them.
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
    quantised = is_quantised(config)
    straight = device.startswith("cuda") and device_map is None and not quantised
    with ThreadPoolExecutor(1) as aside:
        weights = aside.submit(_weights, folder, device, dtype, ahead) if straight else None
        processor = _processor(folder, config)
        there = weights.result() if weights else None
    where = device_map or ({"": device} if quantised else _straight_to(device))
    model = _model(folder, config, dtype, where, there)
    if device_map is None and not quantised:  # quantised weights cannot be moved, and layers of theirs are wrapped
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
