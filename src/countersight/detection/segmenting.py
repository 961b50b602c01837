"""Segment the object in a box, with a SAM-like pair of ONNX files: an encoder and a decoder.

The decoder's inputs tell two families apart. SAM has `orig_im_size`: the picture is scaled to fit the encoder's square
and padded, and masks have the picture's size. SAM 2 does not have it: the picture is stretched to the square, and masks
have a quarter of its size.
"""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from countersight.detection.masks import Mask
from countersight.errors import EditFailed, EditorError
from countersight.models import open_graph
from countersight.picture import Pixels
from countersight.text import printable


def fingerprint(*paths: Path) -> str:
    """Return the first digits of the SHA-256 of files, to distinguish files of the same name."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


Corners = tuple[float, float, float, float]
_MEAN, _SPREAD = np.array([123.675, 116.28, 103.53], np.float32), np.array([58.395, 57.12, 57.375], np.float32)
"""The channel statistics of the photographs that both families were trained on."""
_FIRST_CORNER, _LAST_CORNER = 2, 3
"""The labels of a box's two corners in a prompt."""


class Segmenter:
    """A segmentation model that returns the mask of the object in a box."""

    def __init__(self, encoder: Path, decoder: Path) -> None:
        self._encoder, self._decoder = open_graph(encoder, EditorError), open_graph(decoder, EditorError)
        self.settings = {"encoder": fingerprint(encoder), "decoder": fingerprint(decoder)}
        inputs = self._encoder.get_inputs()
        shape = inputs[0].shape
        if (
            len(inputs) != 1
            or len(shape) != 4
            or shape[1] != 3
            or shape[2] != shape[3]
            or not isinstance(shape[2], int)
        ):
            found = ", ".join(f"{into.name} {into.shape}" for into in inputs)[:200]
            raise EditorError(f"{encoder} must have one input, a square picture (1 x 3 x side x side), but has {found}")
        self._input, self._side = inputs[0].name, int(shape[2])
        self._asked = {into.name: into for into in self._decoder.get_inputs()}
        missing = {"point_coords", "point_labels"} - set(self._asked)
        if missing:
            raise EditorError(f"{decoder} has no input {', '.join(sorted(missing))}, so it is not a SAM decoder")
        self._stretched = "orig_im_size" not in self._asked
        self._seen: tuple[bytes, dict[str, NDArray[Any]]] | None = None

    def cut_out(self, pixels: Pixels, box: Corners) -> Mask:
        """Return the mask of the object inside a box (left, top, right, bottom)."""
        height, width = pixels.shape[:2]
        prompt = {
            "point_coords": np.array([[box[:2], box[2:]]], np.float32) * self._scale(width, height),
            "point_labels": np.array([[_FIRST_CORNER, _LAST_CORNER]], np.float32),
            "mask_input": np.zeros((1, 1, *self._low_resolution()), np.float32),
            "has_mask_input": np.zeros(1, np.float32),
            "orig_im_size": np.array([height, width], np.float32),
        }
        try:
            given = self._encoded(pixels) | prompt
            names = [out.name for out in self._decoder.get_outputs()]
            said = dict(zip(names, self._decoder.run(None, {name: given[name] for name in self._asked}), strict=True))
            return self._best(said, width, height)
        except (EditFailed, EditorError):
            raise
        except Exception as error:  # onnxruntime raises many types of errors
            raise EditFailed(f"the segmenter failed: {printable(str(error))[:160]}") from None

    def _encoded(self, pixels: Pixels) -> dict[str, NDArray[Any]]:
        """Return the encoder's output for a picture. It is cached, because the next box is often in the same
        picture."""
        digest = hashlib.sha256(pixels.tobytes()).digest()
        if self._seen is None or self._seen[0] != digest:
            names = [out.name for out in self._encoder.get_outputs()]
            features = dict(zip(names, self._encoder.run(None, {self._input: self._prepared(pixels)}), strict=True))
            wanted = [name for name in self._asked if name not in features and name.startswith("image_embed")]
            if len(wanted) == 1 and len(features) == 1:  # exporters name a single output differently
                features[wanted[0]] = next(iter(features.values()))
            absent = [name for name in wanted if name not in features]
            if absent:
                raise EditorError(f"the encoder returns {', '.join(names)}, but the decoder needs {', '.join(absent)}")
            self._seen = digest, features
        return self._seen[1]

    def _prepared(self, pixels: Pixels) -> NDArray[np.float32]:
        height, width = pixels.shape[:2]
        scale = self._scale(width, height)
        size = (max(1, round(width * float(scale[0]))), max(1, round(height * float(scale[1]))))
        tones = np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BILINEAR), np.float32)
        square = np.zeros((self._side, self._side, 3), np.float32)
        square[: size[1], : size[0]] = (tones - _MEAN) / _SPREAD
        return np.ascontiguousarray(square.transpose(2, 0, 1)[None])

    def _scale(self, width: int, height: int) -> NDArray[np.float32]:
        if self._stretched:
            return np.array([self._side / width, self._side / height], np.float32)
        return np.full(2, self._side / max(width, height), np.float32)

    def _low_resolution(self) -> tuple[int, int]:
        """Return the height and width of the decoder's low-resolution input mask."""
        shape = self._asked["mask_input"].shape if "mask_input" in self._asked else ()
        sides = [side for side in shape[-2:] if isinstance(side, int)]
        return (sides[0], sides[1]) if len(sides) == 2 else (self._side // 4, self._side // 4)

    def _best(self, said: dict[str, NDArray[Any]], width: int, height: int) -> Mask:
        if "masks" not in said:
            raise EditorError(f"the decoder returns {', '.join(said)}, but no masks")
        masks = np.asarray(said["masks"], np.float32)
        scores = np.asarray(said.get("iou_predictions", np.zeros((1, 1))), np.float32)
        if masks.ndim != 4 or not masks.size or scores.shape[-1] != masks.shape[1]:
            raise EditFailed(f"the segmenter returned masks of the wrong shape, {masks.shape}")
        best = masks[0, int(scores[0].argmax())]
        levels = Image.fromarray(best).resize((width, height), Image.Resampling.BILINEAR)
        mask: Mask = np.asarray(levels) > 0
        if not mask.any():
            raise EditFailed("the segmenter found nothing there")
        return mask


def open_segmenter(folder: Path) -> Segmenter:
    """Open the segmenter in a folder that contains one file named *encoder* and one named *decoder*."""
    found = {}
    for part in ("encoder", "decoder"):
        files = sorted(path for end in ("onnx", "ort") for path in folder.glob(f"*{part}*.{end}"))
        if len(files) != 1:
            raise EditorError(f"{folder} must contain one {part} (*{part}*.onnx or .ort), but contains {len(files)}")
        found[part] = files[0]
    return Segmenter(found["encoder"], found["decoder"])
