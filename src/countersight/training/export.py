"""Export of a trained matcher to files that do not need torch: an ONNX graph, its tokenizer and a description."""

import warnings
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import helper, numpy_helper
from torch import nn

from countersight.models.matcher import GRAPH, TOKENIZER, Sequences, Sheet, surface_size, write_sheet
from countersight.training.plan import Plan

OPSET = 18
BLOCK = 128
"""The number of weights in a column, and of numbers in a row, that share a scale: the smallest size that is still
fast."""
MIDDLE = 128
"""The 8-bit value that onnxruntime uses for zero."""
IN_INTEGERS = 4
"""onnxruntime's name for products of 8-bit integers."""


def export(network: nn.Module, sequences: Sequences, plan: Plan, folder: Path, view: str = "", region: int = 0) -> None:
    """Write all files that `matcher:FOLDER` needs; `view` describes the features of regions, of `region` numbers
    each."""
    tokens = torch.ones(3, 7, dtype=torch.int64)
    given: tuple[torch.Tensor, ...] = (tokens, torch.ones_like(tokens))
    shapes = {"tokens": {0: "sequences", 1: "length"}, "real": {0: "sequences", 1: "length"}}
    if plan.inputs == "full":
        shown = torch.tensor([0, 1, 1])
        given += (torch.rand(2, 5, region), torch.rand(2, 5, 4), torch.ones(2, 5, dtype=torch.int64), shown)
        shapes |= {name: {0: "pictures", 1: "regions"} for name in ("features", "boxes", "there")}
        shapes |= {"shown": {0: "sequences"}}
    if plan.surface:
        given += (torch.zeros(3, surface_size(plan.inputs)),)
        shapes |= {"counts": {0: "sequences"}}
    network.eval().cpu()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings of the exporter about its internals
        torch.onnx.export(
            network,
            given,
            str(folder / GRAPH),
            input_names=list(shapes),
            output_names=["scores"],
            dynamic_axes={**shapes, "scores": {0: "sequences"}},
            opset_version=OPSET,
            dynamo=False,
        )
    if plan.shipped == "int8":
        round_weights(folder / GRAPH)
    sequences.save(folder / TOKENIZER)
    write_sheet(folder, Sheet(plan.inputs, view, plan.others, plan.surface, plan.features, region=region))


def round_weights(graph: Path) -> None:
    """Rewrite a graph so that products with fixed weights use 8-bit numbers.

    Every row has its own scales, so a case gets the same scores alone and in a batch. A single scale for all inputs, as
    in onnxruntime's own tool, changed the answers to a quarter of the cases of CoSIm's real text; weights scaled by
    column changed a tenth.
    """
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
    """Split each column into zero-padded blocks; returns columns × blocks × BLOCK numbers, and a scale per block."""
    rows, columns = weights.shape
    blocks = np.zeros((columns, -(-rows // BLOCK) * BLOCK), np.float32)
    blocks[:, :rows] = weights.T
    blocks = blocks.reshape(columns, -1, BLOCK)
    scales = np.abs(blocks).max(2) / 127
    scales[scales == 0] = 1
    packed = (np.rint(blocks / scales[..., None]) + MIDDLE).astype(np.uint8)
    return packed, scales.astype(np.float32)


def _replace(model: onnx.ModelProto, nodes: list[onnx.NodeProto]) -> None:
    asked = {name for node in nodes for name in node.input}
    kept = [one for one in model.graph.initializer if one.name in asked]
    for there, those in ((model.graph.node, nodes), (model.graph.initializer, kept)):
        del there[:]
        there.extend(those)
    if all(one.domain != "com.microsoft" for one in model.opset_import):
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
