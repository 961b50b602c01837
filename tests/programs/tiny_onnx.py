"""ONNX files written by hand, field by field: a network that looks for red and says where it is.

It is no trained model, but it does look at its pixels, so that whatever is done to a picture on the way in and to a box
on the way out shows in where the box ends up.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

FLOAT, INT64 = 1, 7
FAR = 1e6


def field(number: int, value: bytes | str | int) -> bytes:
    """One field of a protocol buffer."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])


def tensor(name: str, values: np.ndarray) -> bytes:
    kind = INT64 if values.dtype == np.int64 else FLOAT
    values = values.astype(np.int64 if kind == INT64 else np.float32)
    dims = b"".join(field(1, side) for side in values.shape)
    return dims + field(2, kind) + field(8, name) + field(9, values.tobytes())


def node(operation: str, inputs: Sequence[str], output: str, **attributes: int) -> bytes:
    written = b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, operation)
    for name, value in attributes.items():
        written += field(5, field(1, name) + field(3, value) + field(20, 2))
    return written


def value_info(name: str, shape: Sequence[int | str]) -> bytes:
    sides = b"".join(field(1, field(1, side) if isinstance(side, int) else field(2, side)) for side in shape)
    return field(1, name) + field(2, field(1, field(1, FLOAT) + field(2, sides)))


def model(
    nodes: Sequence[bytes],
    constants: Mapping[str, np.ndarray],
    inputs: Mapping[str, Sequence[int | str]],
    outputs: Mapping[str, Sequence[int | str]],
    metadata: Mapping[str, str] | None = None,
) -> bytes:
    graph = b"".join(field(1, each) for each in nodes) + field(2, "tiny")
    graph += b"".join(field(5, tensor(name, values)) for name, values in constants.items())
    graph += b"".join(field(11, value_info(name, shape)) for name, shape in inputs.items())
    graph += b"".join(field(12, value_info(name, shape)) for name, shape in outputs.items())
    said = b"".join(field(14, field(1, key) + field(2, text)) for key, text in (metadata or {}).items())
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)) + said


def red_box(height: int, width: int, picture: str) -> tuple[list[bytes], dict[str, np.ndarray]]:
    """The corners of what is red in a picture from 0 to 1, as [1] tensors `left`, `top`, `right` and `bottom`."""
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


def centred(nodes: list[bytes], constants: dict[str, np.ndarray], width: float = 1, height: float = 1) -> None:
    """Adds the middle and the size of the box, in parts of a width and a height: `x`, `y`, `w`, `h`."""
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
    """A YOLO of a form (v8, v5 or sorted) that gives what is red these scores, one a class, and finds it twice."""
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
    path.write_bytes(model(nodes, constants, {"images": (1, 3, side, side)}, {"output0": sides}, metadata))
    return path


def detr(path: Path, logits: Sequence[float], *, side: int = 64):
    """A DETR that gives what is red these logits; its pictures come as they are, without normalising."""
    nodes, constants = red_box(side, side, "pixel_values")
    centred(nodes, constants, side, side)
    constants |= {"logits_row": np.array([[logits]], np.float32), "box_shape": np.array([1, 1, 4], np.int64)}
    nodes += [
        node("Concat", ["x", "y", "w", "h"], "box", axis=0),
        node("Reshape", ["box", "box_shape"], "pred_boxes"),
        node("Identity", ["logits_row"], "logits"),
    ]
    outputs = {"logits": (1, 1, len(logits)), "pred_boxes": (1, 1, 4)}
    path.write_bytes(model(nodes, constants, {"pixel_values": (1, 3, side, side)}, outputs))
    return path
