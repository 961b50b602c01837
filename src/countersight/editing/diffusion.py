"""`diffusers:PATH`: pipelines that are computed here."""

import asyncio
import importlib.metadata
import importlib.util
import io
import threading
from pathlib import Path
from typing import Any

from PIL import Image

from countersight.editing.classical import FINDING, selector_of
from countersight.editing.instructions import description_of, words_for
from countersight.editing.loading import load_pipeline, pipeline_class, quiet, said
from countersight.editing.painting import Brief, Given, Painting
from countersight.editing.pipelines import KINDS, arguments, size_for
from countersight.editing.protocol import EditorSettings, Instruction
from countersight.errors import BadPicture, EditFailed, EditorError
from countersight.models.local import DTYPES, find_device, fingerprint, forget, is_full
from countersight.picture import as_seen
from countersight.registry import with_options
from countersight.text import unknown

INSTALL = "pip install 'countersight[edit]'"
MOST_STEPS = 1000
DISTILLED = 4
"""Steps of a pipeline that learned to do with few, and would by itself take as many as the others."""


class Diffusion:
    """One pipeline; it paints one picture at a time."""

    def __init__(self, folder: Path, steps: int | None, device: str, dtype: str) -> None:
        name = pipeline_class(folder)
        self._folder, self._kind = folder, KINDS[name]
        self._steps = steps
        self._device = find_device(device)
        # The weights of these pipelines are published in half precision, which is slow on a processor.
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
        """The instruction as this pipeline was trained to read it."""
        return description_of(instruction) if self._kind.described else words_for(instruction)

    async def paint(self, brief: Brief) -> Given:
        """Compute the picture, when those before it are done."""
        async with self._turn:
            gone = threading.Event()
            try:
                return await asyncio.to_thread(self._paint, brief, gone)
            finally:
                gone.set()  # whoever waited has given up: the thread ends with its step

    async def close(self) -> None:
        if self._pipeline is not None:
            self._pipeline = None
            forget()

    def _paint(self, brief: Brief, gone: threading.Event) -> Given:
        if self._pipeline is None:
            self._pipeline = load_pipeline(self._folder, self._dtype, self._device)
        try:
            seen = as_seen(brief.picture)
        except BadPicture as error:
            raise EditFailed(f"the picture {error}") from None
        size = size_for(self._pipeline, seen.size)
        pipeline, kind = self._pipeline, self._kind
        mask = None
        if brief.mask is not None and (kind.fills or kind.masked):
            mask = Image.fromarray(brief.mask.astype("uint8") * 255).resize(size, Image.Resampling.NEAREST)
            if kind.masked:
                pipeline, kind = self._with_mask(), KINDS[kind.masked]
        called = arguments(kind, seen.resize(size, Image.Resampling.LANCZOS), brief.words, mask)
        painted = self._compute(pipeline, called, brief.seed, gone)
        file = io.BytesIO()
        painted.resize(seen.size, Image.Resampling.LANCZOS).save(file, "PNG")
        return Given(file.getvalue(), {"pipeline": type(pipeline).__name__, "computed": f"{size[0]} x {size[1]}"})

    def _compute(self, pipeline: Any, called: dict[str, Any], seed: int, gone: threading.Event) -> Image.Image:
        import torch

        def going_on(_pipeline: Any, _step: int, _time: Any, values: dict[str, Any]) -> dict[str, Any]:
            if gone.is_set():
                raise EditFailed("nobody waits for the picture any more", again=True)
            return values

        steps = self._steps or (DISTILLED if pipeline.config.get("is_distilled") else None)
        if steps is not None:
            called["num_inference_steps"] = steps
        # Drawn on the processor, so that a seed gives the same noise whatever the picture is computed on.
        called |= {"generator": torch.Generator().manual_seed(seed), "callback_on_step_end": going_on}
        try:
            given = pipeline(**called)
        except EditFailed:
            raise
        except Exception as error:  # each layer beneath has its own exceptions
            why = "there is not enough memory" if is_full(error) else said(error)
            error.__traceback__ = None  # it holds on to the memory that ran out
            forget()
            raise EditFailed(f"the pipeline cannot compute it: {why}") from None
        if any(getattr(given, "nsfw_content_detected", None) or ()):
            raise EditFailed("moderated: the pipeline's safety checker held the picture back")
        painted: Image.Image = given.images[0].convert("RGB")
        if painted.getbbox() is None:
            raise EditFailed(f"the picture came out black: the numbers ran over in {self._dtype}")
        return painted

    def _with_mask(self) -> Any:
        import diffusers

        return quiet(getattr(diffusers, self._kind.masked)(**self._pipeline.components))


def open_diffusion(name: str, rest: str, settings: EditorSettings) -> Painting:
    """`diffusers:FOLDER`, or `diffusers:FOLDER?steps=28&device=cuda&dtype=bfloat16`; there is a model_index.json in it.

    One that fills finds its masks as `classical` does: `diffusers:FOLDER?detector=FILE.onnx&segmenter=FOLDER`.
    """
    for package in ("diffusers", "torch", "transformers"):
        if importlib.util.find_spec(package) is None:
            raise EditorError(f"diffusers: needs {package}, which is not installed: {INSTALL}")
    folder = Path(rest.partition("?")[0]).expanduser()
    fills = KINDS[pipeline_class(folder)].fills
    _, chosen = with_options(rest, ("steps", "device", "dtype", *(FINDING if fills else ())), EditorError)
    steps, dtype = chosen.get("steps"), chosen.get("dtype", "auto")
    if steps is not None and not (steps.isdecimal() and 0 < int(steps[:6]) <= MOST_STEPS):
        raise EditorError(f"steps={steps[:20]} is no number of steps from 1 to {MOST_STEPS}")
    if dtype not in DTYPES:
        raise EditorError(unknown("dtype", dtype, DTYPES))
    painter = Diffusion(folder, None if steps is None else int(steps), chosen.get("device", "auto"), dtype)
    return Painting(name, painter, selector_of(chosen) if fills else None)
