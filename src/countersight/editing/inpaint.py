"""Fill holes with an inpainting network from an ONNX file, such as MI-GAN or LaMa.

The inputs of a network are read from the file: a picture with three channels and a mask with one, as integers (MI-GAN's
pipeline, in which the hole is black) or as floats from 0 to 1 (LaMa, in which it is white), of any size or of a fixed
one. A test run determines whether the maximum of the output is 1 or 255.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from countersight.detection import Mask, fingerprint
from countersight.editing.classical import Retoucher
from countersight.editing.pictures import crop_around, scaled, scaled_hole
from countersight.editing.protocol import EditorSettings
from countersight.editing.selecting import FINDING, Selector
from countersight.errors import EditFailed, EditorError
from countersight.models import open_graph
from countersight.picture import Pixels
from countersight.registry import with_options
from countersight.text import printable

SIDE = 512
"""The side in pixels of the pictures that both networks were trained on."""
LARGEST = 1024
"""The largest side in pixels for a network that accepts any size; larger parts are scaled down."""
AROUND = 1.0
"""The context around the hole on every side, as a multiple of the hole's size."""
STEP = 8
"""Side lengths must be multiples of this, because the networks halve the resolution three times."""


class Inpainter:
    """An inpainting network."""

    def __init__(self, path: Path) -> None:
        self._graph = open_graph(path, EditorError)
        inputs = self._graph.get_inputs()
        pictures = [into for into in inputs if len(into.shape) == 4 and into.shape[1] == 3]
        masks = [into for into in inputs if len(into.shape) == 4 and into.shape[1] == 1]
        if len(inputs) != 2 or len(pictures) != 1 or len(masks) != 1:
            said = ", ".join(f"{into.name} {into.type} {into.shape}" for into in inputs)[:200]
            raise EditorError(
                f"{path} has inputs {said}; an inpainting network needs a picture (1 x 3) and a mask (1 x 1)"
            )
        self._picture, self._mask = pictures[0], masks[0]
        sides = [side for side in self._picture.shape[2:] if isinstance(side, int)]
        self._fixed: tuple[int, int] | None = (sides[0], sides[1]) if len(sides) == 2 else None
        if self._fixed and not all(16 <= side <= 4096 for side in self._fixed):
            raise EditorError(
                f"{path} expects pictures of {self._fixed[1]} x {self._fixed[0]} pixels, which is not a valid size"
            )
        for into in (self._picture, self._mask):
            if into.type not in ("tensor(uint8)", "tensor(float)", "tensor(float16)"):
                raise EditorError(f"{path}: its input {into.name} has type {into.type}, which is not supported")
        self._hole_is_white = self._mask.type != "tensor(uint8)"
        self._levels = self._probe(path)
        self.settings: dict[str, Any] = {"network": fingerprint(path)}

    def __call__(self, pixels: Pixels, hole: Mask) -> Pixels:
        """Return the picture with the hole filled and everything else unchanged."""
        part = crop_around(hole, AROUND, SIDE)
        seen, covered = pixels[part], hole[part]
        height, width = covered.shape
        size = self._size(height, width)
        answer = self._raw(scaled(seen, size), scaled_hole(covered, size)) * (255.0 / self._levels)
        filled = np.clip(np.round(answer), 0, 255).astype(np.uint8)
        painted = pixels.copy()
        painted[part] = np.where(covered[:, :, None], scaled(filled, (height, width)), seen)
        return painted

    def _size(self, height: int, width: int) -> tuple[int, int]:
        if self._fixed:
            return self._fixed
        scale = min(1.0, LARGEST / max(height, width))
        down, across = (max(STEP, STEP * round(side * scale / STEP)) for side in (height, width))
        return down, across

    def _raw(self, pixels: Pixels, hole: Mask) -> NDArray[np.float32]:
        """Return the output of the network: height × width × 3."""
        shown = pixels.transpose(2, 0, 1)[None]
        cover = (hole if self._hole_is_white else ~hole)[None, None]
        given = {
            self._picture.name: _to_input(shown, self._picture.type),
            self._mask.name: _to_input(cover.astype(np.uint8) * 255, self._mask.type),
        }
        try:
            answer = np.asarray(self._graph.run(None, given)[0], np.float32)
        except Exception as error:  # onnxruntime raises many types of errors
            raise EditFailed(f"the network failed: {printable(str(error))[:160]}") from None
        if answer.shape != shown.shape or not np.isfinite(answer).all():
            raise EditFailed(
                f"the network returned shape {answer.shape} for a picture of shape {shown.shape}, or invalid numbers"
            )
        turned: NDArray[np.float32] = answer[0].transpose(1, 2, 0)
        return turned

    def _probe(self, path: Path) -> float:
        """Run the network on a grey gradient with a pink hole, and return the level of white in its output."""
        down, across = self._fixed or (SIDE, SIDE)
        slope = np.broadcast_to(np.linspace(60, 200, across)[None, :, None], (down, across, 3)).astype(np.uint8)
        hole = np.zeros((down, across), bool)
        hole[down * 3 // 8 : down * 5 // 8, across * 3 // 8 : across * 5 // 8] = True
        spotted = np.where(hole[:, :, None], np.array([255, 0, 255], np.uint8), slope)
        try:
            answer = self._raw(spotted, hole)
        except EditFailed as failure:
            raise EditorError(f"{path} cannot be used: {failure}") from None
        levels = 1.0 if float(np.abs(answer).max()) <= 1.5 else 255.0
        apart = np.abs(answer * (255.0 / levels) - spotted).mean(axis=2)
        if apart[hole].mean() <= apart[~hole].mean() + 1:
            raise EditorError(f"{path} is not an inpainting network: it filled nothing in a test picture")
        return levels


def _to_input(values: NDArray[np.uint8], kind: str) -> NDArray[Any]:
    """Convert levels to the network's input type: integers, or floats from 0 to 1."""
    if kind == "tensor(uint8)":
        return np.ascontiguousarray(values)
    return np.ascontiguousarray(values / 255, dtype=np.float16 if kind == "tensor(float16)" else np.float32)


def open_inpaint(name: str, rest: str, settings: EditorSettings) -> Retoucher:
    """Open `inpaint:FILE.onnx`, or `inpaint:FILE.onnx?detector=FILE.onnx&segmenter=FOLDER`."""
    file, chosen = with_options(rest, FINDING, EditorError)
    network = Inpainter(Path(file))
    return Retoucher(name, Selector(**chosen), network, network.settings)
