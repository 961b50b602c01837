"""`diffusers:FOLDER`: diffusion pipelines that run locally."""

import asyncio
import importlib
import importlib.metadata
import importlib.util
import json
import threading
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from PIL import Image

from countersight.editing.painting import Brief, Given, Painting
from countersight.editing.pictures import decoded, png_picture
from countersight.editing.protocol import EditorSettings
from countersight.editing.selecting import FINDING, Selector
from countersight.errors import EditFailed, EditorError
from countersight.models import DTYPES, free_memory, is_out_of_memory
from countersight.models.local import find_device, fingerprint
from countersight.registry import with_options
from countersight.suggestions import unknown
from countersight.text import printable

INSTALL = "pip install 'countersight[edit]'"
MOST_STEPS = 1000
DISTILLED = 4
"""The number of steps for a distilled pipeline, whose own default is too high."""


STEP = 16
"""Picture sides must be multiples of this for every pipeline."""


class Kind(msgspec.Struct, frozen=True):
    """Describes how to call the pipelines of one class."""

    fills: bool = False
    """Whether it needs a mask and changes only the pixels under it."""
    described: bool = False
    """Whether its prompt must describe the result instead of the change."""
    sized: bool = True
    """Whether it accepts a height and a width; other pipelines use those of the picture."""
    bounded: bool = False
    """Whether it resizes the picture by default, which must be disabled."""
    further: dict[str, Any] = {}


# Qwen's pipelines use guidance only if there is a negative prompt, so an empty one is passed. Our own negative text
# is part of the prompt: it also names what must stay, so guidance away from it would do harm.
_QWEN = {"negative_prompt": " ", "true_cfg_scale": 4.0}
_FULL_STRENGTH = {"strength": 1.0}
"""The setting with which everything under the mask is repainted; at a lower strength, traces of a removed object
remain.
"""
KINDS = {
    "FluxKontextPipeline": Kind(bounded=True),
    "FluxKontextInpaintPipeline": Kind(fills=True, bounded=True, further=_FULL_STRENGTH),
    "FluxFillPipeline": Kind(fills=True, described=True),
    "FluxInpaintPipeline": Kind(fills=True, described=True, further=_FULL_STRENGTH),
    "Flux2Pipeline": Kind(),
    "Flux2KleinPipeline": Kind(),
    "QwenImageEditPipeline": Kind(further=_QWEN),
    "QwenImageEditPlusPipeline": Kind(further=_QWEN),
    "QwenImageEditInpaintPipeline": Kind(fills=True, further={**_QWEN, **_FULL_STRENGTH}),
    "QwenImageInpaintPipeline": Kind(fills=True, described=True, further={**_QWEN, **_FULL_STRENGTH}),
    "StableDiffusionInstructPix2PixPipeline": Kind(described=True, sized=False),
    "StableDiffusionInpaintPipeline": Kind(fills=True, described=True),
    "StableDiffusionXLInpaintPipeline": Kind(fills=True, described=True),
    "StableDiffusion3InpaintPipeline": Kind(fills=True, described=True, further=_FULL_STRENGTH),
}
"""The kinds by class name, as in model_index.json."""


