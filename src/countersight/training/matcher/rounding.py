"""The weights of an exported matcher in 8 bits, for products that round what flows into them row by row."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import onnx

BLOCK = 128
"""So many weights of a column share a scale, and so many numbers of a row: the smallest that is still fast."""
MIDDLE = 128
"""How onnxruntime writes nought in 8 bits."""
IN_INTEGERS = 4
"""onnxruntime's name for products of 8-bit integers."""


def round_weights(graph: Path) -> None:
    """Rewrite a graph so that each product with fixed weights is one of 8-bit numbers.

    Every row has scales of its own, so a case gets the same scores alone as beside others. One scale for all that flows
    in, as onnxruntime's own tool for 8 bits has it, gave another answer to every fourth case of CoSIm's real text, and
    with weights scaled by column to every tenth.
    """
    import onnx
    from onnx import helper, numpy_helper

    model = onnx.load(graph)
    weights = {one.name: one for one in model.graph.initializer if len(one.dims) == 2}
    same = {node.output[0]: node.input[0] for node in model.graph.node if node.op_type == "Identity"}
    rounded: dict[str, list[str]] = {}
    nodes: list[onnx.NodeProto] = []
    for node in model.graph.node:
        name = same.get(node.input[1], node.input[1]) if node.op_type == "MatMul" else ""
        if name not in weights:
            nodes.append(node)
            continue
        if name not in rounded:
            rounded[name] = [f"{name}_rounded", f"{name}_scales"]
            parts = in_8_bits(numpy_helper.to_array(weights[name]))
            model.graph.initializer.extend(map(numpy_helper.from_array, parts, rounded[name]))
        rows, columns = weights[name].dims
        sizes = {"K": rows, "N": columns, "bits": 8, "block_size": BLOCK, "accuracy_level": IN_INTEGERS}
        given = [node.input[0], *rounded[name]]
        nodes.append(helper.make_node("MatMulNBits", given, node.output, node.name, domain="com.microsoft", **sizes))
    _replace(model, [one for one in nodes if one.op_type != "Identity" or one.input[0] not in rounded])
    part = graph.with_suffix(".part")
    onnx.save(model, part)
    part.replace(graph)


def in_8_bits(weights: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """Each column cut into blocks, filled up with noughts: columns × blocks × BLOCK numbers, and a scale a block."""
    rows, columns = weights.shape
    blocks = np.zeros((columns, -(-rows // BLOCK) * BLOCK), np.float32)
    blocks[:, :rows] = weights.T
    blocks = blocks.reshape(columns, -1, BLOCK)
    scales = np.abs(blocks).max(2) / 127
    scales[scales == 0] = 1
    packed = (np.rint(blocks / scales[..., None]) + MIDDLE).astype(np.uint8)
    return packed, scales.astype(np.float32)


def _replace(model: "onnx.ModelProto", nodes: "list[onnx.NodeProto]") -> None:
    from onnx import helper

    asked = {name for node in nodes for name in node.input}
    kept = [one for one in model.graph.initializer if one.name in asked]
    for there, those in ((model.graph.node, nodes), (model.graph.initializer, kept)):
        del there[:]
        there.extend(those)
    if all(one.domain != "com.microsoft" for one in model.opset_import):
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
