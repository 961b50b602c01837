"""Quantise the encoder: convolutions with 8-bit weights and activations run almost twice as fast."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnxruntime.quantization import (
    CalibrationDataReader,
    CalibrationMethod,
    QuantFormat,
    QuantType,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process

from tools.embedded.pictures import sample

PICTURES = 96
"""Training pictures that calibrate the ranges of activations."""
TOGETHER = 4
HEADS = 3
"""Final convolutions that are not quantised: their maps are summed up, so rounding errors would add up too."""


class _Pictures(CalibrationDataReader):
    def __init__(self, seed: str) -> None:
        self._batches = self._drawn(seed)

    def _drawn(self, seed: str) -> Iterator[dict[str, Any]]:
        for first in range(0, PICTURES, TOGETHER):
            pictures = [sample(f"{seed}/{first + nth}").picture for nth in range(TOGETHER)]
            yield {"pictures": np.stack(pictures)}

    def get_next(self) -> dict[str, Any] | None:
        return next(self._batches, None)


def quantise(path: Path, seed: str) -> None:
    """Replace the encoder in a file by its quantised version."""
    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready.onnx"
        quant_pre_process(str(path), str(ready), skip_symbolic_shape=True)
        nodes = onnx.load(str(ready)).graph.node
        convolutions = [node.name for node in nodes if node.op_type == "Conv"][:-HEADS]
        between = [node.name for node in nodes if node.op_type in ("Add", "Resize")]
        quantize_static(
            str(ready),
            str(path),
            _Pictures(f"{seed}/calibration"),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            # Use seven of eight bits: older processors add products in 16 bits, and full weights would overflow.
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            nodes_to_quantize=[*convolutions, *between],
            calibrate_method=CalibrationMethod.MinMax,
        )