class Diffusion(Painting):
    """An editor that runs one local pipeline and edits one picture at a time."""

    def __init__(
        self, name: str, folder: Path, steps: int | None, device: str, dtype: str, selector: Selector | None
    ) -> None:
        pipeline = pipeline_class(folder)
        self._folder, self._kind = folder, KINDS[pipeline]
        self._steps = steps
        self._device = find_device(device)
        # The weights of these pipelines are published in half precision, which is slow on a CPU.
        auto = "float32" if self._device == "cpu" else "bfloat16"
        self._dtype = auto if dtype == "auto" else dtype
        self.fills, self.described = self._kind.fills, self._kind.described
        settings = {
            "pipeline": pipeline,
            "weights": fingerprint(folder),
            "steps": steps,
            "dtype": self._dtype,
            "diffusers": importlib.metadata.version("diffusers"),
        }
        super().__init__(name, settings, selector)
        self._turn = asyncio.Lock()
        self._pipeline: Any = None

    async def paint(self, brief: Brief) -> Given:
        """Edit the picture; concurrent calls run one after the other."""
        async with self._turn:
            cancelled = threading.Event()
            try:
                return await asyncio.to_thread(self._paint, brief, cancelled)
            finally:
                cancelled.set()  # if the caller was cancelled, the thread stops after the current step

    async def close(self) -> None:
        """Free the memory of the pipeline."""
        if self._pipeline is not None:
            self._pipeline = None
            free_memory()

    def _paint(self, brief: Brief, cancelled: threading.Event) -> Given:
        if self._pipeline is None:
            self._pipeline = load_pipeline(self._folder, self._dtype, self._device)
        seen = decoded(brief.picture)
        size = size_for(self._pipeline, seen.size)
        mask = None
        if brief.mask is not None:
            mask = Image.fromarray(brief.mask.astype("uint8") * 255).resize(size, Image.Resampling.NEAREST)
        called = arguments(self._kind, seen.resize(size, Image.Resampling.LANCZOS), brief.words, mask)
        painted = self._compute(called, brief.seed, cancelled)
        picture = png_picture(np.asarray(painted.resize(seen.size, Image.Resampling.LANCZOS)))
        return Given(picture.data, {"pipeline": self.settings["pipeline"], "computed": f"{size[0]} x {size[1]}"})

    def _compute(self, called: dict[str, Any], seed: int, cancelled: threading.Event) -> Image.Image:
        import torch

        def stop_if_cancelled(_pipeline: Any, _step: int, _time: Any, values: dict[str, Any]) -> dict[str, Any]:
            if cancelled.is_set():
                raise EditFailed("the edit was cancelled", again=True)
            return values

        steps = self._steps or (DISTILLED if self._pipeline.config.get("is_distilled") else None)
        if steps is not None:
            called["num_inference_steps"] = steps
        # Noise is drawn on the CPU, so that a seed gives the same noise on every device.
        called |= {"generator": torch.Generator().manual_seed(seed), "callback_on_step_end": stop_if_cancelled}
        try:
            given = self._pipeline(**called)
        except EditFailed:
            raise
        except Exception as error:  # each library raises its own errors
            why = "there is not enough memory" if is_out_of_memory(error) else first_line(error)
            error.__traceback__ = None  # the traceback would keep the memory allocated
            free_memory()
            raise EditFailed(f"the pipeline failed: {why}") from None
        if any(getattr(given, "nsfw_content_detected", None) or ()):
            raise EditFailed("moderated: the pipeline's safety checker blocked the picture")
        painted: Image.Image = given.images[0].convert("RGB")
        if painted.getbbox() is None:
            raise EditFailed(f"the picture is black because of a numeric overflow in {self._dtype}")
        return painted


def open_diffusion(name: str, rest: str, settings: EditorSettings) -> Diffusion:
    """Open `diffusers:FOLDER` or `diffusers:FOLDER?steps=28&device=cuda&dtype=bfloat16`; it needs a model_index.json.

    Fill pipelines find masks as `classical` does: `diffusers:FOLDER?detector=FILE.onnx&segmenter=FOLDER`.
    """
    for package in ("diffusers", "torch", "transformers"):
        if importlib.util.find_spec(package) is None:
            raise EditorError(f"diffusers: needs {package}, which is not installed: {INSTALL}")
    folder = Path(rest.partition("?")[0]).expanduser()
    fills = KINDS[pipeline_class(folder)].fills
    _, chosen = with_options(rest, ("steps", "device", "dtype", *(FINDING if fills else ())), EditorError)
    steps, dtype = chosen.get("steps"), chosen.get("dtype", "auto")
    if steps is not None and not (steps.isdecimal() and 0 < int(steps[:6]) <= MOST_STEPS):
        raise EditorError(f"steps={steps[:20]} must be a whole number from 1 to {MOST_STEPS}")
    if dtype not in DTYPES:
        raise EditorError(unknown("dtype", dtype, DTYPES))
    selector = Selector(**{option: chosen[option] for option in FINDING if option in chosen}) if fills else None
    return Diffusion(name, folder, None if steps is None else int(steps), chosen.get("device", "auto"), dtype, selector)


def arguments(kind: Kind, picture: Image.Image, words: str, mask: Image.Image | None) -> dict[str, Any]:
    """Return the arguments of a pipeline, apart from the seed; picture and mask must have the size from `size_for`."""
    called: dict[str, Any] = {"image": picture, "prompt": words, **kind.further}
    if mask is not None:
        called["mask_image"] = mask
    if kind.sized:
        called |= {"width": picture.width, "height": picture.height}
    if kind.bounded:
        called |= {"max_area": picture.width * picture.height, "_auto_resize": False}
    return called


