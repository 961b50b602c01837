"""Perceptual distance (LPIPS, Zhang et al. 2018) with weights from a file: the trunk and heads of AlexNet.

The file contains the state of the authors' model, saved with `torch.save(lpips.LPIPS(net="alex").state_dict(), FILE)`
or as safetensors.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from countersight.editing.quality.measuring import Perceived
from countersight.errors import EditorError
from countersight.text import printable

_SHIFT, _SCALE = (-0.030, -0.088, -0.188), (0.458, 0.448, 0.450)
"""The authors' scaling of red, green and blue from -1 to 1."""
_TRUNK = re.compile(r"^net\.slice\d+\.(\d+)\.(weight|bias)$")
_HEAD = re.compile(r"^lin(\d)\.model\.1\.weight$")
_CHANNELS = {0: 64, 3: 192, 6: 384, 8: 256, 10: 256}
"""The channels of each convolution, by its index in the network."""
_POOLED = (3, 6)
"""Convolutions that are preceded by a pooling layer."""


class Lpips:
    """Computes the perceptual distance of two pictures: 0 for identical ones, about 0.7 for very different ones."""

    def __init__(self, weights: dict[str, Any], name: str) -> None:
        trunk: dict[int, dict[str, Any]] = {}
        for key, value in weights.items():
            if match := _TRUNK.match(key):
                trunk.setdefault(int(match[1]), {})[match[2]] = value
        heads = {int(match[1]): value for key, value in weights.items() if (match := _HEAD.match(key))}
        shapes = {place: (len(trunk[place].get("weight", ())), len(trunk[place].get("bias", ()))) for place in trunk}
        expected = {place: (channels, channels) for place, channels in _CHANNELS.items()}
        channels = [tuple(heads[place].shape[:2]) for place in sorted(heads)]
        if shapes != expected or channels != [(1, each) for each in _CHANNELS.values()]:
            raise EditorError(
                f"{name} does not contain the trunk and five heads of LPIPS for AlexNet; write it with "
                'torch.save(lpips.LPIPS(net="alex").state_dict(), FILE)'
            )
        self._trunk = {place: trunk[place] for place in _CHANNELS}
        self._heads = [heads[place] for place in sorted(heads)]

    def __call__(self, one: NDArray[np.uint8], other: NDArray[np.uint8]) -> Perceived:
        """Return the distance of two pictures, overall and around every pixel."""
        import torch
        from torch.nn import functional

        height, width = one.shape[:2]
        around = torch.zeros((1, 1, height, width))
        total = 0.0
        with torch.inference_mode():
            for head, first, second in zip(self._heads, self._features(one), self._features(other), strict=True):
                apart = functional.conv2d((first - second) ** 2, head)
                total += float(apart.mean())
                around += functional.interpolate(apart, (height, width), mode="bilinear", align_corners=False)
        return Perceived(total, around[0, 0].numpy())

    def _features(self, pixels: NDArray[np.uint8]) -> list[Any]:
        import torch
        from torch.nn import functional

        shift, scale = (torch.tensor(values).view(1, 3, 1, 1) for values in (_SHIFT, _SCALE))
        tones = torch.from_numpy(pixels.astype(np.float32)).permute(2, 0, 1)[None] / 127.5 - 1
        tones = (tones - shift) / scale
        taps = []
        for place, layer in self._trunk.items():
            if place in _POOLED:
                tones = functional.max_pool2d(tones, 3, 2)
            stride, padding = (4, 2) if place == 0 else (1, layer["weight"].shape[-1] // 2)
            tones = functional.relu(functional.conv2d(tones, layer["weight"], layer["bias"], stride, padding))
            taps.append(tones / ((tones**2).sum(dim=1, keepdim=True).sqrt() + 1e-10))
        return taps


def read_lpips(path: Path) -> Lpips:
    """Load LPIPS with the weights in a file."""
    try:
        import torch
    except ImportError:
        raise EditorError("LPIPS needs PyTorch, which is not installed: pip install 'countersight[edit]'") from None
    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            weights = load_file(path)
        else:
            weights = torch.load(path, map_location="cpu", weights_only=True)  # no code in the pickle is run
    except OSError as error:
        raise EditorError(f"the weights of LPIPS cannot be read ({path}: {error.strerror or error})") from None
    except Exception as error:  # loaders raise many types of errors on damaged files
        raise EditorError(f"{path} contains no LPIPS weights ({printable(str(error))[:120]})") from None
    if not isinstance(weights, dict) or not all(torch.is_tensor(value) for value in weights.values()):
        raise EditorError(f"{path} contains something other than LPIPS weights")
    return Lpips({str(key): value.float() for key, value in weights.items()}, str(path))
