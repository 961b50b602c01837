"""Processors without the parts for video and audio, which still pictures do not need.

Many families also accept video and audio. Transformers loads a processor completely or not at all, and needs
torchvision for video.
"""

import importlib.util
import json
from pathlib import Path
from typing import Any

import transformers
from transformers import AutoImageProcessor, AutoTokenizer
from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES

_NAMING = ("processor_config.json", "preprocessor_config.json", "tokenizer_config.json")
"""Files that may name the processor class, in order of precedence."""
_LEFT_OUT = ("video_processor", "feature_extractor", "audio_processor")
"""The parts for video and audio."""


def load_image_only_processor(folder: Path, config: Any) -> Any | None:
    """Load the processor in a folder, omitting its video and audio parts; None if it has no such parts."""
    name = _class_name(folder, config)
    processor = getattr(transformers, name, None)
    if processor is None or not set(_LEFT_OUT) & set(processor.get_attributes()):
        return None
    return _assemble(_image_only_class(processor), folder)


def _class_name(folder: Path, config: Any) -> str:
    for name in _NAMING:
        file = folder / name
        if file.is_file() and (found := json.loads(file.read_bytes()).get("processor_class")):
            return str(found)
    return str(PROCESSOR_MAPPING_NAMES.get(config.model_type))


def _assemble(processor: Any, folder: Path) -> Any:
    """Assemble a processor as `from_pretrained` does, with a placeholder for each part that is left out."""
    here = {"local_files_only": True}
    backend = "pil" if importlib.util.find_spec("torchvision") is None else "torchvision"
    pictures = AutoImageProcessor.from_pretrained(folder, backend=backend, **here)
    tokenizer = AutoTokenizer.from_pretrained(folder, **here)
    parts = {"image_processor": pictures, "tokenizer": tokenizer}
    settings, _ = processor.get_processor_dict(folder, **here)
    return processor.from_args_and_dict(
        [parts.get(part) or _MissingPart(pictures) for part in processor.get_attributes()], settings
    )


class _MissingPart:
    """A placeholder for a video or audio part, with the settings of the image processor, which some processors
    read."""

    def __init__(self, pictures: Any) -> None:
        self._pictures = pictures

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "valid_kwargs":
            raise AttributeError(name)
        return getattr(self._pictures, name)


def _image_only_class(processor: Any) -> Any:
    class Stills(processor):
        def check_argument_for_proper_class(self, argument_name: str, argument: Any) -> Any:
            if isinstance(argument, _MissingPart):
                return None
            return super().check_argument_for_proper_class(argument_name, argument)

        def __repr__(self) -> str:  # transformers logs all parts, which fails for placeholders
            return type(self).__name__

    Stills.__name__ = processor.__name__
    return Stills
