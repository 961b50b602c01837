"""`diffusers:PATH`: diffusion pipelines that run locally."""

import asyncio
import importlib.metadata
import importlib.util
import threading
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from countersight.editing.painting import Brief, Given, Painting
from countersight.editing.pictures import decoded, png_picture
from countersight.editing.pipelines import KINDS, arguments, first_line, load_pipeline, pipeline_class, quiet, size_for
from countersight.editing.protocol import EditorSettings, Instruction, description_of, words_for
from countersight.editing.selecting import FINDING, Selector
from countersight.errors import EditFailed, EditorError
from countersight.models.local import DTYPES, find_device, fingerprint, free_memory, is_out_of_memory
from countersight.registry import with_options
from countersight.text import unknown

INSTALL = "pip install 'countersight[edit]'"
MOST_STEPS = 1000
DISTILLED = 4
"""Number of steps for a distilled pipeline; its default is as high as that of other pipelines."""


class Diffusion:
    """A painter that runs one local pipeline and edits one picture at a time."""

    def __init__(self, folder: Path, steps: int | None, device: str, dtype: str) -> None:
        name = pipeline_class(folder)
        self._folder, self._kind = folder, KINDS[name]
        self._steps = steps
        self._device = find_device(device)
        # The weights of these pipelines are published in half precision, which is slow on a CPU.
        auto = "float32" if self._device == "cpu" else "bfloat16"
        self._dtype = auto if dtype == "auto" else dtype
        self.fills = self._kind.fills
        self.settings: dict[str, Any] = {
            "pipeline": name,
            "weights": fingerprint(folder),
            "steps": steps,
            "dtype": self._dtype,
            "diffusers": importlib.metadata.version("diffusers"),
        }
        self._turn = asyncio.Lock()
        self._pipeline: Any = None

    def words(self, instruction: Instruction) -> str:
        """Return the instruction in the form that this pipeline was trained on."""
        return description_of(instruction) if self._kind.described else words_for(instruction)

    async def paint(self, brief: Brief) -> Given:
        """Edit the picture; concurrent calls run one after the other."""
        async with self._turn:
            cancelled = threading.Event()
            try:
                return await asyncio.to_thread(self._paint, brief, cancelled)
            finally:
                cancelled.set()  # if the caller was cancelled, the thread stops after the current step

    async def close(self) -> None:
        if self._pipeline is not None:
            self._pipeline = None
            free_memory()

    def _paint(self, brief: Brief, cancelled: threading.Event) -> Given:
        if self._pipeline is None:
            self._pipeline = load_pipeline(self._folder, self._dtype, self._device)
        seen = decoded(brief.picture)
        size = size_for(self._pipeline, seen.size)
        pipeline, kind = self._pipeline, self._kind
        mask = None
        if brief.mask is not None and (kind.fills or kind.masked):
            mask = Image.fromarray(brief.mask.astype("uint8") * 255).resize(size, Image.Resampling.NEAREST)
            if kind.masked:
                pipeline, kind = self._with_mask(), KINDS[kind.masked]
        called = arguments(kind, seen.resize(size, Image.Resampling.LANCZOS), brief.words, mask)
        painted = self._compute(pipeline, called, brief.seed, cancelled)
        picture = png_picture(np.asarray(painted.resize(seen.size, Image.Resampling.LANCZOS)))
        return Given(picture.data, {"pipeline": type(pipeline).__name__, "computed": f"{size[0]} x {size[1]}"})

    def _compute(self, pipeline: Any, called: dict[str, Any], seed: int, cancelled: threading.Event) -> Image.Image:
        import torch

        def stop_if_cancelled(_pipeline: Any, _step: int, _time: Any, values: dict[str, Any]) -> dict[str, Any]:
            if cancelled.is_set():
                raise EditFailed("the edit was cancelled", again=True)
            return values

        steps = self._steps or (DISTILLED if pipeline.config.get("is_distilled") else None)
        if steps is not None:
            called["num_inference_steps"] = steps
        # Noise is drawn on the CPU, so that a seed gives the same noise on every device.
        called |= {"generator": torch.Generator().manual_seed(seed), "callback_on_step_end": stop_if_cancelled}
        try:
            given = pipeline(**called)
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

    def _with_mask(self) -> Any:
        import diffusers

        return quiet(getattr(diffusers, self._kind.masked)(**self._pipeline.components))


def open_diffusion(name: str, rest: str, settings: EditorSettings) -> Painting:
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
    painter = Diffusion(folder, None if steps is None else int(steps), chosen.get("device", "auto"), dtype)
    return Painting(
        name, painter, Selector(**{option: chosen[option] for option in FINDING if option in chosen}) if fills else None
    )