def size_for(pipeline: Any, size: tuple[int, int]) -> tuple[int, int]:
    """Return the size at which a pipeline edits a picture: same aspect ratio, and as many pixels as in training."""
    side = getattr(pipeline, "default_sample_size", None) or pipeline.unet.config.sample_size
    side = (min(side) if isinstance(side, list | tuple) else side) * pipeline.vae_scale_factor
    scale = side / (size[0] * size[1]) ** 0.5
    return max(STEP, round(size[0] * scale / STEP) * STEP), max(STEP, round(size[1] * scale / STEP) * STEP)


_LIBRARIES = ("diffusers", "transformers")


def pipeline_class(folder: Path) -> str:
    """Return the class name of the pipeline in a folder, if it can edit."""
    index = folder / "model_index.json"
    if not index.is_file():
        raise EditorError(
            f"{printable(str(folder))[:200]} contains no pipeline (there is no model_index.json); download one with: "
            "hf download OWNER/NAME --local-dir FOLDER"
        )
    name = _index(folder).get("_class_name")
    if not isinstance(name, str) or name not in KINDS:
        raise EditorError(
            f"{printable(str(folder))[:200]} contains a {printable(str(name))[:80]}, which cannot edit pictures; these "
            f"pipelines can: {', '.join(KINDS)}"
        )
    return name


def load_pipeline(folder: Path, dtype: str, device: str) -> Any:
    """Load the pipeline in a folder."""
    import diffusers
    import torch
    from transformers.utils import logging

    for log in (logging, diffusers.utils.logging):
        log.set_verbosity(log.CRITICAL)  # its messages and bars would disturb our progress display
        log.disable_progress_bar()
    safe = {
        "local_files_only": True,
        "use_safetensors": True,  # other formats can contain code
        "dtype": getattr(torch, dtype),
    }
    try:
        parts = {part: _load_component(folder / part, kind, safe) for part, kind in _component_classes(folder).items()}
        parts |= _qwen_processor(folder)
        pipeline = getattr(diffusers, pipeline_class(folder)).from_pretrained(
            folder, **safe, **parts, trust_remote_code=False
        )
        pipeline.set_progress_bar_config(disable=True)
        return pipeline.to(device)
    except EditorError:
        raise
    except Exception as error:  # damaged files, wrong shapes, no memory: each library raises its own errors
        raise EditorError(f"the pipeline in {folder} cannot be loaded: {first_line(error)}") from None


def first_line(error: Exception) -> str:
    """Return a library's error message, which may be very long, as one line."""
    line = next((line for line in map(str.strip, str(error).splitlines()) if line), type(error).__name__)
    line = printable(line)
    return line if len(line) <= 200 else line[:200] + "…"


def _index(folder: Path) -> dict[str, Any]:
    index = folder / "model_index.json"
    try:
        parts = json.loads(index.read_bytes())
    except (OSError, ValueError, RecursionError):
        parts = None
    if not isinstance(parts, dict):
        raise EditorError(f"{index} cannot be read: it does not name a pipeline")
    return parts


def _component_classes(folder: Path) -> dict[str, Any]:
    """Return the classes of the pipeline's components that have weights, by component name."""
    found: dict[str, Any] = {}
    for part, named in _index(folder).items():
        if isinstance(named, list) and len(named) == 2 and named[0] in _LIBRARIES:
            kind = getattr(importlib.import_module(named[0]), str(named[1]), None)
            if hasattr(kind, "load_state_dict"):
                found[part] = kind
    return found


def _load_component(folder: Path, kind: Any, safe: dict[str, Any]) -> Any:
    """Load a component, or raise if weights are missing; the libraries would silently fill them with random values."""
    if not folder.is_dir():
        raise EditorError(f"{folder.parent} is not complete: {folder.name} is missing")
    model, faults = kind.from_pretrained(folder, **safe, output_loading_info=True)
    if faults["missing_keys"]:
        lacking = sorted(faults["missing_keys"])
        raise EditorError(f"{folder} lacks {len(lacking):,} of its weights, such as {lacking[0]}")
    return model


def _qwen_processor(folder: Path) -> dict[str, Any]:
    """Return Qwen's processor if loading it normally would require torchvision, which is only needed for videos."""
    from transformers import Qwen2VLConfig
    from transformers.utils import is_torchvision_available

    if _index(folder).get("processor") != ["transformers", "Qwen2VLProcessor"] or is_torchvision_available():
        return {}
    from countersight.models.local import load_image_only_processor  # imports transformers

    return {"processor": load_image_only_processor(folder / "processor", Qwen2VLConfig())}
