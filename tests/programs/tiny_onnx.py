"""Tiny networks in ONNX files that find what is red.

They are not trained, but they use their pixels, so the box in the output shows how the picture was prepared and how the
box was converted.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper, save

FAR = 1e6
Inputs = Mapping[str, tuple[int, Sequence[int | str]]]
"""The type of numbers and the shape of each input or output, by name."""


def node(operation: str, inputs: Sequence[str], output: str, **attributes: int) -> NodeProto:
    return helper.make_node(operation, inputs, [output], **attributes)


def save_network(
    path: Path,
    nodes: Sequence[NodeProto],
    constants: Mapping[str, np.ndarray],
    inputs: Inputs,
    outputs: Inputs,
    metadata: Mapping[str, str] | None = None,
) -> Path:
    """Save a network in a file; constants are 64-bit integers or become 32-bit floats."""
    ends = [
        [helper.make_tensor_value_info(name, *what) for name, what in described.items()]
        for described in (inputs, outputs)
    ]
    arrays = {name: np.asarray(values) for name, values in constants.items()}
    tensors = [
        numpy_helper.from_array(values if values.dtype == np.int64 else values.astype(np.float32), name)
        for name, values in arrays.items()
    ]
    graph = helper.make_graph(nodes, "tiny", *ends, tensors)
    model: ModelProto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    helper.set_model_props(model, dict(metadata or {}))
    save(model, path)
    return path


def red_box(height: int, width: int, picture: str) -> tuple[list[NodeProto], dict[str, np.ndarray]]:
    """Return nodes that compute the sides of what is red in a picture: [1] tensors `left`, `top`, `right`, `bottom`."""
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    constants = {
        "zero": np.array(0, np.int64),
        "one": np.array(1, np.int64),
        "half": np.array(0.5, np.float32),
        "far": np.array(FAR, np.float32),
        "minus_far": np.array(-FAR, np.float32),
        "flat": np.array([1], np.int64),
    }
    nodes = [
        node("Gather", [picture, "zero"], "red", axis=1),
        node("Gather", [picture, "one"], "green", axis=1),
        node("Sub", ["red", "green"], "redness"),
        node("Greater", ["redness", "half"], "is_red"),
    ]
    sides = {"left": (xs, "Min"), "top": (ys, "Min"), "right": (xs + 1, "Max"), "bottom": (ys + 1, "Max")}
    for name, (grid, end) in sides.items():
        constants[f"{name}_at"] = grid[None]
        nodes += [
            node("Where", ["is_red", f"{name}_at", "far" if end == "Min" else "minus_far"], f"{name}_all"),
            node(f"Reduce{end}", [f"{name}_all"], f"{name}_end", keepdims=0),
            node("Reshape", [f"{name}_end", "flat"], name),
        ]
    return nodes, constants


def centred(nodes: list[NodeProto], constants: dict[str, np.ndarray], width: float = 1, height: float = 1) -> None:
    """Add nodes for the centre and size of the box as shares of a width and a height: `x`, `y`, `w`, `h`."""
    constants |= {"across": np.array([width], np.float32), "down": np.array([height], np.float32)}
    constants["two"] = np.array([2], np.float32)
    for low, high, side, middle, size in (("left", "right", "across", "x", "w"), ("top", "bottom", "down", "y", "h")):
        nodes += [
            node("Add", [low, high], f"{middle}_sum"),
            node("Mul", [side, "two"], f"{side}_{middle}"),
            node("Div", [f"{middle}_sum", f"{side}_{middle}"], middle),
            node("Sub", [high, low], f"{size}_long"),
            node("Div", [f"{size}_long", side], size),
        ]


def yolo(path: Path, form: str, *, scores: Sequence[float], side: int = 64, metadata: Mapping[str, str] | None = None):
    """Save a YOLO of a form (v8, v5 or sorted) that finds what is red three times, with one score per class."""
    nodes, constants = red_box(side, side, "images")
    classes = len(scores)
    columns = ["x", "y", "w", "h"]
    if form == "sorted":
        columns = ["left", "top", "right", "bottom"]
        constants |= {"score": np.array([max(scores)]), "class": np.array([float(np.argmax(scores))])}
        columns += ["score", "class"]
    else:
        centred(nodes, constants)
        if form == "v5":
            constants["anything"] = np.array([0.9])
            columns.append("anything")
        for place, score in enumerate(scores):
            constants[f"score_{place}"] = np.array([score])
            columns.append(f"score_{place}")
    nodes.append(node("Concat", columns, "row", axis=0))
    rows = np.array([1, 1, len(columns)] if form != "v8" else [1, len(columns), 1], np.int64)
    constants["shape"] = rows
    nodes.append(node("Reshape", ["row", "shape"], "once"))
    nodes.append(node("Concat", ["once", "once", "once"], "output0", axis=1 if form != "v8" else 2))
    sides = {"v8": (1, 4 + classes, 3), "v5": (1, 3, 5 + classes), "sorted": (1, 3, 6)}[form]
    pictures = TensorProto.FLOAT, (1, 3, side, side)
    return save_network(path, nodes, constants, {"images": pictures}, {"output0": (TensorProto.FLOAT, sides)}, metadata)


def detr(path: Path, logits: Sequence[float], *, side: int = 64):
    """Save a DETR that gives what is red these logits; its pictures are not normalised."""
    nodes, constants = red_box(side, side, "pixel_values")
    centred(nodes, constants, side, side)
    constants |= {"logits_row": np.array([[logits]], np.float32), "box_shape": np.array([1, 1, 4], np.int64)}
    nodes += [
        node("Concat", ["x", "y", "w", "h"], "box", axis=0),
        node("Reshape", ["box", "box_shape"], "pred_boxes"),
        node("Identity", ["logits_row"], "logits"),
    ]
    outputs = {"logits": (TensorProto.FLOAT, (1, 1, len(logits))), "pred_boxes": (TensorProto.FLOAT, (1, 1, 4))}
    pictures = TensorProto.FLOAT, (1, 3, side, side)
    return save_network(path, nodes, constants, {"pixel_values": pictures}, outputs)
