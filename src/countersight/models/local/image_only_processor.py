"""Processors without the parts for video and audio, which still pictures do not need.

Many families also accept video and audio. Transformers loads a processor completely or not at all, and needs
torchvision for video; Pixtral's processor requires torchvision without using it.
"""

import importlib.util
import json
from pathlib import Path
from typing import Any

import transformers
from transformers import AutoImageProcessor, AutoTokenizer, PreTrainedTokenizerFast, ProcessorMixin
from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES
from transformers.processing_utils import ProcessingKwargs

_NAMING = ("processor_config.json", "preprocessor_config.json", "tokenizer_config.json")
"""Files that may name the processor class, in order of precedence."""
_LEFT_OUT = ("video_processor", "feature_extractor", "audio_processor")
"""The parts for video and audio."""


def _has_torchvision() -> bool:
    return importlib.util.find_spec("torchvision") is not None


def load_image_only_processor(folder: Path, config: Any) -> Any | None:
    """Load the processor in a folder without its video and audio parts; None if it has no such parts."""
    name = _class_name(folder, config)
    if name == "PixtralProcessor" and not _has_torchvision():
        return _assemble(Pixtral, folder, tokenizers=PreTrainedTokenizerFast)
    processor = getattr(transformers, name, None)
    if processor is None or not set(_LEFT_OUT) & set(processor.get_attributes()):
        return None
    return _assemble(_image_only_class(processor), folder, tokenizers=AutoTokenizer)


def _class_name(folder: Path, config: Any) -> str:
    for name in _NAMING:
        file = folder / name
        if file.is_file() and (found := json.loads(file.read_bytes()).get("processor_class")):
            return str(found)
    return str(PROCESSOR_MAPPING_NAMES.get(config.model_type))


def _assemble(processor: Any, folder: Path, tokenizers: Any) -> Any:
    """Assemble a processor as `from_pretrained` does, with a placeholder for each part that is left out."""
    here = {"local_files_only": True}
    backend = "torchvision" if _has_torchvision() else "pil"
    pictures = AutoImageProcessor.from_pretrained(folder, backend=backend, **here)
    tokenizer = tokenizers.from_pretrained(folder, **here)
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


class _PixtralKwargs(ProcessingKwargs, total=False):  # type: ignore[call-arg]
    _defaults = {"text_kwargs": {"padding": False}}  # noqa: RUF012 - transformers' own form; an annotation would be a field


class Pixtral(ProcessorMixin):
    """The processor of Pixtral and Mistral 3: rows of patches with a token at the end of each row and of the
    picture."""

    valid_processor_kwargs = _PixtralKwargs

    def __init__(
        self,
        image_processor: Any = None,
        tokenizer: Any = None,
        patch_size: int = 16,
        spatial_merge_size: int = 1,
        chat_template: str | None = None,
        image_token: str = "[IMG]",  # noqa: S107 - a token of the model, not a secret
        image_break_token: str = "[IMG_BREAK]",  # noqa: S107
        image_end_token: str = "[IMG_END]",  # noqa: S107
        **_: Any,
    ) -> None:
        super().__init__(image_processor, tokenizer, chat_template=chat_template)
        self.image_token, self._row_end, self._end = image_token, image_break_token, image_end_token
        self.image_token_id = tokenizer.convert_tokens_to_ids(image_token)
        self._place = patch_size * spatial_merge_size
        """The side in pixels of the square that one token covers."""

    def _process_images(self, images: Any, **settings: Any) -> Any:
        return super()._process_images(images, **{**settings, "patch_size": self._place})

    def replace_image_token(self, image_inputs: dict[str, Any], image_idx: int, **_: Any) -> str:
        height, width = (int(side) // self._place for side in image_inputs["image_sizes"][image_idx])
        row = self.image_token * width
        return self._row_end.join([row] * height) + self._end
