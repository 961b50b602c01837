"""The pipelines of diffusers that edit, and how each is called."""

from typing import Any

import msgspec
from PIL import Image

STEP = 16
"""Every pipeline takes sides that are multiples of this."""


class Kind(msgspec.Struct, frozen=True):
    """How a pipeline of one class is called."""

    fills: bool = False
    """Whether it paints only where a mask is."""
    described: bool = False
    """Whether it wants to be told what shall be seen, and not what to do."""
    masked: str = ""
    """The class that computes with the same parts and takes a mask."""
    sized: bool = True
    """Whether it takes a height and a width; others go by the picture."""
    bounded: bool = False
    """Whether it would bring a picture to a size of its own choice, if it were not told to leave that."""
    further: dict[str, Any] = {}


# Without a negative prompt Qwen's pipelines do not guide at all. Ours says what must not be touched as well as what
# must vanish, so it stands in the words; pushed away from, it would do harm.
_QWEN = {"negative_prompt": " ", "true_cfg_scale": 4.0}
_ALL_OF_IT = {"strength": 1.0}
"""What is under the mask is painted anew: with less, traces of what is to vanish stay."""

KINDS = {
    "FluxKontextPipeline": Kind(masked="FluxKontextInpaintPipeline", bounded=True),
    "FluxKontextInpaintPipeline": Kind(fills=True, bounded=True, further=_ALL_OF_IT),
    "FluxFillPipeline": Kind(fills=True, described=True),
    "FluxInpaintPipeline": Kind(fills=True, described=True, further=_ALL_OF_IT),
    "Flux2Pipeline": Kind(),
    "Flux2KleinPipeline": Kind(),
    "QwenImageEditPipeline": Kind(masked="QwenImageEditInpaintPipeline", further=_QWEN),
    "QwenImageEditPlusPipeline": Kind(further=_QWEN),
    "QwenImageEditInpaintPipeline": Kind(fills=True, further={**_QWEN, **_ALL_OF_IT}),
    "QwenImageInpaintPipeline": Kind(fills=True, described=True, further={**_QWEN, **_ALL_OF_IT}),
    "StableDiffusionInstructPix2PixPipeline": Kind(described=True, sized=False),
    "StableDiffusionInpaintPipeline": Kind(fills=True, described=True),
    "StableDiffusionXLInpaintPipeline": Kind(fills=True, described=True),
    "StableDiffusion3InpaintPipeline": Kind(fills=True, described=True, further=_ALL_OF_IT),
}
"""By the name of its class, as model_index.json has it."""


def arguments(kind: Kind, picture: Image.Image, words: str, mask: Image.Image | None) -> dict[str, Any]:
    """What a pipeline is called with, beside the seed; picture and mask have the size at which it is to compute."""
    called: dict[str, Any] = {"image": picture, "prompt": words, **kind.further}
    if mask is not None:
        called["mask_image"] = mask
    if kind.sized:
        called |= {"width": picture.width, "height": picture.height}
    if kind.bounded:
        called |= {"max_area": picture.width * picture.height, "_auto_resize": False}
    return called


def size_for(pipeline: Any, size: tuple[int, int]) -> tuple[int, int]:
    """The size at which a pipeline computes a picture: of the same shape, with as many pixels as it was trained on."""
    side = getattr(pipeline, "default_sample_size", None) or pipeline.unet.config.sample_size
    side = (min(side) if isinstance(side, list | tuple) else side) * pipeline.vae_scale_factor
    scale = side / (size[0] * size[1]) ** 0.5
    return max(STEP, round(size[0] * scale / STEP) * STEP), max(STEP, round(size[1] * scale / STEP) * STEP)
