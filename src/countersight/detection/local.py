"""Detectors that run in transformers, loaded from a folder: with fixed classes or an open vocabulary."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from countersight.detection.finder import Found, listed
from countersight.errors import ModelError
from countersight.models.local import find_device, find_folder, fingerprint, loading_error

if TYPE_CHECKING:
    from PIL import Image


class LocalFinder:
    """A detector loaded from a transformers folder."""

    def __init__(self, name: str, device: str) -> None:
        folder = find_folder(name)
        self._device = find_device(device)
        config, self._takes_words = _config(folder)
        self._model = _load(folder, config, takes_words=self._takes_words).to(self._device).eval()
        self._processor = _processor(folder, takes_words=self._takes_words)
        named = {} if self._takes_words else config.id2label
        self._names = {int(number): "" if label == "N/A" else str(label) for number, label in named.items()}
        self.classes = tuple(dict.fromkeys(label for label in self._names.values() if label))
        # Open-vocabulary models compare rather than decide, so their scores are lower.
        self.least = 0.2 if self._takes_words else 0.5
        self.settings: dict[str, object] = {"detector": fingerprint(folder)}

    def find(self, image: "Image.Image", words: str, least: float) -> list[Found]:
        """Return the objects in a picture; with an open-vocabulary model, those that match the words."""
        import torch

        sizes = torch.tensor([(image.height, image.width)], device=self._device)
        with torch.inference_mode():
            if self._takes_words:
                inputs = self._processor(images=image, text=[[words]], return_tensors="pt").to(self._device)
                [found] = self._processor.post_process_grounded_object_detection(
                    self._model(**inputs), threshold=least, target_sizes=sizes, text_labels=[[words]]
                )
                names = [words] * len(found["scores"])
            else:
                inputs = self._processor(images=image, return_tensors="pt").to(self._device)
                [found] = self._processor.post_process_object_detection(
                    self._model(**inputs), threshold=least, target_sizes=sizes
                )
                names = [self._names.get(label, "") for label in found["labels"].tolist()]
        boxes = found["boxes"].float().cpu().numpy().reshape(-1, 4)
        return listed(boxes, found["scores"].float().cpu().numpy().astype(np.float32), names, least)


def _config(folder: Path) -> tuple[Any, bool]:
    """Return the configuration of a detector, and whether it has an open vocabulary."""
    from transformers import AutoConfig
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_OBJECT_DETECTION_MAPPING,
        MODEL_FOR_ZERO_SHOT_OBJECT_DETECTION_MAPPING,
    )

    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # transformers raises many types of errors on unsuitable files
        raise loading_error(folder, error) from None
    if type(config) in MODEL_FOR_ZERO_SHOT_OBJECT_DETECTION_MAPPING:
        return config, True
    if type(config) in MODEL_FOR_OBJECT_DETECTION_MAPPING:
        return config, False
    raise ModelError(f"{folder} contains a {config.model_type} model, which is not an object detector")


def _load(folder: Path, config: Any, *, takes_words: bool) -> Any:
    from transformers import AutoModelForObjectDetection, AutoModelForZeroShotObjectDetection

    family = AutoModelForZeroShotObjectDetection if takes_words else AutoModelForObjectDetection
    try:
        model, faults = family.from_pretrained(
            folder, config=config, local_files_only=True, trust_remote_code=False, output_loading_info=True
        )
    except Exception as error:  # damaged files, wrong shapes, no memory: each library raises its own errors
        raise loading_error(folder, error) from None
    if faults["missing_keys"]:
        # transformers itself would fill them with random values.
        raise ModelError(f"{folder} lacks {len(faults['missing_keys']):,} of the model's weights")
    return model


def _processor(folder: Path, *, takes_words: bool) -> Any:
    from transformers import AutoImageProcessor, AutoProcessor
    from transformers.utils import is_torchvision_available

    here: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        if takes_words:
            return AutoProcessor.from_pretrained(folder, **here)
        if not is_torchvision_available():
            here["backend"] = "pil"
        return AutoImageProcessor.from_pretrained(folder, **here)
    except Exception as error:  # as above
        raise loading_error(folder, error) from None
